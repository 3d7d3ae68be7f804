//===- Enumerations.cpp - torch's layouts, formats and devices ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/Enumerations.h"

using namespace llvm;

ArrayRef<StringLiteral> fx::getLayoutNames() {
  static constexpr StringLiteral names[] = {
      "strided",    "sparse_coo", "sparse_csr", "_mkldnn",
      "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"};
  return names;
}

ArrayRef<StringLiteral> fx::getMemoryFormatNames() {
  static constexpr StringLiteral names[] = {"contiguous_format",
                                            "preserve_format", "channels_last",
                                            "channels_last_3d"};
  return names;
}

ArrayRef<StringLiteral> fx::getDeviceTypes() {
  // As torch.device parses them.
  static constexpr StringLiteral names[] = {
      "cpu",    "cuda", "ipu",  "xpu",  "mkldnn", "opengl",       "opencl",
      "ideep",  "hip",  "ve",   "fpga", "maia",   "xla",          "lazy",
      "vulkan", "mps",  "meta", "hpu",  "mtia",   "privateuseone"};
  return names;
}

bool fx::isScalarTypeNumber(int64_t number) {
  return number >= 0 && number <= 45;
}
