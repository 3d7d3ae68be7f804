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

/// A file on disk that no folder lists, so that nothing stays behind however
/// the process ends. It goes when this does and no mapping is left.
class UnlinkedFile {
public:
  /// In the system's folder of temporary files; holds `bytes`.
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

  /// A path by which this process can open the file; no two files of a process
  /// have had the same (dlopen takes a path that it knows for the same
  /// library).
  const std::string &getPath() const { return path; }

private:
  UnlinkedFile() = default;
  int descriptor = -1;
  std::string path;
};

} // namespace fx

#endif // FX_SUPPORT_UNLINKEDFILE_H
