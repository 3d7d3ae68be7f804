//===- DotProducts.cpp - sums of dot products of words --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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
