//===- HoistPrepare.cpp - computations on states alone --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/FXDialect.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/Passes.h"
#include "fx/Kernels/StateAnalysis.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace fx::kernel {
#define GEN_PASS_DEF_DROPPREPAREPASS
#define GEN_PASS_DEF_HOISTPREPAREPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

/// Returns true for ops that cost nothing, or whose results are not worth
/// storing.
static bool isFree(Operation *op) {
  return matchPattern(op, m_Constant()) ||
         isa<tensor::EmptyOp, linalg::FillOp, tensor::ExtractSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
             op);
}

/// Returns the size of a static tensor in bytes; -1 for other types.
static int64_t numBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return -1;
  return tensor.getNumElements() *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

/// Maximum number of bytes that a computation on constants may add to the file.
static constexpr int64_t kConstantBytes = 4 << 20;

/// Collects the ops that compute `wanted`, in order, and the states that they
/// read.
static void collectOps(Block &body, const llvm::SetVector<Value> &wanted,
                       SmallVectorImpl<Operation *> &ops,
                       llvm::SetVector<Value> &states) {
  llvm::DenseSet<Operation *> needed;
  for (Value v : wanted)
    needed.insert(v.getDefiningOp());
  for (Operation &op : llvm::reverse(body)) {
    if (!needed.contains(&op))
      continue;
    ops.push_back(&op);
    llvm::SetVector<Value> used;
    used.insert(op.getOperands().begin(), op.getOperands().end());
    getUsedValuesDefinedAbove(op.getRegions(), used);
    for (Value v : used) {
      if (isa<BlockArgument>(v))
        states.insert(v);
      else
        needed.insert(v.getDefiningOp());
    }
  }
  std::reverse(ops.begin(), ops.end());
}

/// Creates @prepare, which takes `states`, arguments of `main`, and computes
/// `wanted` by copies of `ops`.
static void createPrepare(func::FuncOp main, ArrayRef<Operation *> ops,
                          const llvm::SetVector<Value> &states,
                          const llvm::SetVector<Value> &wanted) {
  SmallVector<Type> argTypes, resultTypes;
  for (Value v : states)
    argTypes.push_back(v.getType());
  for (Value v : wanted)
    resultTypes.push_back(v.getType());
  OpBuilder b(main);
  auto prepare = func::FuncOp::create(b, main.getLoc(), "prepare",
                                      b.getFunctionType(argTypes, resultTypes));
  Block *entry = prepare.addEntryBlock();
  IRMapping mapping;
  for (auto [i, arg] : llvm::enumerate(states)) {
    mapping.map(arg, entry->getArgument(i));
    unsigned number = cast<BlockArgument>(arg).getArgNumber();
    if (DictionaryAttr attrs = main.getArgAttrDict(number))
      prepare.setArgAttrs(i, attrs);
  }
  b.setInsertionPointToEnd(entry);
  for (Operation *op : ops)
    b.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value v : wanted)
    results.push_back(mapping.lookup(v));
  func::ReturnOp::create(b, main.getLoc(), results);
}

/// Replaces `wanted`, the results of @prepare, by new arguments of `main`.
static LogicalResult replaceByArguments(func::FuncOp main,
                                        const llvm::SetVector<Value> &wanted) {
  OpBuilder b(main);
  for (auto [i, value] : llvm::enumerate(wanted)) {
    Value v = value;
    auto attrs = b.getDictionaryAttr(
        b.getNamedAttr("fx.prepared", b.getI64IntegerAttr(i)));
    unsigned at = main.getNumArguments();
    if (failed(main.insertArgument(at, v.getType(), attrs, v.getLoc())))
      return failure();
    v.replaceAllUsesWith(main.getArgument(at));
  }
  return success();
}

namespace {
struct HoistPrepare : fx::kernel::impl::HoistPreparePassBase<HoistPrepare> {
  using Base::Base;

  /// Returns true if results of `op` may become results of @prepare.
  bool mayStore(Operation *op, StateAnalysis &states) {
    if (isFree(op) || op->getNumResults() == 0)
      return false;
    StateAnalysis::Kind kind = states.kind(op);
    if (kind == StateAnalysis::Other)
      return false;
    int64_t in = 0, out = 0;
    for (Value v : op->getOperands())
      in += std::max<int64_t>(0, numBytes(v.getType()));
    for (Type type : op->getResultTypes()) {
      int64_t bytes = numBytes(type);
      if (bytes < 0)
        return false;
      out += bytes;
    }
    if (kind == StateAnalysis::Constant)
      return out <= kConstantBytes;
    // `in` includes the destinations. Results that are much larger than the
    // other operands are not stored. Filters that are transformed for
    // Winograd's method are up to four times as large.
    return out <= 4 * (in - out) + kConstantBytes;
  }

  /// Returns the results that @prepare may store and that other ops read.
  llvm::SetVector<Value> findWanted(Block &body, StateAnalysis &states) {
    llvm::SetVector<Value> wanted;
    for (Operation &op : body) {
      if (!mayStore(&op, states))
        continue;
      for (OpResult result : op.getResults()) {
        bool isRead = llvm::any_of(result.getUsers(), [&](Operation *user) {
          // Views are not stored: a view of a result reads it.
          return !mayStore(body.findAncestorOpInBlock(*user), states);
        });
        if (isRead)
          wanted.insert(result);
      }
    }
    return wanted;
  }

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal() || getOperation().lookupSymbol("prepare"))
      return;
    Block &body = main.getBody().front();
    StateAnalysis states(main);
    llvm::SetVector<Value> wanted = findWanted(body, states);
    if (wanted.empty())
      return;

    SmallVector<Operation *> ops;
    llvm::SetVector<Value> args;
    collectOps(body, wanted, ops, args);
    createPrepare(main, ops, args, wanted);
    if (failed(replaceByArguments(main, wanted)))
      return signalPassFailure();
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
  }
};

struct FXDropPreparePass
    : fx::kernel::impl::DropPreparePassBase<FXDropPreparePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto prepare = module.lookupSymbol<func::FuncOp>("prepare");
    if (prepare && module.lookupSymbol<func::FuncOp>("main"))
      prepare.erase();
  }
};
} // namespace
