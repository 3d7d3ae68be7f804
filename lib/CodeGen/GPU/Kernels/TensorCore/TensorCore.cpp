//===- TensorCore.cpp - instructions of tensor cores ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorCore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fx::gpu;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value Int32::of(int64_t c) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), c);
}
Value Int32::from(Value index) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), index);
}
Value Int32::toIndex(Value v) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), v);
}
Value Int32::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}
Value Int32::mul(Value x, int64_t c) {
  return b.createOrFold<arith::MulIOp>(loc, x, of(c));
}
Value Int32::div(Value x, int64_t c) {
  return b.createOrFold<arith::DivUIOp>(loc, x, of(c));
}
Value Int32::rem(Value x, int64_t c) {
  return b.createOrFold<arith::RemUIOp>(loc, x, of(c));
}
Value Int32::exclusiveOr(Value x, Value y) {
  return b.createOrFold<arith::XOrIOp>(loc, x, y);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// Shared memory has 8 groups of banks, 16 bytes each. If a row has fewer than 8
// chunks, `together` rows cover all groups and share one permutation.
Value SharedTile::offset(Int32 &i, Value row, Value chunk) const {
  if (pairs) {
    Value group = i.rem(i.div(row, 4), 2 * pairs);
    Value place = i.add(i.div(group, 2), i.mul(i.rem(group, 2), pairs));
    Value others = i.mul(i.div(row, 8 * pairs), 8 * pairs);
    row = i.add(i.add(others, i.mul(place, 4)), i.rem(row, 4));
  }
  if (!isPermuted())
    return i.mul(i.add(i.mul(row, pitch()), chunk), kChunkBytes);
  int64_t together = std::max<int64_t>(1, 8 / chunks());
  Value by = i.rem(i.div(row, together), std::min<int64_t>(8, chunks()));
  return i.add(i.mul(row, chunks() * kChunkBytes),
               i.mul(i.exclusiveOr(chunk, by), kChunkBytes));
}

Value TensorCore::pointer(Value base, Value offset, unsigned space) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), space);
  return LLVM::GEPOp::create(b, loc, type, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Type fx::gpu::getSumType(Type element) {
  MLIRContext *ctx = element.getContext();
  return element.isInteger() ? Type(IntegerType::get(ctx, 32))
                             : Float32Type::get(ctx);
}

SmallVector<Value, 8> TensorCore::loadRun(Value address) {
  auto four = VectorType::get({4}, getSumType(element));
  Int32 i{b, loc};
  SmallVector<Value, 8> numbers;
  for (int64_t half = 0; half < 2; ++half) {
    Value from = half ? pointer(address, i.of(16), 3) : address;
    Value part = LLVM::LoadOp::create(b, loc, four, from, /*alignment=*/16);
    for (int64_t e = 0; e < 4; ++e)
      numbers.push_back(LLVM::ExtractElementOp::create(b, loc, part, i.of(e)));
  }
  return numbers;
}

void TensorCore::copyAsync(Value to, Value from, Value bytes) {
  NVVM::CpAsyncOp::create(b, loc, to, from, uint32_t(kChunkBytes),
                          NVVM::LoadCacheModifierKind::CG, bytes);
}

void TensorCore::commit() { NVVM::CpAsyncCommitGroupOp::create(b, loc); }

void TensorCore::wait(int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, b.getI32IntegerAttr(pending));
}

static SmallVector<Value, 4> unpack(OpBuilder &b, Location loc, Value four) {
  SmallVector<Value, 4> parts;
  for (int64_t i = 0; i < 4; ++i)
    parts.push_back(LLVM::ExtractValueOp::create(b, loc, four, i));
  return parts;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

SmallVector<Value, 4> TensorCore::loadMatrices(Value address,
                                               bool isTransposed) {
  MLIRContext *context = b.getContext();
  SmallVector<Type> four(4, b.getI32Type());
  Value all = NVVM::LdMatrixOp::create(
      b, loc, LLVM::LLVMStructType::getLiteral(context, four), address,
      /*num=*/4, isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltType::B16);
  return unpack(b, loc, all);
}

SmallVector<Value, 4> TensorCore::multiply(ArrayRef<Value> x, ArrayRef<Value> y,
                                           ArrayRef<Value> c) {
  SmallVector<Type> four(4, getSumType(element));
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), four);
  std::array<NVVM::MMALayout, 2> layouts = {NVVM::MMALayout::row,
                                            NVVM::MMALayout::col};
  if (element.isInteger()) {
    Value sum = NVVM::MmaOp::create(
        b, loc, type, x, y, c, ArrayRef<int64_t>{16, 8, 32}, std::nullopt,
        NVVM::MMAIntOverflow::wrapped,
        std::array<NVVM::MMATypes, 2>{NVVM::MMATypes::u8, NVVM::MMATypes::s8},
        layouts);
    return unpack(b, loc, sum);
  }
  bool isBF16 = element.isBF16();
  // The op takes two elements of f16 as a vector, two of bf16 as an integer.
  auto cast = [&](ArrayRef<Value> values) {
    SmallVector<Value> result(values);
    if (!isBF16)
      for (Value &v : result)
        v = LLVM::BitcastOp::create(b, loc, VectorType::get({2}, element), v);
    return result;
  };
  auto kind = isBF16 ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  Value sum = NVVM::MmaOp::create(
      b, loc, type, cast(x), cast(y), c, ArrayRef<int64_t>{16, 8, 16},
      std::nullopt, std::nullopt, std::array<NVVM::MMATypes, 2>{kind, kind},
      layouts);
  return unpack(b, loc, sum);
}

SmallVector<Value, 4> TensorCore::multiplyTF32(ArrayRef<Value> x,
                                               ArrayRef<Value> y,
                                               ArrayRef<Value> c) {
  SmallVector<Type> four(4, b.getF32Type());
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), four);
  constexpr auto kind = NVVM::MMATypes::tf32;
  Value sum = NVVM::MmaOp::create(
      b, loc, type, x, y, c, ArrayRef<int64_t>{16, 8, 8}, std::nullopt,
      std::nullopt, std::array<NVVM::MMATypes, 2>{kind, kind},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  return unpack(b, loc, sum);
}

std::pair<Value, Value> TensorCore::splitTF32(Value v) {
  Int32 i{b, loc};
  // TF32 has 13 bits less than f32, which the tensor cores ignore.
  Value high = arith::AndIOp::create(b, loc, v, i.of(~int64_t(0x1fff)));
  auto asFloat = [&](Value bits) {
    return LLVM::BitcastOp::create(b, loc, b.getF32Type(), bits);
  };
  Value rest = arith::SubFOp::create(b, loc, asFloat(v), asFloat(high));
  // Adding half of the last bit that remains to the bits would round the rest,
  // but make -0 of a GPU's NaN. The product adds a half to one of that bit. The
  // errors of products are smaller than with rounding, which does not make up
  // for the product of the rests that is left out.
  Value more =
      arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1.0f + 0x1p-11f));
  rest = arith::MulFOp::create(b, loc, rest, more);
  return {high, LLVM::BitcastOp::create(b, loc, b.getI32Type(), rest)};
}

Value TensorCore::roundTF32(Value v) {
  Value number = LLVM::BitcastOp::create(b, loc, b.getF32Type(), v);
  return NVVM::ConvertFloatToTF32Op::create(b, loc, b.getI32Type(), number,
                                            NVVM::FPRoundingMode::RNA);
}

Value TensorCore::loadWord(Value address) {
  return LLVM::LoadOp::create(b, loc, b.getI32Type(), address,
                              /*alignment=*/4);
}

Value TensorCore::pack(Value low, Value high) {
  Int32 i{b, loc};
  Value two =
      LLVM::PoisonOp::create(b, loc, VectorType::get({2}, low.getType()));
  two = LLVM::InsertElementOp::create(b, loc, two, low, i.of(0));
  two = LLVM::InsertElementOp::create(b, loc, two, high, i.of(1));
  two = LLVM::FPTruncOp::create(b, loc, VectorType::get({2}, element), two);
  return LLVM::BitcastOp::create(b, loc, b.getI32Type(), two);
}

Value TensorCore::exp2(Value x) {
  return LLVM::CallIntrinsicOp::create(
             b, loc, b.getF32Type(),
             b.getStringAttr("llvm.nvvm.ex2.approx.ftz"), ValueRange{x})
      .getResults();
}

Value TensorCore::shuffle(Value v, int64_t distance) {
  int64_t width = std::max<int64_t>(32, 2 * distance);
  return mlir::gpu::ShuffleOp::create(b, loc, v, distance, width,
                                      mlir::gpu::ShuffleMode::XOR)
      .getShuffleResult();
}
