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

/// The attribute of kernel functions.
inline constexpr llvm::StringLiteral kKernelAttr = "fx.kernel";

/// A contraction of two operands. `a` and `b` are the indices of the left and
/// the right input. Each loop is in one of the lists `batch`, `m`, `n`, `k`.
/// The left operand may be indexed by sums of loops (a convolution); the right
/// operand and the result may not. The last dimension of the result is in `n`.
/// If `groupSize` is not 0, each product is scaled by a third operand, and the
/// sum is f32: `groupSize` consecutive terms of a column share a scale.
struct Contraction {
  mlir::linalg::GenericOp op;
  unsigned a = 0, b = 1;
  OperandKind kind = OperandKind::F32;
  bool isDouble() const { return kind == OperandKind::F64; }
  /// Returns true if both operands are bytes. Which of the two kinds there is
  /// depends on the target.
  bool isInteger() const {
    return kind == OperandKind::Int8 || kind == OperandKind::SignedInt8;
  }
  /// Returns true if matrix units read both operands as bytes, along K.
  bool hasBytes() const { return isInteger() || kind == OperandKind::Float8; }
  /// Returns the type of the elements of input `i`, `a` or `b`: that which the
  /// bytes of eight-bit floats hold, or that of the tensor.
  mlir::Type getElement(unsigned i) const;
  bool hasByteWeights() const { return kind == OperandKind::Int8Weights; }
  /// Returns true if the right operand is bf16 or f16.
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
/// Returns true if the operands may be rounded to bf16: the product has
/// kBF16Attr.
bool mayRoundToBF16(const Contraction &contraction);

/// Returns true if a kernel of f32 and integers may round the f32 operand to 8
/// bits: kInt8Attr.
bool mayRoundToInt8(const Contraction &contraction);

/// Returns true if tensor cores may add all products of eight-bit floats:
/// kFastSumsAttr.
bool mayAddFast(const Contraction &contraction);

/// Allows the kernel of `product` the rounding that `contraction` allows.
void copyRounding(const Contraction &contraction, mlir::Operation *product);

/// Returns `op` as a contraction; nullopt if it is none, or if its kind is not
/// supported by `target`.
std::optional<Contraction> matchContraction(mlir::Operation *op,
                                            const TargetInfo &target = {});

/// Returns the number of points of the loops; nullopt if it is dynamic.
std::optional<int64_t> countPoints(mlir::linalg::GenericOp op,
                                   llvm::ArrayRef<unsigned> loops);

/// Returns the op that defines `v` if it maps each element of one tensor to an
/// element, else null.
mlir::linalg::GenericOp getElementMap(mlir::Value v);

/// Returns the op that defines `v` if it sign-extends the low four bits of
/// bytes, else null. Its input can be stored in half of the memory.
mlir::linalg::GenericOp getNibbles(mlir::Value v);

/// Returns the op that defines `v` if it extends f16 or bf16 to f32, else null.
/// Its input has half of the bytes.
mlir::linalg::GenericOp getExtension(mlir::Value v);

/// Converts named linalg ops except fills to generics, which are the only form
/// that the passes handle.
void generalizeNamedOps(mlir::ModuleOp module);

/// Returns true for a generic without reductions whose body has vector code.
bool isPointwise(mlir::Operation *op);

/// Returns true if a kernel can compute the pad. Kernels of CPUs read vectors
/// along the last dimension, which must be whole.
bool isEasyPad(mlir::Operation *op, const TargetInfo &target);

/// Returns true if `op` adds zeros around images, in the dimensions along which
/// the window of `contraction` moves, and the kernels of `contraction`, whose
/// left operand are the images, can read these as if the zeros were in memory.
/// Kernels for matrix units can.
bool isReadWithPadding(mlir::Operation *op, Contraction contraction,
                       const TargetInfo &target);

/// The operation of a reduction's body that combines `input`, a value of the
/// body, with the accumulator of one result.
struct Combiner {
  mlir::Operation *op = nullptr;
  mlir::Value input;
  /// The error of a sum of floats depends on the order of its elements.
  bool isFloatSum() const;
};
/// Returns the combiner of each result if `op` is a reduction, else nullopt.
std::optional<llvm::SmallVector<Combiner>> matchReduction(mlir::Operation *op);
mlir::vector::CombiningKind getCombiningKind(mlir::Operation *combiner);

/// Returns true if the reduction has one reduction loop, which indexes the last
/// dimension of an input, and no input whose last dimension is that of the
/// result is read along it. Such a reduction becomes a row kernel.
bool isRowReduction(mlir::linalg::GenericOp op);
/// Returns true if the loop of the result's last dimension indexes the last
/// dimension of an input. Such a reduction becomes a window kernel.
bool isWindowReduction(mlir::linalg::GenericOp op);

/// Returns true for a row of floats times a matrix that is stored in rows, and
/// not packed. On CPUs, it becomes a window kernel, which reads long parts of a
/// row and prefetches the next ones.
bool isRowTimesRows(Contraction c);

/// Returns the estimated cost of the body; the unit is an addition.
int64_t bodyCost(mlir::linalg::GenericOp op);

} // namespace fx::kernel

#endif // FX_KERNELS_ANALYSIS_H
