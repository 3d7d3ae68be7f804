//===- Tensors.h - the tensors of a step ------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_GENERATE_TENSORS_H
#define FX_LIB_GENERATE_TENSORS_H

#include "fx/Runtime/Loader.h"

#include <cstdlib>

namespace fx {

inline constexpr DLDataType kInt64 = {kDLInt, 64, 1};
inline constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};

/// Returns true if a value has this dtype and these sizes; -1 stands for any
/// size.
inline bool hasType(const FXValueInfo &value, DLDataType dtype,
                    llvm::ArrayRef<int64_t> sizes) {
  bool fits = value.dtype.code == dtype.code &&
              value.dtype.bits == dtype.bits &&
              size_t(value.rank) == sizes.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = sizes[i] == -1 || value.sizes[i] == sizes[i];
  return fits;
}

/// Returns a tensor in the memory at `data`. `shape` must outlive it.
inline DLTensor makeTensor(void *data, DLDataType dtype,
                           llvm::MutableArrayRef<int64_t> shape) {
  DLTensor tensor = {};
  tensor.device = {kDLCPU, 0};
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.ndim = int32_t(shape.size());
  tensor.shape = shape.data();
  return tensor;
}

/// Allocates memory that `free` frees. A model writes outputs to aligned memory
/// without a copy. Returns null if there is none.
inline float *allocateFloats(int64_t count) {
  size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
  return static_cast<float *>(std::aligned_alloc(64, bytes));
}

} // namespace fx

#endif // FX_LIB_GENERATE_TENSORS_H
