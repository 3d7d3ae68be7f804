//===- Effects.cpp - memory effects of calls ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators are pure in a `functional` graph only. In other graphs a tensor may
// change between two equal calls (`v.sin(); x.add_(1); v.sin()`), so every call
// reads its tensors and allocates its results. MLIR's CSE then keeps both
// calls, but a dead call can still be erased.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "fx/Operators/Collectives.h"
#include "fx/Operators/Custom.h"
#include "fx/Operators/Purity.h"

using namespace mlir;
using namespace fx;

namespace {
/// The state of the random generators.
struct GeneratorResource : SideEffects::Resource::Base<GeneratorResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GeneratorResource)
  StringRef getName() override { return "fx::Generator"; }
};
/// The communication between processes. All groups are one resource: a pass may
/// not exchange two collectives, whatever their groups are.
struct ProcessGroupResource
    : SideEffects::Resource::Base<ProcessGroupResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ProcessGroupResource)
  StringRef getName() override { return "fx::ProcessGroup"; }
};
/// The symbols that are defined and the conditions that are checked.
struct SymbolResource : SideEffects::Resource::Base<SymbolResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SymbolResource)
  StringRef getName() override { return "fx::Symbol"; }
};
} // namespace

static void addReadsAndResults(Operation *op, MemoryEffectList &effects) {
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<SymIntType, SymFloatType, SymBoolType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpResult result : op->getResults())
    effects.emplace_back(MemoryEffects::Allocate::get(), result);
}

void fx::addCallEffects(CallFunctionOp op, MemoryEffectList &effects) {
  OperatorView call = getOperatorView(op);
  if (!call) {
    // A node may run concurrently with other nodes only if it has no effects,
    // so the `fx.async` mark is trusted.
    bool isAsync = op->hasAttr("fx.async") && isInFunctionalGraph(op);
    if (!isPureCustomOperator(op.getTarget()) && !isAsync)
      addUnknownEffects(effects);
    else if (!isInFunctionalGraph(op))
      addReadsAndResults(op, effects);
    return;
  }
  if (isSymbolicComputation(call))
    return;
  // A Python operator on other operands may call a method that the user
  // defines.
  bool functional = isInFunctionalGraph(op);
  if (call.getSchema().isSymbolic() && !functional)
    return addUnknownEffects(effects);

  if (!functional)
    addReadsAndResults(op, effects);
  for (OpOperand *operand : getWrittenOperands(call))
    effects.emplace_back(MemoryEffects::Write::get(), operand);
  if (drawsRandomNumbers(call)) {
    effects.emplace_back(MemoryEffects::Read::get(), GeneratorResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), GeneratorResource::get());
  }
  if (isCollective(op.getTarget())) {
    effects.emplace_back(MemoryEffects::Read::get(),
                         ProcessGroupResource::get());
    effects.emplace_back(MemoryEffects::Write::get(),
                         ProcessGroupResource::get());
  }
  // The tensor that is awaited may be read by its own name afterwards.
  if (isWaitTensor(op.getTarget()) && !functional)
    for (OpOperand &operand : op->getOpOperands())
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  // An assertion has no results; the write keeps it alive.
  if (call.getSchema().hasNoResults() || definesSymbol(call))
    effects.emplace_back(MemoryEffects::Write::get(), SymbolResource::get());
}
