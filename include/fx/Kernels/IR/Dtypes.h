//===- Dtypes.h - dtypes as DLPack and torch name them ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_IR_DTYPES_H
#define FX_KERNELS_IR_DTYPES_H

#include "mlir/IR/Types.h"

#include <optional>

namespace fx::kernel {

/// A dtype in the form of the run-time.
struct Dtype {
  uint8_t code;              ///< DLDataTypeCode
  uint8_t bits;              ///< bits of one element in memory
  llvm::StringRef torchName; ///< "float32"
};

/// Returns the dtype of an element type; nullopt if torch has none. Signless
/// integers are signed.
std::optional<Dtype> getDtype(mlir::Type type);

/// Returns the dtype of an `fx` or builtin tensor or scalar type: the dtype of
/// the elements of a tensor, int64 for `!fx.sym_int`, and so on.
std::optional<Dtype> getValueDtype(mlir::Type type);

/// Returns true for the eight-bit floats of PyTorch that have native code:
/// those with a mantissa.
bool isFloat8(mlir::Type type);

} // namespace fx::kernel

#endif // FX_KERNELS_IR_DTYPES_H
