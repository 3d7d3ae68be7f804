//===- BytecodeFile.h - bytecode that knows whether it is whole -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's bytecode reader trusts what it reads: one changed bit may loop forever
// or write behind a buffer. Bytecode names its producer in front, a text that
// MLIR passes over; ours says the length and the CRC-32 of all the rest.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_BYTECODEFILE_H
#define FX_IR_BYTECODEFILE_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"

namespace fx {

/// Writes `op` as bytecode that any MLIR reads.
llvm::Error writeBytecode(mlir::Operation *op, llvm::raw_ostream &os);

/// Fails where `bytes` are what writeBytecode wrote and are damaged. Text, and
/// bytecode of other producers, which has nothing to be checked by, pass.
llvm::Error checkBytecode(llvm::StringRef bytes);

} // namespace fx

#endif // FX_IR_BYTECODEFILE_H
