//===- ContractionEmitter.h - matmuls and convolutions ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H
#define FX_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H

#include "Analysis.h"
#include "KernelCode.h"

namespace fx::cpu {

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
  bool packed = false;
  llvm::SmallVector<Stride> aStride, bStride; // by loop
  Stride panelStride;
  mlir::Value aValue;
  // Loops: what is outside of the tile, the tile's rows and columns, inside.
  llvm::SmallVector<unsigned> outer;
  std::optional<unsigned> mLoop, mMerged; // mMerged: walked as part of mLoop
  std::optional<unsigned> quadLoop;       // of integers: four terms a step
  unsigned nLoop = 0;
  Index mSize = Index::of(1), nSize;
  llvm::SmallVector<ReductionLoop> reductions;
  bool masked = false;
  // The current position of each loop.
  llvm::SmallVector<Index> at;
  Index aBase, bBase, column;
  llvm::SmallVector<mlir::Value> masks;
  // Of the tiles that use a panel: which one it is, and where the rows begin.
  Index firstTile, firstRow;

  explicit ContractionEmitter(KernelCode &code, bool vnni)
      : code(code), vnni(vnni) {}
  /// Finds the contraction, its schedule, operands and strides. False if the
  /// kernel has another form.
  bool analyse();
  bool strides();
  /// Which loop is what: rows, columns, sums, and those outside.
  void chooseLoops();
  bool isUnit(unsigned loop) {
    return info.op.getStaticLoopRanges()[loop] == 1;
  }
  int64_t panel() const { return vectors * code.lanes; }
  /// Elements of the right operand that a vector of sums takes in a step: for
  /// integers four terms of each column.
  int64_t width() const { return info.isInteger ? 4 * code.lanes : code.lanes; }
  Coords coords(llvm::ArrayRef<int> of);
  Index prefetchStart(const Index &row);
  void emitPrefetch(const Index &bAt, const Index &next);
  mlir::TypedAttr zeroSum();
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value loadRight(const Index &at, int64_t vector);
  mlir::Value loadLeft(const Index &at);
  void multiply(mlir::ArrayRef<mlir::Value> right, mlir::Value left,
                mlir::MutableArrayRef<mlir::Value> sums);
  llvm::SmallVector<mlir::Value> accumulate(Scope &scope, const Index &row,
                                            int64_t count);
  void emitTile(Scope &scope, const Index &row, int64_t count);
  void emitEpilogue(Scope &scope, const Index &row, int64_t count,
                    llvm::ArrayRef<mlir::Value> acc);
  void emitRowsOf(Scope &scope, const Index &from, const Index &to);
  /// Writes the code.
  void emit();
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H
