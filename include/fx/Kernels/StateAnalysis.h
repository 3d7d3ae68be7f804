//===- StateAnalysis.h - values of states and constants ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_STATEANALYSIS_H
#define FX_KERNELS_STATEANALYSIS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::kernel {

/// Finds the values of a function that depend on immutable states and constants
/// alone.
class StateAnalysis {
public:
  enum Kind { Constant, State, Other };
  explicit StateAnalysis(mlir::func::FuncOp func);
  /// Returns State if `value` depends on immutable `fx.state` arguments, and
  /// Constant if it depends on no argument. Returns Other if it depends on
  /// another argument, on side effects or on ATen.
  Kind kind(mlir::Value value);
  Kind kind(mlir::Operation *op);
  bool isStateOnly(mlir::Value value) { return kind(value) == State; }
  /// Returns true if results of `op` may become results of @prepare: they are
  /// not much larger than what `op` reads.
  bool mayPrepare(mlir::Operation *op);

private:
  mlir::func::FuncOp func;
  llvm::DenseMap<mlir::Operation *, Kind> known;
};

} // namespace fx::kernel

#endif // FX_KERNELS_STATEANALYSIS_H
