//===- KernelDialect.cpp - calls of kernels on tensors --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace fx::kernel;

#include "fx/Kernels/IR/KernelDialect.cpp.inc"

#define GET_OP_CLASSES
#include "fx/Kernels/IR/KernelOps.cpp.inc"

void FXKernelDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "fx/Kernels/IR/KernelOps.cpp.inc"
      >();
}

MemRefType fx::kernel::getKernelArgType(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t d = type.getRank() - 2; d >= 0; --d) {
    bool dynamic =
        type.isDynamicDim(d + 1) || ShapedType::isDynamic(strides[d + 1]);
    strides[d] = dynamic ? ShapedType::kDynamic
                         : strides[d + 1] * type.getDimSize(d + 1);
  }
  Type element = type.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(type.getContext(), 8);
  return MemRefType::get(
      type.getShape(), element,
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides));
}

LogicalResult InvokeOp::verify() {
  if (getResultTypes() != getOutputs().getTypes())
    return emitOpError("results must have the types of the outputs");
  for (Type type : getInputs().getTypes())
    if (!isa<RankedTensorType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError("expected a tensor or a number as input, got ")
             << type;
  return success();
}

LogicalResult InvokeOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto callee =
      tables.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("callee '") << getCallee() << "' is not a function";
  if (callee.getNumArguments() != getNumOperands())
    return emitOpError("callee '")
           << getCallee() << "' takes " << callee.getNumArguments()
           << " arguments, got " << getNumOperands();
  for (auto [type, arg] :
       llvm::zip(getOperandTypes(), callee.getArgumentTypes())) {
    if (type == arg)
      continue;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || getKernelArgType(tensor) != arg)
      return emitOpError("callee '")
             << getCallee() << "' takes " << arg << ", got " << type;
  }
  return success();
}

// An invocation reads and writes tensor values only: it has no effects before
// bufferization.
void InvokeOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &) {}

bool InvokeOp::bufferizesToMemoryRead(OpOperand &operand,
                                      const AnalysisState &) {
  return !isDpsInit(&operand);
}

bool InvokeOp::bufferizesToMemoryWrite(OpOperand &operand,
                                       const AnalysisState &) {
  return isDpsInit(&operand);
}

AliasingValueList InvokeOp::getAliasingValues(OpOperand &operand,
                                              const AnalysisState &) {
  if (!isDpsInit(&operand))
    return {};
  return {{getTiedOpResult(&operand), BufferRelation::Equivalent}};
}

/// Returns true if a buffer of type `type` has the row-major layout of
/// `wanted`.
static bool isRowMajor(MemRefType type, MemRefType wanted) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> have, want;
  int64_t offset;
  if (failed(type.getStridesAndOffset(have, offset)) ||
      failed(wanted.getStridesAndOffset(want, offset)))
    return false;
  for (auto [h, w, size] : llvm::zip(have, want, type.getShape()))
    if (size != 1 && (h != w || ShapedType::isDynamic(h)))
      return false;
  // Strides of unit dimensions must be equal, too: a cast cannot change them.
  return have == want;
}

/// Returns true if a cast converts a buffer of type `type` to `wanted`, whose
/// dynamic strides are passed.
static bool hasPassedStrides(MemRefType type, MemRefType wanted) {
  SmallVector<int64_t> have, want;
  int64_t offset;
  if (failed(type.getStridesAndOffset(have, offset)) ||
      failed(wanted.getStridesAndOffset(want, offset)))
    return false;
  return llvm::all_of(llvm::zip(have, want), [](auto strides) {
    auto [h, w] = strides;
    return h == w || ShapedType::isDynamic(w);
  });
}

LogicalResult InvokeOp::bufferize(RewriterBase &rewriter,
                                  const BufferizationOptions &options,
                                  BufferizationState &state) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      getOperation(), getCalleeAttr());
  if (!callee)
    return emitOpError("callee '") << getCallee() << "' is not a function";
  Location loc = getLoc();
  auto strided = callee->getAttrOfType<DenseI64ArrayAttr>(kStridedAttr);
  SmallVector<Value> args, results;
  SmallVector<std::pair<Value, Value>> copyBack;
  for (auto [i, operand] : llvm::enumerate(getOperation()->getOpOperands())) {
    if (!isa<TensorType>(operand.get().getType())) {
      args.push_back(operand.get());
      continue;
    }
    auto wanted = dyn_cast<MemRefType>(callee.getArgumentTypes()[i]);
    if (!wanted)
      return emitOpError("callee '")
             << getCallee() << "' has not been emitted: argument " << i
             << " is no memref";
    FailureOr<Value> buffer =
        getBuffer(rewriter, operand.get(), options, state);
    if (failed(buffer))
      return failure();
    auto type = cast<MemRefType>(buffer->getType());
    bool isOutput = isDpsInit(&operand);
    if (isOutput)
      results.push_back(*buffer);
    Value value = *buffer;
    bool takesStrides = strided &&
                        llvm::is_contained(strided.asArrayRef(), int64_t(i)) &&
                        hasPassedStrides(type, wanted);
    if (!takesStrides && !isRowMajor(type, wanted)) {
      SmallVector<Value> sizes;
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (type.isDynamicDim(d))
          sizes.push_back(memref::DimOp::create(rewriter, loc, value, d));
      FailureOr<Value> copy = options.createAlloc(
          rewriter, loc,
          MemRefType::get(type.getShape(), type.getElementType()), sizes);
      if (failed(copy))
        return failure();
      if (isOutput)
        copyBack.push_back({*copy, value});
      else if (failed(options.createMemCpy(rewriter, loc, value, *copy)))
        return failure();
      value = *copy;
    }
    auto castType = MemRefType::get(wanted.getShape(), type.getElementType(),
                                    wanted.getLayout());
    value = memref::CastOp::create(rewriter, loc, castType, value);
    if (castType != wanted)
      value = UnrealizedConversionCastOp::create(rewriter, loc, wanted, value)
                  .getResult(0);
    args.push_back(value);
  }
  func::CallOp::create(rewriter, loc, callee, args);
  for (auto [from, to] : copyBack)
    if (failed(options.createMemCpy(rewriter, loc, from, to)))
      return failure();
  replaceOpWithBufferizedValues(rewriter, getOperation(), results);
  return success();
}

//===----------------------------------------------------------------------===//
// StartEagerOp
//===----------------------------------------------------------------------===//

// Another op awaits the operator that this op starts. The effects keep the op
// from being erased as dead or merged with an equal one.
void StartEagerOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

bool StartEagerOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) {
  return true;
}

bool StartEagerOp::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) {
  return false;
}

AliasingValueList StartEagerOp::getAliasingValues(OpOperand &,
                                                  const AnalysisState &) {
  return {};
}

LogicalResult StartEagerOp::bufferize(RewriterBase &rewriter,
                                      const BufferizationOptions &options,
                                      BufferizationState &state) {
  SmallVector<Value> buffers;
  for (Value value : getValues()) {
    if (!isa<TensorType>(value.getType())) {
      buffers.push_back(value);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  rewriter.replaceOpWithNewOp<StartEagerOp>(getOperation(), getSlotAttr(),
                                            buffers);
  return success();
}
