//===- CorrectTypes.cpp - types as eager gives them -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Transforms/CorrectTypes.h"
#include "fx/Operators/Shape.h"
#include "fx/Operators/TypePromotion.h"
#include "fx/Operators/Verify.h"

using namespace mlir;
using namespace fx;

static FakeTensorType getTensor(Value value) {
  return value ? dyn_cast<FakeTensorType>(value.getType()) : FakeTensorType();
}

/// Returns the type of threshold_backward. Its kernel promotes both operands.
static SmallVector<Type> getThresholdTypes(const OperatorView &call) {
  FakeTensorType grad = getTensor(call.getArg("grad_output").getValue()),
                 self = getTensor(call.getArg("self").getValue());
  TypePromotion promotion(call.getContext());
  promotion.addTensor(grad.getDtype(), grad.getRank());
  promotion.addTensor(self.getDtype(), self.getRank());
  Type dtype = promotion.getResult();
  if (!dtype)
    return {};
  return {getTensor(call.getResult()).withDtype(dtype).withoutMeta()};
}

/// Returns the types of unique_consecutive along a negative dimension. The
/// shape function of PyTorch records the number of unique values at the right
/// position but appends dimensions that do not exist.
static SmallVector<Type> getUniqueTypes(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg("self").getValue()),
                 values = getTensor(call->getResult(0)),
                 counts = getTensor(call->getResult(2));
  std::optional<int64_t> dim = call.getArg("dim").getInt();
  bool all = call.getArg("return_inverse").getBool() == true &&
             call.getArg("return_counts").getBool() == true;
  if (!dim || !all || !self || !values || !counts || counts.getRank() != 1 ||
      *dim < -self.getRank() || *dim >= self.getRank() ||
      values.getRank() <= self.getRank())
    return {};
  SmallVector<ExprAttr> sizes(self.getSizes());
  int64_t at = *dim < 0 ? *dim + self.getRank() : *dim;
  FakeTensorType inverse = counts.withoutMeta().withSizes({sizes[at]});
  sizes[at] = values.getSizes()[at];
  return {values.withoutMeta().withSizes(sizes), inverse,
          counts.withoutMeta().withSizes({sizes[at]})};
}

/// Returns the types of the results in eager mode; empty if they are not known.
static SmallVector<Type> getTrueTypes(CallFunctionOp call) {
  OperatorView view = getOperatorView(call);
  if (call.getTarget() == "aten.threshold_backward.default")
    return getThresholdTypes(view);
  if (call.getTarget() == "aten.unique_consecutive.default")
    return getUniqueTypes(view);
  // Its shape rule says what eager computes.
  if (call.getTarget() == "aten.lstm.input")
    if (InferredTypes inferred = inferResultTypes(view); succeeded(inferred))
      return matchResults(call, *inferred);
  return {};
}

namespace {
/// Corrects the types of a graph and propagates them to the users. Restores all
/// types if this fails.
class Corrector {
public:
  explicit Corrector(GraphOp graph) : graph(graph) {}

  bool run() {
    for (Operation &op : graph.getBlock())
      if (!visit(op)) {
        for (auto [value, type] : old)
          value.setType(type);
        return false;
      }
    return true;
  }

private:
  void setType(Value value, Type type) {
    if (value.getType() == type)
      return;
    old.try_emplace(value, value.getType());
    value.setType(type);
  }

  bool visit(Operation &op) {
    auto call = dyn_cast<CallFunctionOp>(op);
    bool isMistaken = call && !getMistakenType(call).empty();
    bool reads = llvm::any_of(op.getOperands(),
                              [&](Value v) { return old.contains(v); });
    if (!isMistaken && !reads)
      return true;
    if (auto output = dyn_cast<OutputOp>(op))
      return isForUser(output);
    if (!call)
      return false;
    SmallVector<Type> types;
    if (isMistaken) {
      types = getTrueTypes(call);
    } else if (OperatorView view = getOperatorView(call)) {
      if (InferredTypes inferred = inferResultTypes(view); succeeded(inferred))
        types = matchResults(call, *inferred);
    }
    if (types.size() != call.getNumResults())
      return false;
    for (auto [result, type] : llvm::zip_equal(call->getResults(), types))
      if (isMistaken || areProvablyDifferent(type, result.getType()))
        setType(result, type);
    return true;
  }

  /// Returns true if only the user takes the outputs, so that their types can
  /// change. Callers of a private graph and mutated states have fixed types.
  bool isForUser(OutputOp output) {
    if (graph.isPrivate())
      return false;
    for (size_t i = 0, e = output.getArgs().size(); i < e; ++i)
      if (output.getSpec(i).getTarget())
        return false;
    return true;
  }

  GraphOp graph;
  llvm::MapVector<Value, Type> old;
};
} // namespace

bool fx::correctTypes(GraphOp graph) { return Corrector(graph).run(); }
