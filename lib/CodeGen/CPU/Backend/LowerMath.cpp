//===- LowerMath.cpp - polynomials for math functions -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/StringSet.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPULOWERMATH
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

/// Those whose approximation is within a few units in the last place over the
/// whole range of f32. sin, cos, atan and cbrt are not among them.
static bool isAccurate(StringRef op) {
  static const llvm::StringSet<> names = {"math.exp",  "math.expm1", "math.log", "math.log2",
                                          "math.log1p", "math.tanh", "math.erf"};
  return names.contains(op);
}

namespace {
struct LowerMath : fx::cpu::impl::FXCPULowerMathBase<LowerMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathF32ExpansionPatterns(patterns, isAccurate);
    populateMathPolynomialApproximationPatterns(patterns, isAccurate);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
