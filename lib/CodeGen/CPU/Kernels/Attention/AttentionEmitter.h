//===- AttentionEmitter.h - softmax(Q K^T) V in one kernel ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_KERNELS_ATTENTION_ATTENTIONEMITTER_H
#define FX_LIB_CODEGEN_CPU_KERNELS_ATTENTION_ATTENTIONEMITTER_H

#include "../Emitters.h"
#include "fx/Kernels/Attention.h"
#include "fx/Kernels/KeyBounds.h"
#include "fx/Kernels/RowGather.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fx::cpu {

/// Emits an attention of f32, or of bf16 or f16 with sums in f32. A task
/// computes a block of rows: it walks the keys in blocks, whose scores stay in
/// the first- or second-level cache, and keeps for each row the maximum and the
/// sum of the softmax so far, and the sums of the values, which are scaled when
/// the maximum grows. (M. Milakov and N. Gimelshein, "Online normalizer
/// calculation for softmax", 2018; T. Dao et al., "FlashAttention", 2022.)
///
/// If the operands are bf16, or `kBF16Attr` allows it, the queries, the keys,
/// the terms of the softmax and the values are rounded to bf16 and multiplied
/// in pairs, by vdpbf16ps. A word of the memory of a task then has two adjacent
/// elements of a row; of the values, those of two adjacent keys in a column.
///
/// AMX multiplies such words in tiles of 16 rows by 16 columns.
///
/// Blocks of keys that a mask hides from all rows of the task are skipped.
/// Their keys and values are not read. Of other blocks, tiles of rows skip the
/// panels of keys outside of their bounds, if the mask has bounds.
///
/// Keys and values that the kernel gathers, such as those of a paged cache, are
/// read through the table of their pages. Those of few rows may be computed,
/// such as the numbers that the integers of a quantized cache stand for.
class AttentionEmitter {
public:
  explicit AttentionEmitter(KernelCode &code) : code(code) {}

  /// Finds the attention in the kernel and the labels of its loops. Returns
  /// false if there is none, or if an output does not follow its loops.
  bool analyse();
  void emit();

private:
  /// The labels of loops of `attention.scores` are the loops of
  /// `attention.values`. Its reduction loop has this label.
  static constexpr int kInner = -3;

  /// Queries, keys or values. The memory of gathered ones is that of the tensor
  /// that they are gathered from. For each key of a block, `offsets` has the
  /// offset of its row in there. Other ops compute elements as they are read.
  struct Operand {
    mlir::Value tensor;
    Buffer memory;
    std::optional<kernel::RowGather> gather;
    mlir::Value offsets;
    bool isComputed = false;
    mlir::Type element() const {
      return mlir::getElementTypeOrSelf(tensor.getType());
    }
  };

  //===--- the plan ------------------------------------------------------===//
  void chooseSizes();
  /// Returns whether the ops between the scores and the softmax read tensors or
  /// indices, as masks do, and keep the property that -inf added to a score, or
  /// chosen instead of it, hides a key whatever its score is.
  bool hasSkippableMask();
  llvm::SmallVector<int> labelScores();

  //===--- coordinates ---------------------------------------------------===//
  /// Returns the coordinates of a tensor whose dimensions have these labels.
  /// The lanes walk the dimension `lane`.
  Coords place(llvm::ArrayRef<int> labels, int lane = LoopLabels::kUnknown);
  Coords place(mlir::Value tensor, int lane = LoopLabels::kUnknown) {
    return place(labels.ofTensor(tensor), lane);
  }
  /// Finds the memory of an operand, or of the tensor that it is gathered from.
  /// Returns false if it has none and is not computed by pointwise ops.
  bool findMemory(mlir::Value tensor, Operand &operand);
  llvm::SmallVector<int> operandLabels(mlir::AffineMap map,
                                       llvm::ArrayRef<int> loops);
  /// Returns true if vectors of the operand along the dimension `lane` are
  /// contiguous in memory.
  bool isContiguous(const Operand &operand, llvm::ArrayRef<int> labels,
                    int lane);
  /// Sets the row to the one at `i` of the task. Past the last row of the
  /// tensor, it is the last row again.
  void placeRow(const Index &i);

  //===--- memory of a task ----------------------------------------------===//
  mlir::Value allocate(int64_t size);
  mlir::Value loadVector(mlir::Value memory, const Index &at);
  void storeVector(mlir::Value memory, const Index &at, mlir::Value v);
  mlir::Value loadScalar(mlir::Value memory, const Index &at);
  void storeScalar(mlir::Value memory, const Index &at, mlir::Value v);
  Index add(const Index &a, const Index &b) { return code.add(a, b); }
  Index mul(const Index &a, int64_t c) { return code.mul(a, Index::of(c)); }
  mlir::Value number(float c);
  /// Returns the number of elements in a word.
  int64_t depth() const { return usesPairs ? 2 : 1; }
  /// The same for the memory of the queries.
  int64_t queryDepth() const { return usesPairs || dotsPairs ? 2 : 1; }
  /// Load an element or a vector of an operand as f32, or as bf16.
  mlir::Value loadF32(Scope &scope, const Operand &operand,
                      const Coords &where);
  mlir::Value loadBF16(Scope &scope, const Operand &operand,
                       const Coords &where);
  mlir::Value load(Scope &scope, const Operand &operand, const Coords &where);
  /// Returns the memory of an element or a vector of a row, and where it is in
  /// there.
  std::pair<Buffer, Coords> locate(const Operand &operand, const Coords &where);
  /// Returns true if the rows of keys or values are adjacent in memory.
  bool isStream(const Operand &operand, llvm::ArrayRef<int> operandLabels,
                int64_t size);
  /// Prefetches a row of `size` elements, whose coordinate `index` has the
  /// label `lane`, if the CPU does not.
  void prefetchRow(const Operand &operand, llvm::ArrayRef<int> operandLabels,
                   int lane, Index &index, int64_t size);
  /// Returns words as vectors of bf16.
  mlir::Value asPairs(mlir::Value words);
  /// Adds the products of a word, and of the vectors of words `right`, to sums.
  void multiply(mlir::Value word, llvm::ArrayRef<mlir::Value> right,
                llvm::MutableArrayRef<mlir::Value> into);

  //===--- AttentionRanges.cpp: the keys that rows see --------------------===//
  /// Keys of the block, whole panels but for the last keys.
  struct Range {
    Index from, to;
  };
  /// Returns true if positions bound the keys of a row.
  bool isCausalInRows() const { return causal && int(causal->row) == row; }
  /// Rounds an end of keys up to a whole number of vectors, or to `numKeys`.
  Index wholeVectors(const Index &end);
  /// Returns the end of the keys that the last row of the task sees by its
  /// position, a whole number of vectors.
  Index endOfLastRow();
  /// Returns true if the keys that a tile of rows sees have bounds.
  bool isBounded() const;
  /// Returns the first key that the current row sees, and the end.
  std::pair<mlir::Value, mlir::Value> boundsOfRow(Scope &scope);
  /// Finds the keys of each tile of rows, and of all rows of the task.
  void findRanges(Scope &task);
  /// Returns the keys of the block that the tile of row `i` sees, which may be
  /// none: `to` is not greater than `from` then.
  Range rangeOf(const Index &i);
  /// Emits `body` so that it runs if the range has keys.
  void ifSeen(Scope &scope, const Range &range,
              llvm::function_ref<void(Scope &)> body);
  /// Returns the first panel of the block that a row of the task sees.
  Index firstPanel();

  //===--- the phases of a block of keys, from `key0` on ------------------===//
  void clear(Scope &task);
  /// Computes the offsets of the rows of keys or values that are gathered: of
  /// those of the block, and of `ahead` more.
  void locateRows(Scope &scope, const Operand &operand,
                  llvm::ArrayRef<int> labels, int64_t ahead);
  /// Copies the queries of the task: their rows then are at constant distances
  /// from each other, for which a tile needs one address.
  void copyQueries(Scope &task);
  /// Returns an i1: whether a row of the task sees a key of the block.
  mlir::Value emitIsVisible(Scope &scope);
  /// Copies the keys of the block to panels.
  void packKeys(Scope &scope);
  void packPanel(Scope &scope, const Index &panel);
  void packChunk(Scope &scope, const Index &first, const Index &to);
  /// Multiplies queries and keys, by panels or by dot products.
  void multiplyKeys(Scope &scope);
  void multiplyPanel(Scope &scope, const Index &i, const Index &panel);
  void multiplyDots(Scope &scope);
  /// Applies scale and mask to the scores of row `i`, and replaces them by the
  /// terms of the softmax.
  void updateRow(Scope &scope, const Index &i, const Range &range);
  /// Returns the input of the softmax for the current row and key, as a vector
  /// of f32.
  mlir::Value emitInput(Scope &scope);
  /// Applies scale and mask to the scores of row `i`. Returns their maximum.
  mlir::Value maximum(Scope &row, const Index &i, const Range &range);
  /// Replaces the scores of row `i` by the terms. Returns their sum.
  mlir::Value exponentiate(Scope &row, const Index &i, const Range &range,
                           mlir::Value max);
  /// Rounds the values of the block and stores them as words.
  void packValues(Scope &scope);
  /// Adds the terms times the values to the sums of the rows.
  void multiplyValues(Scope &scope);
  void multiplyColumns(Scope &scope, const Index &i, const Range &range,
                       const Index &column, int64_t vectors, int64_t last);
  void emitBlock(Scope &scope);
  /// Computes the outputs of row `i` of the task.
  void storeRow(Scope &scope, const Index &i);

  //===--- the same in tiles ----------------------------------------------===//
  /// Rows of words: row i begins at `first` + i * `stride` in `memory`.
  struct TileRows {
    mlir::Value memory;
    Index first;
    int64_t stride;
  };
  /// Sets the shapes of all tiles: 16 rows of 16 words.
  void configureTiles();
  /// Stores, or adds, the products of `tileRows` rows of words by `tileColumns`
  /// tiles of columns to `into`. `words` has the first word and the end.
  void multiplyTiles(Scope &scope, const TileRows &left, const TileRows &right,
                     const TileRows &into, int64_t tileColumns,
                     const Range &words, bool addsToSums);
  void multiplyPanelInTiles(Scope &scope, const Index &i, const Index &panel);
  /// Sets the words of terms and values behind the last key to 0.
  void clearLastWords(Scope &scope);
  void multiplyValuesInTiles(Scope &scope);

  /// Calls `body` with a loop over 0, or `from`, to `to`.
  void forEach(Scope &outer, const Index &to, int64_t step,
               llvm::function_ref<void(Scope &, const Index &)> body) {
    forEach(outer, Index::of(0), to, step, body);
  }
  void forEach(Scope &outer, const Index &from, const Index &to, int64_t step,
               llvm::function_ref<void(Scope &, const Index &)> body);
  /// Calls `body` for the vectors of keys of the block: `isLast` is set for the
  /// last one if it may have less than all lanes. The body updates `carried`.
  void forKeys(Scope &outer, const Range &range,
               llvm::SmallVector<mlir::Value> &carried,
               llvm::function_ref<void(Scope &, const Index &, bool isLast,
                                       llvm::MutableArrayRef<mlir::Value>)>
                   body);

  KernelCode &code;
  kernel::Attention attention;
  kernel::LoopLabels labels;
  llvm::SmallVector<mlir::Operation *> ops;
  std::optional<kernel::CausalMask> causal;
  bool skipsByMask = false;
  kernel::KeyBounds bounds;

  /// The index of each loop of `attention.values`, and of the inner loop.
  llvm::SmallVector<Index> at;
  Index inner;
  llvm::SmallVector<int> queryLabels, keyLabels, valueLabels;
  Operand queries, keys, values;
  int row = LoopLabels::kUnit; ///< the label of the rows of a task
  int column = 0;              ///< the label of the columns of the values
  Index numRows, numKeys;
  int64_t innerSize = 0, columns = 0;

  int64_t tileRows = 1;     ///< rows whose sums are in registers
  int64_t panelVectors = 2; ///< vectors of a row of scores in registers
  int64_t columnVectors = 2;
  int64_t taskRows = 1, blockKeys = 128;
  int64_t scoreStride = 0, sumStride = 0, queryStride = 0;
  /// Rows of keys are prefetched this number of keys ahead, and those of values
  /// in the order of the keys.
  int64_t keysAhead = 0;
  bool usesDots = false;  ///< scores are dot products along the inner dimension
  bool dotsPairs = false; ///< with the terms of these dot products in pairs
  bool usesPairs = false; ///< operands are rounded and multiplied in pairs
  bool usesTiles = false; ///< pairs are multiplied in tiles

  mlir::Value rowsOfQueries, scores, panels, sums, maxima, totals;
  mlir::Value pairsOfValues;        ///< if `usesPairs`
  Index row0, rowsHere, rowsPadded; ///< of the task
  Index keysBegin, keysEnd;         ///< of the keys that they see
  Index key0, count;                ///< of the block of keys
  /// The first key of each tile of rows, and the end; null: all keys.
  mlir::Value firstKeys, endKeys;
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_KERNELS_ATTENTION_ATTENTIONEMITTER_H
