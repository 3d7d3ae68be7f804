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

#include "../Aliases.h"

using namespace mlir;
using namespace fx;

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
  SmallVector<Mutation> mutations = getMutations(graph);
  for (auto [i, mutation] : llvm::enumerate(mutations)) {
    auto [input, value, spec] = mutation;
    if (haveSameForm(input, value))
      continue;
    auto type = cast<FakeTensorType>(input.getType()).withoutMeta();
    Value copy = createCall(b, namer.rename(output.getLoc(), "copy"),
                            "aten.copy.default", type, {input, value})
                     ->getResult(0);
    output->setOperand(i, copy);
    // Torch returns the input itself where the graph returns its last value.
    for (OpOperand &operand :
         output->getOpOperands().drop_front(mutations.size()))
      if (operand.get() == value)
        operand.set(copy);
  }
}
