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

/// A loop of the sum, or several that both operands walk as one.
struct ReductionLoop {
  Index size;
  Stride a, b;
};

/// Where a step of the sum reads the operands, and what it fetches of the next
/// panel.
struct StepOffsets {
  Index a, b, fetch;
};

/// What a loop of the forall walks: one of the kernel's loops outside of the
/// tile, panels, or blocks of rows.
struct TaskLoop {
  enum Kind { Outer, Panel, Block };
  Kind kind;
  unsigned loop; ///< of `Outer`
};

/// What an iteration of the forall computes: a panel of columns, and rows.
struct TaskTile {
  Index panel, from, to;
};

/// Emits one kernel: `analyse`, then `emit`.
struct ContractionEmitter {
  KernelCode &code;
  Contraction info;
  llvm::SmallVector<mlir::Operation *> ops;
  LoopLabels labels;
  // The schedule.
  int64_t rows = 8, vectors = 2, rowBlock = 0, prefetch = 0;
  bool panelsFirst = true, vnni = false;
  // Operands.
  const Buffer *a = nullptr, *b = nullptr;
  const Buffer *t = nullptr; ///< the scales of groups, in panels
  bool packed = false;
  bool nibbles = false; ///< two terms of `b` lie in a byte
  llvm::SmallVector<Stride> aStride, bStride, tStride; // by loop
  Stride panelStride, groupStride;
  mlir::Value aValue;
  // Loops: what is outside of the tile, the tile's rows and columns, inside.
  llvm::SmallVector<unsigned> outer;
  std::optional<unsigned> mLoop, mMerged; // mMerged: walked as part of mLoop
  std::optional<unsigned> quadLoop;       // `depth` terms of it are a step
  unsigned nLoop = 0;
  Index mSize = Index::of(1), nSize;
  llvm::SmallVector<ReductionLoop> reductions;
  bool masked = false;
  // The current position of each loop.
  llvm::SmallVector<Index> at;
  Index aBase, bBase, tBase, column;
  llvm::SmallVector<mlir::Value> masks;
  // Of the tiles that use a panel: which one it is, and where the rows begin.
  Index firstTile, firstRow;

  explicit ContractionEmitter(KernelCode &code, bool vnni)
      : code(code), vnni(vnni) {}
  /// Finds the contraction, its schedule, operands and strides. False if the
  /// kernel has another form.
  bool analyse();
  bool strides();
  /// Adds `factor` times `expr`, a part of the place in dimension `d` of the
  /// left operand, to the strides of its loops. False if two strides of a loop
  /// cannot be added.
  bool addLeftStrides(unsigned d, mlir::AffineExpr expr, int64_t factor);
  /// How the panels of a packed right operand lie. False if the kernel has
  /// another form.
  bool packedStrides(mlir::linalg::UnPackOp unpack);
  /// How the scales of groups lie.
  bool scaleStrides();
  /// Which loop is what: rows, columns, sums, and those outside. False if
  /// groups are no part of one loop.
  bool chooseLoops();
  /// Chooses the tile's rows: the last of the M loops `ms`, and the one before
  /// with it where both can be walked as one. Takes them off `ms`.
  void chooseRows(llvm::SmallVectorImpl<unsigned> &ms);
  /// True if both loops lie together in every operand and result, `second`
  /// within `first`. `mSize` is the size of `second`.
  bool canMergeRows(unsigned first, unsigned second);
  /// Chooses the loops of the sum, by falling stride of the left operand.
  void chooseReductions();
  bool isUnit(unsigned loop) {
    return info.op.getStaticLoopRanges()[loop] == 1;
  }
  int64_t panel() const { return vectors * code.lanes; }
  /// Terms of a step: for integers those that the hardware takes together, for
  /// nibbles those of as many bytes.
  int64_t depth() const { return nibbles ? 8 : info.isInteger() ? 4 : 1; }
  /// Elements of the right operand that a vector of sums takes in a step.
  int64_t width() const { return depth() > 1 ? 4 * code.lanes : code.lanes; }
  Coords coords(llvm::ArrayRef<int> of);
  Index prefetchStart(const Index &row);
  void emitPrefetch(const Index &bAt, const Index &next, int64_t unrolled);
  /// The type of the sums: i32, f32 or f64.
  mlir::Type sumType();
  /// Where the sums begin, those within a group if there are groups.
  mlir::TypedAttr zeroSum();
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value loadRight(const Index &at, int64_t vector);
  mlir::Value loadLeft(const Index &at);
  /// The parts of a step: which of the left operand's terms each one takes, and
  /// the right operand's vectors of it.
  int64_t numParts() const { return !nibbles ? 1 : info.isInteger() ? 2 : 8; }
  llvm::SmallVector<mlir::Value> getPart(mlir::ArrayRef<mlir::Value> right,
                                         int64_t part);
  /// Sums of nibbles are of multiples of them: this is the factor.
  double unit() const { return !nibbles ? 1 : info.isInteger() ? 16 : 1 << 28; }
  void multiply(mlir::ArrayRef<mlir::Value> right, mlir::Value left,
                mlir::MutableArrayRef<mlir::Value> sums);
  llvm::SmallVector<mlir::Value> accumulate(Scope &scope, const Index &row,
                                            int64_t count);
  /// The sums over `loops` of `count` rows from these offsets on; `pOff` is
  /// where to fetch from.
  llvm::SmallVector<mlir::Value> sum(Scope &scope,
                                     llvm::ArrayRef<ReductionLoop> loops,
                                     Index aOff, Index bOff, Index pOff,
                                     bool fetches, int64_t count);
  /// Steps of the last of `loops` that are accumulated apart: with few sums,
  /// several keep the multipliers busy.
  int64_t chooseUnroll(llvm::ArrayRef<ReductionLoop> loops, int64_t count);
  /// Adds the products of one step, number `unrolled` of those that are
  /// accumulated apart, to the sums of some rows.
  void emitStep(const StepOffsets &from, bool fetches, int64_t unrolled,
                llvm::MutableArrayRef<mlir::Value> sums);
  /// Opens the loops of a sum, the last of which has `unroll` steps an
  /// iteration. They carry `acc`; `from` moves to the innermost body.
  llvm::SmallVector<mlir::scf::ForOp>
  beginSum(Scope &scope, llvm::ArrayRef<ReductionLoop> loops, int64_t unroll,
           bool fetches, StepOffsets &from,
           llvm::SmallVector<mlir::Value> &acc);
  /// Adds the steps that the last loop of `nest`, which is unrolled and closed,
  /// left. They read from where that loop does; `from` is before all loops.
  void emitRemainder(Scope &scope, llvm::ArrayRef<ReductionLoop> loops,
                     llvm::ArrayRef<mlir::scf::ForOp> nest, int64_t unroll,
                     StepOffsets from, llvm::MutableArrayRef<mlir::Value> sums);
  llvm::SmallVector<mlir::Value> sumGroups(Scope &scope, Index aOff, Index bOff,
                                           Index pOff, bool fetches,
                                           int64_t count);
  /// One of the panel's stride `s` in what is fetched of the next one.
  Stride fetchStride(Stride s) const {
    s.constant /= std::max<int64_t>(prefetch, 1);
    return s;
  }
  void emitTile(Scope &scope, const Index &row, int64_t count);
  void emitEpilogue(Scope &scope, const Index &row, int64_t count,
                    llvm::ArrayRef<mlir::Value> acc);
  void emitRowsOf(Scope &scope, const Index &from, const Index &to);
  /// The loops of the forall: batches, then panels and rows in either order,
  /// all in the result's order. The rows are in blocks if `blocked`.
  llvm::SmallVector<TaskLoop> orderTasks(bool blocked);
  /// About how many elements an iteration of the forall computes.
  int64_t estimateWork() const;
  /// Moves to the iteration of the forall that `ivs` say.
  TaskTile placeTask(llvm::ArrayRef<TaskLoop> order, llvm::ArrayRef<Index> ivs);
  /// Sets `firstTile`: how many tiles of its panel come before an iteration's.
  void countFirstTile(llvm::ArrayRef<TaskLoop> order,
                      llvm::ArrayRef<Index> sizes, llvm::ArrayRef<Index> ivs,
                      bool blocked);
  /// A whole block of rows. Its size is known: no ladder of smaller tiles.
  void emitBlock(Scope &scope, const Index &from);
  /// Writes the code.
  void emit();
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H
