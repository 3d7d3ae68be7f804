//===- ExprFunctions.h - functions of expressions ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_EXPRFUNCTIONS_H
#define FX_IR_EXPRFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace fx {

/// Returns the number of operands that `function` takes in a `#fx.expr`; 0
/// means one or more. Returns nullopt for an unknown function.
std::optional<size_t> getExprArity(llvm::StringRef function);

/// Returns an error message if `function` cannot take `count` operands, else
/// an empty string.
std::string getExprArityError(llvm::StringRef function, size_t count);

} // namespace fx

#endif // FX_IR_EXPRFUNCTIONS_H
