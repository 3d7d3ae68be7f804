//===- Mutations.cpp - operators that write, as functions -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"
#include "fx/IR/Metadata.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

/// Operators whose only effect is on the caller's metadata.
static bool isIdentity(StringRef target) {
  return target == "aten.detach_.default";
}

/// `aten.add_.Tensor` → `aten.add.Tensor`; empty if there is no such schema.
static std::string getFunctionalTarget(StringRef target) {
  // The two that PyTorch calls otherwise.
  if (target == "aten.normal_.default")
    return "aten.normal_functional.default";
  if (target == "aten.bernoulli_.float")
    return "aten.bernoulli.p";
  auto [base, overload] = target.rsplit('.');
  if (!base.consume_back("_"))
    return {};
  std::string functional = (base + "." + overload).str();
  const OperatorSchema *schema = lookupOperator(functional);
  return schema && !schema->isMutating() ? functional : std::string();
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
  FakeTensorType computed = type.withDtype(getComputeDtype(op, type));
  // Random numbers are drawn in the order of memory, which strides tell.
  if (!schema.isSeeded())
    computed = computed.withoutMeta();
  auto call = CallFunctionOp::create(
      b, op.getLoc(), computed, b.getStringAttr(functional), operands,
      op.getArgs(), op.getKwnames(), ArrayAttr());
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

/// The one that always trains, and has no argument that says so.
static bool isUpdatingBatchNorm(StringRef target) {
  return target == "aten._batch_norm_with_update.default";
}

bool functionalize::isBatchNorm(StringRef target) {
  return target == "aten.batch_norm.default" || isUpdatingBatchNorm(target) ||
         target == "aten.native_batch_norm.default" ||
         target == "aten._native_batch_norm_legit.default";
}

LogicalResult Functionalizer::visitBatchNorm(CallFunctionOp op) {
  SmallVector<Argument> args = getArguments(op);
  OpBuilder b(op);
  bool updates = isUpdatingBatchNorm(op.getTarget());
  size_t count = updates ? 7 : 8;
  BoolAttr training;
  if (args.size() >= count)
    training = updates ? b.getBoolAttr(true) : dyn_cast<BoolAttr>(args[5].tree);
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
  auto x = dyn_cast<FakeTensorType>(op->getOperand(0).getType());
  bool isEmpty = x && llvm::any_of(x.getSizes(), [](ExprAttr size) {
                   return size.getInteger() == 0;
                 });
  // Without elements there are no statistics: nothing is written, as out of
  // training.
  if (isEmpty && op.getTarget() == "aten.batch_norm.default") {
    SmallVector<ArgumentTree> arguments = getCurrent(args);
    arguments[5] = Attribute(b.getBoolAttr(false));
    CallFunctionOp call = createCall(b, op.getLoc(), op.getTarget(),
                                     op->getResultTypes(), arguments);
    op->replaceAllUsesWith(call->getResults());
    replaced.push_back(op);
    return success();
  }
  // ATen's form that is a function takes no less.
  if (!x || x.getRank() < 2)
    return fail(op, "a batch norm of fewer than two dimensions");
  SmallVector<ArgumentTree> arguments =
      getCurrent(ArrayRef(args).take_front(count));
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
  unsigned first = updates ? 4 : 3; // the running statistics
  types.resize(first + 2, stats);
  CallFunctionOp call =
      createCall(b, op.getLoc(),
                 updates ? "aten._batch_norm_with_update_functional.default"
                         : "aten._native_batch_norm_legit_functional.default",
                 types, arguments);
  std::string names = getNodeName(op).value_or("batch_norm").str();
  std::string name = StringRef(names).split(',').first.str();
  SmallVector<const char *> suffixes = {"_save_mean", "_save_rstd"};
  if (updates)
    suffixes.push_back("_reserve");
  suffixes.append({"_running_mean", "_running_var"});
  for (const char *suffix :
       ArrayRef(suffixes).drop_front(op->getNumResults() - 1))
    names += "," + namer.getUnique(name + suffix);
  call->setLoc(withNodeName(op.getLoc(), names));
  for (OpResult result : op->getResults())
    result.replaceAllUsesWith(call->getResult(result.getResultNumber()));
  replaced.push_back(op);
  if (failed(write(op, mean, call->getResult(first))))
    return failure();
  return write(op, var, call->getResult(first + 1));
}
