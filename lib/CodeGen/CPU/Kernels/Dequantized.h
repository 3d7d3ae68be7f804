//===- Dequantized.h - floats that come from integers -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_DEQUANTIZED_H
#define FX_LIB_CODEGEN_CPU_DEQUANTIZED_H

#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::cpu {

using namespace kernel;

/// Weights of fewer elements are made floats before the run.
inline constexpr int64_t kMinMixed = 256 * 1024;

/// Terms of at most 255 * 128 whose sum fits 32 bits.
inline constexpr int64_t kMaxTerms = (int64_t(1) << 31) / (255 * 128) - 1;

/// How an f32 tensor comes from an 8-bit one: (q - zero) * scale.
struct Dequantized {
  mlir::linalg::GenericOp op;
  mlir::Value quantized;
  bool isUnsigned = false;
  mlir::Value zero;  ///< f32, or none
  mlir::Value scale; ///< f32, or none: 1, or as `scales` says
  /// A tensor of scales, and the dimensions of `op`'s result that it walks.
  mlir::Value scales;
  llvm::SmallVector<unsigned> axes;
  /// What views, transposes and pads the tensor after that, the last first.
  llvm::SmallVector<mlir::Operation *> views;
};

/// Of an op that only moves elements, the operand's dimension that each of the
/// result is.
std::optional<llvm::SmallVector<int64_t>> matchTranspose(mlir::Operation *op);

std::optional<Dequantized> matchDequantize(mlir::Value tensor);

/// `quantized`, or another tensor of its shape, as `d` views, transposes and
/// pads it, with `zero` (i32; none: 0) around it.
mlir::Value replayViews(mlir::OpBuilder &b, mlir::Value quantized,
                        Dequantized &d, mlir::Value zero);

/// Erases the ops of `d` that nothing reads any more: a dead reader would keep
/// what makes the quantized tensor from fusing.
void eraseDead(Dequantized &d);

/// The quantized tensor as it is viewed and padded, as bytes with a sign or
/// without, and its zero point as i32 (none: 0). Those of the other kind become
/// these by an offset: the hardware's product is of an unsigned and a signed
/// factor.
struct ByteTensor {
  mlir::Value values, zero;
};
ByteTensor makeBytes(mlir::OpBuilder &b, mlir::Location loc, Dequantized &d,
                     bool isUnsigned);

/// `x` with zeros after dimension `dim`, up to a multiple of four elements.
mlir::Value padToQuads(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                       int64_t dim);

/// Where `map` gives `loop` alone.
std::optional<unsigned> placeOf(mlir::AffineMap map, unsigned loop);

/// The dimensions of the result that `loops` walk.
mlir::AffineMap columnsMap(Contraction &c, llvm::ArrayRef<unsigned> loops);

/// Whose terms lie four by four in the left operand: the loop over the last of
/// its dimensions, and where the operands have it.
struct Quads {
  unsigned loop = 0, inLeft = 0, inRight = 0;
};
/// None if the terms are too many for 32 bits, not known, or lie otherwise.
std::optional<Quads> matchQuads(Contraction &c);

/// The sums of the products of `left`, unsigned bytes, and `right`, signed
/// ones, in the loops of `c`, in i32.
mlir::Value multiplyBytes(mlir::OpBuilder &b, mlir::Location loc,
                          Contraction &c, mlir::Value left, mlir::Value right);

/// Sums of an operand's terms, i32, and the loops of the matmul that walk
/// them.
struct TermSums {
  mlir::Value values;
  llvm::SmallVector<unsigned> loops;
};
/// The sums of the terms of `bytes`, which `map` walks.
TermSums sumTerms(mlir::OpBuilder &b, mlir::Location loc, Contraction &c,
                  mlir::Value bytes, mlir::AffineMap map, bool isUnsigned);

/// A pointwise op on one tensor.
mlir::Value
mapElements(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
            mlir::Type element,
            llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                           mlir::Value)>
                fn);

/// A tensor of `sizes` of zeros, i32 or f32.
mlir::Value makeZeros(mlir::OpBuilder &b, mlir::Location loc,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      mlir::Type element);

/// True if the sums of `c` start at zero.
bool startsAtZero(Contraction &c);

/// Weights [columns, terms] whose scales, [columns, groups], hold for `size`
/// terms each: p * t[n, k floordiv size].
struct GroupedWeight {
  mlir::linalg::GenericOp op;
  mlir::Value quantized, scales;
  int64_t size = 0;
  /// What splits dimensions of the result, the first one first.
  llvm::SmallVector<mlir::tensor::ExpandShapeOp> views;
};
std::optional<GroupedWeight> matchGrouped(mlir::Value tensor);

/// Makes `c`, of such weights, a sum of scaled sums of integers.
bool rewriteGrouped(Contraction &c, GroupedWeight &w);

/// Makes `c`, of two tensors of activations, a contraction of integers.
bool rewriteActivations(Contraction &c);

/// Makes dimensions again of the groups that are left.
void splitGroups(mlir::func::FuncOp func);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_DEQUANTIZED_H
