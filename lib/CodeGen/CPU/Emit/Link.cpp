//===- Link.cpp - objects into a shared object, in process -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "lld/Common/Driver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

// Embedded.c: the runtime's object and the import libraries of libc and libm.
extern "C" {
extern const char fx_embedded_runtime[], fx_embedded_runtime_end[];
extern const char fx_embedded_libc[], fx_embedded_libc_end[];
extern const char fx_embedded_libm[], fx_embedded_libm_end[];
}

using namespace fx::cpu;

namespace {
/// A directory that goes away with its files.
struct ScratchDirectory {
  llvm::SmallString<128> path;
  ~ScratchDirectory() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path, /*IgnoreErrors=*/true);
  }
};
} // namespace

static llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  std::error_code ec;
  llvm::raw_fd_ostream os(path, ec);
  if (!ec) {
    os << bytes;
    os.close();
    ec = os.error();
    os.clear_error();
  }
  if (ec)
    return llvm::createStringError("cannot write '" + path.str() + "': " + ec.message());
  return llvm::Error::success();
}

llvm::Error fx::cpu::linkSharedObject(llvm::ArrayRef<std::string> objects,
                                      llvm::StringRef output) {
  ScratchDirectory scratch;
  if (std::error_code ec = llvm::sys::fs::createUniqueDirectory("fx-link", scratch.path))
    return llvm::createStringError("cannot make a temporary directory: " + ec.message());
  std::vector<std::string> args = {
      "ld.lld", "-shared", "-o", output.str(),
      // Everything must be defined by us, libc or libm: what is missing shows
      // here and not when the artefact is loaded.
      "-z", "defs", "--hash-style=gnu", "--gc-sections", "--build-id=none",
      // The phdr of the protected segment becomes that of the weights.
      "-z", "relro", "--eh-frame-hdr"};
  auto add = [&](llvm::StringRef name, llvm::StringRef bytes) -> llvm::Error {
    llvm::SmallString<128> path = scratch.path;
    llvm::sys::path::append(path, name);
    args.push_back(path.str().str());
    return writeFile(path, bytes);
  };
  for (auto [i, object] : llvm::enumerate(objects))
    if (llvm::Error e = add("model" + std::to_string(i) + ".o", object))
      return e;
  auto embedded = [](const char *begin, const char *end) {
    return llvm::StringRef(begin, end - begin);
  };
  if (llvm::Error e = add("runtime.o", embedded(fx_embedded_runtime, fx_embedded_runtime_end)))
    return e;
  if (llvm::Error e = add("libc.so", embedded(fx_embedded_libc, fx_embedded_libc_end)))
    return e;
  args.push_back("--as-needed");
  if (llvm::Error e = add("libm.so", embedded(fx_embedded_libm, fx_embedded_libm_end)))
    return e;
  std::vector<const char *> argv;
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());
  // lld keeps its state in globals between the start and the end of a link.
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  std::string messages;
  llvm::raw_string_ostream os(messages);
  lld::Result result = lld::lldMain(argv, os, os, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode)
    return llvm::createStringError("linking failed: " + llvm::StringRef(messages).trim().str());
  return llvm::Error::success();
}
