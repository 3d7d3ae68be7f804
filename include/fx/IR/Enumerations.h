//===- Enumerations.h - torch's layouts, formats and devices ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What values torch's enumerations have: their names, and the numbers that
// c10 gives them.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_ENUMERATIONS_H
#define FX_IR_ENUMERATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace fx {

/// `strided`, `sparse_coo`, …; a layout's number is its place.
llvm::ArrayRef<llvm::StringLiteral> getLayoutNames();
/// `contiguous_format`, …; a format's number is its place.
llvm::ArrayRef<llvm::StringLiteral> getMemoryFormatNames();
/// `cpu`, `cuda`, …
llvm::ArrayRef<llvm::StringLiteral> getDeviceTypes();

/// True if c10::ScalarType has the number.
bool isScalarTypeNumber(int64_t number);

} // namespace fx

#endif // FX_IR_ENUMERATIONS_H
