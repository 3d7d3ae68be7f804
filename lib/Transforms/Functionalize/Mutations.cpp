//===- Mutations.cpp - operators that write, as functions -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Aliases.h"
#include "../ViewInverse.h"
#include "Functionalizer.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Shape.h"
#include "fx/Operators/TypePromotion.h"
#include "fx/Operators/View.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

/// Returns true for operators that change only autograd metadata.
static bool isIdentity(StringRef target) {
  return target == "aten.detach_.default";
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

/// Returns true for operators that promote the dtypes of their operands.
static bool promotesOperands(const OperatorSchema &schema) {
  return schema.has(OperatorSchema::Pointwise) ||
         llvm::is_contained({"aten.block_diag", "aten.column_stack",
                             "aten.dstack", "aten.hstack", "aten.kron",
                             "aten.row_stack", "aten.vstack"},
                            schema.getName().rsplit('.').first);
}

/// Returns the dtype in which an operator without a shape rule computes the
/// value that is written to a tensor of type `self`: the dtype to which its
/// operands promote.
static Type getComputeDtype(CallFunctionOp functional, FakeTensorType self) {
  const OperatorSchema *schema = lookupOperator(functional.getTarget());
  if (!schema || !promotesOperands(*schema) ||
      functional.getTarget().starts_with("aten.copy."))
    return self.getDtype();
  TypePromotion promotion(functional.getContext());
  bool any = false;
  for (Value operand : functional->getOperands())
    if (auto type = dyn_cast<FakeTensorType>(operand.getType())) {
      promotion.addTensor(type.getDtype(), type.getRank());
      any = true;
    }
  Type result = any ? promotion.getResult() : Type();
  // Many operators compute floats from integers. If so, the written tensor has
  // a float dtype.
  auto isReal = [](Type dtype) { return isa<FloatType, ComplexType>(dtype); };
  if (!result || (isReal(self.getDtype()) && !isReal(result)))
    return self.getDtype();
  return result;
}

LogicalResult Functionalizer::visitInplaceView(CallFunctionOp op,
                                               StringRef functional) {
  Value self = getArguments(op).front().getValue();
  OpBuilder b(op);
  auto view = cast<CallFunctionOp>(b.clone(*op));
  view.setTarget(functional);
  view->setOperand(0, self);
  // Later uses of `self` use the view.
  self.replaceUsesWithIf(view->getResult(0), [&](OpOperand &use) {
    return use.getOwner() != op && use.getOwner() != view &&
           op->isBeforeInBlock(use.getOwner());
  });
  op->getResult(0).replaceAllUsesWith(view->getResult(0));
  namer.makeUnique(view);
  replaced.push_back(op);
  noteViews(view);
  setView(view->getResult(0), {self, view});
  Value base = getCurrent(self);
  view->moveBefore(op);
  derived[{view, base}] = {view->getResult(0)};
  view->setOperand(0, base);
  if (base != self)
    takeAnyStrides(view);
  return success();
}

/// Returns the dtype of result `result` of the functional form of a call: the
/// dtype that its shape rule infers, or else `getComputeDtype`.
static Type getResultDtype(CallFunctionOp functional, FakeTensorType self,
                           unsigned result) {
  OperatorView view = getOperatorView(functional);
  if (view && hasShapeRule(view.getSchema()))
    if (InferredTypes types = inferResultTypes(view); succeeded(types))
      if (result < types->size())
        if (auto type = dyn_cast<FakeTensorType>((*types)[result]))
          return type.getDtype();
  return getComputeDtype(functional, self);
}

namespace {
/// The tensors that a call writes, and its arguments without `out` arguments.
struct Written {
  SmallVector<Value> targets;
  SmallVector<ArgumentTree> args;
  SmallVector<StringRef> keywords;
  /// The written argument is also read: `add_` and not `add.out`.
  bool isInPlace = false;
};
} // namespace

/// Splits a call into the written tensors and the other arguments. Fails if it
/// writes anything but tensors and lists of tensors.
static FailureOr<Written> takeApart(CallFunctionOp op,
                                    const OperatorSchema &schema) {
  Written written;
  SmallVector<Argument> args = getArguments(op);
  size_t numPositional = args.size() - op.getKwnames().size();
  for (auto [i, arg] : llvm::enumerate(args)) {
    StringRef keyword;
    int position = i;
    if (i >= numPositional) {
      keyword = cast<StringAttr>(op.getKwnames()[i - numPositional]).getValue();
      position = schema.findArgument(keyword);
    }
    if (position < 0 || size_t(position) >= schema.numArguments)
      return failure();
    const ArgumentSchema &argument = schema.getArguments()[position];
    bool isOut = argument.isWrite() && argument.isKwargOnly();
    if (argument.isWrite()) {
      // `_foreach_add_` writes each tensor of a list.
      for (const Argument &element : arg.getElements())
        if (!element.isValue() ||
            !isa<FakeTensorType>(element.getValue().getType()))
          return failure();
      llvm::append_range(written.targets, arg.operands);
      written.isInPlace |= !isOut;
    }
    if (isOut)
      continue;
    written.args.push_back(arg);
    if (!keyword.empty())
      written.keywords.push_back(keyword);
  }
  if (written.targets.empty() || op->getNumResults() > written.targets.size())
    return failure();
  return written;
}

LogicalResult Functionalizer::visitMutation(CallFunctionOp op,
                                            const OperatorSchema &schema) {
  SmallVector<Argument> args = getArguments(op);
  Value first = args.empty() ? Value() : args.front().getValue();
  if (isIdentity(op.getTarget()) && first) {
    op->getResult(0).replaceAllUsesWith(first);
    replaced.push_back(op);
    return success();
  }
  if (op.getTarget() == "prims.resize.default")
    return fail(op, "'" + op.getTarget() + "' resizes what it writes");
  const OperatorSchema *functional = getFunctionalOperator(schema);
  if (first && functional && schema.has(OperatorSchema::InplaceView))
    return visitInplaceView(op, functional->getName());
  FailureOr<Written> written = takeApart(op, schema);
  bool isList = functional && functional->numResults == 1 &&
                functional->getResults()[0].isList();
  if (!functional || failed(written) ||
      (!isList && functional->numResults != written->targets.size()))
    return visitCustom(op, getParsedSchema(schema));

  OpBuilder b(op);
  SmallVector<Type> types;
  for (auto [i, target] : llvm::enumerate(written->targets)) {
    auto type = cast<FakeTensorType>(target.getType());
    // Random numbers are drawn in memory order, so keep the strides.
    if (!schema.isSeeded())
      type = type.withoutMeta();
    // An `out` tensor is resized to the sizes of the result.
    if (i < op->getNumResults())
      if (auto result = dyn_cast<FakeTensorType>(op->getResult(i).getType())) {
        if (result.getRank() != type.getRank() ||
            areProvablyDifferent(result, type))
          return fail(op, "'" + op.getTarget() + "' resizes what it writes");
      }
    types.push_back(type);
  }
  for (ArgumentTree &arg : written->args)
    for (Value &value : arg.values)
      value = getCurrent(value);
  // A factory must create a tensor of the dtype of the written one.
  if (int dtype = functional->findArgument("dtype");
      dtype >= 0 && schema.findArgument("dtype") < 0) {
    written->args.push_back(Attribute(
        TypeAttr::get(cast<FakeTensorType>(types.front()).getDtype())));
    written->keywords.push_back("dtype");
  }
  // `add_` → `add`: the node is renamed with its operator.
  StringRef name = functional->getName().split('.').second.rsplit('.').first;
  CallFunctionOp call =
      createCall(b, namer.rename(op.getLoc(), name), functional->getName(),
                 types, written->args, written->keywords);
  if (isList) {
    SmallVector<Attribute> list(types.size(), OperandAttr::get(b.getContext()));
    call.setOutsAttr(b.getArrayAttr(b.getArrayAttr(list)));
  }
  // `conj_physical` of a real tensor returns the tensor itself, but the written
  // value must be a new one.
  if (call.getTarget() == "aten.conj_physical.default" &&
      getAliasedOperand(call, 0))
    call.setTarget("aten.clone.default");
  SmallVector<Value> values;
  for (auto [i, target] : llvm::enumerate(written->targets)) {
    auto type = cast<FakeTensorType>(types[i]);
    call->getResult(i).setType(type.withDtype(getResultDtype(call, type, i)));
    values.push_back(castTo(b, op.getLoc(), call->getResult(i), type));
  }
  // The results are the written tensors themselves.
  for (auto [result, target] : llvm::zip(op->getResults(), written->targets))
    result.replaceAllUsesWith(target);
  replaced.push_back(op);
  for (auto [target, value] : llvm::zip_equal(written->targets, values))
    if (failed(write(op, target, value)))
      return failure();
  return success();
}

/// Returns true for the batch norm that always trains. It has no argument
/// `training`.
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
  // The schema of this operator declares a mutation, even if there is none.
  bool saysSo = op.getTarget() == "aten._native_batch_norm_legit.default";
  if (!saysSo && ((!training.getValue() && op->getNumResults() == 1) ||
                  (args[3].isNone() && args[4].isNone())))
    return success();
  Value mean = args[3].getValue(), var = args[4].getValue();
  auto input = dyn_cast<FakeTensorType>(op->getResult(0).getType());
  if (!mean || !var || !input)
    return fail(op, "expected both running statistics of a batch norm");
  auto x = dyn_cast<FakeTensorType>(op->getOperand(0).getType());
  // Without elements there are no statistics. Nothing is written, as in
  // inference mode.
  if (x && isEmpty(x) && op.getTarget() == "aten.batch_norm.default") {
    SmallVector<ArgumentTree> arguments = getCurrent(args);
    arguments[5] = Attribute(b.getBoolAttr(false));
    CallFunctionOp call = createCall(b, op.getLoc(), op.getTarget(),
                                     op->getResultTypes(), arguments);
    op->replaceAllUsesWith(call->getResults());
    replaced.push_back(op);
    return success();
  }
  // The functional form in ATen requires at least two dimensions.
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
