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

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fx {

/// Writes `op` as bytecode that any MLIR reads.
llvm::Error writeBytecode(mlir::Operation *op, llvm::raw_ostream &os);

/// Fails where `bytes` are what writeBytecode wrote and are damaged. Text, and
/// bytecode of other producers, which has nothing to be checked by, pass.
llvm::Error checkBytecode(llvm::StringRef bytes);

/// Parses text or bytecode in `buffer`, checked, after whose identifier errors
/// are named. Null, with an error reported to the context, on failure.
mlir::OwningOpRef<mlir::ModuleOp>
parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
            mlir::MLIRContext *context);

/// The same from the file at `path`, or from standard input for "-", with paths
/// of weights resolved (fx/IR/ExternalPaths.h).
mlir::OwningOpRef<mlir::ModuleOp> parseModuleFile(llvm::StringRef path,
                                                  mlir::MLIRContext *context);

} // namespace fx

#endif // FX_IR_BYTECODEFILE_H
