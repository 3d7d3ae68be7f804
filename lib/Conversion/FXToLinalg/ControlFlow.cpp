//===- ControlFlow.cpp - higher-order operators ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Node.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace fx::lin {

/// The operands of a list of arguments as lowered values.
static bool lowerOperands(Node &n, ArrayRef<Arg> args,
                          SmallVectorImpl<Lowered> &operands) {
  for (const Arg &arg : args) {
    if (arg.isValue()) {
      const Lowered *lowered = n.graph.lookup(arg.value);
      if (!lowered)
        return false;
      operands.push_back(*lowered);
    } else if (arg.kind == Arg::Kind::None) {
      operands.push_back(Lowered());
    } else if (arg.kind == Arg::Kind::Immediate &&
               isa<IntegerAttr, FloatAttr>(arg.immediate)) {
      operands.push_back(Lowered(n.asNumber(arg)));
    } else {
      return false;
    }
  }
  return true;
}

static GraphOp graphArg(Node &n, const Arg &arg) {
  const Lowered *lowered = arg.isValue() ? n.graph.lookup(arg.value) : nullptr;
  return lowered && lowered->kind == Lowered::Kind::Graph ? lowered->graph
                                                          : GraphOp();
}

/// Sets the node's results to what an inlined graph gave.
static LogicalResult setResults(Node &n, ArrayRef<Lowered> results) {
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

/// cond(pred, true_graph, false_graph, operands) becomes scf.if.
static LogicalResult lowerCond(Node &n) {
  const Arg &predicate = n.arg(0, "pred");
  GraphOp graphs[] = {graphArg(n, n.arg(1, "true_fn")),
                      graphArg(n, n.arg(2, "false_fn"))};
  const Arg &list = n.arg(3, "operands");
  SmallVector<Lowered> operands;
  if (!graphs[0] || !graphs[1] || !list.isList() ||
      !lowerOperands(n, list.list, operands))
    return n.fail("the branches are no graphs");
  Builder &b = n.b;
  Value condition;
  if (n.isTensor(predicate)) {
    Tensor t = n.asTensor(predicate);
    if (n.failed())
      return failure();
    for (ExprAttr size : t.sizes)
      if (size.getInteger() != 1)
        return n.fail("the predicate has more than one element");
    condition = b.element(b.cast(t, b.b.getI1Type()));
  } else {
    Number number = n.asNumber(predicate);
    if (n.failed())
      return failure();
    if (number.expr && number.expr.isInteger()) {
      auto results = n.graph.inlineGraph(
          graphs[number.expr.getValue() ? 0 : 1], operands);
      return failed(results) ? n.fail("the branch cannot be inlined")
                             : setResults(n, *results);
    }
    condition = b.number(number, b.b.getI1Type());
  }
  SmallVector<Type> types;
  SmallVector<unsigned> slots;
  for (unsigned i = 0; i < n.numResults(); ++i) {
    Type type = builtinType(n.op->getResult(i).getType());
    if (!type)
      continue;
    types.push_back(type);
    slots.push_back(i);
  }
  auto ifOp = scf::IfOp::create(b.b, b.loc, types, condition,
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (unsigned branch = 0; branch < 2; ++branch) {
    OpBuilder::InsertionGuard guard(b.b);
    Region &region = branch ? ifOp.getElseRegion() : ifOp.getThenRegion();
    b.b.setInsertionPointToEnd(&region.front());
    auto results = n.graph.inlineGraph(graphs[branch], operands);
    if (failed(results))
      return n.fail("the branch cannot be inlined");
    if (results->size() != n.numResults())
      return n.fail("the branch gives another number of results");
    SmallVector<Value> yielded;
    for (auto [type, slot] : llvm::zip(types, slots)) {
      Lowered &lowered = (*results)[slot];
      FakeTensorType fxType = n.resultType(slot);
      if ((lowered.kind == Lowered::Kind::Tensor) != bool(fxType) ||
          (fxType && (lowered.tensor.rank() != fxType.getRank() ||
                      lowered.tensor.dtype != fxType.getDtype())))
        return n.fail("the branch gives a result of another type");
      if (fxType)
        for (auto [have, want] :
             llvm::zip(lowered.tensor.sizes, fxType.getSizes()))
          if (have.isInteger() && want.isInteger() && have != want)
            return n.fail("the branch gives a result of another size");
      Value v = n.graph.builtinValue(b.loc, lowered);
      if (!v)
        return n.fail("the branch gives no value");
      if (fxType)
        v = b.withType(v, fxType.getSizes(), fxType.getDtype());
      if (v.getType() != type)
        return n.fail("the branch gives a result of another type");
      yielded.push_back(v);
    }
    scf::YieldOp::create(b.b, b.loc, yielded);
  }
  for (auto [value, slot] : llvm::zip(ifOp.getResults(), slots)) {
    OpResult result = n.op->getResult(slot);
    n.graph.set(result, n.graph.fromBuiltin(b.loc, result.getType(), value));
  }
  return success();
}

/// wrap_with_set_grad_enabled(flag, graph, operands...) and its like: the graph,
/// inlined. The flags concern autograd and autocast, which an export settled.
template <unsigned graphPosition> static LogicalResult lowerWrap(Node &n) {
  GraphOp graph = graphArg(n, n.arg(graphPosition, "wrapped_func"));
  if (!graph)
    return n.fail("the body is no graph");
  SmallVector<Arg> args;
  for (unsigned i = graphPosition + 1; n.arg(i, "").kind != Arg::Kind::Absent;
       ++i) {
    const Arg &arg = n.arg(i, "");
    if (arg.isList())
      llvm::append_range(args, arg.list);
    else
      args.push_back(arg);
  }
  SmallVector<Lowered> operands;
  if (!lowerOperands(n, args, operands))
    return n.fail("an operand is no value");
  auto results = n.graph.inlineGraph(graph, operands);
  if (failed(results))
    return n.fail("the body cannot be inlined");
  return setResults(n, *results);
}

void registerControlFlow(Registry &r) {
  r.add("cond", lowerCond);
  r.add({"wrap_with_set_grad_enabled",
         "higher_order.wrap_with_set_grad_enabled"},
        lowerWrap<1>);
  r.add({"wrap_with_autocast", "higher_order.wrap_with_autocast"},
        lowerWrap<4>);
}

} // namespace fx::lin
