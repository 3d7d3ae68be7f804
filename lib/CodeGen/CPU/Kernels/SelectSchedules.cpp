//===- SelectSchedules.cpp - the schedule of every kernel -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/Analysis.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUSELECTSCHEDULES
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;
using namespace fx::kernel;

static bool hasSchedule(func::FuncOp kernel) {
  return llvm::any_of(kernel.getBody().front(),
                      [](Operation &op) { return op.hasAttr(kScheduleAttr); });
}

namespace {
struct SelectSchedules
    : fx::cpu::impl::FXCPUSelectSchedulesBase<SelectSchedules> {
  using Base::Base;
  void runOnOperation() override {
    TargetInfo target = TargetInfo::getCPU(lanes, /*hasByteDot=*/false, bf16,
                                           {tilesInt8, tilesBF16, tilesF16});
    for (func::FuncOp kernel : getKernels(getOperation())) {
      if (hasSchedule(kernel))
        continue;
      auto matches = matchKernelClasses(getKernelClasses(), kernel, target);
      if (matches.empty())
        continue;
      const KernelMatch &match = matches.front().second;
      match.root->setAttr(kScheduleAttr, match.schedule);
    }
  }
};
} // namespace
