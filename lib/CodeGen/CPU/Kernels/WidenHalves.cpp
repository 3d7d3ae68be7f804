//===- WidenHalves.cpp - the left operand of matmuls in f32 ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionEmitter.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/ConvertElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUWIDENHALVES
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::kernel;
using namespace fx::cpu;

namespace {
struct WidenHalves : fx::cpu::impl::FXCPUWidenHalvesBase<WidenHalves> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || func->hasAttr(kKernelAttr))
        continue;
      SmallVector<Contraction, 0> found;
      func.walk([&](linalg::GenericOp op) {
        auto match = matchContraction(op);
        if (match && match->isHalf() && !isPackedInPairs(*match) &&
            !getElementTypeOrSelf(match->lhs().getType()).isF32())
          found.push_back(*match);
      });
      ElementConverter widened(Float32Type::get(&getContext()));
      for (Contraction &c : found) {
        c.op->setOperand(c.a, widened.get(c.lhs()));
        BlockArgument x = c.op.getBody()->getArgument(c.a);
        Operation *extend = *x.user_begin();
        x.setType(extend->getResult(0).getType());
        extend->getResult(0).replaceAllUsesWith(x);
        extend->erase();
      }
    }
  }
};
} // namespace
