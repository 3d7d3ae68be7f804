//===- ConstantAnalysis.cpp - values that no run changes ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Transforms/ConstantAnalysis.h"
#include "fx/Operators/Purity.h"

using namespace mlir;
using namespace fx;

ConstantAnalysis::ConstantAnalysis(GraphOp graph)
    : symbols(SymbolTable::getNearestSymbolTable(graph->getParentOp())) {
  OutputOp output = graph.getOutput();
  for (unsigned i = 0, e = output.getArgs().size(); i < e; ++i) {
    OutputSpecAttr spec = output.getSpec(i);
    if (!spec || !spec.getTarget())
      continue;
    mutated.insert(spec.getTarget());
    auto state = symbols.lookup<StateOp>(spec.getTarget().getValue());
    if (state && state.getInitAttr())
      mutated.insert(state.getInitAttr());
  }
  // Other methods of the model write these.
  for (StateOp state : graph->getParentRegion()->getOps<StateOp>())
    if (state->hasAttr("fx.mutable")) {
      mutated.insert(state.getSymNameAttr());
      if (state.getInitAttr())
        mutated.insert(state.getInitAttr());
    }
}

ConstantAnalysis::Class ConstantAnalysis::classify(Value value) {
  auto [it, isNew] = known.try_emplace(value, Class::Varying);
  if (!isNew)
    return it->second;
  Class result = compute(value);
  return known[value] = result;
}

ConstantAnalysis::Class ConstantAnalysis::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto placeholder = dyn_cast_if_present<PlaceholderOp>(op)) {
    InputKind kind = placeholder.getKind();
    StringAttr target = placeholder.getTargetAttr()
                            ? placeholder.getTargetAttr().getAttr()
                            : StringAttr();
    if ((kind != InputKind::Parameter && kind != InputKind::Buffer &&
         kind != InputKind::TensorConstant) ||
        !target || mutated.contains(target))
      return Class::Varying;
    auto state = symbols.lookup<StateOp>(target);
    bool isShared =
        state && state.getInitAttr() && mutated.contains(state.getInitAttr());
    return isShared ? Class::Varying : Class::State;
  }
  OperatorView view = getOperatorView(op);
  if (!view || !isPure(view) || drawsRandomNumbers(view) ||
      view.getSchema().has(OperatorSchema::Nondeterministic))
    return Class::Varying;
  Class result = Class::Number;
  for (Value operand : op->getOperands()) {
    Class c = classify(operand);
    if (c == Class::Varying)
      return c;
    if (c == Class::State)
      result = c;
  }
  return result;
}
