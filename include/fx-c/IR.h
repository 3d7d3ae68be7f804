/*===- fx-c/IR.h - modules of the fx dialect ----------------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_IR_H
#define FX_C_IR_H

#include "fx-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An MLIRContext with every dialect that fx-mlir's pipelines need. */
typedef struct FXContext FXContext;
/* A builtin.module. The paths of its states are absolute. */
typedef struct FXModule FXModule;

FX_CAPI FXContext *fxContextCreate(void);
FX_CAPI void fxContextDestroy(FXContext *context);

/* Imports a `.pt2` archive of torch.export.save. `model` is the name of a model
 * of the archive; null or "" if there is only one. The module refers to weights
 * in the archive, which must not be moved before the module is compiled. */
FX_CAPI FXModule *fxModuleImport(FXContext *context, const char *path,
                                 const char *model, FXError **error);

/* Parses MLIR text or bytecode. Errors use `name` as the name of the file.
 * Relative paths of external states start at `folder` (null: the current
 * folder). */
FX_CAPI FXModule *fxModuleParse(FXContext *context, const char *data,
                                size_t size, const char *name,
                                const char *folder, FXError **error);
/* As fxModuleParse, but reads a file. Paths of external states start at its
 * folder. */
FX_CAPI FXModule *fxModuleParseFile(FXContext *context, const char *path,
                                    FXError **error);

FX_CAPI FXModule *fxModuleClone(const FXModule *module, FXError **error);
FX_CAPI void fxModuleDestroy(FXModule *module);
/* Returns the folder at which paths of external states started when the module
 * was created; "" for the current folder. */
FX_CAPI const char *fxModuleGetFolder(const FXModule *module);

/* Verifies the module. */
FX_CAPI int fxModuleVerify(const FXModule *module, FXError **error);

/* Runs a textual pass pipeline of fx-opt on the module:
 * "fx-functionalize,fx-decompose,canonicalize,cse", with or without
 * "builtin.module(...)" around it. On failure the module is not changed. */
FX_CAPI int fxModuleRunPasses(FXModule *module, const char *pipeline,
                              FXError **error);

enum {
  /* Prints locations: names, Python stacks and metadata of the nodes. */
  FX_PRINT_LOCATIONS = 1
};

/* Prints MLIR text. */
FX_CAPI int fxModulePrint(const FXModule *module, unsigned flags,
                          FXTextFn write, void *user_data, FXError **error);
/* Writes MLIR bytecode with locations and a checksum. The functions that parse
 * bytecode reject it if it is damaged. They cannot check bytecode of other
 * producers, and MLIR's reader trusts its input. */
FX_CAPI int fxModuleWriteBytecode(const FXModule *module, FXTextFn write,
                                  void *user_data, FXError **error);

/* Writes the value of the string attribute `name`, such as "fx.in_spec", of the
 * symbol `symbol`, such as the graph "main", or of the module. Writes nothing
 * if there is no such attribute. */
FX_CAPI int fxModuleGetText(const FXModule *module, const char *symbol,
                            const char *name, FXTextFn write, void *user_data,
                            FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_IR_H */
