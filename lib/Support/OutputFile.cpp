//===- OutputFile.cpp - files that are whole or absent --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/OutputFile.h"
#include "fx/Support/LocatedError.h"

#include "llvm/Support/FileSystem.h"

using namespace fx;
using llvm::StringRef;
using Writer = llvm::function_ref<llvm::Error(llvm::raw_ostream &)>;

static llvm::Error fail(StringRef path, const char *what, std::error_code ec) {
  return makeLocatedError(path, llvm::Twine(what) + ": " + ec.message());
}

static llvm::Error writeTo(llvm::raw_fd_ostream &os, StringRef path,
                           Writer write) {
  llvm::Error error = write(os);
  os.flush();
  std::error_code ec = os.error();
  // The destructor of a stream with an error would end the process.
  os.clear_error();
  if (error || !ec)
    return error;
  return fail(path, "cannot write", ec);
}

llvm::Error fx::writeOutputFile(StringRef path, Writer write) {
  namespace fs = llvm::sys::fs;
  if (path == "-")
    return writeTo(llvm::outs(), path, write);
  // Write to devices and pipes: the rename would replace them by a file.
  fs::file_status status;
  if (!fs::status(path, status) && !fs::is_regular_file(status)) {
    std::error_code ec;
    llvm::raw_fd_ostream os(path, ec);
    return ec ? fail(path, "cannot open", ec) : writeTo(os, path, write);
  }
  // Write next to the output, so that the rename stays in one file system.
  llvm::Expected<fs::TempFile> file =
      fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return fail(path, "cannot create",
                llvm::errorToErrorCode(file.takeError()));
  llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  if (llvm::Error error = writeTo(os, path, write))
    return llvm::joinErrors(std::move(error), file->discard());
  if (llvm::Error error = file->keep(path))
    return fail(path, "cannot rename",
                llvm::errorToErrorCode(std::move(error)));
  return llvm::Error::success();
}
