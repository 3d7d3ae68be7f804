//===- RowGather.h - rows that are read through indices ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_ROWGATHER_H
#define FX_KERNELS_ROWGATHER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace fx::kernel {

/// A generic that copies rows of a tensor: element [i..., e] of its result is
/// element [f(i...)..., e] of the source. Its body computes the coordinates f
/// from the loops and from elements of other tensors, such as a table of the
/// pages of a cache.
struct RowGather {
  mlir::linalg::GenericOp op;
  mlir::tensor::ExtractOp extract;
  mlir::Value source() { return extract.getTensor(); }
};

/// Matches a gather with one result, whose loops are the dimensions of the
/// result. `op` may be null.
std::optional<RowGather> matchRowGather(mlir::Operation *op);

} // namespace fx::kernel

#endif // FX_KERNELS_ROWGATHER_H
