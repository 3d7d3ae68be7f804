//===- WriteBack.cpp - last values in the types of their inputs -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Torch writes back what a decomposed graph returns of its inputs by `copy_`,
// which converts and broadcasts (torch/export/_unlift.py,
// _insert_copy_for_mutations). So a decomposed `buffer.fill_(1)` may return a
// tensor of no dimensions.
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"

using namespace mlir;
using namespace fx;

static Value getInput(GraphOp graph, OutputSpecAttr spec) {
  if (!spec.isMutation() || !spec.getTarget())
    return {};
  StringRef target = spec.getTarget().getValue();
  for (PlaceholderOp placeholder : graph.getPlaceholders())
    if (spec.getKind() == OutputKind::UserInputMutation
            ? placeholder.getName() == target
            : placeholder.getTarget() == target)
      return placeholder.getResult();
  return {};
}

static bool haveSameForm(Value a, Value b) {
  auto first = dyn_cast<FakeTensorType>(a.getType());
  auto second = dyn_cast<FakeTensorType>(b.getType());
  return !first || !second ||
         (first.getDtype() == second.getDtype() &&
          first.getSizes() == second.getSizes());
}

void functionalize::convertMutations(GraphOp graph, NodeNamer &namer) {
  OutputOp output = graph.getOutput();
  OpBuilder b(output);
  // Mutations come first, an operand each.
  unsigned numMutations = 0, numOutputs = output.getArgs().size();
  while (numMutations < numOutputs &&
         output.getSpec(numMutations).isMutation() &&
         isa<OperandAttr>(output.getArgs()[numMutations]))
    ++numMutations;
  for (unsigned i = 0; i < numMutations; ++i) {
    Value input = getInput(graph, output.getSpec(i));
    Value value = output->getOperand(i);
    if (!input || haveSameForm(input, value))
      continue;
    auto type = cast<FakeTensorType>(input.getType()).withoutMeta();
    Value copy = createCall(b, namer.rename(output.getLoc(), "copy"),
                            "aten.copy.default", type, {input, value})
                     ->getResult(0);
    output->setOperand(i, copy);
    // Torch returns the input itself where the graph returns its last value.
    for (OpOperand &operand : output->getOpOperands().drop_front(numMutations))
      if (operand.get() == value)
        operand.set(copy);
  }
}
