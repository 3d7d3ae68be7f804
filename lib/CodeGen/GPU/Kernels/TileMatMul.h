//===- TileMatMul.h - tiles of matmuls for tensor cores ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels that multiply by mma.sync share: how tiles of the operands come
// to shared memory, by chunks that are copied beside the code or by elements,
// how warps read them as fragments, and how sums go through shared memory to
// the group's pointwise ops.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_TILEMATMUL_H
#define FX_LIB_CODEGEN_GPU_TILEMATMUL_H

#include "MatMulPlan.h"
#include "TensorCore/TensorCore.h"

namespace fx::gpu {

/// The tile of a block is m by n, of `warpsM` by `warpsN` warps; `stages` tiles
/// of the operands, k long, are in shared memory.
struct Tiles {
  int64_t m = 64, n = 64, k = 32, warpsM = 2, warpsN = 2, stages = 4;
  int64_t threads() const { return warpsM * warpsN * kWarp; }
  int64_t warpRows() const { return m / warpsM; }
  int64_t warpColumns() const { return n / warpsN; }
};

/// An operand of a matmul, and its tile in shared memory.
struct TileOperand {
  bool isLhs = true, isAlongK = true;
  /// Copied in chunks where `address` and `multiples` allow it.
  bool isAsync = false;
  SharedTile tile;
  /// What must be multiples of a chunk, in elements.
  llvm::SmallVector<mlir::Value> multiples;
  mlir::Value address; ///< of the first element, an i64 of the host
  mlir::Value pointer; ///< the same
};

struct TileMatMul : MatMulPlan {
  explicit TileMatMul(codegen::KernelCode &code)
      : MatMulPlan(code), i{code.b, code.loc},
        core{code.b, code.loc, mlir::Type()} {}
  Int32 i;
  TensorCore core;
  Tiles tiles;
  TileOperand lhs, rhs;
  /// Threads store runs of columns: where the host chooses the kernel that
  /// copies by chunks, all is aligned.
  bool hasRuns = false;

  // Of the launch that is emitted.
  mlir::Value memory; ///< shared
  mlir::Value thread, lane, warpRow, warpColumn;
  codegen::Index row0, column0;

  /// Describes an operand, whose tile follows from `tiles`.
  TileOperand describe(bool isLhs);
  /// Host code: whether the operand may be copied in chunks; null if it is not.
  mlir::Value isAligned(const TileOperand &operand);
  /// Emits the kernel that copies in chunks, which runs where all of `aligned`,
  /// as `isAligned` has them, and the results are; and that by elements.
  void emitVersions(llvm::ArrayRef<mlir::Value> aligned,
                    llvm::function_ref<void(bool isAsync)> emitLaunch);
  /// Says which thread of `launch` runs.
  void placeThread(const Launch &launch);
  /// Starts to copy the tile of an operand that begins at row (column) `first`
  /// and at `k0` of K; elements beyond the operand's end are zeros. What is
  /// copied by elements is there at the next barrier.
  void copyTile(codegen::Scope &scope, Launch &launch,
                const TileOperand &operand, const codegen::Index &first,
                const codegen::Index &k0, mlir::Value to);
  /// The matrices of 16 rows (columns of the right operand) from `first` on and
  /// 16 of k: for `TensorCore::multiply` one left operand, or two right ones.
  llvm::SmallVector<mlir::Value, 4> fragment(const TileOperand &operand,
                                             mlir::Value tile,
                                             mlir::Value first, int64_t k);
  /// Hands the sums to the group's pointwise ops, 16 rows of each warp at a
  /// time. They are 16 by 8 each, by rows, as `TensorCore::multiply` has them.
  void finish(Launch &launch, mlir::ValueRange acc);
  /// Elements of a row of sums in shared memory: 32 bytes of padding, for
  /// different banks.
  int64_t sumColumns() const { return tiles.n + 8; }
  int64_t sumBytes() const { return tiles.warpsM * 16 * sumColumns() * 4; }

private:
  bool canCopy(TileOperand &operand);
  void copyChunks(const TileOperand &operand, const codegen::Index &first,
                  const codegen::Index &k0, mlir::Value to);
  void copyElements(codegen::Scope &scope, Launch &launch,
                    const TileOperand &operand, const codegen::Index &first,
                    const codegen::Index &k0, mlir::Value to);
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_TILEMATMUL_H
