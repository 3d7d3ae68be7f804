//===- DecomposeCustom.cpp - expands operators that users defined ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/Arguments.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Custom.h"
#include "fx/Operators/Shape.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/Verifier.h"

namespace fx {
#define GEN_PASS_DEF_DECOMPOSECUSTOMPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
/// Replaces one call of a custom operator by the graph of its decomposition.
class Expansion {
public:
  Expansion(CallFunctionOp call, GraphOp body, NodeNamer &namer)
      : call(call), body(body), namer(namer), b(call) {}
  LogicalResult run();

private:
  LogicalResult bindArguments();
  LogicalResult clone(CallFunctionOp node);
  Attribute getTree(Attribute tree, OperandRange operands, unsigned &next,
                    SmallVectorImpl<Value> &values);
  InFlightDiagnostic fail() {
    return call.emitError("the decomposition of '")
           << call.getTarget() << "': ";
  }

  CallFunctionOp call;
  GraphOp body;
  NodeNamer &namer;
  OpBuilder b;
  /// Maps each value of the body to the argument or the new value that replaces
  /// it.
  DenseMap<Value, ArgumentTree> bound;
};
} // namespace

LogicalResult Expansion::bindArguments() {
  SmallVector<Argument> given = getArguments(call);
  ArrayAttr keywords = call.getKwnames();
  size_t positional = given.size() - keywords.size();
  SmallVector<PlaceholderOp, 8> inputs = body.getPlaceholders();
  if (positional > inputs.size())
    return fail() << "expected at most " << inputs.size() << " arguments, got "
                  << positional;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (i < positional) {
      bound.try_emplace(input.getResult(), given[i]);
      continue;
    }
    auto *name = llvm::find_if(keywords, [&](Attribute keyword) {
      return cast<StringAttr>(keyword).getValue() == input.getName();
    });
    if (name != keywords.end())
      bound.try_emplace(input.getResult(),
                        given[positional + (name - keywords.begin())]);
    else if (input.getDefaultValueAttr())
      bound.try_emplace(input.getResult(),
                        ArgumentTree(input.getDefaultValueAttr()));
    else
      return fail() << "no argument '" << input.getName() << "' is given";
  }
  for (Attribute keyword : keywords)
    if (llvm::none_of(inputs, [&](PlaceholderOp input) {
          return input.getNameAttr() == keyword;
        }))
      return fail() << "has no argument " << keyword;
  return success();
}

/// Returns a copy of `tree`, a tree of the body, in which each operand leaf is
/// replaced by the tree that it is bound to. Adds the operands to `values`.
/// `next` is the number of the next operand in `operands`.
Attribute Expansion::getTree(Attribute tree, OperandRange operands,
                             unsigned &next, SmallVectorImpl<Value> &values) {
  if (isa<OperandAttr>(tree)) {
    const ArgumentTree &argument = bound.find(operands[next++])->second;
    llvm::append_range(values, argument.values);
    return argument.tree;
  }
  MLIRContext *ctx = tree.getContext();
  if (auto list = dyn_cast<ArrayAttr>(tree)) {
    SmallVector<Attribute> elements;
    for (Attribute element : list)
      elements.push_back(getTree(element, operands, next, values));
    return ArrayAttr::get(ctx, elements);
  }
  if (auto dict = dyn_cast<DictAttr>(tree))
    return DictAttr::get(
        ctx, dict.getKeys(),
        cast<ArrayAttr>(getTree(dict.getValues(), operands, next, values)));
  return tree;
}

/// Clones a node of the body in front of the call, on the bound arguments and
/// with inferred result types.
LogicalResult Expansion::clone(CallFunctionOp node) {
  SmallVector<Value> values;
  unsigned next = 0;
  Attribute args = getTree(node.getArgs(), node.getOperands(), next, values);
  OperationState state(call.getLoc(), CallFunctionOp::getOperationName());
  state.addAttribute("target", node.getTargetAttr());
  state.addAttribute("args", args);
  if (!node.getKwnames().empty())
    state.addAttribute("kwnames", node.getKwnames());
  state.addOperands(values);
  state.addTypes(node.getResultTypes());
  auto made = cast<CallFunctionOp>(b.create(state));
  made->setLoc(withNodeName(
      call.getLoc(), made.getTarget().split('.').second.rsplit('.').first));
  namer.makeUnique(made);
  if (failed(verify(made)))
    return failure();

  OperatorView view = getOperatorView(made);
  InferredTypes types =
      view ? inferResultTypes(view) : InferredTypes(failure());
  if (failed(types) || types->size() != made->getNumResults())
    return fail() << "the types of '" << made.getTarget()
                  << "' cannot be inferred";
  for (auto [result, type, old] :
       llvm::zip_equal(made->getResults(), *types, node->getResults())) {
    result.setType(type);
    bound.try_emplace(old, ArgumentTree(Value(result)));
  }
  return success();
}

LogicalResult Expansion::run() {
  if (failed(bindArguments()))
    return failure();
  for (auto node : body.getBlock().getOps<CallFunctionOp>())
    if (failed(clone(node)))
      return failure();
  OperandRange outputs = body.getOutput().getOperands();
  if (outputs.size() != call->getNumResults())
    return fail() << "expected " << call->getNumResults() << " results, got "
                  << outputs.size();
  SmallVector<Value> results;
  for (auto [output, result] : llvm::zip_equal(outputs, call->getResults())) {
    const ArgumentTree &argument = bound.find(output)->second;
    if (argument.values.size() != 1 || !isa<OperandAttr>(argument.tree))
      return fail() << "expected values as results";
    Value value = argument.values.front();
    if (areProvablyDifferent(value.getType(), result.getType()))
      return fail() << "expected a result " << result.getType() << ", got "
                    << value.getType();
    results.push_back(value);
  }
  call->replaceAllUsesWith(results);
  call->erase();
  return success();
}

namespace {
struct DecomposeCustomPass
    : fx::impl::DecomposeCustomPassBase<DecomposeCustomPass> {
  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      if (graph.getFunctional() && failed(decompose(graph)))
        return signalPassFailure();
  }

  LogicalResult decompose(GraphOp graph) {
    NodeNamer namer(graph);
    for (auto call : llvm::make_early_inc_range(
             graph.getBlock().getOps<CallFunctionOp>())) {
      const CustomOperator *known = lookupCustomOperator(call.getTarget());
      if (!known || known->decomposition.empty())
        continue;
      std::string why;
      auto module =
          parseDecomposition(&getContext(), known->decomposition, why);
      if (failed(module))
        return call.emitError("the decomposition of '")
               << call.getTarget() << "': " << why;
      GraphOp body = *(*module)->getOps<GraphOp>().begin();
      if (failed(Expansion(call, body, namer).run()))
        return failure();
      ++numDecomposed;
    }
    return success();
  }
};
} // namespace
