//===- LoopLabels.h - loops through the ops of a group ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_LOOPLABELS_H
#define FX_KERNELS_LOOPLABELS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fx::kernel {

/// Follows loops through the ops of a group: every loop, and every dimension of
/// a tensor made in the group, gets the label of the root's loop that it is.
class LoopLabels {
public:
  /// With `shareInputs` two ops that read one tensor from outside walk it
  /// alike.
  explicit LoopLabels(bool shareInputs = false) : shareInputs(shareInputs) {}
  static constexpr int kUnknown = -2, kUnit = -1;
  /// Labels `root`'s loops.
  void setRoot(mlir::linalg::LinalgOp root, llvm::ArrayRef<int> labels);
  /// Labels what follows for `ops` in both directions. False if two labels
  /// meet in one loop.
  bool propagate(llvm::ArrayRef<mlir::Operation *> ops);
  /// Both. False, too, if a loop of a generic op stays unknown.
  bool label(mlir::linalg::LinalgOp root, llvm::ArrayRef<int> labels,
             llvm::ArrayRef<mlir::Operation *> ops);
  llvm::ArrayRef<int> ofLoops(mlir::Operation *op) const;
  llvm::ArrayRef<int> ofTensor(mlir::Value value) const;
  bool isComplete(mlir::Operation *op) const;

private:
  bool propagate(mlir::linalg::LinalgOp op, bool &changed);
  bool shareInputs;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int, 6>> loops;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int, 6>> tensors;
};

/// True if in all of `ops` dimensions labelled `first` and `second` may be
/// walked as one: wherever they occur in an operand or result of the group
/// that lies in memory they are adjacent and in order.
bool canMergeLabels(llvm::ArrayRef<mlir::Operation *> ops,
                    const LoopLabels &labels, int first, int second);

} // namespace fx::kernel

#endif // FX_KERNELS_LOOPLABELS_H
