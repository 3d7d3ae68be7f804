//===- ObjectCache.h - code on disk, by what it depends on ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_OBJECTCACHE_H
#define FX_SUPPORT_OBJECTCACHE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

namespace fx {

/// A folder of files that holds byte strings, such as object code, under keys.
/// A key is the hash of everything that the bytes depend on. Processes may use
/// one folder at the same time. A file that was changed or cut off counts as
/// absent, and no error of the file system makes an operation fail: without a
/// usable folder, nothing is found.
class ObjectCache {
public:
  /// Empty: nothing is found or stored. The folder is created when something is
  /// stored.
  explicit ObjectCache(llvm::StringRef folder);
  ~ObjectCache();

  bool isEnabled() const { return !folder.empty(); }
  /// Returns the bytes that were stored under `key`, and counts a hit or a
  /// miss. Thread-safe.
  std::optional<std::string> find(llvm::StringRef key);
  /// Stores `bytes` under `key`. Thread-safe.
  void insert(llvm::StringRef key, llvm::StringRef bytes);

  llvm::StringRef getFolder() const { return folder; }
  int64_t getHits() const { return hits; }
  int64_t getMisses() const { return misses; }
  /// Returns why something could not be stored; empty if everything was.
  std::string getProblem();

private:
  std::string getPath(llvm::StringRef key) const;
  llvm::Error store(llvm::StringRef key, llvm::StringRef bytes);
  void prune();

  std::string folder;
  std::atomic<int64_t> hits = 0, misses = 0, stored = 0;
  std::mutex lock;
  std::string problem; ///< guarded by `lock`
};

/// Returns the folder that the environment names: $FX_CACHE_DIR, or else
/// `fx-mlir` in $XDG_CACHE_HOME, or else ~/.cache/fx-mlir. The last two must be
/// writable by this user alone. Empty if $FX_CACHE is 0, or if there is no
/// such folder.
std::string getDefaultCacheFolder();

} // namespace fx

#endif // FX_SUPPORT_OBJECTCACHE_H
