//===- ObjectCache.cpp - code on disk, by what it depends on --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/ObjectCache.h"
#include "fx/Support/OutputFile.h"

#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <unistd.h>

using namespace fx;
namespace fs = llvm::sys::fs;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// A file is the magic, the size and the checksum of the bytes, and the bytes.
/// The key is part of the checksum: a file that was renamed is not valid.
static constexpr llvm::StringLiteral kMagic = "FXCACHE1";
static constexpr size_t kHeader = 32;

static std::string makeHeader(StringRef key, StringRef bytes) {
  std::string text = kMagic.str();
  auto add = [&](uint64_t value) {
    char word[8];
    llvm::support::endian::write64le(word, value);
    text.append(word, sizeof word);
  };
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(bytes));
  add(bytes.size());
  add(hash.low64 ^ llvm::xxh3_64bits(key));
  add(hash.high64);
  return text;
}

std::string ObjectCache::getPath(StringRef key) const {
  llvm::SmallString<128> path(folder);
  // `pruneCache` only touches files with this prefix.
  llvm::sys::path::append(path, "llvmcache-" + key);
  return path.str().str();
}

std::optional<std::string> ObjectCache::find(StringRef key) {
  if (!isEnabled())
    return std::nullopt;
  std::string path = getPath(key);
  std::optional<std::string> found;
  // A file that this process reads may be replaced or removed, but it is never
  // changed in place. Do not map it: if someone else cut it off, a read from
  // the mapping would be a signal.
  if (auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false,
                                              /*IsVolatile=*/true)) {
    StringRef content = (*file)->getBuffer();
    StringRef bytes = content.drop_front(std::min(kHeader, content.size()));
    if (content.starts_with(makeHeader(key, bytes)))
      found = bytes.str();
  }
  ++(found ? hits : misses);
  return found;
}

llvm::Error ObjectCache::store(StringRef key, StringRef bytes) {
  if (std::error_code ec = fs::create_directories(
          folder, /*IgnoreExisting=*/true, fs::owner_all))
    return makeOutputError(folder, ec);
  return writeOutputFile(getPath(key), [&](llvm::raw_ostream &os) {
    os << makeHeader(key, bytes) << bytes;
    return llvm::Error::success();
  });
}

void ObjectCache::insert(StringRef key, StringRef bytes) {
  if (!isEnabled() || !getProblem().empty())
    return;
  llvm::Error error = store(key, bytes);
  if (!error) {
    ++stored;
    return;
  }
  std::lock_guard guard(lock);
  problem = llvm::toString(std::move(error));
}

std::string ObjectCache::getProblem() {
  std::lock_guard guard(lock);
  return problem;
}

//===----------------------------------------------------------------------===//
// Size
//===----------------------------------------------------------------------===//

ObjectCache::ObjectCache(StringRef folder) : folder(folder) {}

ObjectCache::~ObjectCache() {
  if (stored > 0)
    prune();
}

/// Removes files that were not used for a month, and the oldest ones of more
/// than 1 GiB. $FX_CACHE_POLICY changes this, in the notation of lld's
/// --thinlto-cache-policy.
void ObjectCache::prune() {
  llvm::CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(24 * 30);
  policy.MaxSizeBytes = uint64_t(1) << 30;
  if (auto text = llvm::sys::Process::GetEnv("FX_CACHE_POLICY")) {
    if (auto parsed = llvm::parseCachePruningPolicy(*text))
      policy = *parsed;
    else
      llvm::consumeError(parsed.takeError());
  }
  // `pruneCache` ends the process if it cannot tell the size of the disk.
  if (fs::disk_space(folder))
    llvm::pruneCache(folder, policy);
}

//===----------------------------------------------------------------------===//
// The default folder
//===----------------------------------------------------------------------===//

/// Returns true if only this user can put files into `folder`. Others could
/// otherwise make this user run their code. A folder that does not exist yet is
/// created in such a way.
static bool isPrivate(StringRef folder) {
  fs::file_status status;
  if (std::error_code ec = fs::status(folder, status))
    return ec == std::errc::no_such_file_or_directory;
  return fs::is_directory(status) && status.getUser() == ::geteuid() &&
         !(status.permissions() & (fs::group_write | fs::others_write));
}

std::string fx::getDefaultCacheFolder() {
  auto get = [](const char *name) {
    return llvm::sys::Process::GetEnv(name).value_or("");
  };
  if (get("FX_CACHE") == "0")
    return "";
  if (std::string folder = get("FX_CACHE_DIR"); !folder.empty())
    return folder;
  llvm::SmallString<128> path(get("XDG_CACHE_HOME"));
  // The XDG specification ignores relative paths.
  if (!llvm::sys::path::is_absolute(path)) {
    if (!llvm::sys::path::home_directory(path))
      return "";
    llvm::sys::path::append(path, ".cache");
  }
  llvm::sys::path::append(path, "fx-mlir");
  return isPrivate(path) ? path.str().str() : "";
}
