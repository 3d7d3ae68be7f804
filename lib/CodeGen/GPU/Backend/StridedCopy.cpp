//===- StridedCopy.cpp - copies between layouts ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedCopy.h"
#include "PointLaunch.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;

static Value constant(OpBuilder &b, Location loc, int64_t c) {
  return arith::ConstantIndexOp::create(b, loc, c);
}

Value fx::gpu::getAddress(OpBuilder &b, Location loc, Value buffer,
                          ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  Value offset;
  if (!type.getLayout().isIdentity() || !indices.empty()) {
    auto meta = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    offset = meta.getOffset();
    for (auto [index, stride] : llvm::zip(indices, meta.getStrides()))
      offset = arith::AddIOp::create(
          b, loc, offset, arith::MulIOp::create(b, loc, index, stride));
  }
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  if (offset) {
    Value bytes =
        constant(b, loc, codegen::getElementBytes(type.getElementType()));
    address = arith::AddIOp::create(
        b, loc, address, arith::MulIOp::create(b, loc, offset, bytes));
  }
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
}

/// Returns the strides of a buffer.
static SmallVector<int64_t> stridesOf(Value buffer) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(cast<MemRefType>(buffer.getType())
                 .getStridesAndOffset(strides, offset)))
    return {};
  return strides;
}

int64_t fx::gpu::getCopyWidth(memref::CopyOp op) {
  auto type = cast<MemRefType>(op.getSource().getType());
  // LLVM packs a vector of i1 into bits.
  if (type.getRank() == 0 || !type.getElementType().isIntOrFloat() ||
      type.getElementType().isInteger(1) ||
      type.isDynamicDim(type.getRank() - 1))
    return 1;
  int64_t width = kAlignment / codegen::getElementBytes(type.getElementType());
  for (Value buffer : {op.getSource(), op.getTarget()}) {
    SmallVector<int64_t> strides = stridesOf(buffer);
    if (strides.empty() || strides.pop_back_val() != 1)
      return 1;
    for (auto [d, stride] : llvm::enumerate(strides))
      while (type.getDimSize(d) != 1 && !ShapedType::isDynamic(stride) &&
             stride % width)
        width /= 2;
  }
  while (type.getShape().back() % width)
    width /= 2;
  return width;
}

Value fx::gpu::canCopyRuns(OpBuilder &b, memref::CopyOp op, int64_t width) {
  Location loc = op.getLoc();
  Type element = cast<MemRefType>(op.getSource().getType()).getElementType();
  int64_t bytes = width * codegen::getElementBytes(element);
  // All of these must be multiples of `bytes`.
  Value all = arith::ConstantIntOp::create(b, loc, b.getI64Type(), 0);
  for (Value buffer : {op.getSource(), op.getTarget()}) {
    all = arith::OrIOp::create(b, loc, all, getAddress(b, loc, buffer, {}));
    auto meta = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    for (auto [d, stride] : llvm::enumerate(stridesOf(buffer)))
      if (ShapedType::isDynamic(stride)) {
        Value step = arith::MulIOp::create(
            b, loc, meta.getStrides()[d],
            constant(b, loc, codegen::getElementBytes(element)));
        all = arith::OrIOp::create(
            b, loc, all,
            arith::IndexCastOp::create(b, loc, b.getI64Type(), step));
      }
  }
  Value rest = arith::RemUIOp::create(
      b, loc, all, arith::ConstantIntOp::create(b, loc, b.getI64Type(), bytes));
  return arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq, rest,
      arith::ConstantIntOp::create(b, loc, b.getI64Type(), 0));
}

void fx::gpu::launchCopy(OpBuilder &b, memref::CopyOp op, int64_t width) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getSource().getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    bool isLast = d + 1 == type.getRank();
    sizes.push_back(
        type.isDynamicDim(d)
            ? Value(memref::DimOp::create(b, loc, op.getSource(), d))
            : constant(b, loc, type.getDimSize(d) / (isLast ? width : 1)));
  }
  OpBuilder::InsertionGuard guard(b);
  std::optional<int64_t> moved = codegen::getStaticBytes(type);
  SmallVector<Value> at = launchPoints(
      b, loc, sizes, moved ? std::optional(2 * *moved) : std::nullopt);
  at.back() = arith::MulIOp::create(b, loc, at.back(), constant(b, loc, width));
  Type element = type.getElementType();
  auto vectorType = VectorType::get({width}, element);
  int64_t bytes = width * codegen::getElementBytes(element);
  auto load = vector::LoadOp::create(b, loc, vectorType, op.getSource(), at);
  load.setAlignment(bytes);
  auto store = vector::StoreOp::create(b, loc, load, op.getTarget(), at);
  store.setAlignment(bytes);
}
