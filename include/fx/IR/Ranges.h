//===- Ranges.h - what is checked of a range --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_RANGES_H
#define FX_IR_RANGES_H

#include "fx/IR/FXDialect.h"

namespace fx {

/// Returns the lower bound that is checked on each call, if any. A bound of 2
/// or less is not checked, as in torch: export assumes it for every dynamic
/// size, but eager accepts sizes 0 and 1. The interpreter and compiled models
/// share this rule.
inline std::optional<int64_t> getCheckedMin(RangeAttr range) {
  std::optional<int64_t> min = range.getMin();
  return min && *min > 2 ? min : std::nullopt;
}

} // namespace fx

#endif // FX_IR_RANGES_H
