//===- UnlinkedFile.h - a temporary file without a name ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_UNLINKEDFILE_H
#define FX_SUPPORT_UNLINKEDFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace fx {

/// A file on disk without a directory entry. The system deletes the file when
/// this object and all mappings of the file are gone, also after a crash.
class UnlinkedFile {
public:
  /// Creates a file in the system's folder of temporary files. Its content is
  /// `bytes`.
  static llvm::Expected<UnlinkedFile> create(llvm::StringRef bytes = {});

  UnlinkedFile(UnlinkedFile &&other)
      : descriptor(std::exchange(other.descriptor, -1)),
        path(std::move(other.path)) {}
  UnlinkedFile &operator=(UnlinkedFile &&other) {
    std::swap(descriptor, other.descriptor);
    std::swap(path, other.path);
    return *this;
  }
  ~UnlinkedFile();

  /// Returns a path by which this process can open the file. No two files of a
  /// process get the same path, since dlopen identifies libraries by their
  /// paths.
  const std::string &getPath() const { return path; }

private:
  UnlinkedFile() = default;
  int descriptor = -1;
  std::string path;
};

} // namespace fx

#endif // FX_SUPPORT_UNLINKEDFILE_H
