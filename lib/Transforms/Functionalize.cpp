//===- Functionalize.cpp - replace mutation by new values -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SubgraphForms.h"
#include "ViewInverse.h"
#include "fx/Custom/Operators.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Schema.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_FUNCTIONALIZEPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {

/// Memory that values share. A mutation makes a new version of it.
struct Storage {
  Value base;
  unsigned version = 0;
};

/// A tensor value: which storage it shows, through which view of which other
/// value, and the value that holds its elements at `version`.
struct Tensor {
  Storage *storage;
  CallFunctionOp view;
  unsigned viewResult = 0;
  Value viewed;
  Value current;
  unsigned version = 0;
};

/// Works on a copy of the graph, so that a graph it cannot handle is kept.
class Functionalizer {
public:
  Functionalizer(GraphOp graph, SubgraphForms &forms, bool assumesFunctional)
      : graph(graph), namer(graph), forms(forms),
        assumesFunctional(assumesFunctional) {}

  /// Fails, with the reason in `problem`, on a mutation without functional
  /// form.
  LogicalResult run();

  Operation *problem = nullptr;
  std::string reason;
  unsigned numMutations = 0, numReplayed = 0;

private:
  LogicalResult fail(Operation *op, const Twine &why) {
    problem = op;
    reason = why.str();
    return failure();
  }

  Tensor &getTensor(Value value);
  Value getCurrent(Value value);
  LogicalResult write(Operation *op, Value target, Value newValue);
  LogicalResult visitMutation(CallFunctionOp op, const OperatorSchema &schema);
  LogicalResult visitBatchNorm(CallFunctionOp op);
  LogicalResult visitInplaceView(CallFunctionOp op, StringRef functional);
  LogicalResult visitSubgraphs(Operation *op);
  Value castTo(OpBuilder &b, Location loc, Value value, Type type);
  void addOutputs();

  GraphOp graph;
  NodeNamer namer;
  SubgraphForms &forms;
  bool assumesFunctional;
  DenseMap<Value, Tensor> tensors;
  SmallVector<std::unique_ptr<Storage>> storages;
  SmallVector<Operation *> replaced;
};

} // namespace

/// Operators whose only effect is on the caller's metadata.
static bool isIdentity(StringRef target) {
  return target == "aten.detach_.default";
}

/// `aten.add_.Tensor` → `aten.add.Tensor`; empty if there is no such schema.
static std::string getFunctionalTarget(StringRef target) {
  auto [base, overload] = target.rsplit('.');
  if (!base.consume_back("_"))
    return {};
  std::string functional = (base + "." + overload).str();
  const OperatorSchema *schema = lookupOperator(functional);
  return schema && !schema->isMutating() ? functional : std::string();
}

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

Value Functionalizer::castTo(OpBuilder &b, Location loc, Value value,
                             Type type) {
  auto have = dyn_cast<FakeTensorType>(value.getType());
  auto want = dyn_cast<FakeTensorType>(type);
  if (!have || !want || have.getDtype() == want.getDtype())
    return value;
  return createCall(b, namer.rename(loc, "_to_copy"), "aten._to_copy.default",
                    want.withoutMeta(),
                    {value, Attribute(TypeAttr::get(want.getDtype()))},
                    {"dtype"})
      ->getResult(0);
}

/// The dtype that an arithmetic operator computes in where it differs from
/// the dtype of the tensor it writes: that of another tensor of higher kind.
static Type getComputeDtype(CallFunctionOp op, FakeTensorType self) {
  auto rank = [](Type dtype) -> std::pair<int, unsigned> {
    if (isa<ComplexType>(dtype))
      return {3, 64};
    if (isa<FloatType>(dtype))
      return {2, dtype.getIntOrFloatBitWidth()};
    return {dtype.isInteger(1) ? 0 : 1, dtype.getIntOrFloatBitWidth()};
  };
  const OperatorSchema *schema = lookupOperator(op.getTarget());
  if (!schema || !schema->has(OperatorSchema::Pointwise) ||
      op.getTarget().starts_with("aten.copy_"))
    return self.getDtype();
  Type result = self.getDtype();
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<FakeTensorType>(operand.getType());
    if (!type || type.getDtype() == result)
      continue;
    auto have = rank(result), want = rank(type.getDtype());
    // A 0-d tensor promotes only by kind.
    bool higher = type.getRank() == 0 && self.getRank() > 0
                      ? want.first > have.first
                      : want > have;
    if (higher)
      result = type.getDtype();
  }
  return result;
}

LogicalResult Functionalizer::visitInplaceView(CallFunctionOp op,
                                               StringRef functional) {
  Value self = getArguments(op).front().getValue();
  OpBuilder b(op);
  Operation *view = b.clone(*op);
  view->setAttr("target", b.getStringAttr(functional));
  view->setOperand(0, self);
  // From here on the name stands for the view.
  self.replaceUsesWithIf(view->getResult(0), [&](OpOperand &use) {
    return use.getOwner() != op && use.getOwner() != view &&
           op->isBeforeInBlock(use.getOwner());
  });
  op->getResult(0).replaceAllUsesWith(view->getResult(0));
  namer.makeUnique(view);
  view->setOperand(0, getCurrent(self));
  Tensor tensor = getTensor(view->getResult(0));
  tensor.viewed = self;
  tensors[view->getResult(0)] = tensor;
  replaced.push_back(op);
  return success();
}

LogicalResult Functionalizer::visitMutation(CallFunctionOp op,
                                            const OperatorSchema &schema) {
  SmallVector<Argument> args = getArguments(op);
  if (args.empty() || !args.front().isValue() || op->getNumResults() > 1)
    return fail(op, "'" + op.getTarget() + "' has no functional form");
  Value self = args.front().getValue();
  auto type = dyn_cast<FakeTensorType>(self.getType());
  if (!type)
    return fail(op, "'" + op.getTarget() + "' mutates what is no tensor");
  if (isIdentity(op.getTarget())) {
    op->getResult(0).replaceAllUsesWith(self);
    replaced.push_back(op);
    return success();
  }
  std::string functional = getFunctionalTarget(op.getTarget());
  if (functional.empty())
    return fail(op, "'" + op.getTarget() + "' has no functional form");
  if (schema.has(OperatorSchema::InplaceView))
    return visitInplaceView(op, functional);

  OpBuilder b(op);
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value v) { return getCurrent(v); });
  Type computed = getComputeDtype(op, type);
  auto call = CallFunctionOp::create(
      b, op.getLoc(), type.withDtype(computed).withoutMeta(),
      b.getStringAttr(functional), operands, op.getArgs(), op.getKwnames(),
      ArrayAttr());
  // `add_` → `add`: the node is renamed with its operator.
  StringRef base = StringRef(functional).split('.').second.rsplit('.').first;
  call->setLoc(namer.rename(op.getLoc(), base));
  Value newValue = castTo(b, op.getLoc(), call->getResult(0), type);
  // The result is the mutated tensor itself.
  if (op->getNumResults() == 1)
    op->getResult(0).replaceAllUsesWith(self);
  replaced.push_back(op);
  return write(op, self, newValue);
}

/// Batch norms that update running statistics in training, most of them
/// without saying so in their schema: all have the same first eight arguments.
static bool isBatchNorm(StringRef target) {
  return target == "aten.batch_norm.default" ||
         target == "aten.native_batch_norm.default" ||
         target == "aten._native_batch_norm_legit.default";
}

LogicalResult Functionalizer::visitBatchNorm(CallFunctionOp op) {
  SmallVector<Argument> args = getArguments(op);
  auto training =
      args.size() >= 8 ? dyn_cast<BoolAttr>(args[5].tree) : BoolAttr();
  if (!training || op.getKwnames().size() != 0)
    return fail(op, "expected a batch norm with all its arguments");
  // This one's schema says that it writes, even where it does not.
  bool saysSo = op.getTarget() == "aten._native_batch_norm_legit.default";
  if (!saysSo && ((!training.getValue() && op->getNumResults() == 1) ||
                  (args[3].isNone() && args[4].isNone())))
    return success();
  Value mean = args[3].getValue(), var = args[4].getValue();
  auto input = dyn_cast<FakeTensorType>(op->getResult(0).getType());
  if (!mean || !var || !input)
    return fail(op, "expected both running statistics of a batch norm");
  // ATen's form that is a function takes no less.
  auto x = dyn_cast<FakeTensorType>(op->getOperand(0).getType());
  if (!x || x.getRank() < 2)
    return fail(op, "a batch norm of fewer than two dimensions");
  OpBuilder b(op);
  SmallVector<ArgumentTree> arguments;
  for (size_t i = 0; i < 8; ++i) {
    arguments.push_back(args[i]);
    for (Value &value : arguments.back().values)
      value = getCurrent(value);
  }
  SmallVector<Type> types(op->getResultTypes());
  if (!training.getValue()) {
    arguments.erase(arguments.begin() + 5);
    CallFunctionOp call = createCall(
        b, op.getLoc(), "aten._native_batch_norm_legit_no_training.default",
        types, arguments);
    op->replaceAllUsesWith(call->getResults());
    replaced.push_back(op);
    return success();
  }
  auto stats = cast<FakeTensorType>(mean.getType()).withoutMeta();
  types.resize(5, stats);
  CallFunctionOp call = createCall(
      b, op.getLoc(), "aten._native_batch_norm_legit_functional.default", types,
      arguments);
  std::string names = getNodeName(op).value_or("batch_norm").str();
  std::string name = StringRef(names).split(',').first.str();
  const char *const suffixes[] = {"_save_mean", "_save_rstd", "_running_mean",
                                  "_running_var"};
  for (const char *suffix :
       ArrayRef(suffixes).drop_front(op->getNumResults() - 1))
    names += "," + namer.getUnique(name + suffix);
  call->setLoc(withNodeName(op.getLoc(), names));
  for (OpResult result : op->getResults())
    result.replaceAllUsesWith(call->getResult(result.getResultNumber()));
  replaced.push_back(op);
  if (failed(write(op, mean, call->getResult(3))))
    return failure();
  return write(op, var, call->getResult(4));
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
      if (!schema && !assumesFunctional && !isPureCustomOperator(call.getTarget()))
        return fail(call,
                    "the effects of '" + call.getTarget() + "' are not known");
      if (isBatchNorm(call.getTarget())) {
        if (failed(visitBatchNorm(call)))
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

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FunctionalizePass : fx::impl::FunctionalizePassBase<FunctionalizePass> {
  using FunctionalizePassBase::FunctionalizePassBase;

  void runOnOperation() override {
    SubgraphForms forms;
    // Sub-graphs first, to a fixed point: they may hold sub-graphs too.
    SmallVector<GraphOp> pending;
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      if (!graph.getFunctional())
        pending.push_back(graph);
    DenseMap<Operation *, std::pair<Location, std::string>> reasons;
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<GraphOp> failed;
      for (GraphOp graph : pending) {
        if (functionalize(graph, forms, reasons))
          changed = true;
        else
          failed.push_back(graph);
      }
      pending = failed;
    }
    for (GraphOp graph : pending)
      if (auto it = reasons.find(graph); it != reasons.end())
        emitRemark(it->second.first)
            << "graph @" << graph.getSymName()
            << " stays as it is: " << it->second.second;
    forms.finish(getOperation());
  }

  bool functionalize(
      GraphOp &graph, SubgraphForms &forms,
      DenseMap<Operation *, std::pair<Location, std::string>> &reasons) {
    OpBuilder b(graph);
    auto copy = cast<GraphOp>(b.clone(*graph));
    Functionalizer functionalizer(copy, forms, assumesFunctional);
    if (failed(functionalizer.run())) {
      reasons.insert_or_assign(graph.getOperation(),
                               std::make_pair(functionalizer.problem->getLoc(),
                                              functionalizer.reason));
      copy.erase();
      return false;
    }
    numMutations += functionalizer.numMutations;
    numReplayed += functionalizer.numReplayed;
    // One that mutates its inputs has another signature: who calls it decides
    // what becomes of that.
    if (graph.isPrivate() && copy.getOutput().getArgs().size() !=
                                 graph.getOutput().getArgs().size()) {
      forms.add(graph, copy);
      return true;
    }
    graph.erase();
    graph = copy;
    return true;
  }
};
} // namespace
