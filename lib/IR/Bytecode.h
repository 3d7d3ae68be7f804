//===- Bytecode.h - the version of the dialect in bytecode ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IR_BYTECODE_H
#define FX_LIB_IR_BYTECODE_H

#include "fx/IR/FXDialect.h"

namespace fx {

/// Adds the interface that records the dialect's version in bytecode and
/// upgrades bytecode of older versions.
void addBytecodeInterface(FXDialect &dialect);

} // namespace fx

#endif // FX_LIB_IR_BYTECODE_H
