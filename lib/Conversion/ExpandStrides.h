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

/// Replaces each `tensor.insert_slice` with strides other than 1 by a
/// `linalg.generic` that selects each element from the source or the
/// destination. IREE 3.13 ignores the strides of such inserts.
void expandStridedInserts(mlir::Operation *root);

} // namespace fx

#endif // FX_LIB_CONVERSION_EXPANDSTRIDES_H
