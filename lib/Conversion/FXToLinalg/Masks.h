//===- Masks.h - places that masks choose -----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_MASKS_H
#define FX_CONVERSION_FXTOLINALG_MASKS_H

#include "Node.h"

namespace fx::lin {

/// Whether an index of this dtype chooses by truth, not by place.
inline bool isMask(mlir::Type dtype) {
  return dtype.isInteger(1) || dtype.isUnsignedInteger(8);
}

/// The places of the true elements of `mask`, in order: for each of its
/// dimensions a vector of `size` indices. A symbol that has no value yet gets
/// the number of true elements; any other size must be that number when the
/// program runs. Fails where the size cannot be evaluated.
mlir::FailureOr<llvm::SmallVector<Tensor>>
maskIndices(Node &n, const Tensor &mask, ExprAttr size);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_MASKS_H
