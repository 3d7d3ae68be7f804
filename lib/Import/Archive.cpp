//===- Archive.cpp - reads the zip container of a .pt2 --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout is that of PKWARE's APPNOTE 6.3.10: records with a local header
// each, a central directory, an end record, and the zip64 forms of the latter.
//
//===----------------------------------------------------------------------===//

#include "fx/Import/Archive.h"
#include "fx/Support/Crc32.h"
#include "fx/Support/MappedFile.h"
#include "fx/Support/UnlinkedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace fx;

//===----------------------------------------------------------------------===//
// Archive
//===----------------------------------------------------------------------===//

Error Archive::error(const Twine &message) const {
  return createStringError(path + ": " + message);
}

Error Archive::error(StringRef record, const Twine &message) const {
  return createStringError(path + ":" + record + ": " + message);
}

const ArchiveRecord *Archive::find(StringRef name) const {
  auto it = index.find(name);
  return it == index.end() ? nullptr : &records[it->second];
}

Expected<StringRef> Archive::read(const ArchiveRecord &record) const {
  StringRef bytes(map.const_data() + record.offset, record.size);
  uint32_t crc = getCrc32(bytes);
  if (crc != record.crc32)
    return error(record.name, "expected crc32 0x" + utohexstr(record.crc32) +
                                  ", got 0x" + utohexstr(crc));
  return bytes;
}

bool fx::isTorchScriptCode(StringRef record) {
  return record.starts_with("code/");
}

//===----------------------------------------------------------------------===//
// Reader
//===----------------------------------------------------------------------===//

namespace {
constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50,
                   kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kEnd64Locator = 0x07064b50, kDescriptor = 0x08074b50;
constexpr uint64_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22,
                   kEnd64Size = 56, kEnd64LocatorSize = 20;
constexpr uint16_t kFlagEncrypted = 0x0001, kFlagDescriptor = 0x0008,
                   kFlagStrongEncryption = 0x0040, kFlagMasked = 0x2000;

/// Bounds the memory that a hostile directory can ask for.
constexpr uint64_t kMaxRecords = 1 << 20;

/// The contents of the central header of a record.
struct Entry {
  std::string name;
  uint16_t flags, method;
  uint32_t crc32;
  uint64_t compressedSize, size, headerOffset;
  /// The end of everything that belongs to the record.
  uint64_t end = 0, dataOffset = 0;
};
} // namespace

class Archive::Reader {
public:
  /// Reads the archive that lies in `bytes`, which begin at `base` in the file.
  /// The names of its records begin with `prefix`.
  Reader(Archive &archive, StringRef bytes, uint64_t base = 0,
         std::string prefix = "")
      : archive(archive), bytes(bytes), base(base), prefix(std::move(prefix)) {}

  Error run() {
    if (Error e = readEnd())
      return e;
    if (Error e = readDirectory())
      return e;
    for (Entry &entry : entries)
      if (Error e = readLocalHeader(entry))
        return e;
    if (Error e = checkOverlaps())
      return e;
    return publish();
  }

private:
  template <typename T>
  T get(uint64_t at) const {
    return support::endian::read<T, llvm::endianness::little>(bytes.data() +
                                                              at);
  }
  uint16_t u16(uint64_t at) const { return get<uint16_t>(at); }
  uint32_t u32(uint64_t at) const { return get<uint32_t>(at); }
  uint64_t u64(uint64_t at) const { return get<uint64_t>(at); }
  /// Returns true if [at, at + size) lies below `limit`.
  static bool fits(uint64_t at, uint64_t size, uint64_t limit) {
    return at <= limit && size <= limit - at;
  }

  Error readEnd();
  Error readEnd64(uint64_t end);
  Error readDirectory();
  Error readEntry(uint64_t &at);
  Error readExtra64(Entry &entry, uint64_t at, uint64_t size);
  Error readLocalHeader(Entry &entry);
  Error readDescriptor(Entry &entry);
  Error checkOverlaps();
  Error publish();

  Archive &archive;
  StringRef bytes;
  uint64_t base;
  std::string prefix;
  uint64_t count = 0, directory = 0, directorySize = 0;
  std::vector<Entry> entries;
};

bool fx::isArchive(StringRef bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

Error Archive::Reader::readEnd() {
  if (bytes.size() < kEndSize)
    return archive.error("expected a zip archive, got a file of " +
                         Twine(bytes.size()) + " bytes");
  // The end record is last; a comment of up to 64 KB may follow it.
  uint64_t lowest =
      bytes.size() - std::min<uint64_t>(bytes.size(), kEndSize + 0xffff);
  for (uint64_t at = bytes.size() - kEndSize;; --at) {
    if (u32(at) == kEnd && at + kEndSize + u16(at + 20) == bytes.size()) {
      if (u16(at + 4) != 0 || u16(at + 6) != 0)
        return archive.error("an archive in several parts is not supported");
      count = u16(at + 10);
      directorySize = u32(at + 12);
      directory = u32(at + 16);
      if (u16(at + 8) != count)
        return archive.error("the directory's end record contradicts itself");
      uint64_t limit = at;
      if (count == 0xffff || directorySize == 0xffffffff ||
          directory == 0xffffffff) {
        if (Error e = readEnd64(at))
          return e;
        limit = at - kEnd64LocatorSize;
      }
      if (!fits(directory, directorySize, limit))
        return archive.error("the directory lies outside the file");
      return Error::success();
    }
    if (at == lowest)
      return archive.error(
          isArchive(bytes)
              ? "expected a zip archive, found no directory at its end "
                "(truncated?)"
              : "expected a zip archive of torch.export.save, got a file of "
                "another kind");
  }
}

Error Archive::Reader::readEnd64(uint64_t end) {
  if (end < kEnd64LocatorSize + kEnd64Size ||
      u32(end - kEnd64LocatorSize) != kEnd64Locator)
    return archive.error("expected a zip64 locator before the end record");
  uint64_t at = u64(end - kEnd64LocatorSize + 8);
  if (!fits(at, kEnd64Size, end - kEnd64LocatorSize) || u32(at) != kEnd64)
    return archive.error("the zip64 locator points at no end record");
  if (u32(at + 16) != 0 || u32(at + 20) != 0)
    return archive.error("an archive in several parts is not supported");
  count = u64(at + 32);
  directorySize = u64(at + 40);
  directory = u64(at + 48);
  if (u64(at + 24) != count || !fits(directory, directorySize, at))
    return archive.error("the zip64 end record contradicts itself");
  return Error::success();
}

Error Archive::Reader::readDirectory() {
  if (count > directorySize / kCentralSize)
    return archive.error("a directory of " + Twine(directorySize) +
                         " bytes cannot hold " + Twine(count) + " records");
  if (count > kMaxRecords)
    return archive.error("expected at most " + Twine(kMaxRecords) +
                         " records, got " + Twine(count));
  entries.reserve(count);
  uint64_t at = directory;
  for (uint64_t i = 0; i < count; ++i)
    if (Error e = readEntry(at))
      return e;
  if (at != directory + directorySize)
    return archive.error("expected the directory to end at " + Twine(at) +
                         ", got " + Twine(directory + directorySize));
  return Error::success();
}

Error Archive::Reader::readEntry(uint64_t &at) {
  uint64_t limit = directory + directorySize;
  if (!fits(at, kCentralSize, limit) || u32(at) != kCentralHeader)
    return archive.error("expected record " + Twine(entries.size()) +
                         " of the directory at offset " + Twine(at));
  uint64_t nameSize = u16(at + 28), extraSize = u16(at + 30),
           total = kCentralSize + nameSize + extraSize + u16(at + 32);
  if (!fits(at, total, limit))
    return archive.error("record " + Twine(entries.size()) +
                         " of the directory lies outside it");
  Entry entry;
  entry.name = bytes.substr(at + kCentralSize, nameSize).str();
  entry.flags = u16(at + 8);
  entry.method = u16(at + 10);
  entry.crc32 = u32(at + 16);
  entry.compressedSize = u32(at + 20);
  entry.size = u32(at + 24);
  entry.headerOffset = u32(at + 42);
  if (Error e = checkRecordName(entry.name))
    return archive.error(toString(std::move(e)));
  if (Error e = readExtra64(entry, at + kCentralSize + nameSize, extraSize))
    return e;
  if (entry.flags & (kFlagEncrypted | kFlagStrongEncryption | kFlagMasked))
    return archive.error(entry.name, "the record is encrypted");
  // torch.jit.save compresses the code.
  if (entry.method != 0 &&
      isTorchScriptCode(StringRef(entry.name).split('/').second))
    return archive.error(kTorchScriptText);
  if (entry.method != 0)
    return archive.error(entry.name, "expected a stored record, got one "
                                     "compressed by method " +
                                         Twine(entry.method));
  if (entry.compressedSize != entry.size)
    return archive.error(entry.name, "a stored record of " + Twine(entry.size) +
                                         " bytes cannot take " +
                                         Twine(entry.compressedSize));
  entries.push_back(std::move(entry));
  at += total;
  return Error::success();
}

/// Reads the sizes and the offset that do not fit in 32 bits from extra field 1
/// (zip64), which lies in [at, at + size).
Error Archive::Reader::readExtra64(Entry &entry, uint64_t at, uint64_t size) {
  bool needed = entry.size == 0xffffffff ||
                entry.compressedSize == 0xffffffff ||
                entry.headerOffset == 0xffffffff;
  for (uint64_t end = at + size; needed && fits(at, 4, end);) {
    uint64_t id = u16(at), length = u16(at + 2);
    at += 4;
    if (!fits(at, length, end))
      break;
    if (id == 1) {
      for (uint64_t *value :
           {&entry.size, &entry.compressedSize, &entry.headerOffset}) {
        if (*value != 0xffffffff)
          continue;
        if (length < 8)
          return archive.error(entry.name, "the zip64 field is too short");
        *value = u64(at);
        at += 8;
        length -= 8;
      }
      return Error::success();
    }
    at += length;
  }
  if (needed)
    return archive.error(entry.name, "the zip64 field is missing");
  return Error::success();
}

Error fx::checkRecordName(StringRef name) {
  auto refuse = [&](const Twine &why) {
    std::string shown;
    raw_string_ostream os(shown);
    os.write_escaped(name.take_front(200));
    return createStringError("record name '" + shown + "' " + why);
  };
  const UTF8 *begin = reinterpret_cast<const UTF8 *>(name.begin());
  if (!isLegalUTF8String(&begin, reinterpret_cast<const UTF8 *>(name.end())))
    return refuse("is not UTF-8");
  if (any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    return refuse("holds a control character");
  if (name.contains('\\') || (name.size() > 1 && name[1] == ':'))
    return refuse("is not a portable relative path");
  SmallVector<StringRef> parts;
  name.split(parts, '/');
  if (parts.size() > 1 && parts.back().empty())
    parts.pop_back(); // a folder; it holds no data, see publish()
  for (StringRef part : parts)
    if (part.empty() || part == "." || part == "..")
      return refuse("is not a relative path below the archive's root");
  return Error::success();
}

Error Archive::Reader::readLocalHeader(Entry &entry) {
  uint64_t at = entry.headerOffset;
  if (!fits(at, kLocalSize, directory) || u32(at) != kLocalHeader)
    return archive.error(entry.name,
                         "expected its header at offset " + Twine(at));
  uint64_t nameSize = u16(at + 26), extraSize = u16(at + 28);
  if (!fits(at, kLocalSize + nameSize + extraSize, directory))
    return archive.error(entry.name, "its header lies outside the file");
  auto differs = [&](StringRef what) {
    return archive.error(entry.name, "its header and the directory disagree "
                                     "about its " +
                                         what);
  };
  if (bytes.substr(at + kLocalSize, nameSize) != entry.name)
    return differs("name");
  if (u16(at + 6) != entry.flags)
    return differs("flags");
  if (u16(at + 8) != entry.method)
    return differs("compression");
  entry.dataOffset = at + kLocalSize + nameSize + extraSize;
  if (!fits(entry.dataOffset, entry.size, directory))
    return archive.error(entry.name, Twine(entry.size) + " bytes at offset " +
                                         Twine(entry.dataOffset) +
                                         " lie outside the file");
  entry.end = entry.dataOffset + entry.size;
  if (entry.flags & kFlagDescriptor)
    return readDescriptor(entry);
  if (u32(at + 14) != entry.crc32)
    return differs("crc32");
  Entry local;
  local.name = entry.name;
  local.compressedSize = u32(at + 18);
  local.size = u32(at + 22);
  local.headerOffset = 0;
  if (Error e = readExtra64(local, at + kLocalSize + nameSize, extraSize))
    return e;
  if (local.size != entry.size || local.compressedSize != entry.size)
    return differs("size");
  return Error::success();
}

/// Checks the descriptor of a record that was written as a stream. It follows
/// the data and holds the CRC and the sizes, as 32 or 64 bits. The header's
/// fields are zero or have the same values.
Error Archive::Reader::readDescriptor(Entry &entry) {
  uint64_t at = entry.end;
  if (fits(at, 16, directory) && u32(at) == kDescriptor &&
      u32(at + 4) == entry.crc32) {
    if (fits(at, 24, directory) && u64(at + 8) == entry.size &&
        u64(at + 16) == entry.size) {
      entry.end = at + 24;
      return Error::success();
    }
    if (u32(at + 8) == entry.size && u32(at + 12) == entry.size) {
      entry.end = at + 16;
      return Error::success();
    }
  }
  return archive.error(entry.name, "the descriptor behind its data and the "
                                   "directory disagree");
}

Error Archive::Reader::checkOverlaps() {
  SmallVector<const Entry *> sorted;
  for (const Entry &entry : entries)
    sorted.push_back(&entry);
  llvm::sort(sorted, [](const Entry *a, const Entry *b) {
    return a->headerOffset < b->headerOffset;
  });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i]->headerOffset < sorted[i - 1]->end)
      return archive.error(sorted[i]->name, "the record overlaps record '" +
                                                sorted[i - 1]->name + "'");
  return Error::success();
}

/// Adds the records to the archive. Their names lose the root folder, which all
/// of them share.
Error Archive::Reader::publish() {
  StringRef root;
  for (const Entry &entry : entries) {
    StringRef name = entry.name;
    if (name.ends_with("/")) {
      if (entry.size != 0)
        return archive.error(name, "a folder cannot hold bytes");
      continue;
    }
    auto [first, rest] = name.split('/');
    if (rest.empty())
      return archive.error(name, "the record lies in no folder");
    if (root.empty())
      root = first;
    else if (first != root)
      return archive.error(name, "expected all records in one folder, got '" +
                                     root + "' and '" + first + "'");
    std::string full = prefix + rest.str();
    auto [it, inserted] =
        archive.index.try_emplace(full, archive.records.size());
    if (!inserted)
      return archive.error(full, "two records have this name");
    archive.records.push_back(
        {std::move(full), base + entry.dataOffset, entry.size, entry.crc32});
  }
  return Error::success();
}

Expected<std::unique_ptr<Archive>> Archive::open(StringRef path) {
  std::unique_ptr<Archive> archive(new Archive);
  archive->path = getShownPath(path);
  Expected<sys::fs::mapped_file_region> map = mapFile(path);
  if (!map)
    return map.takeError();
  archive->map = std::move(*map);
  StringRef bytes;
  if (archive->map)
    bytes = StringRef(archive->map.const_data(), archive->map.size());
  if (Error e = Reader(*archive, bytes).run())
    return e;
  return archive;
}

Error Archive::openNested(StringRef name) {
  const ArchiveRecord *record = find(name);
  if (!record)
    return error(name, "the archive has no such record");
  StringRef bytes(map.const_data() + record->offset, record->size);
  return Reader(*this, bytes, record->offset, (name + "/").str()).run();
}
