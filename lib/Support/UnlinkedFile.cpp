//===- UnlinkedFile.cpp - a temporary file without a name -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/UnlinkedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace fx;
using llvm::StringRef;

static constexpr StringRef kDescriptors = "/proc/self/fd/";

/// The kernel reuses descriptors, so redundant slashes and dots in the path
/// encode a counter.
std::string fx::getUniquePath(int descriptor) {
  static std::atomic<uint64_t> count{0};
  std::string path = kDescriptors.drop_back().str();
  for (uint64_t n = count++; n; n >>= 1)
    path += n & 1 ? "/." : "/";
  return path + "/" + std::to_string(descriptor);
}

llvm::Expected<UnlinkedFile> UnlinkedFile::create(StringRef bytes) {
  UnlinkedFile file;
  std::error_code ec;
  llvm::SmallString<128> name;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, name);
  file.descriptor = ::open(name.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file.descriptor < 0) { // not every file system supports O_TMPFILE
    ec = llvm::sys::fs::createTemporaryFile("fx", "tmp", file.descriptor, name);
    if (ec)
      return llvm::createStringError("cannot make a temporary file: " +
                                     ec.message());
    ::unlink(name.c_str());
  }
  file.path = getUniquePath(file.descriptor);
  llvm::raw_fd_ostream os(file.descriptor, /*shouldClose=*/false);
  os << bytes;
  os.flush();
  if (os.has_error()) {
    ec = os.error();
    os.clear_error();
    return llvm::createStringError("cannot write a temporary file: " +
                                   ec.message());
  }
  return file;
}

//===----------------------------------------------------------------------===//
// Files in memory
//===----------------------------------------------------------------------===//

/// Writes all bytes. Returns the error, if any.
static std::error_code writeAll(int descriptor, llvm::ArrayRef<char> bytes) {
  while (!bytes.empty()) {
    ssize_t n = llvm::sys::RetryAfterSignal(-1, ::write, descriptor,
                                            bytes.data(), bytes.size());
    if (n < 0)
      return std::error_code(errno, std::generic_category());
    bytes = bytes.drop_front(n);
  }
  return {};
}

llvm::Expected<UnlinkedFile> UnlinkedFile::createInMemory(StringRef name,
                                                          ReadFn read) {
  auto fail = [&](const llvm::Twine &what, std::error_code ec) {
    return llvm::createStringError(name + ": " + what + ": " + ec.message());
  };
  // The kernel keeps the name, for getShownPath. It refuses longer ones.
  constexpr size_t maxName = 200;
  UnlinkedFile file;
  file.descriptor = ::memfd_create(name.take_front(maxName).str().c_str(),
                                   MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file.descriptor < 0)
    return fail("cannot make a file in memory",
                std::error_code(errno, std::generic_category()));
  file.path = getUniquePath(file.descriptor);
  std::vector<char> buffer(1 << 20);
  for (;;) {
    llvm::Expected<size_t> size = read(buffer);
    if (!size)
      return size.takeError();
    if (*size == 0)
      break;
    if (std::error_code ec = writeAll(
            file.descriptor, llvm::ArrayRef<char>(buffer).take_front(*size)))
      return fail("cannot be kept in memory", ec);
  }
  ::fcntl(file.descriptor, F_ADD_SEALS,
          F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return file;
}

llvm::Expected<UnlinkedFile> UnlinkedFile::createInMemory(StringRef name,
                                                          StringRef bytes) {
  return createInMemory(
      name, [&](llvm::MutableArrayRef<char> buffer) -> llvm::Expected<size_t> {
        StringRef part = bytes.take_front(buffer.size());
        llvm::copy(part, buffer.begin());
        bytes = bytes.drop_front(part.size());
        return part.size();
      });
}

/// Returns the name of the file in memory at `path`, or nullopt.
static std::optional<std::string> getMemoryName(StringRef path) {
  if (!path.starts_with(kDescriptors))
    return std::nullopt;
  char target[512];
  ssize_t size = ::readlink(path.str().c_str(), target, sizeof target);
  StringRef name(target, size < 0 ? 0 : size);
  if (!name.consume_front("/memfd:"))
    return std::nullopt;
  name.consume_back(" (deleted)");
  return name.str();
}

std::string fx::getShownPath(StringRef path) {
  return getMemoryName(path).value_or(path.str());
}

bool fx::isLostMemoryFile(StringRef path) {
  return path.starts_with(kDescriptors) && !getMemoryName(path);
}

UnlinkedFile::~UnlinkedFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}
