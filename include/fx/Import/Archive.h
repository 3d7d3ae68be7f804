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

/// A record of an archive. Its bytes are stored in the file without
/// compression.
struct ArchiveRecord {
  /// The name below the archive's root folder, `models/model.json`.
  std::string name;
  uint64_t offset = 0; ///< offset in the file of the first byte of the data
  uint64_t size = 0;   ///< in bytes
  uint32_t crc32 = 0;  ///< CRC-32 of the data, from the central directory
};

/// A read-only view of a zip file of `torch.export.save`. All records are
/// stored without compression below one root folder. The file is mapped, and
/// `open` reads only the central directory and the headers of the records.
///
/// The file is not trusted: `open` fails if the directory is not consistent
/// (bounds, overlaps, duplicate names, names that leave the folder, headers
/// that disagree). Error texts are `<file>[:<record>]: <what is wrong>`.
class Archive {
public:
  static llvm::Expected<std::unique_ptr<Archive>> open(llvm::StringRef path);

  /// Returns the path as messages show it (fx/Support/UnlinkedFile.h).
  llvm::StringRef getPath() const { return path; }
  /// The records in the order of the central directory.
  llvm::ArrayRef<ArchiveRecord> getRecords() const { return records; }
  /// Returns the record `name`, or null.
  const ArchiveRecord *find(llvm::StringRef name) const;
  /// Returns the bytes of a record, which point into the mapped file. Fails if
  /// the CRC is wrong.
  llvm::Expected<llvm::StringRef> read(const ArchiveRecord &record) const;

  /// Opens a record that is an archive itself. Its records get names below the
  /// record's, `data/weights/model.pt/data.pkl`. Invalidates pointers to
  /// records.
  llvm::Error openNested(llvm::StringRef record);

  /// Returns an error with the path of the archive, and with the record if
  /// given, in front of `message`.
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

/// Returns true if a file that begins with these bytes is a zip archive.
bool isArchive(llvm::StringRef bytes);

/// Returns true for the name of a record that only torch.jit.save writes.
bool isTorchScriptCode(llvm::StringRef record);

/// What is wrong with an archive of torch.jit.save.
inline constexpr llvm::StringLiteral kTorchScriptText =
    "expected an archive of torch.export.save, got TorchScript of "
    "torch.jit.save: export the model with torch.export.export";

/// Fails unless `name` is a relative path that cannot leave its folder on any
/// file system.
llvm::Error checkRecordName(llvm::StringRef name);

} // namespace fx

#endif // FX_IMPORT_ARCHIVE_H
