//===- ConstantEvaluator.h - constants when compiling -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that need the numbers of a graph without inputs ask what is attached
// to the fx dialect: they do not depend on an interpreter.
// `registerAllDialects` attaches one that runs the graph on LibTorch.
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
  /// The outputs of the module's graph @main, which has no user inputs, in
  /// order and in C order each.
  virtual llvm::Expected<llvm::SmallVector<HostTensor>>
  evaluate(mlir::ModuleOp module) const = 0;
};

} // namespace fx

#endif // FX_TRANSFORMS_CONSTANTEVALUATOR_H
