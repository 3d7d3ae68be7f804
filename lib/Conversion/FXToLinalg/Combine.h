//===- Combine.h - how elements become one ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_COMBINE_H
#define FX_CONVERSION_FXTOLINALG_COMBINE_H

#include "Scalars.h"

namespace fx::lin {

/// How scatter and segment_reduce combine elements with one destination. `Mean`
/// accumulates a sum; the caller divides it.
enum class Combine { Set, Sum, Mean, Product, Max, Min };

/// Returns the Combine called `name`: "sum" or "add", "prod" or "multiply",
/// "mean", "amax" or "max", "amin" or "min"; std::nullopt for other names.
std::optional<Combine> combineOf(llvm::StringRef name);
/// Returns the combination of `old`, the element so far, and `v`.
mlir::Value combine(Scalars &s, Combine how, mlir::Value old, mlir::Value v);
/// Returns the neutral element of `how`, which must not be Set.
mlir::Value neutral(Scalars &s, Combine how);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_COMBINE_H
