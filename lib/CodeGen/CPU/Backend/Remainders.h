//===- Remainders.h - remainders of vectors of f32 --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_BACKEND_REMAINDERS_H
#define FX_LIB_CODEGEN_CPU_BACKEND_REMAINDERS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace fx::cpu {

/// Expands remainders of vectors of f32, with the sign of the dividend, to
/// exact arithmetic in f64. Calls of fmodf remain for large quotients, infinite
/// divisors and NaN.
void expandRemainders(mlir::Operation *root);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_BACKEND_REMAINDERS_H
