//===- FlashAttention.h - softmax(Q K^T) V in pieces ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes some rows of the result, each of its warps 16 or 32 of them,
// and goes through the keys in pieces (FlashAttention-2, Dao 2023). The scores
// of a piece, their exponentials and the contractions with the values are
// in registers; keys and values are copied to a ring of buffers, ahead of their
// use:
//
//   m = -inf; l = 0; y = 0
//   for each piece: wait for it; barrier; start a later one
//     x = mask(Q K^T)               m' = max(m, x), 0 instead of -inf
//     p = exp(x - m')               s = exp(m - m')
//     l = s l + sum(p)              y = s y + p V;  m = m'
//
// The sums of l are of a thread until the end. What a row is and how x is made
// of the scores is the group's: any pointwise ops. Rows and keys beyond the end
// read the last ones' masks, and x is -inf there. Of a causal mask the pieces
// are left out that no row of the block sees.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_FLASHATTENTION_H
#define FX_LIB_CODEGEN_GPU_FLASHATTENTION_H

#include "../TileMatMul.h"

#include "fx/Kernels/Attention.h"

namespace fx::gpu {

/// The plan is that of the second matmul, whose K are the keys; `scores` that
/// of the first, whose columns they are.
struct FlashAttention : TileMatMul {
  explicit FlashAttention(codegen::KernelCode &code)
      : TileMatMul(code), scores(code) {}
  TileMatMul scores;
  kernel::Attention attention;
  std::optional<kernel::CausalMask> causal;
  /// Pointwise ops before the softmax read memory, at the keys' places.
  bool readsMasks = false;
  /// Heads have more elements than a warp has registers for.
  bool isWide = false;

  // Of the launch that is emitted: where the loops are in each of the rows that
  // a thread has scores of, by parts of 16, and how many keys the block's rows
  // see.
  llvm::SmallVector<llvm::SmallVector<codegen::Index>> rowAt;
  codegen::Index keys;

  /// The softmax of the rows of a thread, so far.
  struct Rows {
    llvm::SmallVector<mlir::Value> max, sum, acc;
  };

  //===--- EmitAttention.cpp: the kernel ---------------------------------===//
  /// False if the loops of the group do not agree.
  bool analyse();
  /// The loops of the first matmul in the order of those of the second, so
  /// that a row is the same in both.
  void mapLoops();
  void chooseTiles();
  /// Both launches: operands are copied by chunks where the host finds that
  /// they can be, else by elements.
  void emit();
  void emitLaunch(bool isAsync);
  /// Says where the block of `launch` begins. Rows that see most keys come
  /// first: blocks that start late are short.
  void placeBlock(const Launch &launch);
  /// How many of the first keys the rows of the block see.
  codegen::Index countKeys();
  /// Starts the copies of the `piece`-th piece of keys to the stage at `stage`.
  void fetch(codegen::Scope &scope, Launch &launch, const codegen::Index &piece,
             mlir::Value stage);
  /// The same if there are more than `piece` of the `pieces`. The group of
  /// copies ends in any case: `TensorCore::wait` counts groups.
  void fetchGuarded(codegen::Scope &scope, Launch &launch,
                    const codegen::Index &piece, const codegen::Index &pieces,
                    mlir::Value stage);
  /// Changes the plan to copies by elements, which need more registers.
  void planElementCopies();
  /// Sets `memory`: `bytes` of shared memory, static or dynamic.
  void placeSharedMemory(Launch &launch, int64_t bytes, bool isDynamic);
  /// Sets `rowAt`: places within the tensors, for rows beyond the end, too.
  void placeRows();
  /// The prologue of the software pipeline: starts the copies of the queries
  /// and of the first pieces, and waits for the queries. Returns those that
  /// registers keep, by parts.
  llvm::SmallVector<llvm::SmallVector<mlir::Value, 4>>
  startPipeline(Launch &launch, const codegen::Index &pieces);
  /// The loop over the pieces of keys; returns the rows after the last one.
  Rows walkKeys(Launch &launch, const codegen::Index &pieces,
                llvm::ArrayRef<llvm::SmallVector<mlir::Value, 4>> queries);
  /// The rows among the values that the loop over the keys carries.
  Rows unpackRows(mlir::ValueRange carried) const;
  /// The stage of the ring after `stage`, both in bytes from its start.
  mlir::Value nextStage(mlir::Value stage);

  //===--- FlashAttention.cpp: a piece of keys ---------------------------===//
  /// The scores of a warp: 16 by 8 each, by rows. `queries`, by parts, where
  /// they are kept.
  llvm::SmallVector<mlir::Value>
  multiplyScores(mlir::Value stage,
                 llvm::ArrayRef<llvm::SmallVector<mlir::Value, 4>> queries);
  /// Makes x of the scores of keys from `key0` on.
  void mask(codegen::Scope &scope, const codegen::Index &key0,
            llvm::MutableArrayRef<mlir::Value> sums);
  /// Makes exponentials of x, less the rows' maxima, which grow.
  void softmax(Rows &rows, llvm::MutableArrayRef<mlir::Value> sums);
  /// Adds the products of a piece. Sums of 16 by 8, rounded, are what a left
  /// operand's matrices are, lane by lane.
  void multiplyValues(mlir::Value stage,
                      llvm::ArrayRef<mlir::Value> probabilities, Rows &rows);
  /// Gives each row's sum, and the products, to the group's other ops.
  void store(Launch &launch, Rows rows);

  /// Parts of 16 rows that a warp has.
  int64_t parts() const { return tiles.warpRows() / 16; }
  /// Groups of 8 keys of a piece, and of 8 columns of the result.
  int64_t keyGroups() const { return tiles.k / 8; }
  int64_t columnGroups() const { return tiles.n / 8; }
  /// Pieces whose copies run ahead of their use.
  int64_t numAhead() const { return tiles.stages - 1; }
  /// A piece of keys and of values.
  int64_t stageBytes() const {
    return scores.rhs.tile.bytes() + rhs.tile.bytes();
  }
  /// Queries of 16 rows are in registers while keys go by; those of 32 rows, or
  /// of wide heads, are read again for each piece: all would be too many.
  bool keepsQueries() const { return parts() == 1 && !isWide; }
  /// Where queries lie: after the ring, or where the first piece goes that is
  /// fetched after they were read.
  int64_t queryBytes() const {
    return (tiles.stages - keepsQueries()) * stageBytes();
  }
  /// The ring and the queries, and what `finish` takes instead. The rows' sums
  /// follow.
  int64_t tileBytes() const {
    return std::max({tiles.stages * stageBytes(),
                     queryBytes() + scores.lhs.tile.bytes(), sumBytes()});
  }
  /// The queries of a warp, 16 rows of part `p` and 16 elements from `k` on.
  llvm::SmallVector<mlir::Value, 4> loadQueries(int64_t p, int64_t k);
  mlir::Value number(float c);
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_FLASHATTENTION_H
