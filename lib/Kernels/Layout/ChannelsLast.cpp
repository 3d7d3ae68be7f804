//===- ChannelsLast.cpp - hold images channels-last -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Permuter.h"
#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::kernel {
#define GEN_PASS_DEF_CHANNELSLASTPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

namespace {
struct ChannelsLast : fx::kernel::impl::ChannelsLastPassBase<ChannelsLast> {
  void runOnOperation() override {
    Permuter permuter(&getContext());
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      permuter.run(func.getBody());
      permuter.finish(func);
    }
    numConvolutions += permuter.numConvolutions;
    numTransposes += permuter.numTransposes;
  }
};
} // namespace
