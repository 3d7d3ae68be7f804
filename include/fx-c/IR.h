/*===- fx-c/IR.h - modules of the fx dialect ----------------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_IR_H
#define FX_C_IR_H

#include "fx-c/Support.h"
#include "fx/Runtime/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An MLIRContext with every dialect that fx-mlir's pipelines need. */
typedef struct FXContext FXContext;
/* A builtin.module. The paths of its states are absolute. */
typedef struct FXModule FXModule;

FX_CAPI FXContext *fxContextCreate(void);
FX_CAPI void fxContextDestroy(FXContext *context);

/* Sets the function that loads the program's LibTorch before a pass on this
 * context loads libFXTorch.so. Calls after the first have no effect. See
 * FXCallbacks::prepare_torch, which does the same for a compiled model. */
FX_CAPI void fxContextSetTorchPreparation(FXContext *context,
                                          FXPrepareTorchFn prepare);

/* Imports a `.pt2` archive of torch.export.save. `model` is the name of a model
 * of the archive; null or "" if there is only one. The module refers to weights
 * in the archive, which must not be moved before the module is compiled. */
FX_CAPI FXModule *fxModuleImport(FXContext *context, const char *path,
                                 const char *model, FXError **error);

/* Options of an import. If all fields but struct_size are zero, they are the
 * defaults. */
typedef struct {
  size_t struct_size; /* sizeof(FXImportOptions) */
  const char *model;  /* as for fxModuleImport */
  /* The name of a buffer or a stream in errors. Null: "<archive>". */
  const char *name;
  /* Limits, for archives of unknown origin; 0: none. An import that exceeds one
   * fails with "expected at most ..., got ...". */
  uint64_t max_nodes;      /* the nodes of all graphs */
  uint64_t max_text_bytes; /* the bytes of JSON; each text: at most 512 MiB */
  double max_seconds;      /* the time, polled during the import */
} FXImportOptions;

/* As fxModuleImport, with all options; `options` may be null. */
FX_CAPI FXModule *fxModuleImportWith(FXContext *context, const char *path,
                                     const FXImportOptions *options,
                                     FXError **error);

/* As fxModuleImportWith, but the archive is the `size` bytes at `data`, which
 * are copied. The module and its clones own the copy. Text and bytecode of the
 * module refer to it: they can be parsed in this process, while a module owns
 * it. Elsewhere, using a weight of theirs is an error. To store the module with
 * its weights, export an archive (fx-c/Export.h). */
FX_CAPI FXModule *fxModuleImportBuffer(FXContext *context, const void *data,
                                       size_t size,
                                       const FXImportOptions *options,
                                       FXError **error);

/* Writes up to `size` bytes (not 0) to `data`. Returns the number of bytes, 0
 * at the end of the data, or a negative number after an error. */
typedef int64_t (*FXReadFn)(void *data, size_t size, void *user_data);

/* As fxModuleImportBuffer, but the archive is what `read` returns until its
 * end, which must fit in memory. `read` is not called again after its end or an
 * error. It may use the context. */
FX_CAPI FXModule *fxModuleImportStream(FXContext *context, FXReadFn read,
                                       void *user_data,
                                       const FXImportOptions *options,
                                       FXError **error);

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
