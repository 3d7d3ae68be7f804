//===- ExprFunctions.cpp - functions of expressions -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/ExprFunctions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using llvm::StringRef;
using llvm::Twine;

std::optional<size_t> fx::getExprArity(StringRef function) {
  return llvm::StringSwitch<std::optional<size_t>>(function)
      .Cases({"max", "min", "and", "or", "is_non_overlapping_and_dense"}, 0)
      .Cases({"not", "abs", "floor", "ceil", "trunc", "round", "to_int"}, 1)
      .Cases({"to_float", "trunc_to_float", "identity", "sqrt", "exp"}, 1)
      .Cases({"log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh"}, 1)
      .Cases({"asin", "acos", "atan"}, 1)
      .Cases({"floordiv", "ceildiv", "div", "mod", "pow"}, 2)
      .Cases({"lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge"}, 2)
      .Cases({"float_pow", "float_truediv", "int_truediv", "round_decimal"}, 2)
      .Cases({"bitwise_and", "bitwise_or", "bitwise_xor"}, 2)
      .Case("where", 3)
      .Default(std::nullopt);
}

std::string fx::getExprArityError(StringRef function, size_t count) {
  std::optional<size_t> arity = getExprArity(function);
  if (!arity || (*arity ? count == *arity : count > 0))
    return "";
  std::string expected = *arity ? std::to_string(*arity) : "one or more";
  return ("expected " + expected + " arguments for '" +
          function.take_front(40) + "', got " + Twine(count))
      .str();
}
