/*===- fx-c/Builder.h - builds graphs node by node ----------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a module from a graph that lives elsewhere (a torch.fx.GraphModule in
// Python, say). A node's location and arguments are pushed first, in order,
// then the node is made of them:
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
// The rules of fx-c/Support.h hold, but that a builder belongs to one thread.
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

/* A parameter, buffer or constant: `type` as MLIR text, its storage the `size`
 * bytes at `offset` of the file at `path`. A null path: the value is unknown.
 */
FX_CAPI int fxBuilderState(FXBuilder *builder, const char *name,
                           const char *type, const char *path, uint64_t offset,
                           uint64_t size, uint32_t crc32, FXError **error);

/* Begins a graph; the last one must have its output. A private one is a
 * sub-graph. */
FX_CAPI int fxBuilderBeginGraph(FXBuilder *builder, const char *name,
                                int is_private, FXError **error);
/* Declares a symbol of the graph with its closed range; null bounds are open.
 */
FX_CAPI int fxBuilderSymbol(FXBuilder *builder, const char *name,
                            const int64_t *min, const int64_t *max,
                            FXError **error);

/* The text of a symbolic size in types (`2*s17 + 1`), from sympy's srepr. */
FX_CAPI int fxBuilderExpression(FXBuilder *builder, const char *srepr,
                                FXTextFn write, void *user_data,
                                FXError **error);

/* The Python stack of the next node, outermost frame first. Only the 256
 * innermost frames are kept. */
FX_CAPI void fxBuilderPushFrame(FXBuilder *builder, const char *file, int line,
                                const char *function);
/* Any text that the next node's location carries: nn_module_stack, … */
FX_CAPI void fxBuilderPushMetadata(FXBuilder *builder, const char *key,
                                   const char *value);
/* A discardable attribute of the next node, as MLIR text. */
FX_CAPI void fxBuilderPushNodeAttribute(FXBuilder *builder, const char *name,
                                        const char *attribute);

/* The arguments of the next node, in order. */
FX_CAPI void fxBuilderPushValue(FXBuilder *builder, FXValue value);
FX_CAPI void fxBuilderPushInt(FXBuilder *builder, int64_t value);
FX_CAPI void fxBuilderPushFloat(FXBuilder *builder, double value);
FX_CAPI void fxBuilderPushBool(FXBuilder *builder, int value);
FX_CAPI void fxBuilderPushNone(FXBuilder *builder);
FX_CAPI void fxBuilderPushString(FXBuilder *builder, const char *value);
/* Another immediate as MLIR text: a dtype "f32", "#fx.device<\"cpu\">". */
FX_CAPI void fxBuilderPushAttribute(FXBuilder *builder, const char *text);
/* A list or tuple, or a dict, whose elements are pushed until fxBuilderPushEnd;
 * each value of a dict has its key before it. */
FX_CAPI void fxBuilderPushList(FXBuilder *builder);
FX_CAPI void fxBuilderPushDict(FXBuilder *builder);
FX_CAPI void fxBuilderPushKey(FXBuilder *builder, const char *key);
FX_CAPI void fxBuilderPushEnd(FXBuilder *builder);
/* What is pushed next is the keyword argument `name`. */
FX_CAPI void fxBuilderPushKeyword(FXBuilder *builder, const char *name);

/* An input of the graph. `kind`: "parameter", "buffer", … as in the text of
 * fx.placeholder, with the state `target`; null for a user input. A pushed
 * argument is its default value. */
FX_CAPI int fxBuilderPlaceholder(FXBuilder *builder, const char *name,
                                 const char *kind, const char *target,
                                 const char *type, FXValue *result,
                                 FXError **error);
/* A sub-graph or state by its name. */
FX_CAPI int fxBuilderGetAttr(FXBuilder *builder, const char *name,
                             const char *target, const char *type,
                             FXValue *result, FXError **error);
/* A node: `op` is "call_function", "call_method", "call_module",
 * "higher_order" or another operation of the dialect with an argument tree;
 * `names` joins the names of the results with ','. `outs` is the tree of
 * results as an MLIR attribute where they are not simply one after another,
 * else null. `results` receives n_types values. */
FX_CAPI int fxBuilderNode(FXBuilder *builder, const char *op,
                          const char *target, const char *names,
                          const char *const *types, int n_types,
                          const char *outs, FXValue *results, FXError **error);
/* The output, of the pushed arguments; ends the graph. */
FX_CAPI int fxBuilderOutput(FXBuilder *builder, FXError **error);

/* The module, verified; the builder is then empty. `folder` as in
 * fxModuleParse. */
FX_CAPI FXModule *fxBuilderFinish(FXBuilder *builder, const char *folder,
                                  FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_BUILDER_H */
