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
  // One thread: lld counts the CPUs again at each link, and LLVM makes its
  // threads at the first one, so that a process whose affinity changes between
  // two links would have more threads than lld has lists for.
  std::vector<const char *> argv = {"ld.lld", "--threads=1", "-o",
                                    path.c_str()};
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
