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

/// Builds `body` for the taps of a window of sizes `window`, in row-major
/// order. `body` gets the indices of the tap in the window and the values that
/// it returned for the previous tap (`values` for the first one). Returns the
/// values after the last tap. Small windows are unrolled, others become a loop,
/// so that the size of the code does not grow with the window.
llvm::SmallVector<mlir::Value>
foldTaps(Scalars &s, llvm::ArrayRef<int64_t> window, mlir::ValueRange values,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(
             llvm::ArrayRef<mlir::Value> place, mlir::ValueRange values)>
             body);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_TAPS_H
