//===- MappedFile.cpp - files in memory -----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/MappedFile.h"

using namespace llvm;

Expected<sys::fs::mapped_file_region> fx::mapFile(StringRef path) {
  auto fail = [&](std::error_code code) {
    return createStringError(code, path + ": " + code.message());
  };
  // Only a regular file has a fixed size. A pipe or a device could block.
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return fail(code);
  if (status.type() != sys::fs::file_type::regular_file)
    return createStringError(path + ": expected a regular file");
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file)
    return fail(errorToErrorCode(file.takeError()));
  sys::fs::mapped_file_region region;
  std::error_code code;
  if (uint64_t size = status.getSize())
    region = sys::fs::mapped_file_region(
        *file, sys::fs::mapped_file_region::readonly, size, 0, code);
  sys::fs::closeFile(*file);
  if (code)
    return fail(code);
  return region;
}
