/*===- fx-c/Weights.h - weights of compiled models from files -----*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces the weights of a compiled model by those of safetensors, GGUF files
// and low-rank adapters, without compiling again. A model can replace all of
// its weights if it was compiled with `--swappable-weights` (docs/Report.md).
//
// A function that fails changes nothing. Functions that change the weights of
// one model must not run at the same time; runs wait for them. Files are
untrusted: what they say is
// checked when they are opened.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_WEIGHTS_H
#define FX_C_WEIGHTS_H

#include "fx-c/Run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file of named tensors. It is mapped, and must not change while it or a
 * model that loaded it exists. */
typedef struct FXWeightFile FXWeightFile;

/* Opens a `.safetensors` file, an index of shards
 * (`model.safetensors.index.json`), a folder with one of them, or a GGUF file
 * with tensors of F32, F16, BF16, F64, I8 to I64, Q4_0, Q8_0, Q4_K and Q6_K. */
FX_CAPI FXWeightFile *fxWeightFileOpen(const char *path, FXError **error);
FX_CAPI void fxWeightFileDestroy(FXWeightFile *file);

/* A tensor of a file. */
typedef struct {
  size_t struct_size; /* sizeof(FXWeightInfo) */
  const char *name;
  const char *format; /* "float32", or the quantized blocks: "Q4_K" */
  DLDataType dtype;   /* of the elements; float32 for blocks */
  int32_t rank;
  const int64_t *sizes;
  const void *data; /* in the file */
  uint64_t bytes;
} FXWeightInfo;

/* Returns the number of tensors, which are in the order of their names. */
FX_CAPI size_t fxWeightFileGetSize(const FXWeightFile *file);
/* Describes tensor `index`; the texts are valid as long as the file. */
FX_CAPI int fxWeightFileGetTensor(const FXWeightFile *file, size_t index,
                                  FXWeightInfo *info, FXError **error);
/* Sets *out to tensor `index`, which keeps the file. Blocks become float32. */
FX_CAPI int fxWeightFileRead(const FXWeightFile *file, size_t index,
                             DLManagedTensor **out, FXError **error);
/* Writes the metadata as a JSON object: the numbers, truth values and texts of
 * GGUF, without lists, or the texts of `__metadata__`. */
FX_CAPI void fxWeightFileGetMetadata(const FXWeightFile *file, FXTextFn write,
                                     void *user_data);
/* Returns nonzero for GGUF. */
FX_CAPI int fxWeightFileIsGguf(const FXWeightFile *file);

/* Says which tensor of a file is a weight of the program. */
typedef struct {
  const char *state; /* the weight's name; null: the tensor is ignored */
  const char *tensor;
  /* Not 0: the rows of each of this many heads are pairs (0, 1), (2, 3), … and
   * become two halves. llama.cpp stores queries and keys so. */
  int64_t rotary_heads;
  double offset; /* added to the values */
} FXWeightBinding;

typedef struct {
  size_t struct_size; /* sizeof(FXLoadWeightsOptions) */
  /* Nonzero: weights that the file lacks, and tensors that the model lacks, are
   * no errors. */
  int not_strict;
  const FXWeightBinding *bindings; /* other weights have their own names */
  size_t n_bindings;
} FXLoadWeightsOptions;

/* Replaces the weights of the model, for all of its methods. A prefix that all
 * names of the model or of the file have in addition is found. The model keeps
 * the file, and reads tensors from it without a copy where it can. float16 and
 * bfloat16 become float32, and blocks their values, if the model has float32.
 * `w_q`, `w_scale` and `w_zero_point` of fx-quantize are set from blocks of
 * Q4_0 or Q8_0 of `w`, if its groups have 32 elements. The error lists all
 * problems. `options` may be null. */
FX_CAPI int fxModelLoadWeights(FXModel *model, const FXWeightFile *file,
                               const FXLoadWeightsOptions *options,
                               FXError **error);
/* As fxModelLoadWeights, for copies of `n` tensors in host memory, possibly
 * strided. */
FX_CAPI int fxModelLoadTensors(FXModel *model, size_t n,
                               const char *const *names,
                               const DLTensor *const *values,
                               const FXLoadWeightsOptions *options,
                               FXError **error);

/* Applies the low-rank adapter in `folder`, in the format of the package peft
 * (`adapter_config.json`, `adapter_model.safetensors`): adds `scale` times its
 * change to the weights. It replaces an adapter that was applied before. */
FX_CAPI int fxModelApplyLora(FXModel *model, const char *folder, double scale,
                             FXError **error);
/* Restores the weights without the adapter, bit for bit. Weights cannot be
 * replaced while an adapter is applied. */
FX_CAPI int fxModelRemoveLora(FXModel *model, FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_WEIGHTS_H */
