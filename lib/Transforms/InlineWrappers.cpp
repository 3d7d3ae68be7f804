//===- InlineWrappers.cpp - inline wrapping higher-order operators --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Autocast.h"
#include "SubgraphForms.h"
#include "fx/IR/HigherOrder.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Schema.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

namespace fx {
#define GEN_PASS_DEF_INLINEWRAPPERSPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {

/// Appends the values of `arguments` to `values`. Fails on an immediate, which
/// is no value that could replace a placeholder.
LogicalResult appendValues(ArrayRef<Argument> arguments,
                           SmallVectorImpl<Value> &values) {
  for (const Argument &argument : arguments) {
    if (!argument.isValue())
      return failure();
    values.push_back(argument.getValue());
  }
  return success();
}

/// Replaces `op`, which runs one graph once (or a cond or switch whose choice
/// is known), by the body of that graph.
LogicalResult inlineCall(Operation *op, NodeNamer &namer) {
  FailureOr<HigherOrderView> view = HigherOrderView::get(op);
  if (failed(view))
    return failure();
  GraphOp graph = view->getBody();
  if (view->getFlow() == Flow::Cond) {
    std::optional<bool> taken = view->getPredicate().getBool();
    if (!taken)
      return failure();
    graph = view->getGraphs()[*taken ? 0 : 1];
  } else if (view->getFlow() == Flow::Switch) {
    std::optional<int64_t> index = view->getPredicate().getInt();
    if (!index || *index < 0 || size_t(*index) >= view->getGraphs().size())
      return failure();
    graph = view->getGraphs()[*index];
  } else if (view->getFlow() != Flow::Call) {
    return failure();
  }
  // A recursive graph cannot be inlined.
  if (callsItself(graph))
    return failure();

  // wrap_with_autocast(device, dtype, enabled, cache, graph, …)
  Type autocast;
  if (view->getNode().getTargetName() == "wrap_with_autocast") {
    SmallVector<Argument> args = getArguments(view->getNode());
    std::optional<bool> enabled = args[2].getBool();
    autocast = enabled == true ? args[1].getDtype() : Type();
    if (!enabled || (*enabled && !autocast))
      return failure();
  }
  // Autocast also applies to sub-graphs of the region. This is not supported.
  if (autocast && llvm::any_of(graph.getBlock(), [](Operation &inner) {
        return isa<GetAttrOp, CondOp, HigherOrderOp>(inner);
      }))
    return failure();

  SmallVector<Value> operands;
  if (failed(appendValues(view->getAdditional(), operands)))
    return failure();
  SmallVector<PlaceholderOp, 8> placeholders = graph.getPlaceholders();
  OutputOp output = graph.getOutput();
  bool onlyValues = true;
  walkLeaves(output.getArgs(),
             [&](Attribute leaf) { onlyValues &= isa<OperandAttr>(leaf); });
  if (placeholders.size() != operands.size() || !onlyValues ||
      output.getNumOperands() != op->getNumResults())
    return failure();

  IRMapping mapping;
  for (auto [placeholder, operand] : llvm::zip(placeholders, operands))
    mapping.map(placeholder.getResult(), operand);
  OpBuilder b(op);
  for (Operation &inner : graph.getBlock()) {
    if (isa<PlaceholderOp, OutputOp>(inner))
      continue;
    Operation *copy = b.clone(inner, mapping);
    namer.makeUnique(copy);
    if (auto call = dyn_cast<CallFunctionOp>(copy); call && autocast)
      castForAutocast(call, autocast, namer);
  }
  for (auto [result, value] : llvm::zip(op->getResults(), output.getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
  op->erase();
  return success();
}

/// Replaces `with_effects(token, op, args…)` by a call of `op`. The position of
/// the call in the graph keeps the order that the token expresses.
LogicalResult inlineEffects(HigherOrderOp op) {
  SmallVector<Argument> args = getArguments(op);
  size_t numPositional = args.size() - op.getKwnames().size();
  if (op.getTarget() != "with_effects" || numPositional < 2 ||
      !args[0].isValue() || op->getNumResults() < 1)
    return failure();
  auto target = dyn_cast<OperatorAttr>(args[1].tree);
  if (!target || !lookupOperator(target.getTarget()))
    return failure();
  SmallVector<ArgumentTree> rest;
  for (const Argument &arg : ArrayRef<Argument>(args).drop_front(2))
    rest.push_back(arg);
  SmallVector<StringRef> keywords;
  for (Attribute name : op.getKwnames())
    keywords.push_back(cast<StringAttr>(name).getValue());
  OpBuilder b(op);
  SmallVector<Type> types(llvm::drop_begin(op->getResultTypes()));
  CallFunctionOp call =
      createCall(b, op.getLoc(), target.getTarget(), types, rest, keywords);
  SmallVector<StringRef> names = getResultNames(op);
  if (op->getNumResults() > 1 && names.size() == op->getNumResults())
    call->setLoc(withNodeName(
        op.getLoc(), llvm::join(ArrayRef<StringRef>(names).drop_front(), ",")));
  op->getResult(0).replaceAllUsesWith(args[0].getValue());
  for (auto [old, now] :
       llvm::zip(llvm::drop_begin(op->getResults()), call->getResults()))
    old.replaceAllUsesWith(now);
  op->erase();
  return success();
}

/// Replaces `out_dtype(op, dtype, args…)` by a call of `op` on arguments that
/// are cast to `dtype`.
LogicalResult inlineOutDtype(HigherOrderOp op, NodeNamer &namer) {
  SmallVector<Argument> args = getArguments(op);
  if (op.getTarget() != "out_dtype" || args.size() < 3 ||
      !op.getKwnames().empty() || op->getNumResults() != 1)
    return failure();
  auto target = dyn_cast<OperatorAttr>(args[0].tree);
  Type dtype = args[1].getDtype();
  auto result = dyn_cast<FakeTensorType>(op->getResult(0).getType());
  if (!target || !lookupOperator(target.getTarget()) || !dtype || !result ||
      result.getDtype() != dtype || !dtype.isSignlessInteger())
    return failure();
  // Require integers that are no wider than the result. This is the purpose of
  // out_dtype, and the only case in which `dtype` is known to be the dtype to
  // compute in.
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<FakeTensorType>(operand.getType());
    if (!type)
      continue;
    auto from = dyn_cast<IntegerType>(type.getDtype());
    if (!from || from.getWidth() > dtype.getIntOrFloatBitWidth())
      return failure();
  }
  OpBuilder b(op);
  SmallVector<ArgumentTree> rest;
  for (const Argument &arg : ArrayRef<Argument>(args).drop_front(2)) {
    ArgumentTree tree = arg;
    for (Value &value : tree.values)
      value = castTo(b, namer, op.getLoc(), value, dtype);
    rest.push_back(tree);
  }
  CallFunctionOp call = createCall(b, op.getLoc(), target.getTarget(),
                                   op->getResultTypes(), rest);
  op->getResult(0).replaceAllUsesWith(call->getResult(0));
  op->erase();
  return success();
}

bool inlineOne(Operation *op, NodeNamer &namer) {
  if (!isa<CondOp, HigherOrderOp>(op))
    return false;
  if (succeeded(inlineCall(op, namer)))
    return true;
  auto call = dyn_cast<HigherOrderOp>(op);
  return call && (succeeded(inlineEffects(call)) ||
                  succeeded(inlineOutDtype(call, namer)));
}

struct InlineWrappersPass
    : fx::impl::InlineWrappersPassBase<InlineWrappersPass> {
  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>()) {
      NodeNamer namer(graph);
      // An inlined body can contain wrappers: continue at its first op.
      for (Operation *op = &graph.getBlock().front(); op;) {
        Operation *previous = op->getPrevNode(), *next = op->getNextNode();
        bool inlined = inlineOne(op, namer);
        numInlined += inlined;
        op = !inlined   ? next
             : previous ? previous->getNextNode()
                        : &graph.getBlock().front();
      }
      for (GetAttrOp attr :
           llvm::make_early_inc_range(graph.getBlock().getOps<GetAttrOp>()))
        if (isa<GraphRefType>(attr.getType()) && attr->use_empty())
          attr.erase();
    }
    eraseUnusedGraphs(getOperation());
  }
};

} // namespace
