//===- RaiseDequantize.cpp - arithmetic that dequantizes weights ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightRaiser.h"

#include "fx/Operators/aten/_assert_tensor_metadata.h"
#include "fx/Operators/aten/addmm.h"
#include "fx/Operators/aten/embedding.h"
#include "fx/Operators/aten/linear.h"
#include "fx/Operators/aten/matmul.h"
#include "fx/Operators/aten/mm.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel_group.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_tensor.h"
#include "fx/Transforms/ConstantAnalysis.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_RAISEDEQUANTIZEPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
namespace qd = fx::quantized_decomposed;

static FakeTensorType getType(Value value) {
  return cast<FakeTensorType>(value.getType());
}

std::optional<WeightUse> WeightUse::match(Operation *op) {
  WeightUse use;
  if (auto linear = dyn_cast<aten::Linear>(op)) {
    use = {op, linear.input(), linear.weight(), linear.bias()};
  } else if (auto embedding = dyn_cast<aten::Embedding>(op)) {
    use = {op, embedding.indices(), embedding.weight(), Value()};
    use.isEmbedding = true;
  } else if (auto matmul = dyn_cast<aten::Matmul>(op)) {
    use = {op, matmul.self(), matmul.other(), Value(), 0};
  } else if (auto mm = dyn_cast<aten::Mm>(op)) {
    use = {op, mm.self(), mm.mat2(), Value(), 0};
  } else if (auto addmm = dyn_cast<aten::Addmm>(op)) {
    if (addmm.alpha().getFloat() != 1.0 || addmm.beta().getFloat() != 1.0)
      return std::nullopt;
    use = {op, addmm.mat1(), addmm.mat2(), addmm.self(), 0};
  }
  if (!use.x || !use.weight || getType(use.weight).getRank() != 2 ||
      (getType(use.x).getRank() == 0 && !use.isEmbedding) ||
      !getType(use.weight).hasStaticShape() ||
      getType(use.weight).getNumElements().value_or(0) == 0 ||
      (use.bias && (getType(use.bias).getRank() != 1 ||
                    getType(use.bias).getDimSize(0) !=
                        getType(use.weight).getDimSize(1 - use.terms))))
    return std::nullopt;
  return use;
}

namespace {
struct RaiseDequantizePass
    : fx::impl::RaiseDequantizePassBase<RaiseDequantizePass> {
  using Base::Base;

  void runOnOperation() override {
    RangeAnalysis ranges(getOperation(), readsStates);
    for (auto graph : getOperation().getOps<GraphOp>())
      if (graph.getFunctional())
        run(graph, ranges);
  }

private:
  /// Returns true for a matmul whose kernel matches the weight as it is.
  bool isRaised(const WeightUse &use) {
    Operation *op = use.weight.getDefiningOp();
    if (use.isEmbedding)
      return false;
    if (auto rows = dyn_cast<qd::DequantizePerChannel>(op))
      return gpu || !rows.zero_points();
    if (auto groups = dyn_cast<qd::DequantizePerChannelGroup>(op))
      return gpu || !groups.zero_points();
    return isa<qd::DequantizePerTensor>(op);
  }

  /// Returns true if something else reads the floats, which an embedding can
  /// then read, too.
  static bool hasOtherUsers(const WeightUse &use) {
    return llvm::any_of(use.weight.getUsers(), [](Operation *user) {
      return !isa<aten::Embedding, aten::UnderAssertTensorMetadata>(user) &&
             !isOpTriviallyDead(user);
    });
  }

  void run(GraphOp graph, RangeAnalysis &ranges) {
    ConstantAnalysis constants(graph);
    NodeNamer namer(graph);
    SmallVector<CallFunctionOp> calls(
        graph.getBlock().getOps<CallFunctionOp>());
    // Whether floats remain is known when the matmuls are raised.
    llvm::stable_sort(calls, [](CallFunctionOp x, CallFunctionOp y) {
      return !isa<aten::Embedding>(x.getOperation()) &&
             isa<aten::Embedding>(y.getOperation());
    });
    for (CallFunctionOp call : calls) {
      std::optional<WeightUse> use = WeightUse::match(call);
      if (use && constants.contains(use->weight) &&
          !constants.isConstant(use->x) && !isRaised(*use) &&
          !(use->isEmbedding && hasOtherUsers(*use)))
        raise(*use, ranges, namer);
    }
  }

  void raise(const WeightUse &use, RangeAnalysis &ranges, NodeNamer &namer) {
    std::optional<AffineWeight> weight =
        AffineWeight::match(use.weight, ranges);
    if (!weight)
      return;
    WeightRaiser raiser(use, *weight);
    if (raiser.plan(gpu, bf16) &&
        succeeded(replaceNode(
            use.op, namer, [&](Decomposer &d, SmallVectorImpl<Value> &values) {
              values.push_back(raiser.build(d));
              return success();
            })))
      ++numRaised;
  }
};
} // namespace
