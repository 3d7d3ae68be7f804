/*===- fx-c/Compile.h - modules to native code --------------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_COMPILE_H
#define FX_C_COMPILE_H

#include "fx-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a compilation writes: fx/Pipelines/Formats.def. */
typedef enum FX_CAPI_INT {
#define FX_FORMAT(ID, KIND, NAME, TARGETS, EXTENSION, DESCRIPTION) FX_EMIT_##ID,
#include "fx/Pipelines/Formats.def"
} FXEmitKind;

/* What fx-compile --emit calls it; null for what is no FXEmitKind. */
FX_CAPI const char *fxEmitKindName(FXEmitKind kind);

/* All zero but struct_size and emit: what fx-compile does by default. */
typedef struct {
  size_t struct_size; /* sizeof(FXCompileOptions) */
  FXEmitKind emit;
  const char *name;    /* of the model, begins errors; null: "model" */
  const char *cpu;     /* LLVM's -mcpu; null: this machine's */
  int opt_level;       /* 1 to 3, of LLVM; 0: 3 */
  int refuse_fallback; /* operators without native code are an error */
  /* Called when a phase begins and when it has finished a kernel, with what
   * part of all is done, 0 to 1. May be called on another thread, one at a
   * time. Must not use the module or its context. */
  void (*on_phase)(void *context, const char *phase, double done);
  void *phase_context;
  /* Receives a report as JSON: phases with seconds, operators without native
   * code and why, kernels, memory. */
  FXTextFn on_report;
  void *report_context;
  /* For tests of what follows a crash: the phase that crashes, as fx-compile
   * --debug-crash has it. Null: none. */
  const char *debug_crash;
  /* What runs the kernels, as fx-compile --target has it: "cuda",
   * "cuda:sm_90a,sm_80". Null: the CPU. Of "rocm", AMD GPUs, and
   * "vulkan" there are no shared objects. */
  const char *target;
} FXCompileOptions;

/* Compiles a module that holds an `fx.graph @main` or, on builtin tensors,
 * what convert-fx-to-linalg makes of one. It is not changed, and stays usable
 * after a crash of the compiler. `path` is written
 * beside, then renamed; nothing is left there on failure. Linking sets all
 * llvm::cl options of the process back to their defaults. */
FX_CAPI int fxModuleCompile(const FXModule *module, const char *path,
                            const FXCompileOptions *options, FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_COMPILE_H */
