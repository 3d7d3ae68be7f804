//===- TensorMap.cpp - operands that the device copies by boxes -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"

#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::Stride;

/// Returns the stride of the operand's dimension that is indexed by `loop`, or
/// none if there is no such dimension.
static std::optional<Stride>
getStride(AffineMap map, const codegen::Buffer &buffer, unsigned loop) {
  for (auto [expr, stride] : llvm::zip(map.getResults(), buffer.strides))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && dim.getPosition() == loop)
      return stride;
  return std::nullopt;
}

/// Returns true if `outer` is `size` times `inner`, for all values.
static bool isContiguous(const Stride &outer, const Stride &inner,
                         const Index &size) {
  return size.isStatic() && outer.value == inner.value &&
         outer.constant == inner.constant * size.constant;
}

/// Returns the stride of `loops` merged to one dimension, or none if they are
/// not contiguous in memory.
static std::optional<Stride> merge(AffineMap map, const codegen::Buffer &buffer,
                                   ArrayRef<unsigned> loops,
                                   ArrayRef<Index> sizes) {
  std::optional<Stride> innermost, last;
  Index lastSize;
  for (auto [loop, size] : llvm::reverse(llvm::zip(loops, sizes))) {
    if (size == Index::of(1))
      continue;
    std::optional<Stride> stride = getStride(map, buffer, loop);
    if (!stride || (last && !isContiguous(*stride, *last, lastSize)))
      return std::nullopt;
    if (!innermost)
      innermost = stride;
    last = stride;
    lastSize = size;
  }
  return innermost;
}

/// Merges two neighbouring dimensions of the batch that are contiguous in
/// memory. Returns false if there are none.
static bool mergeBatch(codegen::KernelCode &code, TensorMap &map) {
  for (size_t d = 2; d + 1 < map.sizes.size(); ++d) {
    const Index &inner = map.sizes[d + 1];
    if (!isContiguous(map.strides[d], map.strides[d + 1], inner))
      continue;
    map.sizes[d] = code.mul(map.sizes[d], inner);
    map.strides[d] = map.strides[d + 1];
    map.sizes.erase(map.sizes.begin() + d + 1);
    map.strides.erase(map.strides.begin() + d + 1);
    llvm::append_range(map.batch[d - 2], map.batch[d - 1]);
    map.batch.erase(map.batch.begin() + d - 1);
    return true;
  }
  return false;
}

std::optional<TensorMap> TensorMap::match(MatMulPlan &plan, bool isLhs,
                                          bool mayBeDynamic, bool hasTaps) {
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
  if (!alongK || !across || (!alongK->isStatic(1) && !across->isStatic(1)))
    return std::nullopt;
  int64_t chunk = kChunkBytes / codegen::getElementBytes(buffer->element);
  TensorMap result;
  result.isLhs = isLhs;
  result.isAlongK = alongK->isStatic(1);
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
    std::optional<Stride> stride = getStride(map, *buffer, loop);
    if (!stride)
      return std::nullopt;
    result.sizes.push_back(size);
    result.strides.push_back(*stride);
    result.batch.push_back({loop});
  }
  // The limits of cuTensorMapEncodeTiled.
  constexpr int64_t kMaxSize = int64_t(1) << 32,
                    kMaxStride = int64_t(1) << 39; // 2^40 bytes
  while (result.sizes.size() > kMaxRank)
    if (!mergeBatch(plan.code, result))
      return std::nullopt;
  for (const Index &size : result.sizes)
    if (size.isStatic() && (size.constant < 1 || size.constant > kMaxSize))
      return std::nullopt;
  for (const Stride &stride : ArrayRef(result.strides).drop_front())
    if (stride.value ? !mayBeDynamic
                     : stride.constant <= 0 || stride.constant % chunk ||
                           stride.constant >= kMaxStride)
      return std::nullopt;
  return result;
}

Value fx::gpu::canCopyBoxes(codegen::KernelCode &code, Value multiprocessors,
                            ArrayRef<Value> addresses) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto number = [&](int64_t c) {
    return arith::ConstantIntOp::create(b, loc, b.getI64Type(), c);
  };
  auto compare = [&](arith::CmpIPredicate how, Value x) -> Value {
    return arith::CmpIOp::create(b, loc, how, x, number(0));
  };
  Value all = addresses.front();
  for (Value address : addresses.drop_front())
    all = arith::OrIOp::create(b, loc, all, address);
  Value rest = arith::RemUIOp::create(b, loc, all, number(kChunkBytes));
  return arith::AndIOp::create(
      b, loc, compare(arith::CmpIPredicate::eq, rest),
      compare(arith::CmpIPredicate::sgt, multiprocessors));
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
                                     ArrayRef<Stride> strides) {
  codegen::KernelCode &code = plan.code;
  OpBuilder &b = code.b;
  Type i64 = b.getI64Type();
  auto number = [&](int64_t c) -> Value {
    return arith::ConstantIntOp::create(b, code.loc, i64, c);
  };
  Type element = cast<RankedTensorType>(operand.getType()).getElementType();
  int64_t bytes = codegen::getElementBytes(element);
  // As the run-time numbers them (GpuLaunch.c).
  int64_t kind = element.isInteger() ? 2
                 : element.isF32()   ? 3
                                     : element.isBF16();
  SmallVector<Value> args = {number(slot), number(kind), address, number(rows),
                             number(sizes.size())};
  for (int d = 0; d < TensorMap::kMaxRank; ++d)
    args.push_back(d >= int(sizes.size()) ? number(1)
                   : sizes[d].isStatic()
                       ? number(sizes[d].constant)
                       : arith::IndexCastOp::create(
                             b, code.loc, i64, code.materialize(sizes[d])));
  for (int d = 1; d < TensorMap::kMaxRank; ++d)
    args.push_back(
        d >= int(strides.size()) ? number(0)
        : strides[d].value
            ? arith::IndexCastOp::create(
                  b, code.loc, i64,
                  code.materialize(code.mul(Index::of(bytes), strides[d])))
            : number(bytes * strides[d].constant));
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

Value TensorMap::addConditions(codegen::KernelCode &code, Value can) const {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto require = [&](arith::CmpIPredicate how, Value x) {
    Value holds = arith::CmpIOp::create(b, loc, how, x, code.constant(0));
    can = arith::AndIOp::create(b, loc, can, holds);
  };
  for (const Stride &stride : strides) {
    if (!stride.value)
      continue;
    Value size = code.materialize(code.mul(Index::of(1), stride));
    require(arith::CmpIPredicate::sgt, size);
    if (stride.constant % kChunk)
      require(arith::CmpIPredicate::eq,
              arith::RemUIOp::create(b, loc, size, code.constant(kChunk)));
  }
  return can;
}

SmallVector<Value> TensorMap::placeBatch(MatMulPlan &plan, Int32 &i) const {
  codegen::KernelCode &code = plan.code;
  SmallVector<Value> coords;
  for (ArrayRef<unsigned> loops : batch) {
    Index at = Index::of(0);
    for (unsigned loop : loops) {
      size_t which = llvm::find(plan.batch, loop) - plan.batch.begin();
      at = code.add(code.mul(at, plan.batchSizes[which]), plan.at[loop]);
    }
    coords.push_back(i.from(code.materialize(at)));
  }
  return coords;
}
