//===- SlidingWindow.h - windows that slide over an image -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_KERNELS_WINDOWS_SLIDINGWINDOW_H
#define FX_LIB_CODEGEN_CPU_KERNELS_WINDOWS_SLIDINGWINDOW_H

#include "WindowEmitter.h"

namespace fx::cpu {

/// Emits depthwise convolutions and pooling of channels-last images: reductions
/// whose input is read at `stride` * pixel + `dilation` * tap. The lanes walk
/// channels. A tile of pixels, of one or more rows of the result, has its sums
/// in registers, so that pixels of the image and weights are loaded once for
/// several results. Most tiles have no pixel outside of the image in a row;
/// the others are emitted apart. Rows outside of the image are skipped by a
/// branch.
class SlidingWindow {
public:
  /// Returns nullopt if the reduction has another form.
  static std::optional<SlidingWindow> match(WindowEmitter &window);
  void emit();

private:
  /// A dimension of the image over which the window slides.
  struct Axis {
    unsigned loop = 0;           ///< over pixels of the result
    std::optional<unsigned> tap; ///< the loop over the window
    int64_t taps = 1, stride = 1, dilation = 1;
    int64_t low = 0; ///< the padding in front
    bool isPadded = false;
    unsigned dim = 0; ///< of the image
  };
  /// The taps of a row of the image: rows of the result in a tile, and rows of
  /// the window.
  using Uses = llvm::SmallVector<std::pair<int64_t, codegen::Index>>;

  explicit SlidingWindow(WindowEmitter &w) : w(w), code(w.code) {}
  /// Describes the dimension of `image` that `loop` indexes.
  std::optional<Axis> matchAxis(unsigned loop);
  /// Sets the size of tiles.
  bool chooseTile();
  /// Returns the first tile of a row whose pixels are all inside of the image,
  /// and the end of these tiles, if the row has `count` tiles.
  std::pair<int64_t, int64_t> getInnerTiles(int64_t count);

  void emitTilesOfRow(codegen::Scope &task, const codegen::Index &tile,
                      const codegen::Index &count);
  /// Emits the pixels of the columns from `from` on, for all channels of the
  /// task.
  void emitTile(codegen::Scope &task, const codegen::Index &from,
                int64_t columns, bool isInner);
  /// As `emitTile` for one vector of channels. A maximum or minimum leaves NaN
  /// out, and is computed again by `emitWithNaN` where a pixel was NaN.
  void emitPixels(codegen::Scope &scope, const codegen::Index &from,
                  int64_t columns, bool isInner);
  /// Emits loops over these pixels, which keep NaN.
  void emitWithNaN(codegen::Scope &scope, const codegen::Index &from,
                   int64_t columns, bool isInner);
  /// Returns the results for these pixels, and sets `flags` if it is not null.
  llvm::SmallVector<mlir::Value> reducePixels(codegen::Scope &scope,
                                              const codegen::Index &from,
                                              int64_t columns, bool isInner);
  /// Stores the outputs for these pixels.
  void storePixels(codegen::Scope &scope, const codegen::Index &from,
                   int64_t columns, llvm::ArrayRef<mlir::Value> sums);
  /// Adds a row of the image to `sums`: row `offset` of those that the tile
  /// reads.
  void emitRow(codegen::Scope &scope, const codegen::Index &from,
               int64_t columns, const codegen::Index &offset, const Uses &uses,
               llvm::MutableArrayRef<mlir::Value> sums);
  /// Adds taps without a branch.
  void addTaps(codegen::Scope &scope, const codegen::Index &from,
               int64_t columns, const Uses &uses,
               llvm::MutableArrayRef<mlir::Value> sums);
  /// Returns true for a maximum or minimum that leaves NaN out (Extrema.h).
  bool leavesNaNOut();
  mlir::Value getSource() { return pad ? pad.getSource() : image->get(); }
  /// Returns true if the image is large, and its columns are contiguous.
  bool isLarge();
  /// Prefetches pixels of row `offset` of the image, counted from the first
  /// that the tile reads. Iterations over channels divide the columns of the
  /// tile, so that each of them reads contiguous lines.
  void prefetchRow(const codegen::Index &from, int64_t columns, int64_t offset);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate,
                      const codegen::Index &a, const codegen::Index &b);

  WindowEmitter &w;
  codegen::KernelCode &code;
  mlir::OpOperand *image = nullptr;
  mlir::tensor::PadOp pad; ///< that defines the image, or null
  std::optional<Axis> row; ///< the dimension in front of `column`
  Axis column;
  int64_t rows = 1, columns = 1; ///< of a tile
  bool unrollsRows = true;       ///< those of the window
  codegen::Index firstRow;       ///< of the tile of this task
  codegen::Index firstChannel, endChannel;
  /// Whether a tile prefetches the image for the tile below it. Its columns are
  /// short parts of rows, in which prefetchers of CPUs see no streams.
  bool prefetches = false;
  /// The lanes in which a pixel is NaN (Extrema.h); null if NaN is not left
  /// out.
  mlir::Value flags;
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_KERNELS_WINDOWS_SLIDINGWINDOW_H
