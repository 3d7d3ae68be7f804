//===- CountFlops.cpp - the operations of kernels -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/Common/KernelClass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUCOUNTFLOPS
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;

static bool isArithmetic(Operation &op) {
  if (isa<CastOpInterface, arith::ConstantOp, arith::CmpFOp, arith::CmpIOp,
          arith::SelectOp>(op) ||
      op.getNumResults() != 1 || !op.getResult(0).getType().isIntOrFloat())
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op.getDialect());
}

/// Returns the number of operations of `op`; nullopt if a loop is dynamic.
static std::optional<int64_t> countFlops(linalg::GenericOp op) {
  int64_t count = llvm::count_if(*op.getBody(), isArithmetic);
  for (int64_t range : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(range))
      return std::nullopt;
    count *= range;
  }
  return count;
}

namespace {
struct CountFlops : fx::cpu::impl::FXCPUCountFlopsBase<CountFlops> {
  void runOnOperation() override {
    Builder b(&getContext());
    for (func::FuncOp kernel : getKernels(getOperation())) {
      int64_t sum = 0;
      bool isStatic = true;
      kernel.walk([&](linalg::GenericOp op) {
        std::optional<int64_t> count = countFlops(op);
        isStatic &= count.has_value();
        sum += count.value_or(0);
      });
      if (isStatic)
        kernel->setAttr("fx.flops", b.getI64IntegerAttr(sum));
    }
  }
};
} // namespace
