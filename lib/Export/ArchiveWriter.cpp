//===- ArchiveWriter.cpp - writes the zip container of a .pt2 -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout is that of PKWARE's APPNOTE 6.3.10, as in Import/Archive.cpp.
//
//===----------------------------------------------------------------------===//

#include "fx/Export/ArchiveWriter.h"
#include "fx/Import/Archive.h"
#include "fx/Support/Crc32.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace fx;

static constexpr uint32_t kLocalHeader = 0x04034b50,
                          kCentralHeader = 0x02014b50, kEnd = 0x06054b50,
                          kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50;
static constexpr uint64_t kLocalSize = 30, kMax32 = 0xffffffff;
/// Names are UTF-8.
static constexpr uint16_t kFlags = 0x0800;
static constexpr uint16_t kVersion = 45; // zip64
/// January 1, 1980. A constant date makes the output deterministic.
static constexpr uint16_t kDate = 0x0021;
/// The id of the extra field that pads a record, as in torch's writer.
static constexpr uint16_t kPadding = 0x4246, kZip64 = 0x0001;

template <typename T>
void ArchiveWriter::put(T value) {
  char bytes[sizeof(T)];
  support::endian::write<T, llvm::endianness::little>(bytes, value);
  write(StringRef(bytes, sizeof(T)));
}

void ArchiveWriter::write(StringRef bytes) {
  os << bytes;
  at += bytes.size();
}

/// Returns a 32-bit field, which is all ones if the zip64 field has the value.
static uint32_t clamp(uint64_t value) {
  return value >= kMax32 ? kMax32 : value;
}
static bool isLarge(uint64_t size) { return size >= kMax32; }

void ArchiveWriter::putHeader(const Entry &entry, size_t padding) {
  uint16_t zip64 = isLarge(entry.size) ? 20 : 0;
  put<uint32_t>(kLocalHeader);
  put<uint16_t>(zip64 ? kVersion : 20);
  put<uint16_t>(kFlags);
  put<uint16_t>(0); // stored
  put<uint16_t>(0); // time
  put<uint16_t>(kDate);
  put<uint32_t>(entry.crc32);
  put<uint32_t>(clamp(entry.size));
  put<uint32_t>(clamp(entry.size));
  put<uint16_t>(entry.name.size());
  put<uint16_t>(zip64 + 4 + padding);
  write(entry.name);
  if (zip64) {
    put<uint16_t>(kZip64);
    put<uint16_t>(16);
    put<uint64_t>(entry.size);
    put<uint64_t>(entry.size);
  }
  put<uint16_t>(kPadding);
  put<uint16_t>(padding);
  write(std::string(padding, 'Z'));
}

Error ArchiveWriter::add(StringRef name, ArrayRef<char> bytes,
                         std::optional<uint32_t> crc) {
  if (Error e = checkRecordName(name))
    return e;
  std::string full = root + "/" + name.str();
  // The header has the size of the name in 16 bits.
  if (full.size() > 0xff00)
    return createStringError("the name of record '" + name.take_front(80) +
                             "…' is longer than 65280 bytes");
  if (!names.insert(full).second)
    return createStringError("two records are called '" + name + "'");
  if (!crc)
    crc = getCrc32(StringRef(bytes.data(), bytes.size()));
  Entry entry{std::move(full), at, bytes.size(), *crc};
  uint64_t data =
      at + kLocalSize + entry.name.size() + (isLarge(entry.size) ? 20 : 0) + 4;
  putHeader(entry, offsetToAlignment(data, Align(alignment)));
  write(StringRef(bytes.data(), bytes.size()));
  entries.push_back(std::move(entry));
  return Error::success();
}

void ArchiveWriter::putEntry(const Entry &entry) {
  bool largeSize = isLarge(entry.size), largeOffset = isLarge(entry.offset);
  uint16_t fields = (largeSize ? 16 : 0) + (largeOffset ? 8 : 0);
  put<uint32_t>(kCentralHeader);
  put<uint16_t>(0); // made by
  put<uint16_t>(fields ? kVersion : 20);
  put<uint16_t>(kFlags);
  put<uint16_t>(0); // stored
  put<uint16_t>(0); // time
  put<uint16_t>(kDate);
  put<uint32_t>(entry.crc32);
  put<uint32_t>(clamp(entry.size));
  put<uint32_t>(clamp(entry.size));
  put<uint16_t>(entry.name.size());
  put<uint16_t>(fields ? 4 + fields : 0);
  put<uint16_t>(0); // comment
  put<uint16_t>(0); // disk
  put<uint16_t>(0); // internal attributes
  put<uint32_t>(0); // external attributes
  put<uint32_t>(clamp(entry.offset));
  write(entry.name);
  if (!fields)
    return;
  put<uint16_t>(kZip64);
  put<uint16_t>(fields);
  if (largeSize) {
    put<uint64_t>(entry.size);
    put<uint64_t>(entry.size);
  }
  if (largeOffset)
    put<uint64_t>(entry.offset);
}

Error ArchiveWriter::finish() {
  auto text = [](StringRef s) { return ArrayRef(s.data(), s.size()); };
  if (Error e = add("archive_format", text("pt2")))
    return e;
  if (Error e = add("archive_version", text("0")))
    return e;
  if (Error e = add(".data/version", text("6\n")))
    return e;
  if (Error e = add("byteorder", text("little")))
    return e;
  // The id has forty digits that distinguish archives. It depends only on the
  // names and the CRCs of the records.
  uint32_t namesSum = 0, dataSum = 0;
  for (const Entry &entry : entries) {
    namesSum = getCrc32(entry.name, namesSum);
    char sum[4];
    support::endian::write32le(sum, entry.crc32);
    dataSum = getCrc32(StringRef(sum, 4), dataSum);
  }
  std::string id;
  raw_string_ostream(id) << format("%020u%020u", namesSum, dataSum);
  if (Error e = add(".data/serialization_id", text(id)))
    return e;

  uint64_t directory = at, count = entries.size();
  for (const Entry &entry : entries)
    putEntry(entry);
  uint64_t size = at - directory;
  if (isLarge(directory) || isLarge(size) || count >= 0xffff) {
    uint64_t end = at;
    put<uint32_t>(kEnd64);
    put<uint64_t>(44);
    put<uint16_t>(kVersion);
    put<uint16_t>(kVersion);
    put<uint32_t>(0);
    put<uint32_t>(0);
    put<uint64_t>(count);
    put<uint64_t>(count);
    put<uint64_t>(size);
    put<uint64_t>(directory);
    put<uint32_t>(kEnd64Locator);
    put<uint32_t>(0);
    put<uint64_t>(end);
    put<uint32_t>(1);
  }
  uint16_t shortCount = count >= 0xffff ? 0xffff : count;
  put<uint32_t>(kEnd);
  put<uint16_t>(0);
  put<uint16_t>(0);
  put<uint16_t>(shortCount);
  put<uint16_t>(shortCount);
  put<uint32_t>(clamp(size));
  put<uint32_t>(clamp(directory));
  put<uint16_t>(0);
  return Error::success();
}
