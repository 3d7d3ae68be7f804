//===- Link.cpp - objects into a shared object, in process ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/Support/UnlinkedFile.h"

#include "lld/Common/Driver.h"

#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <mutex>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

// Embedded.c: the runtime's object and the import libraries of libc, libm,
// libdl.
extern "C" {
extern const char fx_embedded_runtime[], fx_embedded_runtime_end[];
extern const char fx_embedded_libc[], fx_embedded_libc_end[];
extern const char fx_embedded_libm[], fx_embedded_libm_end[];
extern const char fx_embedded_libdl[], fx_embedded_libdl_end[];
}

using namespace fx;
using namespace fx::cpu;

namespace {
/// A pipe that is read to its end in a thread. lld writes a regular file under
/// another name first and renames it, which would leave files behind if the
/// process ended; what is no regular file it writes at once.
class Pipe {
public:
  ~Pipe() {
    (void)finish();
    if (ends[0] >= 0)
      ::close(ends[0]);
  }
  bool open() {
    if (::pipe2(ends, O_CLOEXEC))
      return false;
    reader = std::thread([this] {
      char buffer[1 << 16];
      for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) != 0;) {
        if (n > 0)
          bytes.append(buffer, n);
        else if (errno != EINTR)
          break;
      }
    });
    return true;
  }
  std::string getPath() const {
    return "/proc/self/fd/" + std::to_string(ends[1]);
  }
  /// What was written, once the writers are done.
  std::string finish() {
    if (ends[1] >= 0)
      ::close(std::exchange(ends[1], -1));
    if (reader.joinable())
      reader.join();
    return std::move(bytes);
  }

private:
  int ends[2] = {-1, -1};
  std::thread reader;
  std::string bytes;
};
} // namespace

static llvm::Expected<std::string>
linkObjects(llvm::ArrayRef<std::string> objects) {
  std::vector<UnlinkedFile> files;
  Pipe output;
  if (!output.open())
    return llvm::createStringError("cannot make a pipe");
  std::vector<std::string> args = {
      "ld.lld", "-shared", "-o", output.getPath(),
      // Everything must be defined by us, libc or libm: what is missing shows
      // here and not when the artefact is loaded.
      "-z", "defs", "--hash-style=gnu", "--gc-sections", "--build-id=none",
      // The phdr of the protected segment becomes that of the weights.
      "-z", "relro", "--eh-frame-hdr"};
  auto add = [&](llvm::StringRef bytes) -> llvm::Error {
    llvm::Expected<UnlinkedFile> file = UnlinkedFile::create(bytes);
    if (!file)
      return file.takeError();
    args.push_back(file->getPath());
    files.push_back(std::move(*file));
    return llvm::Error::success();
  };
  for (llvm::StringRef object : objects)
    if (llvm::Error e = add(object))
      return e;
  auto embedded = [](const char *begin, const char *end) {
    return llvm::StringRef(begin, end - begin);
  };
  if (llvm::Error e =
          add(embedded(fx_embedded_runtime, fx_embedded_runtime_end)))
    return e;
  if (llvm::Error e = add(embedded(fx_embedded_libc, fx_embedded_libc_end)))
    return e;
  args.push_back("--as-needed");
  if (llvm::Error e = add(embedded(fx_embedded_libm, fx_embedded_libm_end)))
    return e;
  if (llvm::Error e = add(embedded(fx_embedded_libdl, fx_embedded_libdl_end)))
    return e;
  std::vector<const char *> argv;
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());
  // lld keeps its state in globals between the start and the end of a link.
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  std::string messages;
  llvm::raw_string_ostream os(messages);
  lld::Result result =
      lld::lldMain(argv, os, os, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode)
    return llvm::createStringError("linking failed: " +
                                   llvm::StringRef(messages).trim().str());
  return output.finish();
}

llvm::Error fx::cpu::linkSharedObject(llvm::ArrayRef<std::string> objects,
                                      llvm::StringRef path) {
  llvm::Expected<std::string> bytes = linkObjects(objects);
  if (!bytes)
    return bytes.takeError();
  std::error_code ec;
  llvm::raw_fd_ostream os(path, ec);
  if (!ec) {
    os << *bytes;
    os.close();
    ec = os.error();
    os.clear_error();
  }
  if (ec)
    return llvm::createStringError("cannot write '" + path.str() +
                                   "': " + ec.message());
  return llvm::Error::success();
}
