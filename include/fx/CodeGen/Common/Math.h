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

struct MathOptions {
  /// Whether there is an instruction that multiplies vectors of 16 f32 by
  /// powers of two (vscalefps of AVX-512).
  bool hasScale = false;
  /// Whether fma of f32 rounds once. `computeInFloat` needs it.
  bool hasFma = true;
  /// Whether exp2 is an instruction that is accurate enough. It stays.
  bool hasExp2 = false;
};

/// Replaces functions of f32, and of f16 and bf16 through f32, in `root`: exp,
/// exp2, erf, and those of `hasFloatForm`. The code of sin, cos and tan has a
/// branch for large angles; that of the others is straight-line. Without
/// `hasFma`, replaces only expm1, log, log1p, log2 and tanh of `hasFloatForm`,
/// by upstream's polynomials. Functions whose approximations in MLIR are wrong
/// near zeros or poles (sin, cos, atan, cbrt), and functions of f64, stay. For
/// these see `computeInDouble`.
mlir::LogicalResult approximateMath(mlir::Operation *root,
                                    const MathOptions &options = {});

/// Adds a pattern that approximates erf of f32 and of vectors of f32. It has
/// precedence over upstream's pattern.
void populateErfApproximation(mlir::RewritePatternSet &patterns);

/// Adds a pattern that approximates exp of vectors of f32 for which there is an
/// instruction to scale by powers of two.
void populateExpApproximation(mlir::RewritePatternSet &patterns,
                              const MathOptions &options);

/// Adds a pattern that approximates exp2 of f32 and of vectors of f32.
void populateExp2Approximation(mlir::RewritePatternSet &patterns,
                               const MathOptions &options);

/// From this magnitude on, sine, cosine and tangent are NaN in
/// `computeInDouble`.
inline constexpr double kLargestAngle = 0x1p51;

/// Returns true if `computeInFloat` supports `op`: trigonometric and hyperbolic
/// functions and their inverses, logarithms, expm1, erfc and pow of f32, f16
/// and bf16.
bool hasFloatForm(mlir::Operation *op);

/// Computes the result of `op`, a function of floating-point scalars or
/// vectors, by arithmetic in f32. The error is at most 2 units in the last
/// place of f32 over the whole range, including subnormals. Infinities, NaN and
/// zeros are handled as in C. Needs a target whose fma rounds once.
mlir::Value computeInFloat(mlir::OpBuilder &b, mlir::Operation *op);

/// Returns true if `computeInDouble` supports `op`.
bool hasDoubleForm(mlir::Operation *op);

/// Computes the result of `op`, a function of floating-point scalars or
/// vectors, by straight-line arithmetic in f64. The error is at most 0.8 units
/// in the last place for f32, and about 1e-14 for f64. Infinities, NaN and
/// zeros are handled as in C.
mlir::Value computeInDouble(mlir::OpBuilder &b, mlir::Operation *op);

/// Replaces functions of vectors of f32, f16 and bf16 that `approximateMath`
/// left (cbrt) by code in f64.
void expandVectorsInDouble(mlir::Operation *root);

/// Unrolls functions of vectors that have no LLVM intrinsic (acosh, asinh,
/// atanh, cbrt, erf, erfc, expm1, log1p) into calls on the elements, which
/// become calls of libm.
void unrollLibmVectors(mlir::Operation *root);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_MATH_H
