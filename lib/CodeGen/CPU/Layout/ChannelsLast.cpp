//===- ChannelsLast.cpp - hold images channels-last -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Permuter.h"
#include "fx/CodeGen/CPU/LayoutPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUCHANNELSLAST
#include "fx/CodeGen/CPU/LayoutPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::cpu;

namespace {
struct ChannelsLast : fx::cpu::impl::FXCPUChannelsLastBase<ChannelsLast> {
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
