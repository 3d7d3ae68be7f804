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

/* The output formats of a compilation, from fx/Pipelines/Formats.def. */
typedef enum FX_CAPI_INT {
#define FX_FORMAT(ID, KIND, NAME, TARGETS, EXTENSION, DESCRIPTION) FX_EMIT_##ID,
#include "fx/Pipelines/Formats.def"
} FXEmitKind;

/* Returns the name of a format in fx-compile --emit; null if `kind` is no
 * FXEmitKind. */
FX_CAPI const char *fxEmitKindName(FXEmitKind kind);

/* Options of a compilation. If all fields but struct_size and emit are zero,
 * they are the defaults of fx-compile. */
typedef struct {
  size_t struct_size; /* sizeof(FXCompileOptions) */
  FXEmitKind emit;
  const char *name;    /* the name of the model in errors; null: "model" */
  const char *cpu;     /* as fx-compile --mcpu; null: the CPU of this machine */
  int opt_level;       /* LLVM's optimization level, 1 to 3; 0: 3 */
  int refuse_fallback; /* operators without native code are an error */
  /* Called when a phase begins and when it has finished a kernel. `done` is the
   * fraction of the compilation that is done, 0 to 1. May be called on another
   * thread, but not concurrently. Must not use the module or its context. */
  void (*on_phase)(void *context, const char *phase, double done);
  void *phase_context;
  /* Receives a report as JSON: phases with seconds, operators without native
   * code with reasons, kernels, memory. */
  FXTextFn on_report;
  void *report_context;
  /* For tests of crash recovery: the phase that crashes, as for fx-compile
   * --debug-crash. Null: none. */
  const char *debug_crash;
  /* The target of the kernels, as for fx-compile --target: "cuda",
   * "cuda:sm_90a,sm_80", "rocm:gfx942", "vulkan". Null: the CPU. */
  const char *target;
  /* What the operands of f32 matmuls and convolutions are rounded to, as for
   * fx-compile --precision: "tf32", "bf16", "int8" (those that integer weights
   * are multiplied by) or "bf16,int8". Null or "f32": they are not. */
  const char *precision;
  /* The folder of the cache of object code, as for fx-compile --cache-dir.
   * Null: the folder that the environment names. Empty: no cache. */
  const char *cache_dir;
  /* The file with schedules from measurements, as for fx-compile --tune-file.
   * Null: none, or beside `path` if `tune_seconds` is given. */
  const char *tune_file;
  /* Measure schedules for about this many seconds, as for fx-compile --tune. 0:
   * do not. */
  double tune_seconds;
  /* The number of threads of the runs for which schedules are measured and
   * used. 0: 1; -1: all CPUs. */
  int tune_threads;
  /* The values of symbolic sizes in the measurements, as for fx-compile
   * --tune-size: "s17=16,s30=8". Null: none. */
  const char *tune_sizes;
  /* Receives each line that tells what was measured. */
  FXTextFn on_tune;
  void *tune_context;
  /* For tests: use candidate N of the schedules of each kernel, from 1; 0: the
   * schedules that the compiler chooses. */
  int64_t debug_schedule;
  /* The 3 x 3 convolutions of f32 that use Winograd's method, as for fx-compile
   * --winograd: "auto", "off", "f2" or "f4". Null: "auto". */
  const char *winograd;
  /* The machine that runs the code, as for fx-compile --mtriple:
   * "aarch64-linux-gnu". Null: this one. */
  const char *triple;
  /* Keep what is needed to replace all weights, as fx-compile
   * --swappable-weights. */
  int swappable_weights;
  /* Keep caches that the program takes as inputs and returns with new values in
   * states with this number of rows, as fx-compile --cache-capacity. 0: do not.
   */
  int64_t cache_capacity;
} FXCompileOptions;

/* Compiles a module that contains an `fx.graph @main`, or the result of
 * convert-fx-to-linalg. The module is not changed, and stays usable after a
 * crash of the compiler. The output is written to a temporary file in the same
 * folder, then renamed to `path`; no file is left on failure. Linking resets
 * all llvm::cl options of the process to their defaults. */
FX_CAPI int fxModuleCompile(const FXModule *module, const char *path,
                            const FXCompileOptions *options, FXError **error);

/* As fxModuleCompile for `n` modules, which become methods of one shared object
 * for CPUs: `names`, which are identifiers, has their names. Methods share
 * weights of equal values, and mutable states of the same name, whose dtypes,
 * shapes and initial values must be equal. */
FX_CAPI int fxModulesCompile(const FXModule *const *modules,
                             const char *const *names, size_t n,
                             const char *path, const FXCompileOptions *options,
                             FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_COMPILE_H */
