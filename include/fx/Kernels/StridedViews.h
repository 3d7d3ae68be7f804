//===- StridedViews.h - parts of tensors in memory --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_STRIDEDVIEWS_H
#define FX_KERNELS_STRIDEDVIEWS_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace fx::kernel {

/// A tensor whose elements are elements of `source`, which is contiguous:
/// element i is element `offset` + sum of i_d * strides_d.
struct StridedView {
  mlir::Value source;
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 6> strides;

  /// Returns true if the view begins at a multiple of 16 bytes of its source.
  bool isAligned() const;
};

/// Follows slices with steps of 1, expansions and collapses of static shapes
/// from `value` to the tensor that is no such view. Returns none if `value` is
/// no view, or if its elements have no strides.
std::optional<StridedView> getStridedView(mlir::Value value);

/// Returns true if kernels read `value` from the memory of its source: it has
/// gaps, so that it would be copied otherwise, and is aligned, as its strides
/// are.
bool isReadInPlace(mlir::Value value);

} // namespace fx::kernel

#endif // FX_KERNELS_STRIDEDVIEWS_H
