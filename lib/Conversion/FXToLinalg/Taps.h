//===- Taps.h - the taps of a window ----------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_TAPS_H
#define FX_CONVERSION_FXTOLINALG_TAPS_H

#include "Scalars.h"

namespace fx::lin {

/// What `body` makes of the taps of a window in order: it takes a tap's place
/// in the window, as indices, and what the tap before it gave, first `values`.
/// Few taps are written out; more are a loop, so that no code grows with the
/// window.
llvm::SmallVector<mlir::Value>
foldTaps(Scalars &s, llvm::ArrayRef<int64_t> window, mlir::ValueRange values,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(
             llvm::ArrayRef<mlir::Value> place, mlir::ValueRange values)>
             body);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_TAPS_H
