//===- WriteBack.cpp - last values in the types of their inputs -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Torch writes the final values of mutated inputs that a decomposed graph
// returns back by `copy_`, which converts and broadcasts
// (torch/export/_unlift.py, _insert_copy_for_mutations). So a decomposed
// `buffer.fill_(1)` can return a tensor of rank 0.
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
    // If the graph also returns the final value to the user, torch returns the
    // input itself, which holds the converted value.
    for (OpOperand &operand :
         output->getOpOperands().drop_front(mutations.size()))
      if (operand.get() == value)
        operand.set(copy);
  }
}
