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

/// What scatter and segment_reduce make of the elements that meet in one place.
/// A mean is a sum until it is divided.
enum class Combine { Set, Sum, Mean, Product, Max, Min };

/// The way called `name`: "sum" or "add", "prod" or "multiply", "mean", "amax"
/// or "max", "amin" or "min".
std::optional<Combine> combineOf(llvm::StringRef name);
/// What `old` becomes when it meets `v`.
mlir::Value combine(Scalars &s, Combine how, mlir::Value old, mlir::Value v);
/// What changes nothing that it meets; not for Set.
mlir::Value neutral(Scalars &s, Combine how);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_COMBINE_H
