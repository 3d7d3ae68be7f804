//===- LowerMath.cpp - polynomials for math functions ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/CPU/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPULOWERMATH
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

namespace {
struct LowerMath : fx::cpu::impl::FXCPULowerMathBase<LowerMath> {
  void runOnOperation() override {
    if (failed(fx::cpu::approximateMath(getOperation())))
      return signalPassFailure();
    fx::cpu::expandVectorsInDouble(getOperation());
    fx::cpu::unrollLibmVectors(getOperation());
  }
};
} // namespace
