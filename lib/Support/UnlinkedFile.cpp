//===- UnlinkedFile.cpp - a temporary file without a name -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/UnlinkedFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <fcntl.h>
#include <unistd.h>

using namespace fx;

/// Returns a path to the descriptor that no earlier file had. The kernel reuses
/// descriptors, so redundant slashes and dots in the path encode a counter.
static std::string getUniquePath(int descriptor) {
  static std::atomic<uint64_t> count{0};
  std::string path = "/proc/self/fd";
  for (uint64_t n = count++; n; n >>= 1)
    path += n & 1 ? "/." : "/";
  return path + "/" + std::to_string(descriptor);
}

llvm::Expected<UnlinkedFile> UnlinkedFile::create(llvm::StringRef bytes) {
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

UnlinkedFile::~UnlinkedFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}
