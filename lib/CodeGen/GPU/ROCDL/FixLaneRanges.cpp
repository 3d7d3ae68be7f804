//===- FixLaneRanges.cpp - ranges of numbers of threads in waves ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace fx::rocdl {
#define GEN_PASS_DEF_FXGPUFIXLANERANGES
#include "Passes.h.inc"
} // namespace fx::rocdl

using namespace mlir;

namespace {
/// Removes the result attributes of mbcnt.lo, among them a wrong range: for the
/// upper half of a wave of 64 threads the result is 32.
struct FixLaneRanges : fx::rocdl::impl::FXGPUFixLaneRangesBase<FixLaneRanges> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](ROCDL::MbcntLoOp op) { op.removeResAttrsAttr(); });
  }
};
} // namespace
