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

  /// Returns the results that @prepare may store and that other ops read.
  llvm::SetVector<Value> findWanted(Block &body, StateAnalysis &states) {
    llvm::SetVector<Value> wanted;
    for (Operation &op : body) {
      if (!states.mayPrepare(&op))
        continue;
      for (OpResult result : op.getResults()) {
        bool isRead = llvm::any_of(result.getUsers(), [&](Operation *user) {
          // Views are not stored: a view of a result reads it.
          return !states.mayPrepare(body.findAncestorOpInBlock(*user));
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
