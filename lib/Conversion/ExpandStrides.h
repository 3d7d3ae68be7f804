//===- ExpandStrides.h - strided inserts as linalg --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CONVERSION_EXPANDSTRIDES_H
#define FX_LIB_CONVERSION_EXPANDSTRIDES_H

#include "mlir/IR/Operation.h"

namespace fx {

/// Replaces `tensor.insert_slice` with steps other than 1 by `linalg.generic`,
/// which selects each element: IREE 3.13 compiles such slices to code that
/// ignores the steps.
void expandStridedInserts(mlir::Operation *root);

} // namespace fx

#endif // FX_LIB_CONVERSION_EXPANDSTRIDES_H
