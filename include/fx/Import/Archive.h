//===- Archive.h - the zip container of a .pt2 ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_ARCHIVE_H
#define FX_IMPORT_ARCHIVE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <memory>
#include <string>
#include <vector>

namespace fx {

/// A record of an archive. Its bytes lie stored (not compressed) in the file.
struct ArchiveRecord {
  /// The name below the archive's root folder, `models/model.json`.
  std::string name;
  uint64_t offset = 0; ///< of the first byte of the data, from the file's start
  uint64_t size = 0;   ///< in bytes
  uint32_t crc32 = 0;  ///< of the data, as the central directory has it
};

/// A read-only view of the zip file that `torch.export.save` writes: every
/// record stored, all of them below one root folder. The file is mapped, and
/// opening it touches nothing but its directory and the records' headers.
///
/// The file is not trusted: an archive whose directory is not exactly
/// consistent (bounds, overlaps, duplicate or path-like names, headers that
/// disagree) is refused. Error texts are `<file>[:<record>]: <what is wrong>`.
class Archive {
public:
  static llvm::Expected<std::unique_ptr<Archive>> open(llvm::StringRef path);

  llvm::StringRef getPath() const { return path; }
  /// The records in the order of the central directory.
  llvm::ArrayRef<ArchiveRecord> getRecords() const { return records; }
  /// The record of this name, or null.
  const ArchiveRecord *find(llvm::StringRef name) const;
  /// The bytes of a record, its CRC checked.
  llvm::Expected<llvm::StringRef> read(const ArchiveRecord &record) const;

  llvm::Error error(const llvm::Twine &message) const;
  llvm::Error error(llvm::StringRef record, const llvm::Twine &message) const;

private:
  class Reader;
  Archive() = default;

  std::string path;
  llvm::sys::fs::mapped_file_region map;
  std::vector<ArchiveRecord> records;
  llvm::StringMap<size_t> index;
};

/// A record's name is a relative path without anything that a file system would
/// read as leaving its folder; everything else is an error.
llvm::Error checkRecordName(llvm::StringRef name);

} // namespace fx

#endif // FX_IMPORT_ARCHIVE_H
