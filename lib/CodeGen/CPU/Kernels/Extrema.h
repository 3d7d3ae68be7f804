//===- Extrema.h - maxima and minima that keep NaN --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `arith.maximumf` takes three instructions for a vector of x86: the
// instruction for a maximum drops a NaN. These functions leave NaN out of the
// maximum, and test two vectors for it by one comparison.
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_KERNELS_EXTREMA_H
#define FX_CODEGEN_CPU_KERNELS_EXTREMA_H

#include "fx/CodeGen/Common/KernelCode.h"

namespace fx::cpu {

/// Returns true if `op` is the maximum or minimum of f32 or f64 values, on a
/// CPU without an instruction that keeps NaN.
bool dropsNaN(codegen::KernelCode &code, mlir::Operation *op);

/// Returns the maximum or minimum, as `op` says, of `acc`, which is no NaN, and
/// `x`. Returns `acc` where `x` is NaN.
mlir::Value combineNumbers(codegen::KernelCode &code, mlir::Operation *op,
                           mlir::Value acc, mlir::Value x);

/// Returns a vector of zeros that `flagNaN` takes, for values like `like`.
mlir::Value noFlags(codegen::KernelCode &code, mlir::Value like);

/// Returns `flags` with all bits set in the lanes in which `x` or `y` is NaN.
mlir::Value flagNaN(codegen::KernelCode &code, mlir::Value flags, mlir::Value x,
                    mlir::Value y);

/// Returns a scalar i1: whether a lane of `flags` is set.
mlir::Value isAnyFlagged(codegen::KernelCode &code, mlir::Value flags);

/// Returns `v` with NaN in the lanes that `flags` names.
mlir::Value restoreNaN(codegen::KernelCode &code, mlir::Value flags,
                       mlir::Value v);

/// Returns the maximum or minimum of the lanes of `v`, or NaN if one is NaN.
mlir::Value reduceLanes(codegen::KernelCode &code, mlir::Operation *op,
                        mlir::Value v);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_KERNELS_EXTREMA_H
