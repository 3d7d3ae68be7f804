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

/// A dtype for the run-time.
struct Dtype {
  uint8_t code;              ///< DLDataTypeCode
  uint8_t bits;              ///< of one element in memory
  llvm::StringRef torchName; ///< "float32"
};

/// The dtype of elements of `type`; nullopt where torch has none. Signless
/// integers count as signed.
std::optional<Dtype> getDtype(mlir::Type type);

/// The same for an `fx` or builtin tensor or scalar type: tensors give that of
/// their elements, `!fx.sym_int` int64 and so on.
std::optional<Dtype> getValueDtype(mlir::Type type);

} // namespace fx::kernel

#endif // FX_KERNELS_IR_DTYPES_H
