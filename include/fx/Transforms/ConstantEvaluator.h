//===- ConstantEvaluator.h - constants when compiling -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that need the numbers of a graph without inputs ask whoever is
// registered: they do not depend on an interpreter. `registerAllPasses`
// registers one that runs the graph on LibTorch.
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_CONSTANTEVALUATOR_H
#define FX_TRANSFORMS_CONSTANTEVALUATOR_H

#include "fx/Support/HostTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace fx {

/// The outputs of the module's graph @main, which has no user inputs, in order
/// and in C order each.
using ConstantEvaluator =
    llvm::Expected<llvm::SmallVector<HostTensor>> (*)(mlir::ModuleOp module);

/// Set before passes run; null for none.
void setConstantEvaluator(ConstantEvaluator evaluator);
ConstantEvaluator getConstantEvaluator();

/// The evaluator on `fx::loadInterpreter`: an error where LibTorch is missing.
llvm::Expected<llvm::SmallVector<HostTensor>>
evaluateOnInterpreter(mlir::ModuleOp module);

} // namespace fx

#endif // FX_TRANSFORMS_CONSTANTEVALUATOR_H
