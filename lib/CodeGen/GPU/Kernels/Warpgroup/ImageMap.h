//===- ImageMap.h - images that the device copies by pixels -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_IMAGEMAP_H
#define FX_LIB_CODEGEN_GPU_IMAGEMAP_H

#include "../MatMulPlan.h"
#include "Warpgroup.h"

namespace fx::gpu {

/// The left operand of a convolution as the tensor of a tensor map in "im2col
/// mode". Its dimensions are channels, one or two spatial dimensions, and the
/// image. A row of the matmul is a pixel of the result. For a tap of the
/// window, the device copies channels of the pixels that the tap reads for
/// consecutive rows, over the ends of lines and of images.
struct ImageMap {
  /// The coordinate of a spatial dimension is `lower`, plus that of the
  /// result's pixel times `step`, plus that of the tap times `dilation`.
  struct Spatial {
    unsigned pixel = 0;          ///< a loop of M
    std::optional<unsigned> tap; ///< a loop of K
    int64_t step = 1, dilation = 1, taps = 1;
    /// The first coordinate of tap 0, which is negative if the convolution pads
    /// its input, and the last one minus that of the dimension.
    int64_t lower = 0, upper = 0;
  };
  llvm::SmallVector<Spatial, 2> spatial; ///< the innermost one first
  std::optional<unsigned> image;         ///< the loop of images, if any
  llvm::SmallVector<codegen::Index, 4> sizes;
  llvm::SmallVector<codegen::Stride, 4> strides; ///< in elements, static
  int64_t boxColumns = kBoxColumns; ///< channels of a copy: 128 bytes

  /// Returns none if the operand is not that of a convolution, or if its
  /// strides, sizes or windows are not what a tensor map can have.
  static std::optional<ImageMap> match(MatMulPlan &plan);
  int64_t channels() const { return sizes.front().constant; }
  /// Returns the number of pieces of K. A piece has `boxColumns` channels of
  /// one tap, or the last ones and zeros.
  int64_t countPieces() const;
  /// Emits host code that makes the tensor map for copies of channels of
  /// `pixels` pixels. The parameters are those of `TensorMap::make`.
  mlir::Value make(MatMulPlan &plan, int64_t slot, mlir::Value address,
                   int64_t pixels) const;

  /// The coordinates of tap 0 and the image, of i32.
  using Pixel = llvm::SmallVector<mlir::Value, 3>;
  /// Emits code that computes those of a row of the matmul.
  Pixel placeRow(MatMulPlan &plan, Int32 &i, const codegen::Index &row) const;
  struct Piece {
    mlir::Value tap, channel;
    /// The coordinates of the tap minus those of tap 0, of i16.
    llvm::SmallVector<mlir::Value, 2> offsets;
  };
  /// Emits code that computes the position of a piece, whose number is an i32.
  Piece placePiece(Int32 &i, mlir::Value number) const;

private:
  int64_t piecesOfTap() const {
    return llvm::divideCeil(channels(), boxColumns);
  }
  bool matchSpatial(MatMulPlan &plan, mlir::AffineExpr expr, int64_t low,
                    int64_t size);
  bool isInLimits() const;
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_IMAGEMAP_H
