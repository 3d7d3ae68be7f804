//===- MatrixCore.cpp - instructions of AMD's matrix cores ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixCore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace fx::gpu;

// The instructions take bf16 as integers.
VectorType MatrixCore::chunkType() const {
  Type type = element.isBF16() ? Type(b.getI16Type()) : element;
  return VectorType::get({128 / type.getIntOrFloatBitWidth()}, type);
}

VectorType MatrixCore::sumType() const {
  return VectorType::get({side * side / kWave}, getSumType(element));
}

int64_t MatrixCore::steps() const { return element.isF32() ? 4 : 2; }

Value MatrixCore::part(Value chunk, int64_t step) {
  if (element.isInteger()) // eight bytes
    chunk = LLVM::BitcastOp::create(
        b, loc, VectorType::get({2}, b.getI64Type()), chunk);
  if (element.isInteger() || element.isF32()) {
    Value at = arith::ConstantIntOp::create(b, loc, b.getI32Type(), step);
    return LLVM::ExtractElementOp::create(b, loc, chunk, at);
  }
  SmallVector<int32_t> four;
  for (int32_t e = 0; e < 4; ++e)
    four.push_back(int32_t(4 * step) + e);
  return LLVM::ShuffleVectorOp::create(b, loc, chunk, chunk, four);
}

Value MatrixCore::multiply(Value x, Value y, int64_t step, Value sum) {
  // No broadcasts, permutations or negations.
  Value none = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0);
  Value args[] = {part(x, step), part(y, step), sum, none, none, none};
  auto emit = [&](auto op) -> Value {
    return decltype(op)::create(b, loc, sumType(), args);
  };
  bool isWide = side == 32;
  if (element.isF32())
    return isWide ? emit(ROCDL::mfma_f32_32x32x2f32())
                  : emit(ROCDL::mfma_f32_16x16x4f32());
  if (element.isInteger())
    return isWide ? emit(ROCDL::mfma_i32_32x32x16_i8())
                  : emit(ROCDL::mfma_i32_16x16x32_i8());
  if (element.isF16())
    return isWide ? emit(ROCDL::mfma_f32_32x32x8f16())
                  : emit(ROCDL::mfma_f32_16x16x16f16());
  return isWide ? emit(ROCDL::mfma_f32_32x32x8bf16_1k())
                : emit(ROCDL::mfma_f32_16x16x16bf16_1k());
}
