//===- Crc32.h - the checksum of zip files ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_CRC32_H
#define FX_SUPPORT_CRC32_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace fx {

/// Returns the CRC-32 of zip files (ISO 3309) of `bytes`, behind bytes whose
/// CRC-32 is `before`. Weights of gigabytes are checked when they are read, so
/// this is libdeflate's code, which takes a third of the time of zlib's.
uint32_t getCrc32(llvm::StringRef bytes, uint32_t before = 0);

} // namespace fx

#endif // FX_SUPPORT_CRC32_H
