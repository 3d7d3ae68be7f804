//===- UnlinkedFile.h - a temporary file without a name ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_UNLINKEDFILE_H
#define FX_SUPPORT_UNLINKEDFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace fx {

/// A file without a directory entry, on disk or in memory. The system deletes
/// the file when this object and all mappings of the file are gone, also after
/// a crash.
class UnlinkedFile {
public:
  /// Creates a file in the system's folder of temporary files. Its content is
  /// `bytes`.
  static llvm::Expected<UnlinkedFile> create(llvm::StringRef bytes = {});

  /// Fills a part of the buffer, which is not empty, and returns the number of
  /// bytes; 0 at the end of the data.
  using ReadFn =
      llvm::function_ref<llvm::Expected<size_t>(llvm::MutableArrayRef<char>)>;

  /// Creates a file in memory, with what `read` returns until its end. The
  /// content cannot be changed afterwards. Errors about the file, also those of
  /// other functions that open it by its path, use `name` as its path.
  static llvm::Expected<UnlinkedFile> createInMemory(llvm::StringRef name,
                                                     ReadFn read);
  static llvm::Expected<UnlinkedFile> createInMemory(llvm::StringRef name,
                                                     llvm::StringRef bytes);

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

/// Returns a path to the open file `descriptor` by which this process has not
/// opened any file. The path is valid as long as the descriptor is open.
std::string getUniquePath(int descriptor);

/// Returns the path of a file as messages show it: the name of a file in
/// memory, or `path` itself.
std::string getShownPath(llvm::StringRef path);

/// Returns true for a path that `UnlinkedFile::getPath` returned in any
/// process, although this process has no such file in memory.
bool isLostMemoryFile(llvm::StringRef path);

} // namespace fx

#endif // FX_SUPPORT_UNLINKEDFILE_H
