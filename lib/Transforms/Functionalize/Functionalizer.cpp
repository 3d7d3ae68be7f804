//===- Functionalizer.cpp - storages and what they hold now ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"
#include "../Aliases.h"
#include "../ViewInverse.h"
#include "fx/Operators/Collectives.h"
#include "fx/Operators/Custom.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

void Functionalizer::noteViews(CallFunctionOp op) {
  if (memories.contains(op))
    setView(op->getResult(0), {op->getOperand(1), op, 1, 0});
  for (OpResult result : op->getResults())
    if (OpOperand *viewed = getAliasedOperand(op, result.getResultNumber()))
      setView(result, {viewed->get(), op, viewed->getOperandNumber(),
                       result.getResultNumber()});
}

Value Functionalizer::getRoot(Value value) const {
  while (true) {
    auto it = views.find(value);
    if (it == views.end())
      return value;
    value = it->second.viewed;
  }
}

Value Functionalizer::getCurrent(Value value) {
  if (!isa<FakeTensorType>(value.getType()))
    return value;
  auto it = views.find(value);
  if (it == views.end()) {
    Value content = contents.lookup(value);
    return content ? content : value;
  }
  ViewOf of = it->second;
  Value base = getCurrent(of.viewed);
  return of.view ? derive(of, base) : base;
}

/// Returns `base`, copied to contiguous memory if `view` is an operator that
/// requires certain strides. The value that replaces a viewed tensor can have
/// other strides.
Value Functionalizer::prepareViewed(CallFunctionOp view, Value base) {
  if (!llvm::is_contained({"aten.view.dtype", "aten.view_as_complex.default",
                           "aten.unflatten.int"},
                          view.getTarget()))
    return base;
  OpBuilder b(visited);
  auto type = cast<FakeTensorType>(base.getType()).withoutMeta();
  return createCall(b, namer.rename(view.getLoc(), "contiguous"),
                    "aten.contiguous.default", type, {base})
      ->getResult(0);
}

Value Functionalizer::derive(const ViewOf &of, Value base) {
  SmallVector<Value, 1> &results = derived[{of.view, base}];
  results.resize(of.view->getNumResults());
  if (results[of.result])
    return results[of.result];
  OpBuilder b(visited);
  auto replay = cast<CallFunctionOp>(b.clone(*of.view));
  base = prepareViewed(of.view, base);
  replay->moveBefore(visited);
  replay->setOperand(of.operand, base);
  takeAnyStrides(replay);
  namer.makeUnique(replay);
  ++numReplayed;
  // Other results of the replayed view (of a split) are derived as well.
  for (auto [result, value] : llvm::zip_equal(results, replay->getResults()))
    if (!result)
      result = value;
  return results[of.result];
}

SmallVector<ArgumentTree> Functionalizer::getCurrent(ArrayRef<Argument> args) {
  SmallVector<ArgumentTree> current(args.begin(), args.end());
  for (ArgumentTree &argument : current)
    for (Value &value : argument.values)
      value = getCurrent(value);
  return current;
}

void Functionalizer::writeOverlapping(Value &target, Value &newValue) {
  SmallVector<ViewStep> steps, chain; // beginning at the target
  Value viewed, next = target;
  for (auto it = views.find(next); it != views.end(); it = views.find(next)) {
    const ViewOf &of = it->second;
    next = of.viewed;
    if (!of.view)
      continue;
    steps.push_back({of.view, of.operand, of.result});
    if (steps.size() > 1 && mayOverlap(steps.back())) {
      chain = steps;
      viewed = next;
    }
  }
  if (!viewed)
    return;
  std::reverse(chain.begin(), chain.end());
  OpBuilder b(visited);
  if (Value written =
          createChainInverse(b, namer, chain, getCurrent(viewed), newValue)) {
    target = viewed;
    newValue = written;
  }
}

LogicalResult Functionalizer::write(Operation *op, Value target,
                                    Value newValue) {
  writeOverlapping(target, newValue);
  while (true) {
    auto it = views.find(target);
    if (it == views.end())
      break;
    ViewOf of = it->second;
    if (of.view) {
      Value base = getCurrent(of.viewed);
      OpBuilder b(visited);
      Value written = createViewInverse(b, namer, of.view, of.operand,
                                        of.result, base, newValue);
      if (!written)
        return fail(op, "writes through a view that has no inverse, '" +
                            of.view.getTarget() + "'");
      // The view of the written value is `newValue`.
      SmallVector<Value, 1> &results = derived[{of.view, written}];
      results.resize(of.view->getNumResults());
      results[of.result] = newValue;
      newValue = written;
    }
    target = of.viewed;
  }
  contents[target] = newValue;
  ++numMutations;
  return success();
}

/// Adds the final value of each mutated input to the outputs of the graph, in
/// front of the others.
void Functionalizer::addOutputs() {
  MLIRContext *ctx = graph.getContext();
  OutputOp output = graph.getOutput();
  SmallVector<Attribute> trees, signature;
  SmallVector<Value> operands;
  for (PlaceholderOp placeholder : graph.getPlaceholders()) {
    if (!isWritten(getRoot(placeholder.getResult())))
      continue;
    bool isState = !!placeholder.getTargetAttr();
    OutputKind kind = placeholder.getKind() == InputKind::Parameter
                          ? OutputKind::ParameterMutation
                      : isState ? OutputKind::BufferMutation
                                : OutputKind::UserInputMutation;
    StringRef target = isState ? placeholder.getTargetAttr().getValue()
                               : placeholder.getName();
    trees.push_back(OperandAttr::get(ctx));
    signature.push_back(
        OutputSpecAttr::get(ctx, kind, StringAttr::get(ctx, target)));
    operands.push_back(getCurrent(placeholder.getResult()));
  }
  if (trees.empty())
    return;
  for (auto [i, tree] : llvm::enumerate(output.getArgs())) {
    trees.push_back(tree);
    signature.push_back(output.getSpec(i));
  }
  llvm::append_range(operands, output.getOperands());
  output->setOperands(operands);
  output.setArgsAttr(ArrayAttr::get(ctx, trees));
  output.setSignatureAttr(ArrayAttr::get(ctx, signature));
}

/// Replaces a call of sub-graphs that mutate their inputs by a call of their
/// functional forms, which return the final values of these inputs.
LogicalResult Functionalizer::visitSubgraphs(Operation *op) {
  std::string why;
  FailureOr<FunctionalCall> call = forms.rewrite(op, namer, why);
  if (failed(call))
    return fail(op, why);
  // Another operand that aliases a written one would not see the new value.
  for (auto [position, operand] : llvm::enumerate(op->getOperands())) {
    if (!isa<FakeTensorType>(operand.getType()))
      continue;
    Value root = getRoot(operand);
    for (auto &[target, value] : call->written)
      if (target != position && root == getRoot(op->getOperand(target))) {
        forms.erase(*call);
        return fail(op, "a sub-graph writes what it also has by another name");
      }
  }
  visited = call->op;
  for (OpOperand &operand : call->op->getOpOperands())
    operand.set(getCurrent(operand.get()));
  visited = op;
  for (auto [old, now] : llvm::zip(op->getResults(), call->results))
    old.replaceAllUsesWith(now);
  replaced.push_back(op);
  for (auto &[target, value] : call->written)
    if (failed(write(op, op->getOperand(target), value)))
      return failure();
  return success();
}

/// Treats the placeholders of states with the same storage and type (tied
/// weights) as one tensor.
void Functionalizer::shareStates() {
  auto module = graph->getParentOfType<ModuleOp>();
  DenseMap<Attribute, std::pair<Value, Type>> first;
  for (PlaceholderOp placeholder : graph.getPlaceholders()) {
    auto state = placeholder.getTargetAttr() && module
                     ? module.lookupSymbol<StateOp>(placeholder.getTargetAttr())
                     : StateOp();
    auto bytes = state ? dyn_cast_if_present<ExternalAttr>(state.getInitAttr())
                       : ExternalAttr();
    if (!bytes)
      continue;
    // Two states of one storage with different types can be different parts.
    auto [it, isNew] =
        first.try_emplace(bytes, placeholder.getResult(), state.getType());
    if (!isNew && it->second.second == state.getType() &&
        it->second.first.getType() == placeholder.getResult().getType())
      setView(placeholder.getResult(), {it->second.first, {}});
  }
}

/// Records the mutations in the signature of the graph as writes to its inputs
/// and removes them from the outputs; `addOutputs` adds them again. If the
/// graph also returns such an input as an output, it returns the final value.
void Functionalizer::takeMutations(OutputOp output) {
  SmallVector<Mutation> mutations = getMutations(graph);
  if (mutations.empty())
    return;
  SmallVector<Value> last;
  for (const Mutation &mutation : mutations)
    last.push_back(getCurrent(mutation.last));
  for (auto [mutation, value] : llvm::zip_equal(mutations, last))
    contents[getRoot(mutation.input)] = value;
  size_t count = mutations.size();
  SmallVector<Value> operands(output.getOperands().drop_front(count));
  output->setOperands(operands);
  auto drop = [&](ArrayAttr attrs) {
    return ArrayAttr::get(graph.getContext(),
                          attrs.getValue().drop_front(count));
  };
  output.setArgsAttr(drop(output.getArgsAttr()));
  output.setSignatureAttr(drop(output.getSignatureAttr()));
}

/// Treats `wait_tensor` as a write of the awaited tensor, because it returns
/// this tensor: later uses of the tensor use the result, and so cannot be moved
/// before the wait.
LogicalResult Functionalizer::visitWaitTensor(CallFunctionOp op) {
  Value tensor = op->getOperand(0), current = getCurrent(tensor);
  // An input is complete, and is not written.
  bool isInput =
      isa_and_present<PlaceholderOp>(getRoot(tensor).getDefiningOp()) &&
      !isWritten(getRoot(tensor));
  Value awaited = current;
  if (!isInput) {
    OpBuilder b(op);
    auto wait = cast<CallFunctionOp>(b.clone(*op));
    wait->setOperand(0, current);
    awaited = wait->getResult(0);
  }
  op->getResult(0).replaceAllUsesWith(tensor);
  replaced.push_back(op);
  return isInput ? success() : write(op, tensor, awaited);
}

LogicalResult Functionalizer::visit(Operation &op) {
  if (auto output = dyn_cast<OutputOp>(op))
    takeMutations(output);
  if (isa<PlaceholderOp, GuardOp, GetAttrOp>(op))
    return success();
  if (isa<CondOp, HigherOrderOp>(op) && !forms.areFunctional(&op))
    return visitSubgraphs(&op);
  if (isa<CallMethodOp, CallModuleOp>(op))
    return fail(&op, "the effects of a call_method or call_module are not "
                     "known");
  auto call = dyn_cast<CallFunctionOp>(op);
  if (call) {
    const OperatorSchema *schema = lookupOperator(call.getTarget());
    const gen::OperatorDeclaration *custom =
        schema ? nullptr : lookupCustomSchema(call);
    if (custom && custom->isMutating())
      return visitCustom(call, *custom);
    if (!schema && !custom && !assumesFunctional &&
        !isPureCustomOperator(call.getTarget()))
      return fail(call,
                  "the effects of '" + call.getTarget() + "' are not known");
    bool isInstance = isInstanceNorm(call.getTarget());
    if (isInstance || isBatchNorm(call.getTarget())) {
      if (failed(isInstance ? visitInstanceNorm(call) : visitBatchNorm(call)))
        return failure();
      if (!replaced.empty() && replaced.back() == &op)
        return success();
    }
    if (isFillDiagonal(call.getTarget()))
      return visitFillDiagonal(call);
    if (isWaitTensor(call.getTarget()))
      return visitWaitTensor(call);
    if (schema && schema->isMutating())
      return visitMutation(call, *schema);
    noteViews(call);
  }
  bool changed = false;
  for (OpOperand &operand : op.getOpOperands()) {
    Value current = getCurrent(operand.get());
    changed |= current != operand.get();
    operand.set(current);
  }
  if (!call)
    return success();
  for (OpResult result : op.getResults())
    if (auto it = views.find(result); it != views.end()) {
      OpOperand &viewed = op.getOpOperand(it->second.operand);
      auto &results = derived[{call, viewed.get()}];
      results.assign(op.result_begin(), op.result_end());
      if (changed)
        viewed.set(prepareViewed(call, viewed.get()));
    }
  if (changed)
    takeAnyStrides(call);
  return success();
}

LogicalResult Functionalizer::run() {
  // The schema of prims.as_strided declares a mutation, but it is only a view.
  for (auto call : graph.getBlock().getOps<CallFunctionOp>())
    if (call.getTarget() == "prims.as_strided.default")
      call.setTarget("aten.as_strided.default");
  convertMutations(graph, namer);
  addressStorage(graph, namer, memories);
  for (auto call : graph.getBlock().getOps<CallFunctionOp>()) {
    if (call.getTarget() != "aten.as_strided.default")
      continue;
    auto type = dyn_cast<FakeTensorType>(call->getOperand(0).getType());
    MetaAttr meta = type ? type.getMeta() : MetaAttr();
    if (!meta)
      continue;
    bool hasPlace =
        !meta.getStorageOffset() || meta.getStorageOffset().isInteger();
    if (!hasPlace || !isContiguous(type))
      return fail(call, "a view by strides of a tensor whose place in its "
                        "storage is not known");
  }
  shareStates();
  for (Operation &op : llvm::make_early_inc_range(graph.getBlock())) {
    visited = &op;
    if (failed(visit(op)))
      return failure();
  }
  visited = graph.getOutput();
  addOutputs();
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  isolateStridedViews(graph, namer);
  graph.setFunctional(true);
  return success();
}
