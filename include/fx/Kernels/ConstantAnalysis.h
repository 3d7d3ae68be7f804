//===- ConstantAnalysis.h - what the states alone determine ------------*- C++
//-*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_CONSTANTANALYSIS_H
#define FX_KERNELS_CONSTANTANALYSIS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::kernel {

/// Which values of a function depend on immutable states and constants alone.
class ConstantAnalysis {
public:
  enum Kind { Constant, State, Other };
  explicit ConstantAnalysis(mlir::func::FuncOp func);
  /// State if an `fx.state` argument takes part, Constant if nothing does.
  Kind kind(mlir::Value value);
  Kind kind(mlir::Operation *op);
  bool isStateOnly(mlir::Value value) { return kind(value) == State; }

private:
  mlir::func::FuncOp func;
  llvm::DenseMap<mlir::Operation *, Kind> known;
};

} // namespace fx::kernel

#endif // FX_KERNELS_CONSTANTANALYSIS_H
