//===- Dequantized.h - floats that come from integers -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_KERNELS_INTEGERS_DEQUANTIZED_H
#define FX_LIB_KERNELS_INTEGERS_DEQUANTIZED_H

#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::kernel {

/// Weights with fewer elements are dequantized before the run.
inline constexpr int64_t kMinMixed = 256 * 1024;

/// Number of terms, each of magnitude at most 255 * 128, whose sum fits 32
/// bits.
inline constexpr int64_t kMaxTerms = (int64_t(1) << 31) / (255 * 128) - 1;

/// An f32 tensor that is dequantized from an 8-bit one: (q - zero) * scale.
struct Dequantized {
  mlir::linalg::GenericOp op;
  mlir::Value quantized;
  bool isUnsigned = false;
  mlir::Value zero;  ///< f32; null: 0
  mlir::Value scale; ///< f32; null: 1, or given by `scales`
  /// A tensor of scales, and the dimensions of `op`'s result that index it.
  mlir::Value scales;
  llvm::SmallVector<unsigned> axes;
  /// The ops that view, transpose and pad the result of `op`, the last first.
  llvm::SmallVector<mlir::Operation *> views;
};

/// Returns, if `op` transposes its operand, the operand's dimension for each
/// dimension of the result.
std::optional<llvm::SmallVector<int64_t>> matchTranspose(mlir::Operation *op);

/// Transposes `x`: dimension d of the result is dimension `from[d]` of `x`.
mlir::Value transpose(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                      llvm::ArrayRef<int64_t> from);

/// Matches a dequantized tensor behind views, transposes and pads with zeros.
std::optional<Dequantized> matchDequantize(mlir::Value tensor);

/// Applies the views, transposes and pads of `d` to `quantized`, a tensor of
/// the shape of `d.quantized`. Pads with `zero` (i32; null: 0).
mlir::Value replayViews(mlir::OpBuilder &b, mlir::Value quantized,
                        Dequantized &d, mlir::Value zero);

/// Erases the ops of `d` without uses. As dead users of the quantized tensor
/// they would prevent the fusion of the op that computes it.
void eraseDead(Dequantized &d);

/// A quantized tensor, viewed and padded, and its zero point (i32; null: 0).
struct ByteTensor {
  mlir::Value values, zero;
};
/// Returns the quantized tensor of `d` as unsigned or signed bytes. Bytes of
/// the other signedness are converted by an offset of 128, because the hardware
/// multiplies one combination of them.
ByteTensor makeBytes(mlir::OpBuilder &b, mlir::Location loc, Dequantized &d,
                     bool isUnsigned);

/// Returns the position of the result of `map` that is the dimension `loop`.
std::optional<unsigned> placeOf(mlir::AffineMap map, unsigned loop);

/// Returns the map from the dimensions of the result to those that `loops`
/// walk.
mlir::AffineMap columnsMap(Contraction &c, llvm::ArrayRef<unsigned> loops);

/// The reduction loop over the last dimension of the left operand, where
/// successive terms are contiguous, and the operands' dimensions that it walks.
struct Quads {
  unsigned loop = 0, inLeft = 0, inRight = 0;
};
/// Returns none if the number of terms is dynamic, zero or too large for sums
/// of 32 bits, or if no reduction walks the left operand's last dimension.
std::optional<Quads> matchQuads(Contraction &c);

/// How kernels read bytes. The right operand is signed. The number of terms
/// that are contiguous in the left operand is padded with zeros to a multiple
/// of `multiple`.
struct ByteLayout {
  /// Instructions of CPUs multiply four terms.
  int64_t multiple = 4;
  /// Terms are also contiguous in the right operand, in the order of the left
  /// one. Otherwise the kernel packs that operand.
  bool hasContiguousTerms = false;
  /// Whether the left operand is signed, too.
  bool isSigned = false;
  /// Returns the layout for a GPU, or for CPUs if `unit` is None.
  static ByteLayout get(MatrixUnit unit);
};

/// Returns the left operand of `c` in that layout.
mlir::Value layOutLeft(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value bytes, const Quads &quads,
                       const ByteLayout &layout);
/// A right operand, and its indexing map.
struct RightBytes {
  mlir::Value values;
  mlir::AffineMap map;
};
RightBytes layOutRight(mlir::OpBuilder &b, mlir::Location loc, Contraction &c,
                       mlir::Value bytes, const Quads &quads,
                       const ByteLayout &layout);

/// Creates the contraction with the loops of `c` of `left` and `right`, bytes
/// in that layout. It accumulates in i32.
mlir::Value multiplyBytes(mlir::OpBuilder &b, mlir::Location loc,
                          Contraction &c, mlir::Value left,
                          const RightBytes &right, const ByteLayout &layout);

/// Sums of an operand's terms (i32), and the loops of the contraction that walk
/// the sums.
struct TermSums {
  mlir::Value values;
  llvm::SmallVector<unsigned> loops;
};
/// Sums `bytes`, an operand of `c` with indexing map `map`, over the reduction
/// loops.
TermSums sumTerms(mlir::OpBuilder &b, mlir::Location loc, Contraction &c,
                  mlir::Value bytes, mlir::AffineMap map, bool isUnsigned);

/// Creates a tensor of `sizes` filled with zeros of type `element`.
mlir::Value makeZeros(mlir::OpBuilder &b, mlir::Location loc,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      mlir::Type element);

/// Returns true if the accumulators of `c` start at zero.
bool startsAtZero(Contraction &c);

/// Weights [columns, terms] whose scales and zero points, [columns, groups],
/// hold for `size` terms each: (p - z[n, k floordiv size]) * t[n, k floordiv
/// size].
struct GroupedWeight {
  mlir::linalg::GenericOp op;
  mlir::Value quantized, scales;
  mlir::Value zeros; ///< integers; null: 0
  int64_t size = 0;
  /// The views that split dimensions of the result, in order of application.
  llvm::SmallVector<mlir::tensor::ExpandShapeOp> views;
};
std::optional<GroupedWeight> matchGrouped(mlir::Value tensor);

/// Rewrites `c`, whose right operand is `w`, to a contraction of the quantized
/// weights whose products are scaled by group. Returns false if the operands do
/// not fit.
bool rewriteGrouped(Contraction &c, GroupedWeight &w);

/// Rewrites `c`, whose operands are both dequantized activations, to a
/// contraction of integers. Returns false if the operands do not fit.
bool rewriteActivations(Contraction &c, const ByteLayout &layout);

/// Rewrites `op` to a contraction of bytes in that layout if it is one of
/// signed bytes. `isState` says that the right operand depends on states alone.
/// Returns false if `op` is none or has the layout, if its operands do not fit,
/// or if that would take longer.
bool rewriteSigned(mlir::linalg::GenericOp op, const ByteLayout &layout,
                   bool isState);

/// Gives the groups of the remaining grouped weights a dimension again.
void splitGroups(mlir::func::FuncOp func);

} // namespace fx::kernel

#endif // FX_LIB_KERNELS_INTEGERS_DEQUANTIZED_H
