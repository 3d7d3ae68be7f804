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

/// Maps the loops of all ops of a group to the loops of one op, the root. Each
/// loop, and each dimension of a tensor that the group computes, gets the label
/// of the corresponding loop of the root.
class LoopLabels {
public:
  /// With `shareInputs`, labels also propagate through tensors from outside the
  /// group: two ops that read the same tensor must index it by loops of the
  /// same label.
  explicit LoopLabels(bool shareInputs = false) : shareInputs(shareInputs) {}
  /// The labels of a loop that has no label yet, and of a loop of size 1.
  static constexpr int kUnknown = -2, kUnit = -1;
  /// Sets the labels of the loops of `root`.
  void setRoot(mlir::linalg::LinalgOp root, llvm::ArrayRef<int> labels);
  /// Propagates labels through `ops` from producers to users and vice versa.
  /// Returns false if a loop gets two different labels.
  bool propagate(llvm::ArrayRef<mlir::Operation *> ops);
  /// Calls `setRoot` and `propagate`. Returns false if `propagate` fails or a
  /// loop of a generic op has no label.
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

/// Returns true if the loops with the labels `first` and `second` can be merged
/// into one loop in all of `ops`: in each operand and result that has one of
/// them, the dimension of `second` follows directly after that of `first`.
bool canMergeLabels(llvm::ArrayRef<mlir::Operation *> ops,
                    const LoopLabels &labels, int first, int second);

} // namespace fx::kernel

#endif // FX_KERNELS_LOOPLABELS_H
