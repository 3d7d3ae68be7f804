//===- ConstantEvaluator.h - constants when compiling -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interface by which passes evaluate a graph without inputs, without a
// dependency on the interpreter. `registerAllDialects` attaches an
// implementation to the fx dialect that runs the graph on LibTorch.
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_CONSTANTEVALUATOR_H
#define FX_TRANSFORMS_CONSTANTEVALUATOR_H

#include "fx/Support/HostTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/Support/Error.h"

namespace fx {

class ConstantEvaluatorInterface
    : public mlir::DialectInterface::Base<ConstantEvaluatorInterface> {
public:
  ConstantEvaluatorInterface(mlir::Dialect *dialect) : Base(dialect) {}
  /// Runs the module's graph @main, which must have no user inputs. Returns its
  /// outputs in order, each with its elements in C order.
  virtual llvm::Expected<llvm::SmallVector<HostTensor>>
  evaluate(mlir::ModuleOp module) const = 0;
};

} // namespace fx

#endif // FX_TRANSFORMS_CONSTANTEVALUATOR_H
