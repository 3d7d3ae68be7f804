//===- BufferizeInserts.cpp - long chains of tensor.insert_slice ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUBUFFERIZEINSERTS
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

/// The longest chain that one-shot bufferization gets.
static constexpr size_t kMostInserts = 32;

using Chain = SmallVector<tensor::InsertSliceOp>;

/// Returns the insert that alone uses the result of `op` as its destination.
static tensor::InsertSliceOp getNext(tensor::InsertSliceOp op) {
  if (!op->hasOneUse())
    return {};
  auto next = dyn_cast<tensor::InsertSliceOp>(*op->user_begin());
  bool isNext = next && next.getDest() == op.getResult() &&
                next->getBlock() == op->getBlock();
  return isNext ? next : tensor::InsertSliceOp();
}

/// Returns true if `tensor` is an argument or a view of it: a state, or an
/// input that is written. One-shot bufferization may insert in its memory.
static bool isArgument(Value tensor) {
  while (Operation *def = tensor.getDefiningOp()) {
    if (!isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, tensor::CastOp>(def))
      return false;
    tensor = def->getOperand(0);
  }
  return true;
}

static SmallVector<Chain> findChains(ModuleOp module) {
  SmallVector<Chain> chains;
  module.walk([&](tensor::InsertSliceOp op) {
    auto before = op.getDest().getDefiningOp<tensor::InsertSliceOp>();
    if (before && getNext(before) == op)
      return;
    // The memory of an iteration of a loop would live until the end of the run.
    if (!isa<FunctionOpInterface>(op->getParentOp()) ||
        isArgument(op.getDest()))
      return;
    Chain chain;
    for (tensor::InsertSliceOp at = op; at; at = getNext(at))
      chain.push_back(at);
    if (chain.size() > kMostInserts)
      chains.push_back(std::move(chain));
  });
  return chains;
}

/// Returns the buffer of a tensor, which is only read.
static Value readBuffer(OpBuilder &b, Location loc, Value tensor) {
  auto type = bufferization::getMemRefTypeWithFullyDynamicLayout(
      cast<TensorType>(tensor.getType()));
  return bufferization::ToBufferOp::create(b, loc, type, tensor,
                                           /*read_only=*/true);
}

static void bufferize(Chain &chain) {
  // All pieces exist at the end of the chain.
  OpBuilder b(chain.back());
  Location loc = chain.back().getLoc();
  Value first = chain.front().getDest();
  auto tensorType = cast<RankedTensorType>(first.getType());
  SmallVector<Value> sizes;
  for (unsigned d = 0; d < tensorType.getRank(); ++d)
    if (tensorType.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, loc, first, d));
  auto type =
      MemRefType::get(tensorType.getShape(), tensorType.getElementType());
  Value all = memref::AllocOp::create(b, loc, type, sizes);
  if (!first.getDefiningOp<tensor::EmptyOp>())
    memref::CopyOp::create(b, loc, readBuffer(b, loc, first), all);
  for (tensor::InsertSliceOp op : chain) {
    auto part = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
        op.getSourceType().getShape(), type, op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides()));
    Value to = memref::SubViewOp::create(
        b, op.getLoc(), part, all, op.getMixedOffsets(), op.getMixedSizes(),
        op.getMixedStrides());
    memref::CopyOp::create(b, op.getLoc(),
                           readBuffer(b, op.getLoc(), op.getSource()), to);
  }
  Value result = bufferization::ToTensorOp::create(
      b, loc, tensorType, all, /*restrict=*/true, /*writable=*/true);
  chain.back().getResult().replaceAllUsesWith(result);
  for (tensor::InsertSliceOp op : llvm::reverse(chain))
    op.erase();
}

namespace {
struct BufferizeInserts
    : fx::cpu::impl::FXCPUBufferizeInsertsBase<BufferizeInserts> {
  void runOnOperation() override {
    for (Chain &chain : findChains(getOperation())) {
      bufferize(chain);
      ++numChains;
    }
  }
};
} // namespace
