//===- Random.cpp - the op that draws random numbers ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/IR/Dtypes.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace fx;
using namespace fx::kernel;

namespace {
/// The state of the model's generator.
struct GeneratorResource : SideEffects::Resource::Base<GeneratorResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GeneratorResource)
  StringRef getName() override { return "fx_kernel::Generator"; }
};
} // namespace

/// In the order of FXrtDistribution (fx/Runtime/Desc.h).
static constexpr StringLiteral kDistributions[] = {
    "uniform",   "normal",       "bernoulli",  "exponential",
    "geometric", "cauchy",       "log_normal", "strided_normal",
    "integers",  "any_integers", "words",      "permutation"};

int64_t RandomOp::getDistributionNumber(StringRef name) {
  const auto *it = llvm::find(kDistributions, name);
  return it == std::end(kDistributions) ? -1 : it - std::begin(kDistributions);
}

LogicalResult RandomOp::verify() {
  int64_t number = getDistributionNumber(getDistribution());
  if (number < 0)
    return emitOpError("expected a known distribution, got '")
           << getDistribution() << "'";
  bool isInteger = number >= getDistributionNumber("integers");
  Type parameter = getFirst().getType();
  if (isInteger ? !parameter.isInteger(64) : !parameter.isF64())
    return emitOpError("expected parameters of type ")
           << (isInteger ? "i64" : "f64") << " for '" << getDistribution()
           << "', got " << parameter;
  if (auto buffer = dyn_cast<MemRefType>(getOutput().getType());
      buffer && !buffer.getLayout().isIdentity())
    return emitOpError("expected a dense buffer, got ") << buffer;
  std::optional<Dtype> dtype = kernel::getDtype(getDtype());
  Type element = cast<ShapedType>(getOutput().getType()).getElementType();
  std::optional<Dtype> held = kernel::getDtype(element);
  if (!dtype || !held || dtype->bits != held->bits)
    return emitOpError("expected an output of dtype ")
           << getDtype() << ", got elements of " << element;
  if (getResult() && getResult().getType() != getOutput().getType())
    return emitOpError("expected a result of the output's type ")
           << getOutput().getType() << ", got " << getResult().getType();
  if (bool(getResult()) != isa<TensorType>(getOutput().getType()))
    return emitOpError("expected a result for a tensor, and none for a buffer");
  return success();
}

void RandomOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), GeneratorResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), GeneratorResource::get());
  if (isa<BaseMemRefType>(getOutput().getType()))
    effects.emplace_back(MemoryEffects::Write::get(), &getOutputMutable());
}

bool RandomOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) {
  return false;
}

bool RandomOp::bufferizesToMemoryWrite(OpOperand &operand,
                                       const AnalysisState &) {
  return operand.getOperandNumber() == getOutputMutable().getOperandNumber();
}

AliasingValueList RandomOp::getAliasingValues(OpOperand &operand,
                                              const AnalysisState &) {
  if (operand.getOperandNumber() != getOutputMutable().getOperandNumber())
    return {};
  return {{getResult(), BufferRelation::Equivalent}};
}

LogicalResult RandomOp::bufferize(RewriterBase &rewriter,
                                  const BufferizationOptions &options,
                                  BufferizationState &state) {
  FailureOr<Value> buffer = getBuffer(rewriter, getOutput(), options, state);
  if (failed(buffer))
    return failure();
  Location loc = getLoc();
  auto type = cast<MemRefType>(buffer->getType());
  Value dense = *buffer;
  // The run-time fills contiguous memory only.
  if (!type.getLayout().isIdentity()) {
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(memref::DimOp::create(rewriter, loc, *buffer, d));
    FailureOr<Value> copy = options.createAlloc(
        rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
        sizes);
    if (failed(copy))
      return failure();
    dense = *copy;
  }
  RandomOp::create(rewriter, loc, TypeRange(), getDistributionAttr(),
                   getDtypeAttr(), getFirst(), getSecond(), dense);
  if (dense != *buffer &&
      failed(options.createMemCpy(rewriter, loc, dense, *buffer)))
    return failure();
  replaceOpWithBufferizedValues(rewriter, getOperation(), *buffer);
  return success();
}
