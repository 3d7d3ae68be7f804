//===- Nonpositive.h - exponents that are not positive ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_NONPOSITIVE_H
#define FX_KERNELS_NONPOSITIVE_H

#include "mlir/Dialect/Math/IR/Math.h"

namespace fx::kernel {

/// Returns true if `exp`, in the body of a linalg.generic, is that of a
/// softmax: e^(x - m), where m is the maximum of elements of a tensor among
/// which x is. The exponent is at most 0, or NaN.
bool isBelowMaximum(mlir::math::ExpOp exp);

} // namespace fx::kernel

#endif // FX_KERNELS_NONPOSITIVE_H
