//===- Limits.h - what an import may use ------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_LIMITS_H
#define FX_IMPORT_LIMITS_H

#include <cstdint>

namespace fx {

/// What the import of an archive may use, for archives of unknown origin. 0: no
/// limit. Exceeding a limit is an error: `expected at most N ..., got M`.
struct ImportLimits {
  /// The nodes of all graphs.
  uint64_t nodes = 0;
  /// The bytes of text, which is JSON, of all records that are read. Without a
  /// limit, each record may have 512 MiB.
  uint64_t textBytes = 0;
  /// The time. The importer polls a clock, and ends soon after this time.
  double seconds = 0;
};

} // namespace fx

#endif // FX_IMPORT_LIMITS_H
