//===- OutputFile.h - files that are whole or absent ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_OUTPUTFILE_H
#define FX_SUPPORT_OUTPUTFILE_H

#include "fx/Support/LocatedError.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace fx {

/// An output cannot be written: `<path>: cannot write: <why>`.
class OutputError : public llvm::ErrorInfo<OutputError, LocatedError> {
public:
  static char ID;
  using llvm::ErrorInfo<OutputError, LocatedError>::ErrorInfo;
};

llvm::Error makeOutputError(llvm::StringRef path, std::error_code ec);

/// The temporary file that becomes an output. It lies next to the output, so
/// that the rename stays in one file system. The destructor removes the file
/// unless `keep` succeeded.
class OutputFile {
public:
  OutputFile() = default;
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  ~OutputFile() { discard(); }

  /// Creates the temporary file of the output at `path`. If `handlesSignals`, a
  /// signal that ends the process removes the file. This installs LLVM's signal
  /// handlers permanently, so it is for tools only.
  llvm::Error create(llvm::StringRef path, bool handlesSignals);
  llvm::StringRef getTemporaryPath() const { return temporary; }
  /// Renames the temporary file to the output's path.
  llvm::Error keep();

private:
  void discard();

  std::string path, target; ///< the target: what a link at the path names
  llvm::SmallString<128> temporary;
};

/// Returns true if a rename must not replace `path`: "-" (standard output), a
/// device, a pipe, a folder, or a link to an open file such as /dev/stdout.
bool isWrittenInPlace(llvm::StringRef path);

/// Writes to the file at `path` directly. "-" is standard output.
llvm::Error
writeInPlace(llvm::StringRef path,
             llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

/// Writes a file under a temporary name and renames it. If `write` fails or the
/// disk is full, the file at `path` does not change. Writes in place what a
/// rename must not replace. `handlesSignals`: see `OutputFile::create`.
llvm::Error
writeOutputFile(llvm::StringRef path,
                llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write,
                bool handlesSignals = false);

/// As `writeOutputFile` for a text.
llvm::Error writeTextFile(llvm::StringRef path, llvm::StringRef text,
                          bool handlesSignals = false);

} // namespace fx

#endif // FX_SUPPORT_OUTPUTFILE_H
