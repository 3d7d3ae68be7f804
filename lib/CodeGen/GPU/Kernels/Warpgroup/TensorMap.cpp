//===- TensorMap.cpp - operands that the device copies by boxes -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"
#include "../TensorCore/TensorCore.h"

#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;

/// Returns the stride of the operand's dimension that is indexed by `loop`, or
/// none if there is no such dimension or its stride is dynamic.
static std::optional<int64_t>
getStride(AffineMap map, const codegen::Buffer &buffer, unsigned loop) {
  for (auto [expr, stride] : llvm::zip(map.getResults(), buffer.strides))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && dim.getPosition() == loop)
      return stride.value ? std::nullopt : std::optional(stride.constant);
  return std::nullopt;
}

/// Returns the stride of `loops` merged to one dimension, or none if they are
/// not contiguous in memory.
static std::optional<int64_t> merge(AffineMap map,
                                    const codegen::Buffer &buffer,
                                    ArrayRef<unsigned> loops,
                                    ArrayRef<Index> sizes) {
  std::optional<int64_t> innermost, next;
  for (auto [loop, size] : llvm::reverse(llvm::zip(loops, sizes))) {
    if (size == Index::of(1))
      continue;
    std::optional<int64_t> stride = getStride(map, buffer, loop);
    if (!stride || (innermost && stride != next))
      return std::nullopt;
    if (!innermost)
      innermost = stride;
    next =
        size.isStatic() ? std::optional(*stride * size.constant) : std::nullopt;
  }
  return innermost;
}

std::optional<TensorMap> TensorMap::match(MatMulPlan &plan, bool isLhs,
                                          bool hasTaps) {
  const codegen::Buffer *buffer = plan.code.buffer(plan.operand(isLhs));
  AffineMap map = plan.operandMap(isLhs);
  if (!buffer || !map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  ArrayRef<unsigned> terms = plan.k;
  ArrayRef<Index> termSizes = plan.kSizes;
  unsigned taps = hasTaps ? terms.size() - 1 : 0;
  auto alongK =
      merge(map, *buffer, terms.drop_front(taps), termSizes.drop_front(taps));
  auto across = isLhs ? merge(map, *buffer, plan.m, plan.mSizes)
                      : merge(map, *buffer, plan.n, plan.nSizes);
  if (!alongK || !across || (*alongK != 1 && *across != 1))
    return std::nullopt;
  TensorMap result;
  result.isLhs = isLhs;
  result.isAlongK = *alongK == 1;
  const Index &size = isLhs ? plan.mSize : plan.nSize;
  result.sizes = {product(plan.code, termSizes.drop_front(taps)), size};
  result.strides = {*alongK, *across};
  if (!result.isAlongK) {
    std::swap(result.sizes[0], result.sizes[1]);
    std::swap(result.strides[0], result.strides[1]);
  }
  Index tapCount = product(plan.code, termSizes.take_front(taps));
  if (!(tapCount == Index::of(1))) {
    auto stride =
        merge(map, *buffer, terms.take_front(taps), termSizes.take_front(taps));
    if (!stride)
      return std::nullopt;
    result.hasTaps = true;
    result.sizes.push_back(tapCount);
    result.strides.push_back(*stride);
  }
  for (auto [loop, size] : llvm::zip(plan.batch, plan.batchSizes)) {
    if (size == Index::of(1) || !map.isFunctionOfDim(loop))
      continue;
    std::optional<int64_t> stride = getStride(map, *buffer, loop);
    if (!stride)
      return std::nullopt;
    result.sizes.push_back(size);
    result.strides.push_back(*stride);
    result.batch.push_back(loop);
  }
  // The limits of cuTensorMapEncodeTiled.
  constexpr int64_t kMaxSize = int64_t(1) << 32,
                    kMaxStride = int64_t(1) << 39; // 2^40 bytes
  if (result.sizes.size() > kMaxRank)
    return std::nullopt;
  for (const Index &size : result.sizes)
    if (size.isStatic() && (size.constant < 1 || size.constant > kMaxSize))
      return std::nullopt;
  for (int64_t stride : ArrayRef(result.strides).drop_front())
    if (stride <= 0 || stride % kChunk || stride >= kMaxStride)
      return std::nullopt;
  return result;
}

Value fx::gpu::callRuntime(codegen::KernelCode &code, StringRef name,
                           ValueRange args) {
  // The function that is being emitted is in no module yet, so the declaration
  // is added through the source function.
  OpBuilder at = OpBuilder::atBlockBegin(&code.source.getBody().front());
  Type i64 = at.getI64Type();
  SmallVector<Type> types(args.size(), i64);
  auto callee = cast<func::FuncOp>(codegen::getOrDeclare(
      at, name, at.getFunctionType(types, i64), /*cInterface=*/false));
  return func::CallOp::create(code.b, code.loc, callee, args).getResult(0);
}

SmallVector<Value> fx::gpu::beginMap(MatMulPlan &plan, int64_t slot,
                                     Value operand, Value address, int64_t rows,
                                     ArrayRef<Index> sizes,
                                     ArrayRef<int64_t> strides) {
  codegen::KernelCode &code = plan.code;
  OpBuilder &b = code.b;
  Type i64 = b.getI64Type();
  auto number = [&](int64_t c) -> Value {
    return arith::ConstantIntOp::create(b, code.loc, i64, c);
  };
  Type element = cast<RankedTensorType>(operand.getType()).getElementType();
  SmallVector<Value> args = {number(slot), number(element.isBF16()), address,
                             number(rows), number(sizes.size())};
  for (int d = 0; d < TensorMap::kMaxRank; ++d)
    args.push_back(d >= int(sizes.size()) ? number(1)
                   : sizes[d].isStatic()
                       ? number(sizes[d].constant)
                       : arith::IndexCastOp::create(
                             b, code.loc, i64, code.materialize(sizes[d])));
  for (int d = 1; d < TensorMap::kMaxRank; ++d)
    args.push_back(number(d < int(strides.size()) ? 2 * strides[d] : 0));
  return args;
}

Value fx::gpu::makeMap(codegen::KernelCode &code, StringRef name,
                       ValueRange args) {
  Value map = callRuntime(code, name, args);
  return LLVM::IntToPtrOp::create(
      code.b, code.loc, LLVM::LLVMPointerType::get(code.b.getContext()), map);
}

Value TensorMap::make(MatMulPlan &plan, int64_t slot, Value address,
                      int64_t rows) const {
  return makeMap(
      plan.code, "fx_rt_gpu_tensor_map",
      beginMap(plan, slot, plan.operand(isLhs), address, rows, sizes, strides));
}
