//===- ArchiveWriter.h - the zip container of a .pt2 ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes archives in the way of torch's own writer. Records are stored without
// compression. Their bytes begin at a multiple of 64 in the file, so that they
// can be mapped and used in place. Files and records beyond 4 GiB use the zip64
// forms.
//
//===----------------------------------------------------------------------===//

#ifndef FX_EXPORT_ARCHIVEWRITER_H
#define FX_EXPORT_ARCHIVEWRITER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace fx {

class ArchiveWriter {
public:
  static constexpr uint64_t alignment = 64;

  /// All records are below the folder `root`. The archive begins at the current
  /// position of `os`.
  ArchiveWriter(llvm::raw_ostream &os, llvm::StringRef root)
      : os(os), root(root.str()) {}

  /// Writes a record. Computes the CRC of the bytes unless `crc32` is given.
  /// Returns an error if a record of this name was written before, or if the
  /// name is not a relative path or is too long for the format.
  llvm::Error add(llvm::StringRef name, llvm::ArrayRef<char> bytes,
                  std::optional<uint32_t> crc32 = std::nullopt);
  /// Writes the records at the end of every archive, and the directory.
  llvm::Error finish();

private:
  struct Entry {
    std::string name;
    uint64_t offset, size;
    uint32_t crc32;
  };
  template <typename T>
  void put(T value);
  void putHeader(const Entry &entry, size_t padding);
  void putEntry(const Entry &entry);
  void write(llvm::StringRef bytes);

  llvm::raw_ostream &os;
  std::string root;
  uint64_t at = 0;
  std::vector<Entry> entries;
  llvm::StringSet<> names;
};

} // namespace fx

#endif // FX_EXPORT_ARCHIVEWRITER_H
