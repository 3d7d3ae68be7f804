//===- Analysis.h - what kernels are made of --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_ANALYSIS_H
#define FX_CODEGEN_COMMON_ANALYSIS_H

#include "fx/CodeGen/Common/LoopLabels.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace fx::codegen {

/// The attribute of a root op that holds its schedule, a dictionary.
inline constexpr llvm::StringLiteral kScheduleAttr = "fx.schedule";
/// Marks kernel functions.
inline constexpr llvm::StringLiteral kKernelAttr = "fx.kernel";

/// A sum of products of two operands: f32 (or `isMixed`, or `isHalf`), or f64
/// (`isDouble`), or `isInteger`, then `a` is unsigned and `b` signed, of 8
/// bits, and the sum of
/// 32. Each loop is in one list. `a` may be read at sums of loops (a
/// convolution), `b` and the result may not; the result's last dimension is in
/// `n`. With a `groupSize` each product is scaled by a third operand, and the
/// sum is f32: so many terms of a column that follow each other have one scale.
struct Contraction {
  mlir::linalg::GenericOp op;
  unsigned a = 0, b = 1;
  bool isInteger = false;
  /// `b` holds signed integers of 8 bits, made floats where they are used.
  bool isMixed = false;
  /// `b` is bf16 or f16, `a` the same or f32; they are made f32 where they are
  /// used, and the sum is f32.
  bool isHalf = false;
  bool isDouble = false;
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
/// A GPU has no kernels for f64, and for halves only if both operands are.
std::optional<Contraction> matchContraction(mlir::Operation *op,
                                            bool forGPU = false);

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

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_ANALYSIS_H
