//===- ResolveCalls.cpp - calls of live graphs to what they run -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResolveCalls.h"
#include "SubgraphForms.h"
#include "fx/IR/HigherOrder.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace fx {
#define GEN_PASS_DEF_RESOLVECALLSPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

/// Returns `tree` with its operand leaf number `index` replaced by `immediate`.
/// Decrements `index` for each operand leaf.
static Attribute replaceLeaf(Attribute tree, int64_t &index,
                             Attribute immediate) {
  if (isa<OperandAttr>(tree))
    return index-- == 0 ? immediate : tree;
  auto replaceAll = [&](ArrayAttr elements) {
    SmallVector<Attribute> changed;
    for (Attribute element : elements)
      changed.push_back(replaceLeaf(element, index, immediate));
    return ArrayAttr::get(tree.getContext(), changed);
  };
  if (auto list = dyn_cast<ArrayAttr>(tree))
    return replaceAll(list);
  if (auto dict = dyn_cast<DictAttr>(tree))
    return DictAttr::get(tree.getContext(), dict.getKeys(),
                         replaceAll(dict.getValues()));
  return tree;
}

/// Replaces each use of `value` by an immediate.
static void replaceByImmediate(Value value, Attribute immediate) {
  while (!value.use_empty()) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    int64_t index = use.getOperandNumber();
    user->setAttr("args", replaceLeaf(user->getAttr("args"), index, immediate));
    user->eraseOperand(use.getOperandNumber());
  }
}

/// Returns true if a value of type `given` can replace an input of type
/// `expected`. Ignores strides and gradients, which do not change what a body
/// computes. Accepts a value of unknown type: the body was recorded from the
/// values of the call.
static bool isSameValue(Type given, Type expected) {
  if (isa<AnyType>(given))
    return true;
  auto a = dyn_cast<FakeTensorType>(given);
  auto b = dyn_cast<FakeTensorType>(expected);
  if (!a && !b)
    return given == expected;
  return a && b && a.getDtype() == b.getDtype() && a.getSizes() == b.getSizes();
}

namespace {
struct ResolveCallsPass : fx::impl::ResolveCallsPassBase<ResolveCallsPass> {
  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>()) {
      CallResolver resolver(graph);
      for (Operation &op :
           llvm::make_early_inc_range(graph.getBlock().getOperations())) {
        if (op.hasAttr("fx.body")) {
          bool resolved = resolver.resolve(&op);
          numResolved += resolved;
          numLeft += !resolved;
        } else if (isa<CallMethodOp, CallModuleOp>(op)) {
          ++numLeft;
          op.emitRemark("stays a call of Python: nothing was recorded of it");
        }
      }
    }
    eraseUnusedGraphs(getOperation());
  }
};
} // namespace

CallResolver::CallResolver(GraphOp graph) : graph(graph), namer(graph) {
  for (PlaceholderOp input : graph.getPlaceholders())
    if (input.getTarget())
      states[*input.getTarget()] = input.getResult();
}

Value CallResolver::getState(PlaceholderOp input) {
  Value &known = states[*input.getTarget()];
  if (!known) {
    // Inputs for states come before the inputs of the user.
    OpBuilder b = OpBuilder::atBlockBegin(&graph.getBlock());
    auto copy = cast<PlaceholderOp>(b.clone(*input));
    copy.setName(namer.getUnique(input.getName()));
    copy->setLoc(NameLoc::get(b.getStringAttr(copy.getName())));
    known = copy.getResult();
  }
  return known;
}

Operation *fx::getOnlyOperator(GraphOp body) {
  Operation *found = nullptr;
  for (Operation &op : body.getBlock()) {
    if (isa<PlaceholderOp, OutputOp>(op))
      continue;
    if (found)
      return nullptr;
    found = &op;
  }
  return found;
}

bool CallResolver::resolve(Operation *call) {
  auto fail = [&](const Twine &what) {
    call->emitRemark("stays a call of Python: ") << what;
    return false;
  };
  GraphOp body = getModuleBody(call);
  if (!body || body == graph || !isa<NodeOpInterface>(call))
    return fail("expected 'fx.body' to name a graph");

  SmallVector<Value> tensors = getBodyOperands(call, body);
  IRMapping mapping;
  ArrayRef<Value> rest = tensors;
  SmallVector<PlaceholderOp> inputs;
  for (PlaceholderOp input : body.getPlaceholders()) {
    if (input.getTarget()) {
      inputs.push_back(input);
      continue;
    }
    if (rest.empty() ||
        !isSameValue(rest.front().getType(), input.getResult().getType()))
      return fail("its tensors are not those of '" + body.getSymName() + "'");
    mapping.map(input.getResult(), rest.front());
    rest = rest.drop_front();
  }
  OutputOp output = body.getOutput();
  SmallVector<Attribute> leaves;
  walkLeaves(output.getArgs(), [&](Attribute leaf) {
    if (!isa<fx::NoneAttr>(leaf))
      leaves.push_back(leaf);
  });
  if (!rest.empty() || leaves.size() != call->getNumResults())
    return fail("its values are not those of '" + body.getSymName() + "'");

  // Nodes of the body can take the names of the call.
  namer.release(call);
  for (PlaceholderOp input : inputs)
    mapping.map(input.getResult(), getState(input));
  OpBuilder b(call);
  for (Operation &inner : body.getBlock()) {
    if (isa<PlaceholderOp, OutputOp>(inner))
      continue;
    Operation *copy = b.clone(inner, mapping);
    namer.makeUnique(copy);
  }
  ValueRange values = output.getOperands();
  for (auto [leaf, result] : llvm::zip(leaves, call->getResults())) {
    if (isa<OperandAttr>(leaf)) {
      result.replaceAllUsesWith(mapping.lookup(values.front()));
      values = values.drop_front();
    } else {
      replaceByImmediate(result, leaf);
    }
  }
  call->erase();
  return true;
}
