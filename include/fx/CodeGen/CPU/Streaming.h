//===- Streaming.h - stores past the caches ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_STREAMING_H
#define FX_CODEGEN_CPU_STREAMING_H

#include <cstdint>

namespace fx::cpu {

/// The least number of bytes of an output that kernels store past the caches.
inline constexpr int64_t kLeastStreamedBytes = 8 << 20;

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_STREAMING_H
