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

/* Imports a `.pt2` archive of torch.export.save. `model` names one of an
 * archive that holds several; null or "" where there is one. Weights stay in
 * the archive, which must stay where it is until the module is compiled. */
FX_CAPI FXModule *fxModuleImport(FXContext *context, const char *path,
                                 const char *model, FXError **error);

/* Parses MLIR text or bytecode. `name` stands for the file in errors; `folder`
 * is the one that paths of external states start at (null: the current one). */
FX_CAPI FXModule *fxModuleParse(FXContext *context, const char *data,
                                size_t size, const char *name,
                                const char *folder, FXError **error);
/* The same from a file, whose folder is that of the paths. */
FX_CAPI FXModule *fxModuleParseFile(FXContext *context, const char *path,
                                    FXError **error);

FX_CAPI FXModule *fxModuleClone(const FXModule *module, FXError **error);
FX_CAPI void fxModuleDestroy(FXModule *module);
/* The folder that paths of external states started at when the module was made;
 * "" was the current one. */
FX_CAPI const char *fxModuleGetFolder(const FXModule *module);

/* Verifies the module. */
FX_CAPI int fxModuleVerify(const FXModule *module, FXError **error);

/* Runs a textual pipeline of passes on the module, as fx-opt has it:
 * "fx-functionalize,fx-decompose,canonicalize,cse", with or without
 * "builtin.module(...)" around it. On failure the module is unchanged. */
FX_CAPI int fxModuleRunPasses(FXModule *module, const char *pipeline,
                              FXError **error);

enum {
  /* Prints locations: names, Python stacks and metadata of the nodes. */
  FX_PRINT_LOCATIONS = 1
};

/* Prints MLIR text. */
FX_CAPI int fxModulePrint(const FXModule *module, unsigned flags,
                          FXTextFn write, void *user_data, FXError **error);
/* Writes MLIR bytecode, which keeps locations. It holds its own checksum: what
 * is damaged is refused when it is read. (MLIR's reader, which trusts its
 * input, gets bytecode of other producers as it is.) */
FX_CAPI int fxModuleWriteBytecode(const FXModule *module, FXTextFn write,
                                  void *user_data, FXError **error);

/* Writes the text attribute `name` of the module, or of its symbol `symbol`
 * (the graph "main", say): "fx.in_spec" of a graph. Writes nothing where there
 * is none. */
FX_CAPI int fxModuleGetText(const FXModule *module, const char *symbol,
                            const char *name, FXTextFn write, void *user_data,
                            FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_IR_H */
