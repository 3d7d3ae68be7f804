//===- Effects.cpp - memory effects of nodes ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators are pure in a `functional` graph only. Elsewhere a value may change
// between two equal calls (`v.sin(); x.add_(1); v.sin()`), so every call reads
// its tensors and allocates its results: MLIR's CSE then leaves it alone, while
// a dead one may still go.
//
//===----------------------------------------------------------------------===//

#include "fx/Custom/Operators.h"
#include "fx/IR/HigherOrder.h"
#include "fx/Operators/Purity.h"

using namespace mlir;
using namespace fx;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

namespace {
/// The state of the random generators.
struct GeneratorResource : SideEffects::Resource::Base<GeneratorResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GeneratorResource)
  StringRef getName() override { return "fx::Generator"; }
};
/// The set of symbols that are defined, and conditions that were checked.
struct SymbolResource : SideEffects::Resource::Base<SymbolResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SymbolResource)
  StringRef getName() override { return "fx::Symbol"; }
};
} // namespace

/// Reads and writes anything: what nothing is known of.
static void addUnknown(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

static bool isInFunctionalGraph(Operation *op) {
  auto graph = dyn_cast_if_present<GraphOp>(op->getParentOp());
  return graph && graph.getFunctional();
}

static void addReadsAndResults(Operation *op, Effects &effects) {
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<SymIntType, SymFloatType, SymBoolType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpResult result : op->getResults())
    effects.emplace_back(MemoryEffects::Allocate::get(), result);
}

void CallFunctionOp::getEffects(Effects &effects) {
  OperatorView call = getOperatorView(*this);
  if (!call) {
    // What may run beside other nodes has no effect: whoever marked it says so.
    bool isAsync = (*this)->hasAttr("fx.async") && isInFunctionalGraph(*this);
    if (!isPureCustomOperator(getTarget()) && !isAsync)
      addUnknown(effects);
    else if (!isInFunctionalGraph(*this))
      addReadsAndResults(*this, effects);
    return;
  }
  if (isSymbolicComputation(call))
    return;
  // A Python operator on anything else may run a method of the user's.
  bool functional = isInFunctionalGraph(*this);
  if (call.getSchema().isSymbolic() && !functional)
    return addUnknown(effects);

  if (!functional)
    addReadsAndResults(*this, effects);
  for (OpOperand *operand : getWrittenOperands(call))
    effects.emplace_back(MemoryEffects::Write::get(), operand);
  if (drawsRandomNumbers(call)) {
    effects.emplace_back(MemoryEffects::Read::get(), GeneratorResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), GeneratorResource::get());
  }
  // An assertion has no results and is there for its effect.
  if (call.getSchema().hasNoResults() || definesSymbol(call))
    effects.emplace_back(MemoryEffects::Write::get(), SymbolResource::get());
}

/// True if some node of the graph writes.
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

/// A higher-order operator in a functional graph is as pure as its sub-graphs.
static void addSubgraphEffects(Operation *op, Effects &effects) {
  FailureOr<HigherOrderView> view = HigherOrderView::get(op);
  // A method may change its object.
  if (!isInFunctionalGraph(op) || failed(view) ||
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ObjectType>))
    return addUnknown(effects);
  for (GraphOp graph : view->getGraphs())
    if (!graph.getFunctional() || callsItself(graph) || hasWrite(graph))
      return addUnknown(effects);
}

void CondOp::getEffects(Effects &effects) {
  addSubgraphEffects(*this, effects);
}
void HigherOrderOp::getEffects(Effects &effects) {
  addSubgraphEffects(*this, effects);
}

// A method or a module is the user's code, unless it is a part of the graph.
void CallMethodOp::getEffects(Effects &effects) { addUnknown(effects); }
void CallModuleOp::getEffects(Effects &effects) {
  GraphOp body = getModuleBody(*this);
  if (!isInFunctionalGraph(*this) || !body || !body.getFunctional() ||
      callsItself(body) || hasWrite(body))
    addUnknown(effects);
}
void EagerOp::getEffects(Effects &effects) {
  bool buffers = llvm::any_of(getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
  if (buffers || !(*this)->hasAttr("fx.pure"))
    addUnknown(effects);
}

// Part of the graph's signature or its contract: never removed.
void PlaceholderOp::getEffects(Effects &effects) { addUnknown(effects); }
void GuardOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

void GetAttrOp::getEffects(Effects &effects) {
  // A reference to a graph is a constant; a state may change between reads.
  if (!isa<GraphRefType>(getType()))
    effects.emplace_back(MemoryEffects::Read::get());
}
