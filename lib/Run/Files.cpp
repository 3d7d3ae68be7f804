//===- Files.cpp - input and output folders of fx-run ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Run/Files.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/Npy.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using llvm::StringRef;

namespace fx {

llvm::SmallVector<LeafFile> getLeafFiles(const GraphSignature &signature) {
  llvm::SmallVector<LeafFile> leaves;
  for (const InputLeaf &input : signature.getInputs())
    leaves.push_back({input.name,
                      input.isPassed() ? LeafFile::Passed : LeafFile::Absent,
                      input.getDType().value_or(DType::F32)});
  return leaves;
}

static std::string join(StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

/// Returns k if the name is "in_<k>.npy".
static std::optional<unsigned> getIndex(StringRef name) {
  unsigned k;
  if (!name.consume_front("in_") || !name.consume_back(".npy") ||
      name.empty() || (name.size() > 1 && name.front() == '0') ||
      name.getAsInteger(10, k))
    return std::nullopt;
  return k;
}

/// Returns an error if the folder has an input file for a leaf that does not
/// exist or takes no file.
static llvm::Error findStrays(StringRef folder,
                              llvm::ArrayRef<LeafFile> leaves) {
  std::error_code ec;
  std::optional<unsigned> stray;
  for (llvm::sys::fs::directory_iterator it(folder, ec), end; !ec && it != end;
       it.increment(ec)) {
    std::optional<unsigned> k = getIndex(llvm::sys::path::filename(it->path()));
    if (k && (*k >= leaves.size() || leaves[*k].use == LeafFile::Absent))
      stray = std::min(*k, stray.value_or(*k));
  }
  if (ec)
    return makeLocatedError(folder, ec.message());
  if (!stray)
    return llvm::Error::success();
  std::string path = join(folder, "in_" + llvm::Twine(*stray) + ".npy");
  if (*stray < leaves.size())
    return makeLocatedError(path, "input '" + leaves[*stray].name +
                                      "' is None or a str: expected no file");
  return makeLocatedError(path, "expected " + llvm::Twine(leaves.size()) +
                                    " inputs, got a file for input " +
                                    llvm::Twine(*stray));
}

llvm::Expected<llvm::SmallVector<HostValue>>
readInputs(StringRef folder, llvm::ArrayRef<LeafFile> leaves) {
  llvm::SmallVector<HostValue> values;
  // A model without inputs needs no folder.
  bool needed = llvm::any_of(
      leaves, [](auto &leaf) { return leaf.use == LeafFile::Passed; });
  if (folder.empty()) {
    if (needed)
      return makeLocatedError("--inputs",
                              "expected a folder, since the model has inputs");
    values.resize(leaves.size());
    return values;
  }
  if (needed && !llvm::sys::fs::is_directory(folder))
    return makeLocatedError(
        folder, llvm::sys::fs::exists(folder)
                    ? "expected a folder with a file in_K.npy for input K, got "
                      "a file"
                    : "no such folder");
  if (llvm::sys::fs::is_directory(folder))
    if (llvm::Error error = findStrays(folder, leaves))
      return std::move(error);
  for (auto [k, leaf] : llvm::enumerate(leaves)) {
    HostValue &value = values.emplace_back();
    if (leaf.use != LeafFile::Passed)
      continue;
    std::string path = join(folder, "in_" + llvm::Twine(k) + ".npy");
    if (!llvm::sys::fs::exists(path))
      return makeLocatedError(path, "no such file: expected " +
                                        getName(leaf.dtype) + " for input '" +
                                        leaf.name + "'");
    llvm::Expected<NpyArray> array = readNpy(path);
    if (!array)
      return makeLocatedError(path, llvm::toString(array.takeError()));
    llvm::Expected<HostTensor> tensor = toHostTensor(*array, leaf.dtype);
    if (!tensor)
      return makeLocatedError(path, "input '" + leaf.name + "': " +
                                        llvm::toString(tensor.takeError()));
    value = std::move(*tensor);
  }
  return values;
}

namespace {
/// Files that are written under temporary names and renamed by `commit`. If
/// `commit` is not called or fails, the destructor removes them.
class PendingFiles {
public:
  ~PendingFiles() {
    for (const auto &[temporary, path] : files)
      (void)llvm::sys::fs::remove(temporary);
    for (const std::string &path : renamed)
      (void)llvm::sys::fs::remove(path);
  }
  /// Adds a file and returns the temporary name to write it to.
  std::string add(const std::string &path) {
    std::string temporary =
        path + ".tmp-" + std::to_string(llvm::sys::Process::getProcessId());
    (void)llvm::sys::fs::remove(temporary);
    files.emplace_back(temporary, path);
    return temporary;
  }
  llvm::Error commit() {
    for (const auto &[temporary, path] : files) {
      if (std::error_code ec = llvm::sys::fs::rename(temporary, path))
        return makeLocatedError(path, "cannot rename: " + ec.message());
      renamed.push_back(path);
    }
    files.clear();
    renamed.clear();
    return llvm::Error::success();
  }

private:
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> renamed;
};
} // namespace

llvm::Error writeOutputs(StringRef folder, llvm::ArrayRef<HostValue> values) {
  if (folder.empty())
    return llvm::Error::success();
  if (std::error_code ec = llvm::sys::fs::create_directories(
          folder, /*IgnoreExisting=*/true, llvm::sys::fs::all_all))
    return makeLocatedError(folder, "cannot create: " + ec.message());
  PendingFiles files;
  for (auto [k, value] : llvm::enumerate(values)) {
    if (!value)
      continue;
    std::string path = join(folder, "out_" + llvm::Twine(k) + ".npy");
    if (llvm::Error error = writeNpy(files.add(path), *value))
      return makeLocatedError(path, llvm::toString(std::move(error)));
  }
  return files.commit();
}

} // namespace fx
