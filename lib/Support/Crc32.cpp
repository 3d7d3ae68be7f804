//===- Crc32.cpp - the checksum of zip files ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/Crc32.h"

#include <libdeflate.h>

uint32_t fx::getCrc32(llvm::StringRef bytes, uint32_t before) {
  // Null bytes would begin a new sum.
  return bytes.empty() ? before
                       : libdeflate_crc32(before, bytes.data(), bytes.size());
}
