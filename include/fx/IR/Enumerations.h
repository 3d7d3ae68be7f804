//===- Enumerations.h - torch's layouts, formats and devices ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of torch's enumerations: their names, and their numbers in c10.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_ENUMERATIONS_H
#define FX_IR_ENUMERATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace fx {

/// Returns `strided`, `sparse_coo`, …, indexed by the number of the layout.
llvm::ArrayRef<llvm::StringLiteral> getLayoutNames();
/// Returns `contiguous_format`, …, indexed by the number of the format.
llvm::ArrayRef<llvm::StringLiteral> getMemoryFormatNames();
/// Returns the device types that torch.device parses: `cpu`, `cuda`, …
llvm::ArrayRef<llvm::StringLiteral> getDeviceTypes();

/// Returns true if `number` is a value of c10::ScalarType.
bool isScalarTypeNumber(int64_t number);

} // namespace fx

#endif // FX_IR_ENUMERATIONS_H
