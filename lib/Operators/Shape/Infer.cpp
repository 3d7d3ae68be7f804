//===- Infer.cpp - result types of operators ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;

void ShapeRule::registerAll(HookTable<ShapeRule> &hooks) {
  registerCollectiveShapes(hooks);
  registerCompositeShapes(hooks);
  registerConvolutionShapes(hooks);
  registerCopyShapes(hooks);
  registerCreationShapes(hooks);
  registerIndexingShapes(hooks);
  registerMatMulShapes(hooks);
  registerNormalizationShapes(hooks);
  registerPointwiseShapes(hooks);
  registerReductionShapes(hooks);
  registerSymbolicShapes(hooks);
  registerViewShapes(hooks);
}

/// Returns the position of the argument that is written in place and returned
/// as the only result of the schema, or -1 if there is none.
static int getWrittenArgument(const OperatorSchema &schema) {
  if (schema.numResults != 1 || schema.has(OperatorSchema::InplaceView))
    return -1;
  // These change the sizes although they lack PyTorch's tag `inplace_view`.
  if (schema.getName() == "prims.as_strided.default" ||
      schema.getName() == "prims.resize.default")
    return -1;
  const ArgumentSchema &result = schema.getResults().front();
  if (!result.isWrite() || !result.isTensor())
    return -1;
  for (auto [i, argument] : llvm::enumerate(schema.getArguments()))
    if (argument.isWrite() && argument.isTensor() &&
        argument.aliasSets == result.aliasSets)
      return i;
  return -1;
}

bool fx::hasShapeRule(const OperatorSchema &schema) {
  return schema.hasNoResults() || HookTable<ShapeRule>::get().lookup(schema) ||
         getWrittenArgument(schema) >= 0;
}

InferredTypes fx::inferResultTypes(const OperatorView &call) {
  const OperatorSchema &schema = call.getSchema();
  if (schema.hasNoResults())
    return SmallVector<Type>();
  if (ShapeRule::Fn rule = HookTable<ShapeRule>::get().lookup(schema))
    return rule(call);
  int written = getWrittenArgument(schema);
  if (written < 0)
    return failure();
  Value value = call.getArg(unsigned(written)).getValue();
  if (!value || !isa<FakeTensorType>(value.getType()))
    return failure();
  return SmallVector<Type>{value.getType()};
}

/// Receives the refusal of the rule that runs on this thread. Helpers detect
/// most refusals and a rule only returns types, so the reason is not a result.
static thread_local std::string *noted = nullptr;

void fx::shape::noteRefusal(function_ref<std::string()> why) {
  if (noted && noted->empty())
    *noted = why();
}

/// Returns the out-of-place variant of an in-place operator if it has a shape
/// rule, else null: `aten.scatter.value` for `aten.scatter_.value`. Both
/// accept the same arguments.
static const OperatorSchema *getOutOfPlace(const OperatorSchema &schema) {
  auto [base, overload] = schema.getName().rsplit('.');
  if (getWrittenArgument(schema) < 0 || !base.consume_back("_"))
    return nullptr;
  const OperatorSchema *other = lookupOperator((base + "." + overload).str());
  return other && HookTable<ShapeRule>::get().lookup(*other) ? other : nullptr;
}

Inference fx::inferOrRefuse(const OperatorView &call) {
  Inference result;
  auto infer = [&](const OperatorView &view) {
    noted = &result.refusal;
    InferredTypes types = inferResultTypes(view);
    noted = nullptr;
    // A helper recorded a refusal, but the rule succeeded by other means.
    if (succeeded(types))
      result.refusal.clear();
    return types;
  };
  result.types = infer(call);
  if (const OperatorSchema *other = getOutOfPlace(call.getSchema());
      other && succeeded(result.types) &&
      failed(infer(OperatorView(call.getNode(), *other))) &&
      !result.refusal.empty())
    result.types = failure();
  return result;
}

static bool areExprsDifferent(ExprAttr a, ExprAttr b) {
  return a && b && a.isProvablyDifferent(b);
}

bool fx::areProvablyDifferent(Type a, Type b) {
  if (a == b || isa<AnyType>(a) || isa<AnyType>(b))
    return false;
  if (auto tensorA = dyn_cast<FakeTensorType>(a)) {
    auto tensorB = dyn_cast<FakeTensorType>(b);
    if (!tensorB || tensorA.getDtype() != tensorB.getDtype() ||
        tensorA.getRank() != tensorB.getRank())
      return true;
    for (auto [sizeA, sizeB] :
         llvm::zip_equal(tensorA.getSizes(), tensorB.getSizes()))
      if (sizeA.isProvablyDifferent(sizeB))
        return true;
    return false;
  }
  if (a.getTypeID() != b.getTypeID())
    return true;
  if (auto symA = dyn_cast<SymIntType>(a))
    return areExprsDifferent(symA.getExpr(), cast<SymIntType>(b).getExpr());
  if (auto symA = dyn_cast<SymBoolType>(a))
    return areExprsDifferent(symA.getExpr(), cast<SymBoolType>(b).getExpr());
  return false;
}

CallFunctionOp fx::createInferredCall(OpBuilder &builder, Location loc,
                                      unsigned index,
                                      ArrayRef<ArgumentRef> args) {
  // The rule reads a node, so create a temporary one outside any block.
  OpBuilder detached(builder.getContext());
  CallFunctionOp draft = createCall(detached, loc, {}, index, args);
  const OperatorSchema &schema = getAllOperators()[index];
  InferredTypes types = inferResultTypes(OperatorView(draft, schema));
  draft->erase();
  if (failed(types)) {
    emitError(loc) << "cannot tell the result types of @" << schema.getName();
    return {};
  }
  return createCall(builder, loc, *types, index, args);
}
