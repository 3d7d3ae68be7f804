//===- Effects.cpp - memory effects of nodes -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/FXDialect.h"

using namespace mlir;
using namespace fx;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Reads and writes anything: what nothing is known of.
static void addUnknown(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void CallFunctionOp::getEffects(Effects &effects) { addUnknown(effects); }
void CallMethodOp::getEffects(Effects &effects) { addUnknown(effects); }
void CallModuleOp::getEffects(Effects &effects) { addUnknown(effects); }
void HigherOrderOp::getEffects(Effects &effects) { addUnknown(effects); }
void EagerOp::getEffects(Effects &effects) {
  bool buffers = llvm::any_of(getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
  if (buffers || !(*this)->hasAttr("fx.pure"))
    addUnknown(effects);
}
void CondOp::getEffects(Effects &effects) { addUnknown(effects); }

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
