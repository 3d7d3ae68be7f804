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
  /// How the scales of groups lie.
  bool scaleStrides();
  /// Which loop is what: rows, columns, sums, and those outside. False if
  /// groups are no part of one loop.
  bool chooseLoops();
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
  /// Writes the code.
  void emit();
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H
