//===- Functionalizer.cpp - storages and what they hold now ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"
#include "../ViewInverse.h"
#include "fx/Custom/Operators.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

Tensor &Functionalizer::getTensor(Value value) {
  auto it = tensors.find(value);
  if (it != tensors.end())
    return it->second;
  Tensor tensor;
  if (auto call = value.getDefiningOp<CallFunctionOp>()) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (Value viewed = getAliasedOperand(call, index)) {
      Tensor &base = getTensor(viewed);
      tensor.storage = base.storage;
      tensor.view = call;
      tensor.viewResult = index;
      tensor.viewed = viewed;
      tensor.version = base.storage->version;
    }
  }
  if (!tensor.viewed) {
    storages.push_back(std::make_unique<Storage>(Storage{value}));
    tensor.storage = storages.back().get();
  }
  tensor.current = value;
  return tensors.try_emplace(value, tensor).first->second;
}

/// The value that holds what `value` shows now, made where the last operation
/// visited stands.
Value Functionalizer::getCurrent(Value value) {
  if (!isa<FakeTensorType>(value.getType()))
    return value;
  Tensor tensor = getTensor(value);
  if (tensor.version == tensor.storage->version || !tensor.viewed)
    return tensor.current;
  Value viewed = getCurrent(tensor.viewed);
  OpBuilder b(graph.getContext());
  // Behind all that it needs: the viewed value is the latest of them.
  b.setInsertionPointAfterValue(viewed);
  if (tensor.view->getBlock() == viewed.getParentBlock() &&
      viewed.getDefiningOp()->isBeforeInBlock(tensor.view))
    b.setInsertionPointAfter(tensor.view);
  Operation *replay = b.clone(*tensor.view);
  for (Value operand : tensor.view->getOperands())
    if (operand == tensor.viewed) {
      replay->replaceUsesOfWith(operand, viewed);
      break;
    }
  namer.makeUnique(replay);
  ++numReplayed;
  // All results of a split are valid now.
  for (OpResult result : tensor.view->getResults()) {
    Tensor &sibling = getTensor(result);
    sibling.current = replay->getResult(result.getResultNumber());
    sibling.version = sibling.storage->version;
  }
  return getTensor(value).current;
}

SmallVector<ArgumentTree> Functionalizer::getCurrent(ArrayRef<Argument> args) {
  SmallVector<ArgumentTree> current(args.begin(), args.end());
  for (ArgumentTree &argument : current)
    for (Value &value : argument.values)
      value = getCurrent(value);
  return current;
}

/// Records that `target` shows `newValue` from here on.
LogicalResult Functionalizer::write(Operation *op, Value target,
                                    Value newValue) {
  SmallVector<std::pair<Value, Value>> chain{{target, newValue}};
  while (true) {
    Tensor tensor = getTensor(chain.back().first);
    if (!tensor.viewed)
      break;
    Value viewed = getCurrent(tensor.viewed);
    OpBuilder b(op);
    Value inverse = createViewInverse(b, namer, tensor.view, tensor.viewResult,
                                      viewed, chain.back().second);
    if (!inverse)
      return fail(op, "writes through a view that has no inverse, '" +
                          tensor.view.getTarget() + "'");
    chain.emplace_back(tensor.viewed, inverse);
  }
  unsigned version = ++getTensor(target).storage->version;
  for (auto [value, current] : chain) {
    Tensor &tensor = getTensor(value);
    tensor.current = current;
    tensor.version = version;
  }
  ++numMutations;
  return success();
}

/// Returns the final value of each mutated input.
void Functionalizer::addOutputs() {
  MLIRContext *ctx = graph.getContext();
  OutputOp output = graph.getOutput();
  SmallVector<Attribute> trees, signature;
  SmallVector<Value> operands;
  for (PlaceholderOp placeholder : graph.getPlaceholders()) {
    if (!tensors.contains(placeholder.getResult()))
      continue;
    Tensor &tensor = getTensor(placeholder.getResult());
    if (tensor.storage->version == 0)
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
    operands.push_back(tensor.current);
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

/// Calls the functional forms of sub-graphs that mutate what they are given;
/// their last values come back as results.
LogicalResult Functionalizer::visitSubgraphs(Operation *op) {
  std::string why;
  FailureOr<FunctionalCall> call = forms.rewrite(op, namer, why);
  if (failed(call))
    return fail(op, why);
  // A second name of what is written would not see the new value.
  for (auto [position, operand] : llvm::enumerate(op->getOperands())) {
    if (!isa<FakeTensorType>(operand.getType()))
      continue;
    Storage *storage = getTensor(operand).storage;
    for (auto &[target, value] : call->written)
      if (target != position &&
          storage == getTensor(op->getOperand(target)).storage) {
        forms.erase(*call);
        return fail(op, "a sub-graph writes what it also has by another name");
      }
  }
  for (OpOperand &operand : call->op->getOpOperands())
    operand.set(getCurrent(operand.get()));
  for (auto [old, now] : llvm::zip(op->getResults(), call->results))
    old.replaceAllUsesWith(now);
  for (Value result : call->op->getResults())
    if (isa<FakeTensorType>(result.getType()))
      getTensor(result);
  replaced.push_back(op);
  for (auto &[target, value] : call->written)
    if (failed(write(op, op->getOperand(target), value)))
      return failure();
  return success();
}

LogicalResult Functionalizer::run() {
  for (Operation &op : llvm::make_early_inc_range(graph.getBlock())) {
    if (isa<PlaceholderOp, GuardOp, GetAttrOp>(op))
      continue;
    if (isa<CondOp, HigherOrderOp>(op) && !forms.areFunctional(&op)) {
      if (failed(visitSubgraphs(&op)))
        return failure();
      continue;
    }
    if (isa<CallMethodOp, CallModuleOp>(op))
      return fail(&op, "the effects of a call_method or call_module are not "
                       "known");
    if (auto call = dyn_cast<CallFunctionOp>(op)) {
      const OperatorSchema *schema = lookupOperator(call.getTarget());
      const gen::Operator *custom =
          schema ? nullptr : lookupCustomSchema(call.getTarget());
      if (custom && custom->isMutating()) {
        if (failed(visitCustom(call, *custom)))
          return failure();
        continue;
      }
      if (!schema && !custom && !assumesFunctional &&
          !isPureCustomOperator(call.getTarget()))
        return fail(call,
                    "the effects of '" + call.getTarget() + "' are not known");
      bool isInstance = isInstanceNorm(call.getTarget());
      if (isInstance || isBatchNorm(call.getTarget())) {
        if (failed(isInstance ? visitInstanceNorm(call) : visitBatchNorm(call)))
          return failure();
        if (!replaced.empty() && replaced.back() == &op)
          continue;
      }
      if (schema && schema->isMutating()) {
        if (failed(visitMutation(call, *schema)))
          return failure();
        continue;
      }
    }
    // Register results before a later mutation of what they view.
    for (OpOperand &operand : op.getOpOperands()) {
      Value current = getCurrent(operand.get());
      if (current == operand.get())
        continue;
      Value original = operand.get();
      SmallVector<Tensor> views;
      operand.set(current);
      // The result still views `original`, whatever value that has now.
      if (auto call = dyn_cast<CallFunctionOp>(op))
        for (OpResult result : op.getResults())
          if (getAliasedOperand(call, result.getResultNumber()) == current) {
            Tensor tensor = getTensor(original);
            tensor.view = call;
            tensor.viewResult = result.getResultNumber();
            tensor.viewed = original;
            tensor.current = result;
            tensor.version = tensor.storage->version;
            tensors[result] = tensor;
          }
    }
    for (Value result : op.getResults())
      if (isa<FakeTensorType>(result.getType()))
        getTensor(result);
  }
  addOutputs();
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  graph.setFunctional(true);
  return success();
}
