//===- Special.h - helpers for special functions ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_SPECIAL_H
#define FX_CONVERSION_FXTOLINALG_SPECIAL_H

#include "Operands.h"

#include <limits>

namespace fx::lin {

using UnaryFn = mlir::Value (*)(Scalars &, mlir::Value);

/// Lowers a pointwise function of one operand with a float result, computed in
/// f64.
template <UnaryFn fn>
mlir::LogicalResult wide(NodeLowering &n) {
  Tensor x = n.tensor(n.oneOf({"self", "x"}));
  if (n.failed() || !llvm::isa<mlir::FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  return n.pointwise(
      0, {x}, n.b.b.getF64Type(),
      [](Scalars &s, mlir::ValueRange v) { return fn(s, v[0]); });
}

/// Computes log(|gamma(x)|), in f64.
mlir::Value logGamma(Scalars &s, mlir::Value x);

inline mlir::Value nan(Scalars &s) {
  return s.constant(std::numeric_limits<double>::quiet_NaN());
}

/// Computes c[0] + x * (c[1] + x * ...).
inline mlir::Value polynomial(Scalars &s, mlir::Value x,
                              llvm::ArrayRef<double> c) {
  mlir::Value r = s.constant(c.back());
  for (double k : llvm::reverse(c.drop_back()))
    r = s.add(s.mul(r, x), s.constant(k));
  return r;
}

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_SPECIAL_H
