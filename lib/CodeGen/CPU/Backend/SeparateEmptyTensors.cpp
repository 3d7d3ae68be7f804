//===- SeparateEmptyTensors.cpp - one empty tensor for each use -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUSEPARATEEMPTYTENSORS
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

namespace {
struct SeparateEmptyTensors
    : fx::cpu::impl::FXCPUSeparateEmptyTensorsBase<SeparateEmptyTensors> {
  void runOnOperation() override {
    SmallVector<tensor::EmptyOp> empties;
    getOperation()->walk(
        [&](tensor::EmptyOp empty) { empties.push_back(empty); });
    for (tensor::EmptyOp empty : empties) {
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
        OpBuilder b(use.getOwner());
        if (isa<LoopLikeOpInterface>(use.getOwner()))
          use.set(bufferization::AllocTensorOp::create(
              b, empty.getLoc(), empty.getType(), empty.getDynamicSizes()));
        else
          use.set(b.clone(*empty)->getResult(0));
      }
      empty.erase();
    }
  }
};
} // namespace
