/*===- fx-c/Builder.h - builds graphs node by node ----------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a module from a graph in another representation, such as a
// torch.fx.GraphModule in Python. The location and the arguments of a node are
// pushed first, in order; then the node is created from them:
//
//   FXBuilder *b = fxBuilderCreate(context);
//   FXValue x, y;
//   fxBuilderBeginGraph(b, "main", 0, &error);
//   const char *type = "!fx.tensor<[4], f32>";
//   fxBuilderPlaceholder(b, "x", NULL, NULL, type, &x, &error);
//   fxBuilderPushFrame(b, "model.py", 12, "forward");
//   fxBuilderPushValue(b, x);
//   fxBuilderPushInt(b, 1);
//   fxBuilderPushKeyword(b, "alpha");
//   fxBuilderPushInt(b, 2);
//   fxBuilderNode(b, "call_function", "aten.add.Tensor", "add", &type, 1,
//                 NULL, &y, &error);
//   fxBuilderPushValue(b, y);
//   fxBuilderOutput(b, &error);
//   FXModule *module = fxBuilderFinish(b, NULL, &error);
//
// The rules of fx-c/Support.h apply, except that a builder must only be used by
// one thread.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_BUILDER_H
#define FX_C_BUILDER_H

#include "fx-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FXBuilder FXBuilder;
/* A result of a node, valid in its graph. */
typedef int64_t FXValue;

FX_CAPI FXBuilder *fxBuilderCreate(FXContext *context);
FX_CAPI void fxBuilderDestroy(FXBuilder *builder);

/* Sets an attribute of the module, or of the graph that is being built.
 * `attribute` is MLIR text: "[1, 2]", "\"text\"". */
FX_CAPI int fxBuilderSetAttribute(FXBuilder *builder, const char *name,
                                  const char *attribute, FXError **error);

/* Adds a parameter, buffer or constant. `type` is MLIR text. The storage is the
 * `size` bytes at `offset` of the file at `path`. If `path` is null, the value
 * is unknown. */
FX_CAPI int fxBuilderState(FXBuilder *builder, const char *name,
                           const char *type, const char *path, uint64_t offset,
                           uint64_t size, uint32_t crc32, FXError **error);

/* Begins a graph. The previous graph must have its output. A private graph is a
 * sub-graph. */
FX_CAPI int fxBuilderBeginGraph(FXBuilder *builder, const char *name,
                                int is_private, FXError **error);
/* Declares a symbol of the graph with its closed range. A null bound is
 * infinite. */
FX_CAPI int fxBuilderSymbol(FXBuilder *builder, const char *name,
                            const int64_t *min, const int64_t *max,
                            FXError **error);

/* Converts sympy's srepr text of a symbolic size to its text in types
 * (`2*s17 + 1`). */
FX_CAPI int fxBuilderExpression(FXBuilder *builder, const char *srepr,
                                FXTextFn write, void *user_data,
                                FXError **error);

/* Adds a frame to the Python stack of the next node, outermost frame first.
 * Only the 256 innermost frames are kept. */
FX_CAPI void fxBuilderPushFrame(FXBuilder *builder, const char *file, int line,
                                const char *function);
/* Adds a text to the metadata in the location of the next node:
 * nn_module_stack, … */
FX_CAPI void fxBuilderPushMetadata(FXBuilder *builder, const char *key,
                                   const char *value);
/* Adds a discardable attribute, as MLIR text, to the next node. */
FX_CAPI void fxBuilderPushNodeAttribute(FXBuilder *builder, const char *name,
                                        const char *attribute);

/* These functions add the arguments of the next node, in order. */
FX_CAPI void fxBuilderPushValue(FXBuilder *builder, FXValue value);
FX_CAPI void fxBuilderPushInt(FXBuilder *builder, int64_t value);
FX_CAPI void fxBuilderPushFloat(FXBuilder *builder, double value);
FX_CAPI void fxBuilderPushBool(FXBuilder *builder, int value);
FX_CAPI void fxBuilderPushNone(FXBuilder *builder);
FX_CAPI void fxBuilderPushString(FXBuilder *builder, const char *value);
/* Adds any other immediate as MLIR text: a dtype "f32", "#fx.device<\"cpu\">".
 */
FX_CAPI void fxBuilderPushAttribute(FXBuilder *builder, const char *text);
/* Begins a list or tuple, or a dict. Its elements are the arguments that are
 * pushed until fxBuilderPushEnd. The key of a dict's value is pushed before the
 * value. */
FX_CAPI void fxBuilderPushList(FXBuilder *builder);
FX_CAPI void fxBuilderPushDict(FXBuilder *builder);
FX_CAPI void fxBuilderPushKey(FXBuilder *builder, const char *key);
FX_CAPI void fxBuilderPushEnd(FXBuilder *builder);
/* Makes the next argument the keyword argument `name`. */
FX_CAPI void fxBuilderPushKeyword(FXBuilder *builder, const char *name);

/* Adds an input of the graph. `kind` is a keyword of fx.placeholder
 * ("parameter", "buffer", …) and `target` its state; both are null for a user
 * input. A pushed argument is the default value. */
FX_CAPI int fxBuilderPlaceholder(FXBuilder *builder, const char *name,
                                 const char *kind, const char *target,
                                 const char *type, FXValue *result,
                                 FXError **error);
/* Adds a get_attr of the sub-graph or state `target`. */
FX_CAPI int fxBuilderGetAttr(FXBuilder *builder, const char *name,
                             const char *target, const char *type,
                             FXValue *result, FXError **error);
/* Adds a node with the pushed arguments. `op` is "call_function",
 * "call_method", "call_module", "higher_order" or another operation of the
 * dialect with an argument tree. `names` are the names of the results, joined
 * with ','. `outs` is the tree of results as an MLIR attribute, or null if each
 * result is one leaf. `results` receives n_types values. */
FX_CAPI int fxBuilderNode(FXBuilder *builder, const char *op,
                          const char *target, const char *names,
                          const char *const *types, int n_types,
                          const char *outs, FXValue *results, FXError **error);
/* Adds the output with the pushed arguments, and ends the graph. */
FX_CAPI int fxBuilderOutput(FXBuilder *builder, FXError **error);

/* Verifies and returns the module; the builder is then empty. For `folder` see
 * fxModuleParse. */
FX_CAPI FXModule *fxBuilderFinish(FXBuilder *builder, const char *folder,
                                  FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_BUILDER_H */
