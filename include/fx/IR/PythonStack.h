//===- PythonStack.h - where in the user's program a node is ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_PYTHONSTACK_H
#define FX_IR_PYTHONSTACK_H

#include "mlir/IR/Location.h"

#include <string>

namespace fx {

/// Returns all frames of the user's Python stack, innermost first, in the form
/// "model.py:12".
llvm::SmallVector<std::string> getPythonStack(mlir::Location loc);

/// Returns the path of the innermost module of nn_module_stack
/// (`layer1.0.conv1`); empty for the model itself and if the location has no
/// nn_module_stack.
std::string getModulePath(mlir::Location loc);

} // namespace fx

#endif // FX_IR_PYTHONSTACK_H
