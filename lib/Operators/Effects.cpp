//===- Effects.cpp - memory effects of calls ------------------------------===//
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

#include "Calls.h"
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
/// The set of symbols that are defined, and conditions that were checked.
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
    // What may run beside other nodes has no effect: whoever marked it says so.
    bool isAsync = op->hasAttr("fx.async") && isInFunctionalGraph(op);
    if (!isPureCustomOperator(op.getTarget()) && !isAsync)
      addUnknownEffects(effects);
    else if (!isInFunctionalGraph(op))
      addReadsAndResults(op, effects);
    return;
  }
  if (isSymbolicComputation(call))
    return;
  // A Python operator on anything else may run a method of the user's.
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
  // An assertion has no results and is there for its effect.
  if (call.getSchema().hasNoResults() || definesSymbol(call))
    effects.emplace_back(MemoryEffects::Write::get(), SymbolResource::get());
}
