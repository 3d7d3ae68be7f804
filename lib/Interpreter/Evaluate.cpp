//===- Evaluate.cpp - constants by the interpreter ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/FXDialect.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Transforms/ConstantEvaluator.h"

using namespace fx;

namespace {
struct InterpretedConstants : ConstantEvaluatorInterface {
  using ConstantEvaluatorInterface::ConstantEvaluatorInterface;
  llvm::Expected<llvm::SmallVector<HostTensor>>
  evaluate(mlir::ModuleOp module) const override;
};
} // namespace

llvm::Expected<llvm::SmallVector<HostTensor>>
InterpretedConstants::evaluate(mlir::ModuleOp module) const {
  llvm::Expected<std::unique_ptr<Interpreter>> interpreter =
      loadInterpreter(module, InterpreterOptions());
  if (!interpreter)
    return interpreter.takeError();
  llvm::SmallVector<HostValue> outputs;
  if (llvm::Error error = (*interpreter)->run({}, outputs))
    return std::move(error);
  llvm::SmallVector<HostTensor> tensors;
  for (HostValue &output : outputs) {
    if (!output)
      return llvm::createStringError("expected a tensor, got none");
    tensors.push_back(std::move(*output));
  }
  return tensors;
}

void fx::registerConstantEvaluator(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *, FXDialect *dialect) {
    dialect->addInterfaces<InterpretedConstants>();
  });
}
