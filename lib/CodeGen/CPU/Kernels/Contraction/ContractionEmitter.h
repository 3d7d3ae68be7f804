//===- ContractionEmitter.h - matmuls and convolutions ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H
#define FX_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H

#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/Analysis.h"

namespace fx::cpu {

using namespace codegen;
using namespace kernel;

/// A reduction loop, or several that both operands walk as one.
struct ReductionLoop {
  Index size;
  Stride a, b;
};

/// The offsets at which a step of the sum reads the operands, and from which it
/// prefetches the next panel.
struct StepOffsets {
  Index a, b, fetch;
  /// The offset from which a step prefetches the left operand for the next
  /// tile, and the number of its rows; 0 if it does not.
  Index nextA;
  int64_t nextRows = 0;
};

/// A loop of the forall: one of the kernel's loops outside of the tile, or the
/// loop over panels, or the loop over blocks of rows. A kernel's loop may be
/// divided into two: one over blocks of `step` iterations, and one within a
/// block.
struct TaskLoop {
  enum Kind { Outer, Panel, Block };
  Kind kind;
  unsigned loop = 0; ///< the kernel's loop, if `kind` is `Outer`
  Index size;
  int64_t step = 1;
};

/// Divides the loops over rows outside of the tile, from the outermost to the
/// innermost, at one of them: the loops before it, and blocks of `step` of its
/// iterations, are walked outside of the panels, and the others within a panel.
struct RowSplit {
  unsigned position;
  int64_t step;
};

/// The part of the result that an iteration of the forall computes: a panel of
/// columns, and the rows from `from` to `to`.
struct TaskTile {
  Index panel, from, to;
};

/// One row of f32 is multiplied by bytes or nibbles as integers, in blocks of
/// this number of terms. See ContractionFixedPoint.cpp.
inline constexpr int64_t kFixedPointTerms = 32;

/// Returns the number of vectors in a panel of the right operand: one if it has
/// no more columns, or else two. Panels for tiles have 16 or 32 columns.
int64_t getPanelVectors(Contraction &contraction, const TargetInfo &target);

/// Returns true if the contraction is to be computed in tiles. Its right
/// operand is packed, or is to be packed, in words.
bool usesTiles(Contraction &contraction, const TargetInfo &target);

/// Returns true if the right operand is packed in pairs of bf16 or f16 terms,
/// which the hardware multiplies without a conversion to f32.
bool isPackedInPairs(Contraction &contraction);

/// Returns the number of words of a step in tiles, of the `words` words of a
/// column: a divisor, so that no step is shorter.
int64_t getTileWords(int64_t words);

/// Returns true if tiles are faster than vectors for `rows` rows, which may be
/// dynamic, and columns of `words` words.
bool paysTiles(int64_t rows, int64_t words);

/// Returns true if the sums of a contraction with a packed right operand can be
/// computed part by part: sums of floats that are stored as such.
bool allowsParts(const Contraction &contraction);

/// Returns the bytes of a tensor, with 1 for dynamic sizes.
int64_t getLeastBytes(mlir::Value tensor);

/// Emits one kernel. Call `analyse`, then `emit`.
struct ContractionEmitter {
  KernelCode &code;
  Contraction info;
  llvm::SmallVector<mlir::Operation *> ops;
  LoopLabels labels;
  // The schedule.
  int64_t rows = 8, vectors = 2, rowBlock = 0, prefetch = 0;
  int64_t panelVectors = 2; ///< of a panel in memory; the last panel may
                            ///< compute fewer `vectors`
  bool panelsFirst = true;
  bool tiles = false;
  int64_t terms = 0;
  // Operands.
  const Buffer *a = nullptr, *b = nullptr;
  const Buffer *t = nullptr; ///< the scales of groups, in panels
  bool packed = false;
  bool nibbles = false;   ///< two terms of `b` lie in a byte
  bool byteQuads = false; ///< four bytes of a column that f32 is multiplied by
                          ///< are contiguous
  bool pairs = false;     ///< two terms of bf16 or f16 are multiplied at once
  llvm::SmallVector<Stride> aStride, bStride, tStride; // by loop
  Stride panelStride, groupStride;
  // Loops: those outside of the tile, of its rows and columns, and reductions.
  llvm::SmallVector<unsigned> outer;
  std::optional<unsigned> mLoop, mMerged; // mMerged: walked as part of mLoop
  std::optional<unsigned> quadLoop;       // a step takes `depth` terms of it
  unsigned nLoop = 0;
  Index mSize = Index::of(1), nSize;
  llvm::SmallVector<ReductionLoop> reductions;
  bool masked = false;
  // The current position of each loop.
  llvm::SmallVector<Index> at;
  Index aBase, bBase, tBase, column;
  llvm::SmallVector<mlir::Value> masks;
  // Of an iteration of the forall: the number of its first tile among those
  // that use the panel, and its first row.
  Index firstTile, firstRow;
  // The number of parts of the next panel that a tile prefetches if the number
  // of tiles is known at run time only; null: one.
  mlir::Value fetchScale;
  /// The number of rows to the tile whose epilogue a tile prefetches for: the
  /// next one in a loop over tiles, or the tile itself.
  int64_t nextTile = 0;
  // The left operand as integers, see ContractionFixedPoint.cpp: the bytes of
  // all terms, the low ones first; for each block of terms the scale, and what
  // its sums contain in excess; whether all terms are finite, or null if rows
  // with other terms have no other code.
  struct {
    mlir::Value bytes, scales, offsets, isFinite;
  } fixed;
  // The words of the left operand, if the weights are converted to pairs.
  mlir::Value pairsOfLeft;
  // The sums of the rows of a task, if all rows multiply one part of the panel
  // after the other, see ContractionParts.cpp.
  struct {
    mlir::Value sums;
    /// The loops within a part, and the size of the first one of the current
    /// part, which is shorter if it is the last.
    llvm::SmallVector<ReductionLoop, 2> loops;
    Index size;
    Index a, b; ///< offsets of the current part
  } part;
  // The configuration of the tiles, and the sums that they store.
  mlir::Value tileConfig, tileSums;

  explicit ContractionEmitter(KernelCode &code) : code(code) {}
  /// Finds the contraction, its schedule, operands and strides. Returns false
  /// if the kernel has another form.
  bool analyse();
  /// Finds the contraction and labels the loops of the other ops.
  bool analyseOps();
  bool strides();
  /// Adds `factor` times `expr`, a part of the index in dimension `d` of the
  /// left operand, to the strides of its loops. Returns false if two strides of
  /// a loop cannot be added.
  bool addLeftStrides(unsigned d, mlir::AffineExpr expr, int64_t factor);
  /// Finds the strides of a packed right operand. Returns false if the kernel
  /// has another form.
  bool packedStrides(kernel::UnpackOp unpack);
  /// Finds the strides of the scales of groups. Returns false if the kernel has
  /// another form.
  bool scaleStrides();
  /// Divides the loops into rows, columns, reductions, and those outside of the
  /// tile. Returns false if the groups are no parts of one reduction loop.
  bool chooseLoops();
  /// Chooses the loop of the tile's rows: the last of the M loops `ms`, merged
  /// with the one before if both can be walked as one. Removes them from `ms`.
  void chooseRows(llvm::SmallVectorImpl<unsigned> &ms);
  /// Returns true if `first` and `second`, the inner loop, can be walked as one
  /// in all operands and results. `mSize` must be the size of `second`.
  bool canMergeRows(unsigned first, unsigned second);
  /// Chooses the reduction loops, by descending stride of the left operand, and
  /// merges adjacent ones.
  void chooseReductions();
  bool isUnit(unsigned loop) {
    return info.op.getStaticLoopRanges()[loop] == 1;
  }
  void setVectors(int64_t count) { vectors = panelVectors = count; }
  /// Returns the number of columns of a panel.
  int64_t panel() const { return panelVectors * code.lanes; }
  /// Returns the number of terms of a step: for integers and pairs of bf16, the
  /// four or two that the hardware multiplies and adds at once; for nibbles and
  /// `byteQuads`, those of four bytes.
  int64_t depth() const {
    return nibbles ? 8 : info.isInteger() || byteQuads ? 4 : pairs ? 2 : 1;
  }
  /// Returns the number of terms that are contiguous in a packed column.
  int64_t innerTerms() const { return std::min<int64_t>(depth(), 4); }
  /// Returns the number of stored elements of the right operand that a step
  /// reads for a vector of sums.
  int64_t width() const { return innerTerms() * code.lanes; }
  /// Returns the current coordinates of a tensor with labels `of`.
  Coords coords(llvm::ArrayRef<int> of);
  Index prefetchStart(const Index &row, llvm::ArrayRef<ReductionLoop> loops,
                      const Index &bOff);
  void emitPrefetch(const Index &bAt, const Index &next, int64_t unrolled);
  /// Returns the element type of the result: i32, f32 or f64.
  mlir::Type sumType();
  /// Returns the zero at which the sums start; of the sums within a group if
  /// there are groups.
  mlir::TypedAttr zeroSum();
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value loadRight(const Index &at, int64_t vector);
  mlir::Value loadLeft(const Index &at);
  /// Loads four words of the left operand's row at `at`, as a vector of four
  /// numbers: four elements, or four times what `loadLeft` returns.
  mlir::Value loadQuad(const Index &at);
  /// Inverts the highest bit of each byte of `words` if `isOffset`.
  mlir::Value flipSigns(mlir::Value words);
  /// Returns the number of steps of the last of `loops` whose elements of the
  /// left operand are loaded at once, of each row: NEON multiplies by one lane
  /// of a vector. 1: each step loads its own elements.
  int64_t getQuadSteps(llvm::ArrayRef<ReductionLoop> loops);
  /// Returns true if bytes are multiplied by sdot alone. The left operand's
  /// bytes u are then read as signed, as u - 128. The tile has an additional
  /// row of sums whose left operand is -128 everywhere, which is subtracted
  /// from the others: sum u b = sum (u - 128) b - sum -128 b.
  bool isOffset() const {
    return info.isInteger() && code.machine.isNEON && code.machine.hasByteDot &&
           !code.machine.hasMixedDot;
  }
  /// Returns the number of parts of a step. A part takes depth() / numParts()
  /// terms of the left operand.
  int64_t numParts() const {
    return byteQuads ? 4 : !nibbles ? 1 : info.isInteger() ? 2 : 8;
  }
  /// Returns the vectors of part `part`, of the right operand's vectors `right`
  /// of a step.
  llvm::SmallVector<mlir::Value> getPart(mlir::ArrayRef<mlir::Value> right,
                                         int64_t part);
  /// Returns the factor by which `getPart` multiplies nibbles, and thus the
  /// sums.
  double unit() const { return nibbles && info.isInteger() ? 16 : 1; }
  /// Adds the products of `left`, a number or a vector with equal lanes, and
  /// the vectors `right` to the sums of one row.
  void multiply(mlir::ArrayRef<mlir::Value> right, mlir::Value left,
                mlir::MutableArrayRef<mlir::Value> sums);
  /// Adds dot products of words of `left` and `right`, by NEON's instructions.
  void multiplyNEON(mlir::ArrayRef<mlir::Value> right, mlir::Value left,
                    mlir::MutableArrayRef<mlir::Value> sums);
  /// Returns the sums of `count` rows from `row` on: `vectors` for each row.
  llvm::SmallVector<mlir::Value> accumulate(Scope &scope, const Index &row,
                                            int64_t count);
  /// Returns the sums over `loops` of `count` rows. The operands are read from
  /// `aOff` and `bOff` on; if `fetches`, the sum prefetches from `pOff` on.
  llvm::SmallVector<mlir::Value> sum(Scope &scope,
                                     llvm::ArrayRef<ReductionLoop> loops,
                                     Index aOff, Index bOff, Index pOff,
                                     bool fetches, int64_t count);
  /// Returns the number of steps of the last of `loops` that have separate
  /// accumulators: with few sums, several steps keep the multipliers busy.
  int64_t chooseUnroll(llvm::ArrayRef<ReductionLoop> loops, int64_t count);
  /// Adds the products of one step to `sums`, those of some rows. `unrolled` is
  /// the number of the step in its iteration. If `quads` is not empty, it has a
  /// vector of `loadQuad` for each row, which every fourth word loads again.
  void emitStep(const StepOffsets &from, bool fetches, int64_t unrolled,
                llvm::MutableArrayRef<mlir::Value> sums,
                llvm::MutableArrayRef<mlir::Value> quads = {});
  /// Opens the loops of a sum. An iteration of the last one has `steps` steps.
  /// The loops carry `acc`. Advances `from` to the position in the innermost
  /// body.
  llvm::SmallVector<mlir::scf::ForOp>
  beginSum(Scope &scope, llvm::ArrayRef<ReductionLoop> loops, int64_t steps,
           bool fetches, StepOffsets &from,
           llvm::SmallVector<mlir::Value> &acc);
  /// Emits what remains after the last loop of `nest`, which has `steps` steps
  /// in an iteration and is already closed. `from` holds the offsets before all
  /// loops.
  void emitRemainder(Scope &scope, llvm::ArrayRef<ReductionLoop> loops,
                     llvm::ArrayRef<mlir::scf::ForOp> nest, int64_t steps,
                     StepOffsets from, llvm::MutableArrayRef<mlir::Value> sums);
  /// Loads the scales of a group for the columns of the panel, `vectors`
  /// vectors.
  llvm::SmallVector<mlir::Value> loadScales(const Index &group);
  /// As `sum`, for contractions with groups: scales the sum of each group.
  llvm::SmallVector<mlir::Value> sumGroups(Scope &scope, Index aOff, Index bOff,
                                           Index pOff, bool fetches,
                                           int64_t count);
  /// Returns the stride of the prefetch offset for stride `s` of the panel: a
  /// tile prefetches 1 / `prefetch` of the next panel, times `fetchScale`.
  Stride fetchStride(Stride s) const {
    s.constant /= std::max<int64_t>(prefetch, 1);
    if (fetchScale)
      s.value = fetchScale;
    return s;
  }
  /// Returns true if a tile of `count` rows, summed over `loops`, prefetches
  /// the left operand for the next one: rows that are contiguous, and in
  /// memory. The tile reads a few bytes of each row in turn, in which the
  /// prefetcher of the CPU sees no stream.
  bool fetchesLeft(llvm::ArrayRef<ReductionLoop> loops, int64_t count);
  /// Sets `fetchScale` for `count` rows.
  void scalePrefetch(const Index &count);
  /// Prefetches the elements that the epilogue reads for `count` rows from
  /// `row` on.
  void prefetchEpilogue(const Index &row, int64_t count);
  /// Returns true if weights of bytes or nibbles are converted to f32 once for
  /// many rows.
  bool decodes();
  /// Returns true if they are converted to pairs of bf16 instead.
  bool decodesToPairs();
  /// Returns the rows of a tile then.
  int64_t decodedRows();
  /// Converts the `terms` terms of the panel from `first` on to f32 or pairs.
  void decodePart(Scope &scope, mlir::Value memory, const Index &first,
                  const Index &terms);
  /// Returns the number of elements after the rounded left operand, so that the
  /// last tile of rows can be whole: rows are at constant distances then. 0 if
  /// their distance is dynamic.
  int64_t padding();
  /// Returns the number of elements of the left operand, whose dimensions are
  /// loops.
  Index leftSize();
  /// Emits `body` for every `step`-th element of the left operand, in tasks.
  void forLeft(Scope &scope, int64_t step,
               llvm::function_ref<void(const Index &at)> body);
  /// Rounds the left operand to pairs of bf16, in `pairsOfLeft`.
  void roundLeftToPairs(Scope &scope);
  /// Loads the vectors of term or pair `k` of what `decodePart` stored.
  llvm::SmallVector<mlir::Value> loadDecoded(mlir::Value weights,
                                             const Index &k);
  /// Add the products with these terms, `weights`, to the sums `acc` of a tile.
  /// The left operand is read at `left`, in its own memory or `pairsOfLeft`.
  void multiplyFloats(Scope &scope, mlir::Value weights,
                      llvm::ArrayRef<Index> left, const Index &terms,
                      llvm::SmallVector<mlir::Value> &acc);
  void multiplyPairs(Scope &scope, mlir::Value weights,
                     llvm::ArrayRef<Index> left, const Index &terms,
                     llvm::SmallVector<mlir::Value> &acc);
  /// Adds the products with these terms, `weights`, to the sums of the rows
  /// from `row` + `tile` on, which are in `sums` from `tile` on. `last` is the
  /// last row.
  void multiplyDecoded(Scope &scope, mlir::Value weights, mlir::Value sums,
                       const Index &row, const Index &tile, const Index &last,
                       const Index &first, const Index &terms);
  /// Emits the rows from `from` to `to`, with weights that are converted first.
  void emitDecoded(Scope &scope, const Index &from, const Index &to);
  /// The same, but without that if the rows are few at run time.
  void emitByteRows(Scope &scope, const Index &from, const Index &to);
  /// Returns true if the left operand is one row. The loops outside of the tile
  /// are over columns then, for example over the heads of a projection.
  bool hasOneRow();
  /// Returns true if f32 can be multiplied by the weights as integers.
  bool multipliesIntegers();
  /// Returns true if the left operand, one row of f32, is multiplied as
  /// integers.
  bool usesFixedPoint();
  /// Returns true if the left operand, rows of f32, is rounded to 8 bits.
  bool roundsToBytes();
  /// Returns the number of bytes of a rounded term.
  int64_t numBytes() { return roundsToBytes() ? 1 : 3; }
  /// Converts the left operand, one row, to integers, in memory that
  /// `freeRounded` frees.
  void roundLeft(Scope &scope);
  /// The same for a left operand that is rounded to 8 bits.
  void roundLeftToBytes(Scope &scope);
  /// Allocates memory for `terms` rounded terms.
  void allocateRounded(const Index &terms);
  void freeRounded();
  /// Rounds the terms from element `from` of the left operand on, which are
  /// block `block`. The bytes of a term have distance `plane`. Returns the bits
  /// of the largest magnitude.
  mlir::Value roundBlock(const Index &from, const Index &block,
                         const Index &plane);
  /// Loads what the sums of a block contain in excess.
  mlir::Value loadOffset(const Index &block, int64_t number);
  /// Loads four rounded terms for all columns of a vector.
  mlir::Value loadRounded(const Index &at);
  /// Converts the `terms` terms of the panel from `first` on to unsigned bytes.
  void decodeBytes(Scope &scope, mlir::Value memory, const Index &first,
                   const Index &terms);
  /// As `multiplyFloats`, with weights of `decodeBytes` and rounded rows, for
  /// the tile of rows from `tile` on.
  void multiplyBytes(Scope &scope, mlir::Value weights,
                     llvm::ArrayRef<Index> left, const Index &tile,
                     const Index &first, const Index &terms,
                     llvm::SmallVector<mlir::Value> &acc);
  /// Prefetches some of the weights from term `next` on, while the tile
  /// multiplies the block of terms at `term`.
  void prefetchPart(const Index &next, const Index &tile, const Index &term);
  /// Adds products of bytes to `sum`, which is null at first.
  mlir::Value addByteProducts(mlir::Value sum, mlir::Value unsignedBytes,
                              mlir::Value signedBytes);
  /// Returns such sums of each column as i32, times a power of two.
  mlir::Value scaleByteSum(mlir::Value sum, int64_t factor);
  /// Returns what makes the weights unsigned, and the number of its sums.
  int64_t offset() const { return byteQuads ? 128 : 8; }
  int64_t numOffsets() { return byteQuads && numBytes() > 1 ? 2 : 1; }
  /// Returns the place of the `number`-th sum of a block in `fixed.offsets`.
  Index offsetOf(const Index &block, int64_t number) {
    return code.add(code.mul(block, Index::of(numOffsets())),
                    Index::of(number));
  }
  /// Loads vector `v` of the weights of a step as unsigned bytes: the low and
  /// the high nibbles, or the bytes.
  llvm::SmallVector<mlir::Value> getUnsigned(const Index &at, int64_t v);
  /// Returns the sums of a block of terms as f32: `vectors` vectors.
  llvm::SmallVector<mlir::Value> sumBlock(const Index &block, Index bOff,
                                          Index pOff, bool fetches);
  /// Returns the sums over all blocks.
  llvm::SmallVector<mlir::Value> sumBlocks(Scope &scope, Index bOff, Index pOff,
                                           bool fetches);
  /// Returns the sums, by `sumBlocks` if all terms are finite, or else in f32.
  llvm::SmallVector<mlir::Value>
  sumFixedPoint(Scope &scope, Index aOff, Index bOff, Index pOff, bool fetches);
  /// Emits a tile of `count` rows from `row` on: its sums and its epilogue.
  void emitTile(Scope &scope, const Index &row, int64_t count);
  /// Emits the tile of an iteration of a loop over whole tiles.
  void emitTileOfLoop(Scope &scope, const Index &row);
  /// Adds the initial values of the result to the sums `acc` of `count` rows,
  /// evaluates the pointwise ops of the group, and stores the outputs.
  void emitEpilogue(Scope &scope, const Index &row, int64_t count,
                    llvm::ArrayRef<mlir::Value> acc);
  /// As `emitEpilogue` for one vector, at the positions `at`: `sum` are its
  /// sums without the initial values.
  void emitElements(Scope &scope, mlir::Value sum);
  /// Emits the tiles of the rows from `from` to `to`.
  void emitRowsOf(Scope &scope, const Index &from, const Index &to);
  /// Returns how the loops `ms` over rows are divided so that the rows within a
  /// panel stay in the second-level cache; nullopt if this does not pay. The
  /// rows are in blocks if `blocked`.
  std::optional<RowSplit> splitRows(llvm::ArrayRef<unsigned> ms, bool blocked);
  /// Returns the loops of the forall: batches, then panels and rows in either
  /// order, all in the result's order. The rows are in blocks if `blocked`.
  llvm::SmallVector<TaskLoop> orderTasks(bool blocked);
  /// Changes the number of rows of a block so that several threads can divide
  /// the blocks evenly: blocks of equal size and, where they cost little, more.
  void balanceBlocks();
  /// Estimates the work of `numRows` rows of a panel, as a number of elements
  /// of a pointwise kernel that takes as long.
  int64_t estimateWork(int64_t numRows);
  /// Sets positions and offsets to iteration `ivs` of the forall, and returns
  /// its tile.
  TaskTile placeTask(llvm::ArrayRef<TaskLoop> order, llvm::ArrayRef<Index> ivs);
  /// Sets `firstTile` to the number of tiles that use the panel in earlier
  /// iterations.
  void countFirstTile(llvm::ArrayRef<TaskLoop> order, llvm::ArrayRef<Index> ivs,
                      bool blocked);
  /// Returns true if all rows of a task, at most `most`, multiply a part of the
  /// panel before the next one.
  bool hasParts(int64_t most);
  /// Divides the reduction loops: returns those over parts, and sets
  /// `part.loops`.
  llvm::SmallVector<ReductionLoop> splitTerms();
  /// Returns the place of a vector of sums of a row in `part.sums`.
  mlir::Value placeInPart(const Index &row, int64_t vector);
  /// Adds the products of the current part to the sums of `count` rows.
  void addPart(Scope &scope, const Index &row, int64_t count);
  /// Emits a task part by part. `emitRows` emits the tiles of all its rows, of
  /// which there are at most `most`.
  void emitParts(Scope &scope, const TaskTile &tile, int64_t most,
                 llvm::function_ref<void(Scope &)> emitRows);
  /// Emits a full block of rows. Its size is static, so that it needs no switch
  /// over the heights of the last tile.
  void emitBlock(Scope &scope, const Index &from);
  /// Returns the number of vectors of the last panel if fewer than those of the
  /// others have columns, else nullopt.
  std::optional<int64_t> countLastVectors();
  /// Emits the rows of a task by `emitRows`, for the last panel with
  /// `lastVectors` vectors, and for the others without masks.
  void emitRowsOfPanels(Scope &scope, const Index &panel, int64_t lastVectors,
                        llvm::function_ref<void(Scope &)> emitRows);
  /// Returns the intrinsic that multiplies two tiles.
  llvm::StringRef tileInstruction();
  /// Returns true if there is code for words of the operands without tiles.
  bool hasDots();
  /// Returns true if the operands have the layout of tiles.
  bool fitsTiles();
  /// Loads the configuration for tiles of `first` rows and, if `second` is not
  /// 0, for further tiles of `second` rows. The tiles lose their contents.
  void configureTiles(const Index &first, const Index &second);
  /// Emits a step of the sums of `blocks` tiles of rows.
  void emitTileStep(int64_t blocks, const Index &aOff, const Index &bOff);
  /// Sums `blocks` tiles of rows from `row` on.
  void sumInTiles(Scope &scope, const Index &row, int64_t blocks);
  /// Emits the sums of `first` and `second` rows from `row` on, and their
  /// epilogue. The tiles must be configured for them.
  void emitTileRows(Scope &scope, const Index &row, const Index &first,
                    const Index &second);
  /// Emits the remaining `count` rows, fewer than `rows`.
  void emitLastTileRows(Scope &scope, const Index &row, const Index &count);
  /// Emits `count` rows from `from` on in tiles.
  void emitTiles(Scope &scope, const Index &from, const Index &count);
  /// Emits the code of the kernel.
  void emit();
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H
