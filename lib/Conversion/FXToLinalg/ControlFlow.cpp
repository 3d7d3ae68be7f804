//===- ControlFlow.cpp - higher-order operators ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "NodeLowering.h"

#include "fx/IR/HigherOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace fx::lin {

LogicalResult lowerArguments(NodeLowering &n, ArrayRef<Argument> args,
                             SmallVectorImpl<Lowered> &result) {
  for (const Argument &arg : args) {
    if (Value value = arg.getValue()) {
      const Lowered *lowered = n.graph.lookup(value);
      if (!lowered)
        return n.fail("an operand has no value");
      result.push_back(*lowered);
    } else if (Lowered immediate = lowerImmediate(arg.tree);
               immediate.kind != Lowered::Kind::None || arg.isNone()) {
      result.push_back(immediate);
    } else {
      return n.fail("an operand is neither tensor nor number");
    }
  }
  return success();
}

/// Sets the node's results to the results of an inlined graph.
static LogicalResult setResults(NodeLowering &n, ArrayRef<Lowered> results) {
  unsigned i = 0;
  for (const Lowered &lowered : results) {
    if (i >= n.numResults())
      return n.fail("the graph gives more results than the node has");
    if (lowered.kind == Lowered::Kind::Tensor) {
      if (n.resultType(i) && !isSupported(lowered.tensor.dtype))
        n.graph.set(n.op->getResult(i), lowered);
      else if (failed(n.set(i, lowered.tensor)))
        return failure();
    } else if (lowered.kind == Lowered::Kind::Number) {
      if (failed(n.set(i, lowered.number)))
        return failure();
    } else {
      n.graph.set(n.op->getResult(i), lowered);
    }
    ++i;
  }
  if (i != n.numResults())
    return n.fail("the graph gives fewer results than the node has");
  return success();
}

/// Returns the element of a tensor predicate as `type`. Returns null, with the
/// reason noted, unless its sizes are all known to be 1.
static Value lowerTensorPredicate(NodeLowering &n, const Argument &predicate,
                                  Type type) {
  Builder &b = n.b;
  Tensor t = n.asTensor(predicate);
  if (n.failed())
    return {};
  for (ExprAttr size : t.sizes)
    if (size.getInteger() != 1) {
      (void)n.fail("the predicate has more than one element");
      return {};
    }
  return b.element(b.cast(t, type));
}

/// Returns a branch's value for result `slot` of the node as a value of `type`.
/// Returns null, with the reason noted, if it has another type or size.
static Value lowerBranchResult(NodeLowering &n, const Lowered &lowered,
                               Type type, unsigned slot) {
  FakeTensorType fxType = n.resultType(slot);
  if ((lowered.kind == Lowered::Kind::Tensor) != bool(fxType) ||
      (fxType && (lowered.tensor.rank() != fxType.getRank() ||
                  lowered.tensor.dtype != fxType.getDtype()))) {
    (void)n.fail("the branch gives a result of another type");
    return {};
  }
  if (fxType)
    for (auto [have, want] : llvm::zip(lowered.tensor.sizes, fxType.getSizes()))
      if (have.isInteger() && want.isInteger() && have != want) {
        (void)n.fail("the branch gives a result of another size");
        return {};
      }
  Value v = n.graph.builtinValue(n.b.loc, lowered);
  if (!v) {
    (void)n.fail("the branch gives no value");
    return {};
  }
  if (fxType)
    v = n.b.withType(v, fxType.getSizes(), fxType.getDtype());
  if (v.getType() != type) {
    (void)n.fail("the branch gives a result of another type");
    return {};
  }
  return v;
}

/// Inlines a branch into `region` and yields its results in `slots`.
static LogicalResult lowerBranch(NodeLowering &n, GraphOp graph,
                                 ArrayRef<Lowered> operands,
                                 ArrayRef<Type> types, ArrayRef<unsigned> slots,
                                 Region &region) {
  Builder &b = n.b;
  OpBuilder::InsertionGuard guard(b.b);
  b.b.setInsertionPointToEnd(&region.front());
  auto results = n.graph.inlineGraph(graph, operands);
  if (failed(results))
    return n.fail("the branch cannot be inlined");
  if (results->size() != n.numResults())
    return n.fail("the branch gives another number of results");
  SmallVector<Value> yielded;
  for (auto [type, slot] : llvm::zip(types, slots)) {
    Value v = lowerBranchResult(n, (*results)[slot], type, slot);
    if (!v)
      return failure();
    yielded.push_back(v);
  }
  scf::YieldOp::create(b.b, b.loc, yielded);
  return success();
}

/// Runs the first of `graphs` whose condition holds, or the last one: creates
/// an scf.if with the others in its else block. `getCondition` is called with
/// the position of a graph, and creates the condition.
static FailureOr<scf::IfOp>
lowerBranches(NodeLowering &n, ArrayRef<GraphOp> graphs, unsigned first,
              function_ref<Value(unsigned)> getCondition,
              ArrayRef<Lowered> operands, ArrayRef<Type> types,
              ArrayRef<unsigned> slots) {
  Builder &b = n.b;
  auto ifOp = scf::IfOp::create(b.b, b.loc, types, getCondition(first),
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  if (failed(lowerBranch(n, graphs[first], operands, types, slots,
                         ifOp.getThenRegion())))
    return failure();
  if (first + 2 == graphs.size()) {
    if (failed(lowerBranch(n, graphs.back(), operands, types, slots,
                           ifOp.getElseRegion())))
      return failure();
    return ifOp;
  }
  OpBuilder::InsertionGuard guard(b.b);
  b.b.setInsertionPointToEnd(&ifOp.getElseRegion().front());
  FailureOr<scf::IfOp> rest =
      lowerBranches(n, graphs, first + 1, getCondition, operands, types, slots);
  if (failed(rest))
    return failure();
  scf::YieldOp::create(b.b, b.loc, rest->getResults());
  return ifOp;
}

/// cond(pred, true_graph, false_graph, operands) and
/// switch(index, graphs, operands) become scf.if, or one of the branches if the
/// choice is a constant. Torch limits the index to those of the graphs.
static LogicalResult lowerChoice(NodeLowering &n) {
  FailureOr<HigherOrderView> view = HigherOrderView::get(n.op);
  if (failed(view))
    return n.fail("the branches are no graphs");
  const Argument &predicate = view->getPredicate();
  ArrayRef<GraphOp> graphs = view->getGraphs();
  bool isSwitch = view->getFlow() == Flow::Switch;
  SmallVector<Lowered> operands;
  if (failed(lowerArguments(n, view->getAdditional(), operands)))
    return failure();
  auto inlineOnly = [&](GraphOp graph) {
    auto results = n.graph.inlineGraph(graph, operands);
    return failed(results) ? n.fail("the branch cannot be inlined")
                           : setResults(n, *results);
  };
  Builder &b = n.b;
  Type type = isSwitch ? b.b.getI64Type() : b.b.getI1Type();
  Value choice;
  if (n.isTensor(predicate)) {
    choice = lowerTensorPredicate(n, predicate, type);
    if (!choice)
      return failure();
  } else {
    Number number = n.asNumber(predicate);
    if (n.failed())
      return failure();
    if (number.expr && number.expr.isInteger()) {
      int64_t value = number.expr.getValue();
      if (isSwitch && (value < 0 || size_t(value) >= graphs.size()))
        return n.fail("the index is none of a branch");
      return inlineOnly(graphs[isSwitch ? value : value ? 0 : 1]);
    }
    choice = b.number(number, type);
  }
  if (graphs.size() == 1)
    return inlineOnly(graphs.front());
  SmallVector<Type> types;
  SmallVector<unsigned> slots;
  for (unsigned i = 0; i < n.numResults(); ++i) {
    Type type = builtinType(n.op->getResult(i).getType());
    if (!type)
      continue;
    types.push_back(type);
    slots.push_back(i);
  }
  auto getCondition = [&](unsigned position) -> Value {
    if (!isSwitch)
      return choice;
    Value wanted =
        arith::ConstantIntOp::create(b.b, b.loc, b.b.getI64Type(), position);
    return arith::CmpIOp::create(b.b, b.loc, arith::CmpIPredicate::eq, choice,
                                 wanted);
  };
  FailureOr<scf::IfOp> ifOp =
      lowerBranches(n, graphs, 0, getCondition, operands, types, slots);
  if (failed(ifOp))
    return failure();
  for (auto [value, slot] : llvm::zip(ifOp->getResults(), slots)) {
    OpResult result = n.op->getResult(slot);
    n.graph.set(result, n.graph.fromBuiltin(b.loc, result.getType(), value));
  }
  return success();
}

/// Inlines the graph of wrap_with_set_grad_enabled(flag, graph, operands...)
/// and similar operators. Their flags concern autograd, which has no effect on
/// an exported graph.
static LogicalResult lowerCall(NodeLowering &n) {
  FailureOr<HigherOrderView> view = HigherOrderView::get(n.op);
  if (failed(view))
    return n.fail("the body is no graph");
  SmallVector<Lowered> operands;
  if (failed(lowerArguments(n, view->getAdditional(), operands)))
    return failure();
  auto results = n.graph.inlineGraph(view->getBody(), operands);
  if (failed(results))
    return n.fail("the body cannot be inlined");
  return setResults(n, *results);
}

void registerControlFlow(Registry &r) {
  r.add({"cond", "switch"}, lowerChoice);
  // wrap_with_autocast has no lowering here: it changes the dtypes that its
  // body computes in. Only fx-inline-wrappers adds those casts.
  r.add({"wrap_with_set_grad_enabled", "invoke_subgraph", "strict_mode",
         "hints_wrapper", "run_const_graph", "wrap",
         "wrap_activation_checkpoint", "tag_activation_checkpoint",
         "foreach_map", "invoke_quant", "invoke_quant_packed", "flex_gemm"},
        lowerCall);
}

} // namespace fx::lin
