//===- ExpandMath.cpp - functions of math in kernels ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels do not link a math library. Functions for which there are float32
// polynomials use them (approximateMath); all others are computed in float64
// and rounded once.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "fx/CodeGen/Common/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

/// Returns true if `approximateMath` has a float32 polynomial for `op`.
static bool isCheap(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
             math::Log2Op, math::Log1pOp, math::TanhOp, math::ErfOp>(op) &&
         !op->getResult(0).getType().isF64();
}

LogicalResult fx::gpu::expandMath(mlir::gpu::GPUModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (codegen::hasDoubleForm(op) && !isCheap(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder b(op);
    op->getResult(0).replaceAllUsesWith(codegen::computeInDouble(b, op));
    op->erase();
  }
  for (auto kernel : module.getOps<mlir::gpu::GPUFuncOp>()) {
    bool isHalf = storesHalf(kernel);
    if (isHalf)
      shortenMath(kernel);
    // LLVM would not correct a product with the inverse.
    kernel.walk([](arith::DivFOp div) {
      if (bitEnumContainsAny(div.getFastmath(), arith::FastMathFlags::arcp))
        div.setFastmath(arith::FastMathFlags::none);
    });
    // The kernels are the same for all GPUs, and SPIR-V's Fma may round twice.
    if (failed(codegen::approximateMath(
            kernel, {.hasScale = false, .hasFma = false, .hasExp2 = isHalf})))
      return failure();
  }
  return success();
}
