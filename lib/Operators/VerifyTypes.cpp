//===- VerifyTypes.cpp - checks result types against arguments ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "fx/Operators/Shape.h"
#include "fx/Operators/TypePromotion.h"
#include "fx/Operators/Verify.h"
#include "fx/Support/HostTensor.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Types that PyTorch records wrongly
//===----------------------------------------------------------------------===//

static FakeTensorType getTensor(Value value) {
  return value ? dyn_cast<FakeTensorType>(value.getType()) : FakeTensorType();
}

/// Returns true if the result of threshold_backward has another dtype than its
/// type says. PyTorch's shape function returns the dtype of the gradient, but
/// the kernel promotes the dtypes of both operands.
static bool isMistakenThreshold(const OperatorView &call) {
  FakeTensorType grad = getTensor(call.getArg("grad_output").getValue()),
                 self = getTensor(call.getArg("self").getValue()),
                 result = getTensor(call.getResult());
  if (!grad || !self || !result)
    return false;
  TypePromotion promotion(call.getContext());
  promotion.addTensor(grad.getDtype(), grad.getRank());
  promotion.addTensor(self.getDtype(), self.getRank());
  return promotion.getResult() != result.getDtype();
}

/// Returns true if the results of unique_consecutive have other sizes than
/// their types say. PyTorch's shape function adds a dimension if `dim` is
/// negative. For rank 1, it also gives the wrong sizes for an inverse and
/// counts that the call does not request.
static bool isMistakenUnique(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg("self").getValue());
  if (!self || call.getArg("dim").isNone() || call->getNumResults() != 3)
    return false;
  FakeTensorType values = getTensor(call->getResult(0));
  auto isMissing = [&](StringRef flag, unsigned result) {
    return self.getRank() == 1 && !call->getResult(result).use_empty() &&
           !call.findArg(flag).getBool().value_or(true);
  };
  return (values && values.getRank() != self.getRank()) ||
         isMissing("return_inverse", 1) || isMissing("return_counts", 2);
}

/// Returns true if the states that an LSTM returns have fewer dimensions than
/// their types say. The shape functions of torch before 2.13 keep the dimension
/// of each layer and that of all layers if there are several.
static bool isMistakenLstm(CallFunctionOp call) {
  FakeTensorType state =
      call.getNumResults() == 3 ? getTensor(call.getResult(1)) : nullptr;
  return state && state.getRank() == 4;
}

StringRef fx::getMistakenType(CallFunctionOp call) {
  StringRef target = call.getTarget();
  // The shape function returns int64 zero points, the kernel float32.
  if (target == "quantized_decomposed.choose_qparams_per_token.default")
    return "PyTorch gives its zero points another dtype than the program says";
  // The shape function returns the dtype of the operand, the kernel bool.
  if (target == "prims.signbit.default")
    return "PyTorch gives its result another dtype than the program says";
  if (target == "aten.lstm.input" && isMistakenLstm(call))
    return "PyTorch gives its results other sizes than the program says";
  bool isThreshold = target == "aten.threshold_backward.default";
  if (!isThreshold && target != "aten.unique_consecutive.default")
    return "";
  OperatorView view = getOperatorView(call);
  if (isThreshold ? isMistakenThreshold(view) : isMistakenUnique(view))
    return isThreshold
               ? "PyTorch gives its result another dtype than the program says"
               : "PyTorch gives its results other sizes than the program says";
  return "";
}

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

SmallVector<Type> fx::matchResults(CallFunctionOp call,
                                   ArrayRef<Type> inferred) {
  SmallVector<Type> types;
  if (ArrayAttr outs = call.getOutsAttr()) {
    unsigned leaf = 0;
    walkLeaves(outs, [&](Attribute attr) {
      if (isa<OperandAttr>(attr) && leaf < inferred.size())
        types.push_back(inferred[leaf]);
      ++leaf;
    });
    if (leaf != inferred.size())
      types.clear();
  } else {
    llvm::append_range(types, inferred);
  }
  if (types.size() != call.getNumResults())
    types.clear();
  return types;
}

/// Returns false if a dtype argument is a number or a value: a shape rule
/// treats such an argument as absent.
static bool hasKnownDtypes(const OperatorView &call) {
  for (auto [i, schema] : llvm::enumerate(call.getSchema().getArguments())) {
    if (schema.kind != SchemaKind::ScalarType)
      continue;
    Argument argument = call.getArg(i);
    if (!argument.isNone() && !argument.getDtype())
      return false;
  }
  return true;
}

/// An upper bound of the address space of a process.
static constexpr int64_t kMostBytes = int64_t(1) << 47;

/// Diagnoses a new tensor that exceeds the address space. Views and tensors
/// with a stride of 0 are exempt: they may show an element many times.
static LogicalResult verifySizes(CallFunctionOp call) {
  const OperatorSchema *schema = lookupOperator(call.getTarget());
  if (schema && schema->isView())
    return success();
  for (auto [i, value] : llvm::enumerate(call->getResults())) {
    FakeTensorType type = getTensor(value);
    std::optional<DType> dtype =
        type ? getDType(type.getDtype()) : std::nullopt;
    bool isMeta = type && type.getDevice() &&
                  type.getDevice().getValue().starts_with("meta");
    if (!dtype || isMeta ||
        (type.getMeta() && !type.getMeta().getStrides().empty() &&
         llvm::any_of(type.getMeta().getStrides(),
                      [](ExprAttr e) { return e.getInteger() == 0; })))
      continue;
    SmallVector<int64_t> sizes;
    for (ExprAttr size : type.getSizes())
      sizes.push_back(size.getInteger().value_or(1));
    if (llvm::is_contained(sizes, 0))
      continue;
    std::optional<int64_t> bytes = getCheckedBytes(getByteSize(*dtype), sizes);
    if (!bytes || *bytes > kMostBytes)
      return emitNodeError(call) << "result " << i << ": expected 2^47 bytes "
                                 << "at most, got " << type;
  }
  return success();
}

static LogicalResult verifyTypes(CallFunctionOp call) {
  OperatorView view = getOperatorView(call);
  if (!view || !hasShapeRule(view.getSchema()) ||
      !getMistakenType(call).empty())
    return success();
  Inference inferred = inferOrRefuse(view);
  if (!inferred.refusal.empty())
    return emitNodeError(call) << inferred.refusal;
  if (failed(inferred.types) || !hasKnownDtypes(view))
    return success();
  SmallVector<Type> types = matchResults(call, *inferred.types);
  if (types.empty() && call.getNumResults() != 0) {
    // The single result is a list or tuple that later nodes unpack.
    if (call.getNumResults() == 1 &&
        isa<AnyType, ListType>(call.getResult(0).getType()))
      return success();
    return emitNodeError(call) << "expected " << inferred.types->size()
                               << " results, got " << call.getNumResults();
  }
  LogicalResult result = success();
  for (auto [i, type] : llvm::enumerate(types)) {
    Type recorded = call.getResult(i).getType();
    if (areProvablyDifferent(type, recorded))
      result = emitNodeError(call) << "result " << i << ": expected " << type
                                   << ", got " << recorded;
  }
  return result;
}

LogicalResult fx::verifyResultTypes(Operation *root) {
  // Under autocast an operator computes in another dtype than its operands say.
  bool hasAutocast = root->walk([](HigherOrderOp op) {
                           return op.getTarget().contains("autocast")
                                      ? WalkResult::interrupt()
                                      : WalkResult::advance();
                         })
                         .wasInterrupted();
  LogicalResult result = success();
  root->walk([&](CallFunctionOp call) {
    auto graph = call->getParentOfType<GraphOp>();
    if (hasAutocast && graph && graph.isPrivate())
      return;
    if (failed(verifyTypes(call)) || failed(verifySizes(call)))
      result = failure();
  });
  return result;
}
