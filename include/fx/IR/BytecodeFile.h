//===- BytecodeFile.h - bytecode that knows whether it is whole -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's bytecode reader trusts its input: one changed bit may make it loop
// forever or write past the end of a buffer. The header of bytecode has a
// producer text that MLIR ignores. fx-mlir stores there the length and the
// CRC-32 of the other bytes.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_BYTECODEFILE_H
#define FX_IR_BYTECODEFILE_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"

namespace fx {

/// Writes `op` as bytecode with the length and the checksum in its producer
/// text. MLIR's own reader accepts it.
llvm::Error writeBytecode(mlir::Operation *op, llvm::raw_ostream &os);

/// Fails if `bytes` were written by writeBytecode and are damaged. Accepts text
/// and bytecode of other producers, which has no checksum.
llvm::Error checkBytecode(llvm::StringRef bytes);

} // namespace fx

#endif // FX_IR_BYTECODEFILE_H
