//===- RowPlan.h - the passes of kernels that reduce rows -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softmax, layer_norm and their like: for every row, some passes over it. A
// pass computes all reductions that need nothing of a later one. What several
// passes need and is dear to compute is stored by the first that needs it, in
// the row of an output. Who walks a row, a thread with vectors or a block of
// threads, is decided by what emits the code.
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_ROWPLAN_H
#define FX_CODEGEN_COMMON_ROWPLAN_H

#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/Analysis.h"

namespace fx::codegen {

/// A reduction along the row, and the pass that computes it.
struct RowReduction {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<kernel::Combiner> combiners;
  unsigned phase = 0;
};

/// What is computed in which pass: `analyse`, then `plan`.
struct RowPlan {
  KernelCode &code;
  llvm::SmallVector<mlir::Operation *> ops;
  kernel::LoopLabels labels;
  llvm::SmallVector<RowReduction> reductions;
  /// The label of the row's dimension; rows have smaller ones.
  int inner = 0;
  Index innerSize;
  /// Where the row is; set by what emits the code.
  llvm::SmallVector<Index> rows;
  /// Passes with reductions; one more writes the remaining outputs.
  unsigned numPhases = 0;
  /// What is stored for later passes, and by which.
  llvm::DenseMap<mlir::Value, unsigned> storedIn;
  /// The output in whose memory it lies.
  llvm::DenseMap<mlir::Value, unsigned> storedAt;

  explicit RowPlan(KernelCode &code) : code(code), labels(true) {}
  /// False if the reductions of the kernel do not share their rows.
  bool analyse();
  void plan();
  /// The number of rows in each of their dimensions; sets `innerSize`.
  llvm::SmallVector<Index> sizes();
  /// Coordinates of a tensor with labels `of` at `at` in the row.
  Coords coords(llvm::ArrayRef<int> of, const Index &at, bool lane = true);
  bool isInner(mlir::Value v) {
    return llvm::is_contained(labels.ofTensor(v), inner);
  }
  /// What `phase` stores, and where.
  llvm::SmallVector<std::pair<mlir::Value, Buffer>> storesOf(unsigned phase);
  /// One step of the reduction `op`; a number is spread if `acc` is a vector.
  mlir::Value combine(mlir::Operation *op, mlir::Value acc, mlir::Value x) {
    return combine(code, op, acc, x);
  }
  static mlir::Value combine(KernelCode &code, mlir::Operation *op,
                             mlir::Value acc, mlir::Value x);
};

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_ROWPLAN_H
