//===- Math.h - code for mathematical functions -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_MATH_H
#define FX_CODEGEN_COMMON_MATH_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class OpBuilder;
class Operation;
class RewritePatternSet;
class Value;
} // namespace mlir

namespace fx::codegen {

/// Makes exp, expm1, log, log1p, log2, tanh and erf of f32 (f16 and bf16
/// through f32) within `root` straight-line code that is right to a few units
/// in the last place over the whole range of f32, subnormals included. The
/// others, whose approximations in MLIR are wrong near zeros or poles (sin,
/// cos, atan, cbrt), and f64 stay: see `computeInDouble`.
mlir::LogicalResult approximateMath(mlir::Operation *root);

/// Adds the rewriting of erf, on f32 and on vectors of it, that is preferred to
/// upstream's.
void populateErfApproximation(mlir::RewritePatternSet &patterns);

/// From there on sine, cosine and tangent are NaN in `computeInDouble`.
inline constexpr double kLargestAngle = 0x1p51;

/// True if `op` is a function of math that `computeInDouble` has.
bool hasDoubleForm(mlir::Operation *op);

/// The result of `op`, on floating-point numbers or vectors of them, by
/// straight-line arithmetic in f64: right to 0.8 units in the last place of
/// f32, and to some 1e-14 of f64; infinities, NaN and zeros as in C.
mlir::Value computeInDouble(mlir::OpBuilder &b, mlir::Operation *op);

/// Makes vectors of f32, f16 and bf16 that libm would take by elements (sin,
/// cos, tan and their inverses, hyperbolic functions, pow, exp2, log10, cbrt,
/// erfc) code in f64. Angles above `kLargestAngle` are still libm's.
void expandVectorsInDouble(mlir::Operation *root);

/// Takes vectors of functions that have no LLVM intrinsic (acosh, asinh, atanh,
/// cbrt, erf, erfc, expm1, log1p) apart into calls on their elements: those go
/// to libm.
void unrollLibmVectors(mlir::Operation *root);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_MATH_H
