//===- ExternalData.cpp - the bytes behind #fx.external -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/ExternalData.h"
#include "fx/Support/Crc32.h"
#include "fx/Support/MappedFile.h"
#include "fx/Support/UnlinkedFile.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <mutex>

using namespace mlir;
using namespace fx;
using llvm::createStringError;
using llvm::Expected;

namespace {
/// A mapped file, or the error if it could not be mapped.
struct File {
  std::once_flag once;
  llvm::sys::fs::mapped_file_region map;
  std::string error;
};

/// The bytes of one reference, checked once. If the check fails, `message` is
/// the error about the file at `path`.
struct Entry {
  std::once_flag once;
  ArrayRef<char> bytes;
  std::string path, message; // the path as messages show it
  /// An aligned copy of the bytes, if they are not aligned in the mapped file.
  std::unique_ptr<char, void (*)(char *)> copy{nullptr, freeCopy};

  static void freeCopy(char *bytes) {
    ::operator delete[](bytes, std::align_val_t(ExternalData::alignment));
  }
};
} // namespace

struct ExternalData::Impl {
  /// The expanded bytes of splat attributes.
  DenseMap<Attribute, std::vector<char>> splats;
  std::string folder;
  /// Guards the maps only. Each File and Entry is filled under its own
  /// once_flag, so that several threads can check different states at once.
  std::mutex mutex;
  llvm::StringMap<std::unique_ptr<File>> files;
  llvm::DenseMap<ExternalAttr, std::unique_ptr<Entry>> entries;

  File &getFile(StringRef path);
  Entry &getEntry(ExternalAttr reference);
  void load(ExternalAttr reference, Entry &entry);
};

ExternalData::ExternalData(StringRef folder) : impl(std::make_unique<Impl>()) {
  impl->folder = folder.str();
}
ExternalData::~ExternalData() = default;

File &ExternalData::Impl::getFile(StringRef path) {
  File *file;
  {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<File> &slot = files[path];
    if (!slot)
      slot = std::make_unique<File>();
    file = slot.get();
  }
  std::call_once(file->once, [&] {
    Expected<llvm::sys::fs::mapped_file_region> map = mapFile(path);
    if (map) {
      file->map = std::move(*map);
      return;
    }
    file->error = llvm::toString(map.takeError());
    StringRef text(file->error);
    if (text.consume_front(path) && text.consume_front(": "))
      file->error = text.str();
  });
  return *file;
}

void ExternalData::Impl::load(ExternalAttr reference, Entry &entry) {
  SmallString<256> path(folder);
  if (llvm::sys::path::is_absolute(reference.getPath()))
    path = reference.getPath();
  else
    llvm::sys::path::append(path, reference.getPath());
  File &file = getFile(path);
  entry.path = getShownPath(path);
  bool isLost = isLostMemoryFile(path);
  auto fail = [&](const Twine &message) {
    entry.message = isLost ? "the file was in the memory of another process, "
                             "or of a module that was destroyed"
                           : message.str();
  };
  if (!file.error.empty())
    return fail(file.error);
  uint64_t have = file.map ? file.map.size() : 0;
  uint64_t offset = reference.getOffset(), size = reference.getSize();
  if (offset > have || size > have - offset)
    return fail(Twine(size) + " bytes at offset " + Twine(offset) +
                " lie outside the file of " + Twine(have) + " bytes");
  if (size == 0)
    return;
  ArrayRef<char> bytes(file.map.const_data() + offset, size);
  uint32_t crc = getCrc32(StringRef(bytes.data(), size));
  if (crc != reference.getCrc32())
    return fail("expected crc32 0x" + llvm::utohexstr(reference.getCrc32()) +
                " of the " + Twine(size) + " bytes at offset " + Twine(offset) +
                ", got 0x" + llvm::utohexstr(crc));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignment != 0) {
    char *copy = static_cast<char *>(
        ::operator new[](size, std::align_val_t(alignment), std::nothrow));
    if (!copy)
      return fail("no memory for " + Twine(size) + " bytes");
    memcpy(copy, bytes.data(), size);
    entry.copy.reset(copy);
    bytes = ArrayRef(copy, size);
  }
  entry.bytes = bytes;
}

Entry &ExternalData::Impl::getEntry(ExternalAttr reference) {
  Entry *entry;
  {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<Entry> &slot = entries[reference];
    if (!slot)
      slot = std::make_unique<Entry>();
    entry = slot.get();
  }
  std::call_once(entry->once, [&] { load(reference, *entry); });
  return *entry;
}

Expected<ArrayRef<char>> ExternalData::get(ExternalAttr reference) {
  Entry &entry = impl->getEntry(reference);
  if (!entry.message.empty())
    return createStringError(entry.path + ": " + entry.message);
  return entry.bytes;
}

Expected<ArrayRef<char>> ExternalData::get(StateOp state) {
  Attribute init = state.getInitAttr();
  if (auto external = dyn_cast_if_present<ExternalAttr>(init)) {
    Entry &entry = impl->getEntry(external);
    if (!entry.message.empty())
      return createStringError(entry.path + ":" + state.getSymName() + ": " +
                               entry.message);
    return entry.bytes;
  }
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(init);
      dense && dense.getElementType().isInteger(8)) {
    if (!dense.isSplat() || dense.getRawData().empty())
      return dense.getRawData();
    // A splat attribute stores one byte. Expand it to the whole storage.
    std::lock_guard<std::mutex> lock(impl->mutex);
    auto [it, isNew] = impl->splats.try_emplace(dense);
    if (isNew)
      it->second.assign(dense.getNumElements(), dense.getRawData().front());
    return ArrayRef<char>(it->second);
  }
  if (auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(init)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
    return createStringError(
        "state '" + state.getSymName() + "': its resource '" +
        resource.getRawHandle().getKey() + "' has no bytes");
  }
  return createStringError("state '" + state.getSymName() +
                           "': it has no value");
}
