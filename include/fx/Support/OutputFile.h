//===- OutputFile.h - files that are whole or absent ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_OUTPUTFILE_H
#define FX_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace fx {

/// Writes a file under a temporary name and renames it. If `write` fails or the
/// disk is full, the file at `path` does not change. "-" is standard output.
llvm::Error
writeOutputFile(llvm::StringRef path,
                llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

} // namespace fx

#endif // FX_SUPPORT_OUTPUTFILE_H
