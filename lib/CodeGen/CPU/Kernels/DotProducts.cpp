//===- DotProducts.cpp - words and sums of their dot products -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::cpu;

Value fx::cpu::callIntrinsic(KernelCode &code, const Twine &name, Type result,
                             ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(code.b, code.loc, result,
                                       code.b.getStringAttr(name), operands)
      .getResult(0);
}

Value fx::cpu::addDotProducts(KernelCode &code, Value sum, Value left,
                              Value right) {
  bool isBF16 = getElementTypeOrSelf(right.getType()).isBF16();
  StringRef name =
      isBF16 ? "llvm.x86.avx512bf16.dpbf16ps." : "llvm.x86.avx512.vpdpbusd.";
  return callIntrinsic(code, name + Twine(32 * code.lanes), sum.getType(),
                       {sum, left, right});
}

Value fx::cpu::toBF16(KernelCode &code, Value v) {
  if (getElementTypeOrSelf(v.getType()).isBF16())
    return v;
  return arith::TruncFOp::create(code.b, code.loc,
                                 code.vectorType(code.b.getBF16Type()), v);
}

Value fx::cpu::joinBF16(KernelCode &code, Value low, Value high) {
  Value pairs = vector::InterleaveOp::create(code.b, code.loc, low, high);
  return vector::BitCastOp::create(code.b, code.loc,
                                   code.vectorType(code.b.getF32Type()), pairs);
}

Value fx::cpu::toPairs(KernelCode &code, llvm::ArrayRef<Value> halves) {
  OpBuilder &b = code.b;
  Value all = halves[0];
  int64_t size = code.lanes * halves.size();
  if (halves.size() == 2)
    all =
        vector::ShuffleOp::create(b, code.loc, halves[0], halves[1],
                                  llvm::to_vector(llvm::seq<int64_t>(0, size)));
  return vector::BitCastOp::create(
      b, code.loc, VectorType::get({size / 2}, b.getF32Type()), all);
}
