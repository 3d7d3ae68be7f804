//===- GeneralizeOps.cpp - generics of named linalg ops -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/Passes.h"

namespace fx::kernel {
#define GEN_PASS_DEF_GENERALIZEOPSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

namespace {
struct GeneralizeOps : fx::kernel::impl::GeneralizeOpsPassBase<GeneralizeOps> {
  void runOnOperation() override {
    fx::kernel::generalizeNamedOps(getOperation());
  }
};
} // namespace
