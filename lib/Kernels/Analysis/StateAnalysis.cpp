//===- StateAnalysis.cpp - what the states alone determine ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/StateAnalysis.h"

#include "fx/IR/FXDialect.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx::kernel;

StateAnalysis::StateAnalysis(func::FuncOp func) : func(func) {
  // Visit the ops in order, so that long chains of ops cause no deep recursion.
  for (Operation &op : func.getBody().front())
    kind(&op);
}

StateAnalysis::Kind StateAnalysis::kind(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner() == &func.getBody().front() &&
        func.getArgAttr(arg.getArgNumber(), "fx.state") &&
        !func.getArgAttr(arg.getArgNumber(), "fx.mutable"))
      return State;
    return Other;
  }
  return kind(value.getDefiningOp());
}

/// Returns true if `op` calls an operator of ATen. Such ops are not evaluated
/// ahead of time: the compiler does not need LibTorch, and the results may
/// depend on its version.
static bool callsFallback(Operation *op) {
  return op->walk([](fx::EagerOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

StateAnalysis::Kind StateAnalysis::kind(Operation *op) {
  if (auto it = known.find(op); it != known.end())
    return it->second;
  Kind result = Constant;
  if (op->getBlock() != &func.getBody().front() || !isMemoryEffectFree(op) ||
      callsFallback(op)) {
    result = Other;
  } else {
    llvm::SetVector<Value> used;
    used.insert(op->getOperands().begin(), op->getOperands().end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value v : used)
      result = std::max(result, kind(v));
  }
  return known[op] = result;
}
