//===- Linker.cpp - lld in this process -----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Linker.h"

#include "lld/Common/Driver.h"

#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <mutex>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace fx;
using namespace fx::codegen;

namespace {
/// A pipe that a thread reads to its end. lld writes a regular output file
/// under a temporary name and renames it, which would leave a file behind if
/// the process ended. It writes to a pipe directly.
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
  /// Returns the bytes that were written. All other writers must be done.
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

llvm::Error Linker::add(llvm::StringRef bytes) {
  llvm::Expected<UnlinkedFile> file = UnlinkedFile::create(bytes);
  if (!file)
    return file.takeError();
  args.push_back(file->getPath());
  files.push_back(std::move(*file));
  return llvm::Error::success();
}

llvm::Expected<std::string> Linker::run() {
  Pipe output;
  if (!output.open())
    return llvm::createStringError("cannot make a pipe");
  std::string path = output.getPath();
  // Use one thread. lld counts the CPUs at each link, but LLVM creates its
  // threads at the first one: if the affinity of the process changed between
  // two links, there would be more threads than lld has per-thread lists.
  std::vector<const char *> argv = {"ld.lld", "--threads=1", "-o",
                                    path.c_str()};
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());
  // lld keeps the state of a link in globals: only one link may run at a time.
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
