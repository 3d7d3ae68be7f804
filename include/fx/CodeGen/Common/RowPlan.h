//===- RowPlan.h - the passes of kernels that reduce rows -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan of kernels such as softmax and layer_norm: several passes over each
// row. A pass computes all reductions that do not depend on a reduction of the
// same or a later pass. If a value that is expensive to compute is needed in
// several passes, the first of them stores it in the row of an output. The
// emitter decides how a row is processed: by the vectors of a thread or by a
// block of threads.
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

/// The assignment of reductions and values to passes. Call `analyse`, then
/// `plan`.
struct RowPlan {
  KernelCode &code;
  llvm::SmallVector<mlir::Operation *> ops;
  kernel::LoopLabels labels;
  llvm::SmallVector<RowReduction> reductions;
  /// The label of the dimension along the row. The labels of the other
  /// dimensions, which select a row, are smaller.
  int inner = 0;
  Index innerSize;
  /// The indices of the row; set by the emitter.
  llvm::SmallVector<Index> rows;
  /// The number of passes with reductions. One more pass writes the remaining
  /// outputs.
  unsigned numPhases = 0;
  /// The values that are stored for later passes, with the pass that stores
  /// them.
  llvm::DenseMap<mlir::Value, unsigned> storedIn;
  /// The output in whose memory a value is stored.
  llvm::DenseMap<mlir::Value, unsigned> storedAt;
  /// Memory of the emitter for stored values that are in no output.
  llvm::DenseMap<mlir::Value, Buffer> kept;
  /// The expensive values that are not stored, so that each pass that needs
  /// them computes them, and the first of these passes.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> recomputed;

  explicit RowPlan(KernelCode &code) : code(code), labels(true) {}
  /// Finds the reductions and labels the loops. Returns false if the reductions
  /// of the kernel do not share their rows.
  bool analyse();
  /// Assigns reductions to passes and chooses the values to store.
  void plan();
  /// Returns the sizes of the dimensions of `rows`, and sets `innerSize`.
  llvm::SmallVector<Index> sizes();
  /// Returns the coordinates in a tensor with the labels `of` of the element at
  /// position `at` of the row.
  Coords coords(llvm::ArrayRef<int> of, const Index &at, bool lane = true);
  /// Returns true if `v` has a dimension along the row.
  bool isInner(mlir::Value v) {
    return llvm::is_contained(labels.ofTensor(v), inner);
  }
  /// Returns the values that pass `phase` stores, and their buffers.
  llvm::SmallVector<std::pair<mlir::Value, Buffer>> storesOf(unsigned phase);
  /// Emits one step of a reduction with the combiner `op`. Splats a scalar `x`
  /// if `acc` is a vector.
  mlir::Value combine(mlir::Operation *op, mlir::Value acc, mlir::Value x) {
    return combine(code, op, acc, x);
  }
  static mlir::Value combine(KernelCode &code, mlir::Operation *op,
                             mlir::Value acc, mlir::Value x);
};

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_ROWPLAN_H
