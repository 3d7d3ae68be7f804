//===- MergeLinears.cpp - linear layers with the same input ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/aten/cat.h"
#include "fx/Operators/aten/linear.h"
#include "fx/Operators/aten/slice.h"
#include "fx/Transforms/ConstantAnalysis.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace fx {
#define GEN_PASS_DEF_MERGELINEARSPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
/// The input of a linear layer, the dtype of its weight, and whether it has a
/// bias.
using Key = std::tuple<Value, Type, unsigned>;

class Merger {
public:
  explicit Merger(GraphOp graph)
      : graph(graph), constants(graph), namer(graph), b(graph.getContext()) {}
  unsigned run();

private:
  std::optional<Key> match(aten::Linear linear);
  bool isOwnState(Value value, int64_t rank);
  bool isFreeOfEpilogue(Value result);
  void merge(ArrayRef<aten::Linear> linears);
  Value concatenate(Location loc, ArrayRef<Value> tensors);

  GraphOp graph;
  ConstantAnalysis constants;
  NodeNamer namer;
  OpBuilder b;
};
} // namespace

/// Returns true if `value` is a constant state of static sizes that has no
/// other user, so that the file needs only the concatenated one.
bool Merger::isOwnState(Value value, int64_t rank) {
  auto type = dyn_cast_if_present<FakeTensorType>(value.getType());
  auto input = value.getDefiningOp<PlaceholderOp>();
  return type && input && input.getTarget() && value.hasOneUse() &&
         type.hasStaticShape() && type.getRank() == rank &&
         type.getDtype().isFloat() && constants.contains(value);
}

/// Returns false if the only user of `result` may become a part of the matmul's
/// kernel, as activations do. It could not if the result is a slice.
bool Merger::isFreeOfEpilogue(Value result) {
  if (!result.hasOneUse())
    return !result.use_empty();
  OperatorView user = getOperatorView(*result.user_begin());
  return user && user.getSchema().isView();
}

std::optional<Key> Merger::match(aten::Linear linear) {
  Value input = linear.input(), weight = linear.weight(), bias = linear.bias();
  if (!input || !weight || constants.isConstant(input) ||
      !isOwnState(weight, 2) || (bias && !isOwnState(bias, 1)) ||
      !isFreeOfEpilogue(linear->getResult(0)))
    return std::nullopt;
  Type dtype = cast<FakeTensorType>(weight.getType()).getDtype();
  return Key(input, dtype, bias ? 1 : 0);
}

Value Merger::concatenate(Location loc, ArrayRef<Value> tensors) {
  return aten::Cat::createInferred(b, namer.rename(loc, "cat"), tensors, 0)
      ->getResult(0);
}

void Merger::merge(ArrayRef<aten::Linear> linears) {
  SmallVector<Value> weights, biases;
  for (aten::Linear linear : linears) {
    weights.push_back(linear.weight());
    if (Value bias = linear.bias())
      biases.push_back(bias);
  }
  aten::Linear first = linears.front();
  Location loc = first->getLoc();
  b.setInsertionPoint(first.getOperation());
  Value weight = concatenate(loc, weights);
  ArgumentRef bias;
  if (!biases.empty())
    bias = concatenate(loc, biases);
  Value merged = aten::Linear::createInferred(b, namer.rename(loc, "linear"),
                                              first.input(), weight, bias)
                     ->getResult(0);
  int64_t start = 0;
  for (aten::Linear linear : linears) {
    auto type = cast<FakeTensorType>(linear.weight().getType());
    int64_t end = start + type.getDimSize(0);
    Value slice =
        aten::SliceTensor::createInferred(
            b, namer.rename(linear->getLoc(), "slice"), merged, -1, start, end)
            ->getResult(0);
    linear->getResult(0).replaceAllUsesWith(slice);
    start = end;
  }
  for (aten::Linear linear : linears)
    linear->erase();
}

unsigned Merger::run() {
  llvm::MapVector<Key, SmallVector<aten::Linear>> groups;
  for (auto call : graph.getBlock().getOps<CallFunctionOp>())
    if (auto linear = dyn_cast<aten::Linear>(call.getOperation()))
      if (std::optional<Key> key = match(linear))
        groups[*key].push_back(linear);
  unsigned count = 0;
  for (auto &[key, linears] : groups)
    if (linears.size() > 1) {
      merge(linears);
      count += linears.size();
    }
  return count;
}

namespace {
struct MergeLinearsPass : fx::impl::MergeLinearsPassBase<MergeLinearsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>())
      if (graph.getFunctional())
        numMerged += Merger(graph).run();
  }
};
} // namespace
