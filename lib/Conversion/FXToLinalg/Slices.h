//===- Slices.h - writes of whole slices ------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CONVERSION_FXTOLINALG_SLICES_H
#define FX_LIB_CONVERSION_FXTOLINALG_SLICES_H

#include "Builder.h"

namespace fx::lin {

/// Returns `x` with slice i of `values` along `dim` written to, or added to,
/// slice `index[i]`. `values` has the sizes of `x`, except for that of `index`,
/// a vector, along `dim`. `name` is the operator that an error names.
Tensor writeSlices(Builder &b, const Tensor &x, int64_t dim,
                   const Tensor &index, const Tensor &values, bool accumulate,
                   llvm::StringRef name);

} // namespace fx::lin

#endif // FX_LIB_CONVERSION_FXTOLINALG_SLICES_H
