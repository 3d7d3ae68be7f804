//===- FlashAttention.h - softmax(Q K^T) V in pieces ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes some rows of the result, each of its warps 16 or 32 of them,
// and iterates over the keys in pieces (FlashAttention-2, Dao 2023). The scores
// of a piece, their exponentials and the products with the values are in
// registers. Keys and values are copied to a ring of buffers in shared memory
// ahead of their use:
//
//   m = -inf; l = 0; y = 0
//   for each piece: wait for its copies; barrier; start those of a later piece
//     x = mask(Q K^T)               m' = max(m, x), 0 instead of -inf
//     p = exp(x - m')               s = exp(m - m')
//     l = s l + sum(p)              y = s y + p V;  m = m'
//
// Each thread keeps partial sums l; the lanes of a row add them at the end. The
// pointwise ops of the group compute x from the scores. Rows and keys beyond
// the end read the masks of the last row or key, and x is -inf for such keys.
// With a causal mask, pieces that no row of the block sees are skipped.
//
// If the rows are too few for the multiprocessors, as in the decode step of a
// language model, several blocks compute the same rows, each with a part of the
// keys. They store m, l and y of their part to a workspace, and a second launch
// combines the parts in their order (Flash-Decoding, Dao et al. 2023). A part
// without keys has m = -inf, l = 0 and y = 0.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_FLASHATTENTION_H
#define FX_LIB_CODEGEN_GPU_FLASHATTENTION_H

#include "../TileMatMul.h"

#include "fx/Kernels/KeyBounds.h"

namespace fx::gpu {

/// The base class is the plan of the second matmul, whose K are the keys.
/// `scores` is the plan of the first matmul, whose N are the keys.
struct FlashAttention : TileMatMul {
  explicit FlashAttention(codegen::KernelCode &code)
      : TileMatMul(code), scores(code) {}
  FlashAttention(const FlashAttention &) = default;
  virtual ~FlashAttention() = default;
  TileMatMul scores;
  kernel::Attention attention;
  std::optional<kernel::CausalMask> causal;
  /// Set if x is the scores times a constant, with at most a causal mask. Then
  /// the maxima are those of the scores, and their scale is a part of the
  /// exponents: exp(x - m) = 2^(scale log2(e) (score - max)).
  std::optional<kernel::ScaledScores> scaled;
  /// Bounds of the visible keys that follow from other masks.
  kernel::KeyBounds bounds;
  /// Pointwise ops before the softmax read a mask from memory for each key.
  bool readsMasks = false;
  /// Heads are so wide that the queries do not fit the registers of a warp.
  bool isWide = false;
  /// The number of parts of the keys, if a workspace for their results exists.
  codegen::Index keyParts = codegen::Index::of(1);
  /// The workspaces have room for the parts of any number of batches. Otherwise
  /// the host code decides whether keys are split.
  bool isAlwaysSplit = false;
  /// Blocks of the launch that is being emitted compute parts of the keys.
  bool isSplit = false;
  /// The workspaces: y, and pairs of m and l. The rows are those of all batches
  /// for each part. Rows of y have `tiles.n` elements.
  mlir::Value partProducts, partRows;

  // Values within the launch that is being emitted.
  /// The coordinates of the loops for each row of a thread's scores.
  llvm::SmallVector<llvm::SmallVector<codegen::Index>> rowAt;
  /// The block's part of the keys.
  codegen::Index part = codegen::Index::of(0);
  /// The number of the block's first row in the workspaces, minus `row0`.
  codegen::Index workspaceRow = codegen::Index::of(0);

  /// The running softmax of the rows of a thread: m, l and y of each row.
  struct Rows {
    llvm::SmallVector<mlir::Value> max, sum, acc;
  };

  //===--- The layout of scores and products in the lanes of a warp ------===//
  // The defaults are that of `TensorCore::multiply` and `Warpgroup::multiply`:
  // two rows for each part of 16 rows, and of each row two keys, or columns of
  // the result, of 8. Four lanes share a row.

  /// Return the number of rows of which a lane has scores, and of its keys in a
  /// piece.
  virtual int64_t laneRows() const { return 2 * parts(); }
  virtual int64_t laneKeys() const { return 2 * keyGroups(); }
  /// Returns the place of a lane's `row`-th row among the rows of the block.
  virtual mlir::Value rowInBlock(int64_t row);
  /// Returns the number of the lane among those that share its rows.
  virtual mlir::Value numberInRow();
  /// The lane's `n`-th key is the piece's key number `firstKey()` +
  /// `keyOffset(n)`.
  virtual mlir::Value firstKey();
  virtual int64_t keyOffset(int64_t n) const { return 8 * (n / 2) + n % 2; }
  /// Returns the place of a score among those of a lane.
  virtual int64_t scoreIndex(int64_t row, int64_t n) const {
    return 4 * (row / 2 * keyGroups() + n / 2) + row % 2 * 2 + n % 2;
  }
  /// Combines the values of a row that the lanes of the row have.
  virtual mlir::Value
  combineLanes(mlir::Value v,
               llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> op);
  /// Returns the first column of the lane's products; 0 in the first lane.
  virtual mlir::Value firstColumn();
  /// Multiplies the products of each row by its factor.
  virtual void rescale(llvm::MutableArrayRef<mlir::Value> acc,
                       llvm::ArrayRef<mlir::Value> factors);
  /// Stores the products of a row to the workspace from `to` on.
  virtual void storeProducts(const codegen::Index &to, int64_t row,
                             llvm::ArrayRef<mlir::Value> acc);
  /// Returns the larger number, or, of a number and NaN, one of them: NaN is
  /// also in the sum of the exponentials.
  virtual mlir::Value larger(mlir::Value x, mlir::Value y);
  /// Returns 2^x in f32. Subnormal results may be 0.
  virtual mlir::Value exp2(mlir::Value x) { return core.exp2(x); }

  //===--- EmitAttention.cpp: the kernel ---------------------------------===//
  /// Finds the attention and labels the loops of all ops. Returns false if the
  /// loops of the group do not agree.
  bool analyse();
  /// Orders the loops of the first matmul like those of the second, so that
  /// row numbers are the same in both.
  void mapLoops();
  virtual void chooseTiles();
  /// Sets the operands. Returns the results of `isAligned`.
  virtual llvm::SmallVector<mlir::Value> describeOperands();
  /// Returns true if there is a block of `rows` rows for each multiprocessor,
  /// or there may be.
  bool occupies(int64_t rows);
  /// Emits two launches, which copy operands in chunks and by elements, and the
  /// host code that chooses one of them.
  void emit();
  virtual void emitVersion(bool isAsync);
  void emitLaunch(bool isAsync);
  codegen::Index countBlocks();
  /// Places the block, its threads and `bytes` of shared memory.
  void beginBlock(Launch &launch, int64_t bytes, bool isDynamic);
  /// Computes the batch, the part and the first row of the block. With a causal
  /// mask, the first blocks get the last rows, which see most keys, so that the
  /// blocks that start last have the least work.
  void placeBlock(const Launch &launch);
  /// Returns the end of the keys that the rows of the block see.
  codegen::Index countKeys(codegen::Scope &scope);
  /// Returns true if the row of the causal mask is the innermost loop of M, so
  /// that the positions of the rows bound the keys of a block.
  bool boundsByPosition() const {
    return causal && !m.empty() && m.back() == causal->row;
  }
  /// Returns the greatest end of the keys before a last one, or the least first
  /// key, of the rows of the block: a number between 0 and `kSize`. All lanes
  /// of a warp call this.
  codegen::Index evalBound(codegen::Scope &scope, const kernel::KeyBound &bound,
                           bool isLast);
  /// Returns the pieces with keys that the rows of the block see.
  std::pair<codegen::Index, codegen::Index> seenPieces(codegen::Scope &scope);
  /// Returns a number of first keys that all rows of the block see.
  codegen::Index countCommonKeys();
  /// Returns the end of the pieces of keys from `first` to `end` that need no
  /// masks.
  codegen::Index endOfWholePieces(const codegen::Index &first,
                                  const codegen::Index &end);
  /// Returns the position of the block's first row in the loop of the causal
  /// mask.
  codegen::Index causalPosition();
  /// Starts the copies of the `piece`-th piece of keys and values to the stage
  /// at `stage`.
  void fetch(codegen::Scope &scope, Launch &launch, const codegen::Index &piece,
             mlir::Value stage);
  /// Calls `fetch` if `piece` is less than `end`. Ends the group of copies in
  /// any case, because `TensorCore::wait` counts groups.
  void fetchGuarded(codegen::Scope &scope, Launch &launch,
                    const codegen::Index &piece, const codegen::Index &end,
                    mlir::Value stage);
  /// Changes the plan to copies by elements, which need more registers.
  void planElementCopies();
  /// Sets `rowAt`. Rows beyond the end get the coordinates of the last row.
  void placeRows();
  /// Emits the prologue of the software pipeline: starts the copies of the
  /// queries and of the first pieces from `first` on, and waits for the
  /// queries. Returns the queries of each part if they are kept in registers.
  llvm::SmallVector<llvm::SmallVector<mlir::Value, 4>>
  startPipeline(Launch &launch, const codegen::Index &first,
                const codegen::Index &end);
  /// Emits the loops over the pieces of keys from `first` to `end`: over pieces
  /// that all rows of the block see, and over pieces with masks. Returns the
  /// rows after the last piece.
  Rows walkKeys(Launch &launch, const codegen::Index &first,
                const codegen::Index &end,
                llvm::ArrayRef<llvm::SmallVector<mlir::Value, 4>> queries);
  /// Emits one of these loops, over the pieces from `from` to `to`. `carried`
  /// are the maxima, sums and products, the stage to multiply, and the stage
  /// that the next copies write.
  void walkPieces(Launch &launch, const codegen::Index &from,
                  const codegen::Index &to, const codegen::Index &end,
                  llvm::ArrayRef<llvm::SmallVector<mlir::Value, 4>> queries,
                  bool isMasked, llvm::SmallVector<mlir::Value> &carried);
  /// Returns the rows among the values that the loop over the keys carries.
  Rows unpackRows(mlir::ValueRange carried) const;
  /// Returns the stage after `stage` in the ring. Both are offsets in bytes
  /// from the start of the ring.
  mlir::Value nextStage(mlir::Value stage);

  //===--- SplitKeys.cpp: parts of the keys ------------------------------===//
  /// Sets `keyParts`, and allocates the workspaces if there may be more than
  /// one part. Sizes that are not static are compared on the host. Returns the
  /// most parts that there may be.
  int64_t chooseParts();
  /// Returns the pieces of the block's part of those from `begin` to `end`.
  std::pair<codegen::Index, codegen::Index> partOf(const codegen::Index &begin,
                                                   const codegen::Index &end);
  /// Stores the block's rows to the workspaces.
  void storePart(Launch &launch, Rows rows);
  /// Emits the launch that combines the parts and passes the results to the
  /// other ops of the group, with a thread for each element.
  void combineParts();
  /// The largest number of parts. Their results are combined by one thread.
  static constexpr int64_t kMaxParts = 64;
  /// The second launch takes as long as some pieces, and longer for more rows.
  /// Keys are only split if blocks have at least so many pieces less.
  int64_t minSavedPieces() const { return 1 + 2 * tiles.warpsM; }

  //===--- FlashAttention.cpp: a piece of keys ---------------------------===//
  /// Returns the scores of a warp for a piece, matrices of 16 by 8 elements,
  /// row by row. `queries` are those of each part if they are kept in
  /// registers.
  llvm::SmallVector<mlir::Value>
  multiplyScores(mlir::Value stage,
                 llvm::ArrayRef<llvm::SmallVector<mlir::Value, 4>> queries);
  /// Replaces the scores of the keys from `key0` on with x.
  void mask(codegen::Scope &scope, const codegen::Index &key0,
            llvm::MutableArrayRef<mlir::Value> sums);
  /// The same if x is scaled scores: replaces the scores of the keys that a row
  /// does not see with -inf.
  void maskScores(const codegen::Index &key0,
                  llvm::MutableArrayRef<mlir::Value> sums);
  /// Updates the maxima of the rows, replaces each x with exp(x - maximum), and
  /// rescales and updates the sums of the rows. Returns for each row the factor
  /// of the products of earlier pieces.
  llvm::SmallVector<mlir::Value>
  softmax(Rows &rows, llvm::MutableArrayRef<mlir::Value> sums);
  /// Rounds the probabilities of part `p` for 16 keys from 16 `step` on. The
  /// sums of `TensorCore::multiply` and of `Warpgroup::multiply`, rounded, have
  /// the layout of their left operands, so no data moves between lanes.
  llvm::SmallVector<mlir::Value, 4>
  roundProbabilities(llvm::ArrayRef<mlir::Value> probabilities, int64_t p,
                     int64_t step);
  /// Adds the products of the probabilities and the values of a piece to
  /// `rows.acc`.
  void multiplyValues(mlir::Value stage,
                      llvm::ArrayRef<mlir::Value> probabilities, Rows &rows);
  /// Adds the partial sums of the lanes that share a row.
  void addLanes(Rows &rows);
  /// Calls `pass` to pass the products of each row to the other ops of the
  /// group: divided by the sum of the row, or with the sums of the rows in
  /// shared memory from `rowSums` on.
  void store(Rows rows, mlir::Value rowSums,
             llvm::function_ref<void(mlir::ValueRange acc)> pass);
  /// Returns the factor of x in the exponents of 2: log2(e), times the scale of
  /// the scores.
  float factor() const;
  /// Returns 2^(factor() x + minus).
  mlir::Value power(mlir::Value x, mlir::Value minus);
  /// Returns -factor() max, but 0 for the maximum -inf of a row that sees no
  /// key, so that its exponentials are 0.
  mlir::Value negated(mlir::Value max);

  /// Returns the number of parts of 16 rows of a warp.
  int64_t parts() const { return tiles.warpRows() / 16; }
  /// Return the number of groups of 8 keys of a piece, and of 8 columns of the
  /// result.
  int64_t keyGroups() const { return tiles.k / 8; }
  int64_t columnGroups() const { return tiles.n / 8; }
  /// Returns the number of pieces whose copies run ahead of their use.
  int64_t numAhead() const { return tiles.stages - 1; }
  /// Returns the size of a piece of keys and values.
  int64_t stageBytes() const {
    return scores.rhs.tile.bytes() + rhs.tile.bytes();
  }
  /// Returns true if registers hold the queries during the loop over the keys.
  /// Queries of 32 rows, or of wide heads, do not fit; they are loaded from
  /// shared memory for each piece.
  bool keepsQueries() const { return parts() == 1 && !isWide; }
  /// Returns the offset of the queries in shared memory: after the ring, or, if
  /// registers keep them, in the last stage, which is first written after they
  /// were loaded.
  int64_t queryBytes() const {
    return (tiles.stages - keepsQueries()) * stageBytes();
  }
  /// Returns the bytes of the ring and the queries, or of the memory that
  /// `finish` uses in their place if that is more. The sums of the rows follow.
  int64_t tileBytes() const {
    return std::max({tiles.stages * stageBytes(),
                     queryBytes() + scores.lhs.tile.bytes(), sumBytes()});
  }
  /// Returns the bytes of shared memory of a block.
  virtual int64_t sharedBytes() const {
    return tileBytes() + tiles.m * int64_t(sizeof(float));
  }
  /// Loads the queries of a warp: the 16 rows of part `p`, 16 elements from `k`
  /// on.
  llvm::SmallVector<mlir::Value, 4> loadQueries(int64_t p, int64_t k);
  mlir::Value number(float c);
};

/// Returns `x`, or 1 if that is more.
codegen::Index atLeastOne(codegen::KernelCode &code, const codegen::Index &x);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_FLASHATTENTION_H
