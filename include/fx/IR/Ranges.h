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

/// The lower bound that calls must keep, if any. One of 2 or less is not
/// checked, as in torch: export assumes it of every dynamic size and takes 0
/// and 1 at run time. One rule for the interpreter and for compiled models.
inline std::optional<int64_t> getCheckedMin(RangeAttr range) {
  std::optional<int64_t> min = range.getMin();
  return min && *min > 2 ? min : std::nullopt;
}

} // namespace fx

#endif // FX_IR_RANGES_H
