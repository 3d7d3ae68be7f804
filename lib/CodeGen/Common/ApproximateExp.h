//===- ApproximateExp.h - parts of exponentials -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_COMMON_APPROXIMATEEXP_H
#define FX_LIB_CODEGEN_COMMON_APPROXIMATEEXP_H

#include "mlir/IR/Builders.h"

namespace fx::codegen {

struct MathOptions;

/// Returns true if `scaleByPowerOfTwo` supports values of `type`.
bool canScale(mlir::Type type, const MathOptions &options);

/// Returns `x * 2^n` (vscalefps), rounded once. `n` holds integers.
mlir::Value scaleByPowerOfTwo(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value x, mlir::Value n);

} // namespace fx::codegen

#endif // FX_LIB_CODEGEN_COMMON_APPROXIMATEEXP_H
