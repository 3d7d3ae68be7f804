//===- Masks.h - places that masks choose -----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_MASKS_H
#define FX_CONVERSION_FXTOLINALG_MASKS_H

#include "NodeLowering.h"

namespace fx::lin {

/// Returns true if an index tensor of this dtype is a mask (bool or uint8), not
/// a tensor of indices.
inline bool isMask(mlir::Type dtype) {
  return dtype.isInteger(1) || dtype.isUnsignedInteger(8);
}

/// Returns the indices of the true elements of `mask`, in row-major order: for
/// each of its dimensions a vector of `size` indices. If `size` is a symbol
/// without a value, binds it to the number of true elements. Otherwise emits an
/// assertion that it is that number. Fails if `size` cannot be evaluated.
mlir::FailureOr<llvm::SmallVector<Tensor>>
maskIndices(NodeLowering &n, const Tensor &mask, ExprAttr size);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_MASKS_H
