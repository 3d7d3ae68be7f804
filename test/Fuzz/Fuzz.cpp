//===- Fuzz.cpp - what the fuzzers share ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "llvm/Support/raw_ostream.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace fx::fuzz;
using llvm::StringRef;

MemoryFile::MemoryFile(StringRef bytes) : descriptor(memfd_create("fuzz", 0)) {
  require(descriptor >= 0, "memfd_create failed");
  while (!bytes.empty()) {
    ssize_t written = write(descriptor, bytes.data(), bytes.size());
    require(written > 0, "cannot write to memory");
    bytes = bytes.drop_front(written);
  }
  path = "/proc/self/fd/" + std::to_string(descriptor);
}

MemoryFile::~MemoryFile() { close(descriptor); }

void fx::fuzz::require(bool condition, StringRef what, StringRef detail) {
  if (condition)
    return;
  llvm::errs() << "finding: " << what << "\n" << detail << "\n";
  abort();
}

void fx::fuzz::requireOneLine(StringRef error) {
  require(!error.trim().empty(), "an error without a text");
  require(!error.contains('\n'), "an error of several lines", error);
}

std::string fx::fuzz::mutateBytes(StringRef text, size_t extra) {
  std::string bytes = text.str();
  size_t size = bytes.size();
  bytes.resize(size + extra);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(bytes.data()), size,
                                bytes.size()));
  return bytes;
}
