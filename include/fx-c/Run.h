/*===- fx-c/Run.h - loads and runs compiled models ----------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names, dtypes, symbolic sizes and guards of a model are in its
// FXModelInfo (fx/Runtime/model.h). Inputs and outputs are DLPack tensors.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_RUN_H
#define FX_C_RUN_H

#include "fx-c/Support.h"
#include "fx/Runtime/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loaded model with one copy of its mutable state. Several threads may run a
 * model; runs that mutate its state wait for each other. */
typedef struct FXModel FXModel;

/* Loads a shared object of fx-compile. `callbacks` may be null; the structure
 * and everything that it points to must stay valid while the model and its
 * outputs live. If the model needs the fallback to ATen and `callbacks` do not
 * provide it, libFXTorch.so is loaded: from the path in FX_TORCH_LIBRARY, from
 * the folder of libFX.so, or by the system's search path. */
FX_CAPI FXModel *fxModelLoad(const char *path, const FXCallbacks *callbacks,
                             FXError **error);
FX_CAPI FXModel *fxModelLoadBuffer(const void *data, size_t size,
                                   const FXCallbacks *callbacks,
                                   FXError **error);
FX_CAPI void fxModelDestroy(FXModel *model);

/* Returns the description of the model, valid until the model is destroyed. */
FX_CAPI const FXModelInfo *fxModelGetInfo(const FXModel *model);

/* Returns the methods of the model and sets `n` to their number. A model that
 * was compiled from several programs has one for each of them; others have one,
 * "forward". The first one is the one that the functions below run. */
FX_CAPI const FXMethod *fxModelGetMethods(const FXModel *model, size_t *n);
/* Returns the model as its method `index`, or null if there is none. The
 * methods share the mutable states of the model, its random generator and its
 * memory. The result belongs to `model`: do not destroy it. */
FX_CAPI FXModel *fxModelGetMethod(FXModel *model, size_t index);

/* Runs the model. The inputs are `n_inputs` tensors on the CPU, possibly
 * strided, in the order of info->inputs. Sets `n_outputs` outputs to new
 * contiguous tensors, which the caller frees by their deleter, also after the
 * model is destroyed. A None output is null. `threads` is the number of
 * threads: 1 uses this thread only, 0 uses all CPUs. */
FX_CAPI int fxModelRun(FXModel *model, const DLTensor *const *inputs,
                       int n_inputs, DLManagedTensor **outputs, int n_outputs,
                       int threads, FXError **error);

/* As fxModelRun, with all options. Tensors of a model for a GPU may be on its
 * device, which is FXCallbacks::device, and the options choose the stream and
 * whether the call waits. */
FX_CAPI int fxModelRunWith(FXModel *model, const DLTensor *const *inputs,
                           int n_inputs, DLManagedTensor **outputs,
                           int n_outputs, const FXRunOptions *options,
                           FXError **error);

/* As fxModelRun, but writes the outputs to the caller's tensors, without a copy
 * if a tensor is contiguous, aligned to 64 bytes, and overlaps no input and no
 * state. dtypes and shapes must be those of the outputs. Two outputs must not
 * overlap. An output whose tensor is null is dropped. Models for GPUs are an
 * error. */
FX_CAPI int fxModelRunInto(FXModel *model, const DLTensor *const *inputs,
                           int n_inputs, const DLTensor *const *outputs,
                           int n_outputs, int threads, FXError **error);

/* Sets `state` to a view of the value of info->states[index], valid until the
 * model is destroyed. Must not be called during a run. Fails if the model does
 * not contain the value because it was folded or packed. */
FX_CAPI int fxModelGetState(FXModel *model, int index, DLTensor *state,
                            FXError **error);
/* Resets all mutable states to their initial values. */
FX_CAPI void fxModelReset(FXModel *model);

/* Seeds the model's random generator, like torch.manual_seed. The generator
 * continues from run to run. Its initial seed is FX_DEFAULT_SEED. */
FX_CAPI void fxModelSeed(FXModel *model, uint64_t seed);
/* Get and set the state of the generator. Must not be called during a run. */
FX_CAPI void fxModelGetGenerator(FXModel *model, FXGenerator *out);
FX_CAPI void fxModelSetGenerator(FXModel *model, const FXGenerator *generator);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_RUN_H */
