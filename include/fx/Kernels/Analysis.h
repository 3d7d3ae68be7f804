//===- Analysis.h - what kernels are made of --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_ANALYSIS_H
#define FX_KERNELS_ANALYSIS_H

#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/LoopLabels.h"
#include "fx/Kernels/TargetInfo.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace fx::kernel {

/// Marks kernel functions.
inline constexpr llvm::StringLiteral kKernelAttr = "fx.kernel";

/// A contraction of two operands. Each loop is in one list. `a` may be read
/// at sums of loops (a convolution), `b` and the result may not; the result's
/// last dimension is in `n`. With a `groupSize` each product is scaled by a
/// third operand, and the sum is f32: so many terms of a column that follow
/// each other have one scale.
struct Contraction {
  mlir::linalg::GenericOp op;
  unsigned a = 0, b = 1;
  OperandKind kind = OperandKind::F32;
  bool isDouble() const { return kind == OperandKind::F64; }
  bool isInteger() const { return kind == OperandKind::Int8; }
  bool hasByteWeights() const { return kind == OperandKind::Int8Weights; }
  /// `b` is bf16 or f16.
  bool isHalf() const {
    return kind == OperandKind::Half || kind == OperandKind::HalfWeights;
  }
  int64_t groupSize = 0;
  llvm::SmallVector<unsigned> batch, m, n, k;
  mlir::Value lhs() { return op.getInputs()[a]; }
  mlir::Value rhs() { return op.getInputs()[b]; }
  mlir::AffineMap lhsMap() { return op.getIndexingMapsArray()[a]; }
  mlir::AffineMap rhsMap() { return op.getIndexingMapsArray()[b]; }
  mlir::Value scales() { return op.getInputs()[2]; }
  mlir::AffineMap scalesMap() { return op.getIndexingMapsArray()[2]; }
  mlir::AffineMap resultMap() { return op.getIndexingMapsArray().back(); }
  unsigned lastN() {
    mlir::AffineMap map = resultMap();
    return map.getDimPosition(map.getNumResults() - 1);
  }
};
/// The contraction that `op` is, of any kind or of one that `target` supports.
std::optional<Contraction> matchContraction(mlir::Operation *op,
                                            const TargetInfo &target = {});

/// The op that makes `v`, if it keeps the low four bits of signed bytes: what
/// it reads fits half of the memory.
mlir::linalg::GenericOp getNibbles(mlir::Value v);

/// Makes generics, the one form that the passes know, of named linalg ops.
/// Fills stay.
void generalizeNamedOps(mlir::ModuleOp module);

/// True for a generic without reductions whose body has vector code.
bool isPointwise(mlir::Operation *op);

/// A reduction: result i is combined by `combiners[i].op` from
/// `combiners[i].input`, a value of the body.
struct Combiner {
  mlir::Operation *op = nullptr;
  mlir::Value input;
};
std::optional<llvm::SmallVector<Combiner>> matchReduction(mlir::Operation *op);
mlir::vector::CombiningKind getCombiningKind(mlir::Operation *combiner);

/// True if the reduction has one reduction loop, which walks the last dimension
/// of an operand: a row kernel.
bool isRowReduction(mlir::linalg::GenericOp op);
/// True if its last result dimension walks an operand's last dimension.
bool isWindowReduction(mlir::linalg::GenericOp op);

/// How many operations of the body cost more than an addition.
int64_t bodyCost(mlir::linalg::GenericOp op);

} // namespace fx::kernel

#endif // FX_KERNELS_ANALYSIS_H
