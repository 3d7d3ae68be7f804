/*===- fx-c/Run.h - loads and runs compiled models ----------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names, dtypes, symbolic sizes and guards of a model are in its
// FXModelInfo (fx/Runtime/model.h). Tensors come and go as DLPack's.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_RUN_H
#define FX_C_RUN_H

#include "fx-c/Support.h"
#include "fx/Runtime/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loaded model with one copy of its mutable state. Runs of one model may
 * overlap unless it mutates its state. */
typedef struct FXModel FXModel;

/* Loads a shared object of fx-compile. `callbacks` may be null; it and what it
 * points to must stay valid while the model and its outputs live. Where the
 * model needs the fallback to ATen and `callbacks` bring none, libFXTorch.so is
 * loaded: named by FX_TORCH_LIBRARY, beside libFX.so, or found by the system.
 */
FX_CAPI FXModel *fxModelLoad(const char *path, const FXCallbacks *callbacks,
                             FXError **error);
FX_CAPI FXModel *fxModelLoadBuffer(const void *data, size_t size,
                                   const FXCallbacks *callbacks,
                                   FXError **error);
FX_CAPI void fxModelDestroy(FXModel *model);

/* Valid until the model is destroyed. */
FX_CAPI const FXModelInfo *fxModelGetInfo(const FXModel *model);

/* Runs: `n_inputs` tensors on the CPU, maybe strided, in the order of
 * info->inputs; sets `n_outputs` new contiguous tensors, which the caller
 * frees through their deleter, also after the model is destroyed. A None output
 * is null. `threads`: 1 runs in this thread alone, 0 on all CPUs. */
FX_CAPI int fxModelRun(FXModel *model, const DLTensor *const *inputs,
                       int n_inputs, DLManagedTensor **outputs, int n_outputs,
                       int threads, FXError **error);

/* The same with all options; of a model for a GPU, tensors may be of its
 * device, and options choose the stream and whether to wait.
 * FXCallbacks::device is the device. */
FX_CAPI int fxModelRunWith(FXModel *model, const DLTensor *const *inputs,
                           int n_inputs, DLManagedTensor **outputs,
                           int n_outputs, const FXRunOptions *options,
                           FXError **error);

/* A view of a state's value, valid until the model is destroyed; not while a
 * run is under way. */
FX_CAPI int fxModelGetState(FXModel *model, int index, DLTensor *state,
                            FXError **error);
/* Sets all mutable states back to their first values. */
FX_CAPI void fxModelReset(FXModel *model);

/* Starts the model's random generator again, as torch.manual_seed. From run to
 * run it goes on; it starts from FX_DEFAULT_SEED. */
FX_CAPI void fxModelSeed(FXModel *model, uint64_t seed);
/* The generator's state; not while a run is under way. */
FX_CAPI void fxModelGetGenerator(FXModel *model, FXGenerator *out);
FX_CAPI void fxModelSetGenerator(FXModel *model, const FXGenerator *generator);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_RUN_H */
