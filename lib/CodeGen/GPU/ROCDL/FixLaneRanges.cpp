//===- FixLaneRanges.cpp - ranges of numbers of threads in waves ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace fx::gpu {
#define GEN_PASS_DEF_FXGPUFIXLANERANGES
#include "fx/CodeGen/GPU/Passes.h.inc"
} // namespace fx::gpu

using namespace mlir;

namespace {
struct FixLaneRanges : fx::gpu::impl::FXGPUFixLaneRangesBase<FixLaneRanges> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](ROCDL::MbcntLoOp op) { op.removeResAttrsAttr(); });
  }
};
} // namespace
