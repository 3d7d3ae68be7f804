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

/// How many operands `function` takes in a `#fx.expr`, 0 being one or more;
/// nullopt where it is a function that nothing is known of.
std::optional<size_t> getExprArity(llvm::StringRef function);

/// What is wrong with `count` operands of `function`; empty if nothing is.
std::string getExprArityError(llvm::StringRef function, size_t count);

} // namespace fx

#endif // FX_IR_EXPRFUNCTIONS_H
