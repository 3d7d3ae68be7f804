//===- Effects.cpp - memory effects of nodes ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fx/Operators knows the effects of operator calls. This file defines the
// effects of all other nodes.
//
//===----------------------------------------------------------------------===//

#include "fx/IR/HigherOrder.h"
#include "fx/IR/OperatorInterface.h"

using namespace mlir;
using namespace fx;

using Effects = MemoryEffectList;

void fx::addUnknownEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

bool fx::isInFunctionalGraph(Operation *op) {
  auto graph = dyn_cast_if_present<GraphOp>(op->getParentOp());
  return graph && graph.getFunctional();
}

void CallFunctionOp::getEffects(Effects &effects) {
  if (const auto *operators =
          (*this)
              ->getDialect()
              ->getRegisteredInterface<OperatorDialectInterface>())
    return operators->getEffects(*this, effects);
  addUnknownEffects(effects);
}

/// Returns true if a node of the graph writes memory or has unknown effects.
static bool hasWrite(GraphOp graph) {
  for (Operation &op : graph.getBlock()) {
    if (isa<PlaceholderOp, GuardOp, OutputOp>(op))
      continue;
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface || interface.hasEffect<MemoryEffects::Write>())
      return true;
  }
  return false;
}

/// Adds unknown effects to a call of a higher-order operator, unless it is in a
/// functional graph and its sub-graphs are functional and have no writes.
static void addSubgraphEffects(Operation *op, Effects &effects) {
  FailureOr<HigherOrderView> view = HigherOrderView::get(op);
  // The call of a method may change an object.
  if (!isInFunctionalGraph(op) || failed(view) ||
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ObjectType>))
    return addUnknownEffects(effects);
  for (GraphOp graph : view->getGraphs())
    if (!graph.getFunctional() || callsItself(graph) || hasWrite(graph))
      return addUnknownEffects(effects);
}

void CondOp::getEffects(Effects &effects) {
  addSubgraphEffects(*this, effects);
}
void HigherOrderOp::getEffects(Effects &effects) {
  addSubgraphEffects(*this, effects);
}

// A method or a module runs the user's code, whose effects are unknown. The
// exception is a module whose body is a graph of the program.
void CallMethodOp::getEffects(Effects &effects) { addUnknownEffects(effects); }
void CallModuleOp::getEffects(Effects &effects) {
  GraphOp body = getModuleBody(*this);
  if (!isInFunctionalGraph(*this) || !body || !body.getFunctional() ||
      callsItself(body) || hasWrite(body))
    addUnknownEffects(effects);
}
void EagerOp::getEffects(Effects &effects) {
  bool buffers = llvm::any_of(getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
  if (buffers || !(*this)->hasAttr("fx.pure"))
    addUnknownEffects(effects);
}

// Placeholders are part of the graph's signature, and guards of its contract.
// Their effects keep passes from removing them.
void PlaceholderOp::getEffects(Effects &effects) { addUnknownEffects(effects); }
void GuardOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

void GetAttrOp::getEffects(Effects &effects) {
  // A reference to a graph is a constant; a state may change between reads.
  if (!isa<GraphRefType>(getType()))
    effects.emplace_back(MemoryEffects::Read::get());
}
