//===- TileMatMul.h - tiles of matmuls for tensor cores ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of kernels that multiply with mma.sync or v_mfma: it copies
// tiles of the operands to shared memory, asynchronously in chunks (cp.async)
// or element by element, loads fragments of them into the registers of warps,
// and passes the sums through shared memory to the group's pointwise ops.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_TILEMATMUL_H
#define FX_LIB_CODEGEN_GPU_TILEMATMUL_H

#include "MatMulPlan.h"
#include "TensorCore/TensorCore.h"

namespace fx::gpu {

/// A block of `warpsM` by `warpsN` warps computes a tile of m by n elements.
/// Shared memory holds `stages` tiles of each operand, k elements long.
struct Tiles {
  int64_t m = 64, n = 64, k = 32, warpsM = 2, warpsN = 2, stages = 4;
  /// Rows in shared memory are padded, so that their chunks are not permuted.
  bool isPadded = false;
  /// Rows in shared memory extend along K even if the operand's do not.
  bool areAlongK = false;
  /// The rows of each warp that `TileMatMul::finish` passes on at a time.
  int64_t sumRows = 16;
  /// The number of threads of a warp, or of a wave of an AMD GPU.
  int64_t warp = kWarp;
  int64_t threads() const { return warpsM * warpsN * warp; }
  int64_t warpRows() const { return m / warpsM; }
  int64_t warpColumns() const { return n / warpsN; }
};

/// An operand of a matmul, and its tile in shared memory.
struct TileOperand {
  bool isLhs = true, isAlongK = true;
  /// The tile is copied in chunks if `address` and `multiples` allow it at run
  /// time.
  bool isAsync = false;
  SharedTile tile;
  /// Sizes and strides, in elements, that must be multiples of a chunk.
  llvm::SmallVector<mlir::Value> multiples;
  mlir::Value address; ///< of the first element, an i64 of the host
  mlir::Value pointer; ///< the same as a pointer
};

struct TileMatMul : MatMulPlan {
  explicit TileMatMul(codegen::KernelCode &code)
      : MatMulPlan(code), i{code.b, code.loc},
        core{code.b, code.loc, mlir::Type()} {}
  Int32 i;
  TensorCore core;
  Tiles tiles;
  TileOperand lhs, rhs;
  /// Threads store runs of columns. The host checks the alignment of all
  /// buffers when it chooses the kernel that copies in chunks.
  bool hasRuns = false;

  /// The number of parts of K that different blocks compute, the pieces of
  /// each, and the memory for their sums.
  int64_t numParts = 1, partPieces = 0;
  mlir::Value workspace;

  // Values within the launch that is being emitted.
  codegen::Index part, firstK, endK; ///< of K, and its elements
  mlir::Value memory;                ///< shared memory
  mlir::Value thread, lane, warpRow, warpColumn;
  codegen::Index row0, column0;

  /// Describes an operand. The shape of its tile follows from `tiles`.
  TileOperand describe(bool isLhs);
  /// Emits host code that tests whether the operand may be copied in chunks.
  /// Returns null if it is always copied by elements.
  mlir::Value isAligned(const TileOperand &operand);
  /// Emits host code that tests all conditions of `aligned` (results of
  /// `isAligned`, which may be null), and the alignment of the buffers if
  /// `hasRuns`. Returns null if all conditions are null.
  mlir::Value areAllAligned(llvm::ArrayRef<mlir::Value> aligned);
  /// Emits two launches: one that copies in chunks and runs if all conditions
  /// of `aligned` hold (results of `isAligned`, which may be null), and if the
  /// buffers are aligned where threads store runs; and one that copies by
  /// elements. Emits only the second if all conditions are null. Threads store
  /// runs if `mayHaveRuns` and the outputs permit it.
  void emitVersions(llvm::ArrayRef<mlir::Value> aligned,
                    llvm::function_ref<void(bool isAsync)> emitLaunch,
                    bool mayHaveRuns = true);
  /// Calls `emitVersions`. If the number of rows is dynamic and operands are
  /// copied in chunks, emits other launches for few of them: `emitFew` for at
  /// most 16 and at most 64 rows, if there may be so few. Operands that are not
  /// aligned are left to `emitVersions`.
  void emitByRows(llvm::ArrayRef<mlir::Value> aligned,
                  llvm::function_ref<void(int64_t rows)> emitFew,
                  llvm::function_ref<void(bool isAsync)> emitLaunch);
  /// Sets `memory` to `bytes` of static or dynamic shared memory.
  void placeSharedMemory(Launch &launch, int64_t bytes, bool isDynamic);
  /// Sets `thread`, `lane`, `warpRow` and `warpColumn`.
  void placeThread(const Launch &launch);
  /// Starts the copy of the tile of an operand that begins at row (column of
  /// the right operand) `first` and at `k0` of K to the shared memory at `to`.
  /// Elements beyond the operand's end are zeros. Copies by elements are
  /// complete at the next barrier.
  void copyTile(codegen::Scope &scope, Launch &launch,
                const TileOperand &operand, const codegen::Index &first,
                const codegen::Index &k0, mlir::Value to);
  /// Loads the four 8x8 matrices of 16 rows (columns of the right operand) from
  /// `first` on and 16 elements of K from `k` on; of f32, four 8x4 matrices and
  /// 8 elements of K; of bytes, 32 elements of K. They are one left operand of
  /// `TensorCore::multiply`, or two right ones.
  llvm::SmallVector<mlir::Value, 4> fragment(const TileOperand &operand,
                                             mlir::Value tile,
                                             mlir::Value first, int64_t k);
  /// Passes the sums to the group's pointwise ops, or stores them to the
  /// workspace if there are several parts, some rows of each warp at a time.
  /// `acc` holds the results of `TensorCore::multiply`, 16 by 8 elements each,
  /// row by row.
  void finish(Launch &launch, mlir::ValueRange acc);
  /// Does the same. `storeSums(r)` stores a warp's sums of the `sumRows` rows
  /// from its row `r` on to `memory`: a row-major matrix with `sumColumns`
  /// columns and `sumRows` rows for each of `warpsM` warps. Sums that are NaN
  /// are computed again if `repairsNaN`.
  void finish(Launch &launch, llvm::function_ref<void(int64_t)> storeSums,
              bool repairsNaN);
  /// Returns a pointer to the element at the given point of M (of N for the
  /// right operand) and K. `isStored` becomes a boolean that tells whether it
  /// is in memory, or null if there is no padding.
  /// A gathered operand needs the scope in which its table is read.
  mlir::Value elementPointer(const TileOperand &operand,
                             const codegen::Index &x, const codegen::Index &atK,
                             mlir::Value &isStored,
                             codegen::Scope *scope = nullptr);
  /// Returns the address of chunk `chunk` + `across` in row `row` + `below` of
  /// a tile at `memory`. If possible, these constants are an offset from an
  /// address without them, because this needs no register.
  mlir::Value locate(const SharedTile &tile, mlir::Value memory,
                     mlir::Value row, int64_t below, mlir::Value chunk,
                     int64_t across = 0);
  int64_t elementBytes() const {
    return core.element.getIntOrFloatBitWidth() / 8;
  }
  //===--- SplitK.cpp ----------------------------------------------------===//
  /// Splits K into parts if there are few tiles, or into at most `asked` parts.
  /// M must be static or have a bound.
  void chooseParts(std::optional<int64_t> asked);
  /// Sets `part` to that of a block of `tileCount` * `numParts`, and returns
  /// the block's tile.
  codegen::Index placePart(const codegen::Index &block,
                           const codegen::Index &tileCount);
  /// Sets `first` and `pieces` to the first piece of K of the part and the
  /// number of its pieces, and `firstK` and `endK`.
  void placePieces(codegen::Index &first, codegen::Index &pieces);

  /// Returns the elements of a row of sums in shared memory, including 32 bytes
  /// of padding that avoid bank conflicts.
  int64_t sumColumns() const { return tiles.n + 8; }
  int64_t sumBytes() const {
    return tiles.warpsM * tiles.sumRows * sumColumns() * 4;
  }

private:
  codegen::Index workspaceIndex(const codegen::Index &ofPart,
                                const codegen::Index &row,
                                const codegen::Index &column);
  void storePart(const codegen::Index &row, const codegen::Index &column,
                 llvm::ArrayRef<mlir::Value> sums);
  /// Computes the sum of the products of a row and a column from `firstK` to
  /// `endK` in f32, one product after the other.
  mlir::Value addProducts(codegen::Scope &scope, const codegen::Index &row,
                          const codegen::Index &column);
  /// Replaces those of `sums` that are NaN by the results of `addProducts`. The
  /// sums are those of a row, from `column` on, and are in shared memory at
  /// `address`.
  void repair(codegen::Scope &scope, const codegen::Index &row,
              const codegen::Index &column, mlir::Value address,
              llvm::SmallVectorImpl<mlir::Value> &sums);
  /// Returns the offset of an element of a tile in bytes.
  mlir::Value elementOffset(const TileOperand &operand, mlir::Value row,
                            mlir::Value column);
  bool canCopy(TileOperand &operand);
  mlir::Value removePadding(bool isLhs, codegen::Coords &where);
  /// Implement `copyTile` with asynchronous copies of chunks, or with a loop
  /// over the elements.
  void copyChunks(codegen::Scope &scope, const TileOperand &operand,
                  const codegen::Index &first, const codegen::Index &k0,
                  mlir::Value to);
  /// Copies the chunk `chunk` of row `row` + `below` of the tile.
  void copyChunk(codegen::Scope &scope, const TileOperand &operand,
                 const codegen::Index &first, const codegen::Index &k0,
                 mlir::Value to, mlir::Value row, int64_t below,
                 mlir::Value chunk);
  void copyElements(codegen::Scope &scope, Launch &launch,
                    const TileOperand &operand, const codegen::Index &first,
                    const codegen::Index &k0, mlir::Value to);
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_TILEMATMUL_H
