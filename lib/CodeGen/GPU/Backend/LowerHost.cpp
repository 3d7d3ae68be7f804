//===- LowerHost.cpp - host code that leaves device memory alone ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointLaunch.h"
#include "StridedCopy.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace fx::gpu {
#define GEN_PASS_DEF_FXGPULOWERHOST
#include "fx/CodeGen/GPU/Passes.h.inc"
} // namespace fx::gpu

using namespace mlir;
using namespace fx;
using fx::gpu::getAddress;
using fx::gpu::launchPoints;

static Value constant(OpBuilder &b, Location loc, int64_t c) {
  return arith::ConstantIndexOp::create(b, loc, c);
}

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

/// Emits the body of `op`, with its loads and stores, at the point `ivs` of the
/// iteration space.
static void emitPoint(OpBuilder &b, linalg::GenericOp op, ArrayRef<Value> ivs) {
  Location loc = op.getLoc();
  IRMapping map;
  auto at = [&](OpOperand &operand) {
    SmallVector<Value> indices;
    AffineMap whole = op.getMatchingIndexingMap(&operand);
    for (unsigned i = 0; i < whole.getNumResults(); ++i)
      indices.push_back(
          affine::expandAffineExpr(b, loc, whole.getResult(i), ivs, {}));
    return indices;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(&operand);
    if (!isa<MemRefType>(operand.get().getType()))
      map.map(arg, operand.get());
    else if (!arg.use_empty())
      map.map(arg, memref::LoadOp::create(b, loc, operand.get(), at(operand))
                       .getResult());
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      map.map(index.getResult(), ivs[index.getDim()]);
    else
      b.clone(inner, map);
  }
  for (auto [i, value] :
       llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
    OpOperand *out = op.getDpsInitOperand(i);
    memref::StoreOp::create(b, loc, map.lookupOrDefault(value), out->get(),
                            at(*out));
  }
}

/// Returns the bytes of the operands and the operations; the former are unknown
/// if a size is dynamic.
static std::pair<std::optional<int64_t>, int64_t>
countWork(linalg::GenericOp op) {
  int64_t bytes = 0, operations = kernel::bodyCost(op);
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType())) {
      std::optional<int64_t> size = codegen::getStaticBytes(type);
      if (!size)
        return {std::nullopt, 0};
      bytes += *size;
    }
  for (int64_t range : op.getStaticLoopRanges())
    operations *= range;
  return {bytes, operations};
}

/// Replaces `op` with a launch that has one thread for each point of the
/// parallel loops; a thread runs the other loops.
static void launch(linalg::GenericOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> sizes;
  for (Range range :
       cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(b, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, range.size));
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto isParallel = [&](unsigned d) {
    return kinds[d] == utils::IteratorType::parallel;
  };
  SmallVector<Value> parallel;
  for (unsigned d = 0; d < sizes.size(); ++d)
    if (isParallel(d))
      parallel.push_back(sizes[d]);
  Value zero = constant(b, loc, 0), one = constant(b, loc, 1);
  auto [bytes, operations] = countWork(op);
  SmallVector<Value> point = launchPoints(b, loc, parallel, bytes, operations),
                     ivs(sizes.size());
  for (unsigned d = 0, next = 0; d < sizes.size(); ++d)
    if (isParallel(d))
      ivs[d] = point[next++];
  for (unsigned d = 0; d < sizes.size(); ++d)
    if (!isParallel(d)) {
      auto loop = scf::ForOp::create(b, loc, zero, sizes[d], one);
      ivs[d] = loop.getInductionVar();
      b.setInsertionPointToStart(loop.getBody());
    }
  emitPoint(b, op, ivs);
  op.erase();
}

//===----------------------------------------------------------------------===//
// Copies and single elements
//===----------------------------------------------------------------------===//

static void call(OpBuilder &b, Location loc, StringRef name, ValueRange args) {
  auto callee = cast<func::FuncOp>(codegen::getOrDeclare(
      b, name, b.getFunctionType(args.getTypes(), {}), /*cInterface=*/false));
  func::CallOp::create(b, loc, callee, args);
}

/// Replaces a copy with a call that copies bytes if both layouts are the
/// identity, or else with a launch. A thread copies 16 bytes if it can, or else
/// one element.
static void lowerCopy(memref::CopyOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto from = cast<MemRefType>(op.getSource().getType()),
       to = cast<MemRefType>(op.getTarget().getType());
  if (from.getLayout().isIdentity() && to.getLayout().isIdentity()) {
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < from.getRank(); ++d)
      if (from.isDynamicDim(d))
        sizes.push_back(memref::DimOp::create(b, loc, op.getSource(), d));
    Value bytes = codegen::computeBytes(b, loc, from, sizes);
    bytes = arith::IndexCastOp::create(b, loc, b.getI64Type(), bytes);
    call(b, loc, "fx_rt_gpu_copy",
         {getAddress(b, loc, op.getTarget(), {}),
          getAddress(b, loc, op.getSource(), {}), bytes});
  } else {
    int64_t width = fx::gpu::getCopyWidth(op);
    if (width > 1) {
      Value can = fx::gpu::canCopyRuns(b, op, width);
      auto branch = scf::IfOp::create(b, loc, can, /*withElseRegion=*/true);
      b.setInsertionPointToStart(branch.thenBlock());
      fx::gpu::launchCopy(b, op, width);
      b.setInsertionPointToStart(branch.elseBlock());
    }
    launch(linalg::makeMemRefCopyOp(b, loc, op.getSource(), op.getTarget()));
  }
  op.erase();
}

static Value getBytes(OpBuilder &b, Location loc, Type element) {
  return arith::ConstantIntOp::create(b, loc, b.getI64Type(),
                                      codegen::getElementBytes(element));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct LowerHost : fx::gpu::impl::FXGPULowerHostBase<LowerHost> {
  using Base::Base;
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && !func->hasAttr(kernel::kKernelAttr) &&
          failed(lower(func)))
        return signalPassFailure();
  }

  /// Allocates stack memory for one element at the beginning of `func`.
  static Value slot(func::FuncOp func, Type element) {
    OpBuilder b = OpBuilder::atBlockBegin(&func.front());
    return memref::AllocaOp::create(b, func.getLoc(),
                                    MemRefType::get({}, element));
  }

  void lowerLoad(func::FuncOp func, memref::LoadOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Type element = op.getType();
    Value here = slot(func, element);
    call(b, loc, "fx_rt_gpu_read",
         {getAddress(b, loc, here, {}),
          getAddress(b, loc, op.getMemref(), op.getIndices()),
          getBytes(b, loc, element)});
    op.replaceAllUsesWith(memref::LoadOp::create(b, loc, here).getResult());
    op.erase();
  }

  void lowerStore(func::FuncOp func, memref::StoreOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Type element = op.getValue().getType();
    Value here = slot(func, element);
    memref::StoreOp::create(b, loc, op.getValue(), here);
    call(b, loc, "fx_rt_gpu_write",
         {getAddress(b, loc, op.getMemref(), op.getIndices()),
          getAddress(b, loc, here, {}), getBytes(b, loc, element)});
    op.erase();
  }

  /// Replaces the uses of a constant with the copy that the run-time keeps on
  /// the device.
  void lowerGlobal(memref::GetGlobalOp op) {
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    auto bytesType = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
    auto callee = cast<func::FuncOp>(codegen::getOrDeclare(
        b, "fx_rt_gpu_constant",
        b.getFunctionType({b.getIndexType(), b.getIndexType()}, {bytesType}),
        /*cInterface=*/true));
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, op);
    Value bytes = codegen::computeBytes(b, loc, type, {});
    Value memory =
        func::CallOp::create(b, loc, callee, ValueRange{address, bytes})
            .getResult(0);
    Value view = memref::ViewOp::create(
        b, loc, MemRefType::get(type.getShape(), type.getElementType()), memory,
        constant(b, loc, 0), ValueRange());
    op.getResult().replaceAllUsesExcept(view, address.getDefiningOp());
  }

  LogicalResult lower(func::FuncOp func) {
    SmallVector<Operation *> ops;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<mlir::gpu::LaunchOp>(op))
        return WalkResult::skip();
      if (isa<linalg::LinalgOp, memref::CopyOp, memref::LoadOp, memref::StoreOp,
              memref::GetGlobalOp>(op)) {
        ops.push_back(op);
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        auto generic = dyn_cast<linalg::GenericOp>(op);
        if (!generic) {
          rewriter.setInsertionPoint(op);
          FailureOr<linalg::GenericOp> general =
              linalg::generalizeNamedOp(rewriter, linalgOp);
          if (failed(general))
            return op->emitError("no code for this operation on a GPU: '")
                   << op->getName() << "'";
          generic = *general;
        }
        launch(generic);
      } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        lowerCopy(copy);
      } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
        lowerLoad(func, load);
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        lowerStore(func, store);
      } else {
        lowerGlobal(cast<memref::GetGlobalOp>(op));
      }
    }
    return success();
  }
};
} // namespace
