//===- VerifyFunctional.cpp - what fx-functionalize promises --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Aliases.h"
#include "fx/IR/Metadata.h"
#include "fx/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace fx {
#define GEN_PASS_DEF_VERIFYFUNCTIONALPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

/// Returns all values that view `root`, including `root`.
static llvm::SmallSetVector<Value, 8> getViews(Value root) {
  llvm::SmallSetVector<Value, 8> views;
  views.insert(root);
  for (unsigned i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers())
      if (auto call = dyn_cast<CallFunctionOp>(user))
        for (OpResult result : call->getResults())
          if (OpOperand *viewed =
                  getAliasedOperand(call, result.getResultNumber()))
            if (viewed->get() == views[i])
              views.insert(result);
  return views;
}

/// Returns the operations that compute `value` from values in `from`.
static llvm::SmallSetVector<Operation *, 8>
getMakers(Value value, const llvm::SmallSetVector<Value, 8> &from) {
  llvm::SmallSetVector<Operation *, 8> makers;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || from.contains(next) || !makers.insert(op))
      continue;
    llvm::append_range(pending, op->getOperands());
  }
  return makers;
}

/// Returns true if `user` reads the type of `value` (sizes, dtype) but not its
/// elements.
static bool readsSizes(Operation *user, Value value) {
  auto call = dyn_cast<CallFunctionOp>(user);
  if (!call)
    return false;
  StringRef base = call.getTarget().rsplit('.').first;
  if (base.ends_with("_like") || base.starts_with("aten.new_") ||
      base == "aten.sym_size")
    return true;
  bool isOther = call->getNumOperands() == 2 && call->getOperand(0) != value;
  return isOther && llvm::is_contained({"aten.expand_as", "aten.view_as",
                                        "aten.reshape_as", "aten.type_as"},
                                       base);
}

/// Fails if an operation reads the original value of a mutated input after the
/// final value has been computed.
static LogicalResult verifyInputs(GraphOp graph) {
  LogicalResult result = success();
  for (auto [input, last, spec] : getMutations(graph)) {
    Operation *made = last.getDefiningOp();
    if (!made || isa<PlaceholderOp>(made))
      continue;
    llvm::SmallSetVector<Value, 8> views = getViews(input);
    llvm::SmallSetVector<Operation *, 8> makers = getMakers(last, views);
    // If the final value is a view of the original one, users of this view read
    // the final value.
    if (views.contains(last))
      for (Value view : getViews(last))
        views.remove(view);
    for (Value view : views)
      for (Operation *user : view.getUsers()) {
        if (!made->isBeforeInBlock(user) || makers.contains(user) ||
            readsSizes(user, view) ||
            llvm::any_of(user->getResults(),
                         [&](Value v) { return views.contains(v); }))
          continue;
        InFlightDiagnostic diag = user->emitError("reads what '")
                                  << spec.getTarget().getValue()
                                  << "' held at first, expected its last value";
        diag.attachNote(made->getLoc()) << "the last value is made here";
        result = failure();
      }
  }
  return result;
}

/// Fails if a view by strides (as_strided) addresses the memory of a computed
/// value, which is not defined in a functional graph.
static LogicalResult verifyStridedViews(GraphOp graph) {
  LogicalResult result = success();
  for (auto call : graph.getBlock().getOps<CallFunctionOp>()) {
    if (!call.getTarget().starts_with("aten.as_strided") ||
        call->getNumOperands() == 0)
      continue;
    Value self = call->getOperand(0);
    auto type = dyn_cast<FakeTensorType>(self.getType());
    auto made = self.getDefiningOp<CallFunctionOp>();
    bool isMemory = isa_and_present<PlaceholderOp>(self.getDefiningOp()) ||
                    (made && made.getTarget() == "aten.clone.default");
    // Accept operands with gaps in their memory. Functionalization leaves them
    // as they were traced.
    if (!type || isMemory || !isContiguous(type))
      continue;
    call.emitError("expected an input or a copy of a value, got a value whose "
                   "memory is not known");
    result = failure();
  }
  return result;
}

namespace {
struct VerifyFunctionalPass
    : fx::impl::VerifyFunctionalPassBase<VerifyFunctionalPass> {
  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>()) {
      if (!graph.getFunctional())
        continue;
      LogicalResult inputs = verifyInputs(graph),
                    strided = verifyStridedViews(graph);
      if (failed(inputs) || failed(strided))
        signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
