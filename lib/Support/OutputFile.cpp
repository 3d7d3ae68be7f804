//===- OutputFile.cpp - files that are whole or absent --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

using namespace fx;
using llvm::StringRef;
using Writer = llvm::function_ref<llvm::Error(llvm::raw_ostream &)>;
namespace fs = llvm::sys::fs;

char OutputError::ID = 0;

llvm::Error fx::makeOutputError(StringRef path, std::error_code ec) {
  return llvm::make_error<OutputError>(path.str(),
                                       "cannot write: " + ec.message());
}

//===----------------------------------------------------------------------===//
// OutputFile
//===----------------------------------------------------------------------===//

llvm::Error OutputFile::create(StringRef output, bool handlesSignals) {
  discard();
  path = target = output.str();
  // Keep a link, and replace the file that it names.
  llvm::SmallString<256> real;
  if (fs::is_symlink_file(path) && !fs::real_path(path, real))
    target = real.str().str();
  int fd;
  if (std::error_code ec =
          fs::createUniqueFile(target + ".%%%%%%%%.tmp", fd, temporary,
                               fs::OF_None, fs::all_read | fs::all_write)) {
    temporary.clear();
    return makeOutputError(path, ec);
  }
  llvm::sys::Process::SafelyCloseFileDescriptor(fd);
  if (handlesSignals)
    llvm::sys::RemoveFileOnSignal(temporary);
  return llvm::Error::success();
}

llvm::Error OutputFile::keep() {
  if (std::error_code ec = fs::rename(temporary, target))
    return makeOutputError(path, ec);
  llvm::sys::DontRemoveFileOnSignal(temporary);
  temporary.clear();
  return llvm::Error::success();
}

void OutputFile::discard() {
  if (temporary.empty())
    return;
  fs::remove(temporary);
  llvm::sys::DontRemoveFileOnSignal(temporary);
  temporary.clear();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

bool fx::isWrittenInPlace(StringRef path) {
  if (path == "-")
    return true;
  fs::file_status status;
  if (fs::status(path, status))
    return false;
  if (!fs::is_regular_file(status))
    return true;
  // /dev/stdout and /proc/self/fd/1 are links to what the shell opened.
  return llvm::any_of(
      llvm::ArrayRef<StringRef>{"/dev/std", "/dev/fd/", "/proc/"},
      [&](StringRef prefix) { return path.starts_with(prefix); });
}

/// Writes to `os`. Errors name `path`.
static llvm::Error writeTo(llvm::raw_fd_ostream &os, StringRef path,
                           Writer write) {
  llvm::Error error = write(os);
  os.flush();
  std::error_code ec = os.error();
  // The destructor of a stream with an error would end the process.
  os.clear_error();
  if (error || !ec)
    return error;
  return makeOutputError(path, ec);
}

/// Writes to `file`. Errors name `path`.
static llvm::Error writeAs(StringRef file, StringRef path, Writer write) {
  // Opening /dev/stdout would truncate the file to which the shell redirects.
  if (file == "-" || file == "/dev/stdout")
    return writeTo(llvm::outs(), path, write);
  std::error_code ec;
  llvm::raw_fd_ostream os(file, ec);
  return ec ? makeOutputError(path, ec) : writeTo(os, path, write);
}

llvm::Error fx::writeInPlace(StringRef path, Writer write) {
  return writeAs(path, path, write);
}

llvm::Error fx::writeOutputFile(StringRef path, Writer write,
                                bool handlesSignals) {
  if (isWrittenInPlace(path))
    return writeInPlace(path, write);
  OutputFile file;
  if (llvm::Error error = file.create(path, handlesSignals))
    return error;
  if (llvm::Error error = writeAs(file.getTemporaryPath(), path, write))
    return error;
  return file.keep();
}

llvm::Error fx::writeTextFile(StringRef path, StringRef text,
                              bool handlesSignals) {
  return writeOutputFile(
      path,
      [&](llvm::raw_ostream &os) {
        os << text;
        return llvm::Error::success();
      },
      handlesSignals);
}
