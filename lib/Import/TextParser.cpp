//===- TextParser.cpp - functions by their Python or sympy names ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextParser.h"

#include "fx/IR/ExprFunctions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fx;

/// Returns the dialect's name of a sympy class, a function of
/// torch.utils._sympy, or a Python function; empty if it is unknown.
static StringRef getFunction(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"Max", "max", "sym_max"}, "max")
      .Cases({"Min", "min", "sym_min"}, "min")
      .Cases({"FloorDiv", "CleanDiv"}, "floordiv")
      .Case("CeilDiv", "ceildiv")
      .Cases({"Mod", "PythonMod"}, "mod")
      .Cases({"Pow", "PowByNatural", "pow"}, "pow")
      .Case("LShift", "lshift")
      .Case("RShift", "rshift")
      .Cases({"Equality", "Eq"}, "eq")
      .Cases({"Unequality", "Ne"}, "ne")
      .Cases({"StrictLessThan", "Lt"}, "lt")
      .Cases({"LessThan", "Le"}, "le")
      .Cases({"StrictGreaterThan", "Gt"}, "gt")
      .Cases({"GreaterThan", "Ge"}, "ge")
      .Case("And", "and")
      .Case("Or", "or")
      .Cases({"Not", "sym_not"}, "not")
      .Cases({"Where", "ITE", "sym_ite"}, "where")
      .Cases({"Abs", "abs"}, "abs")
      .Cases({"FloorToInt", "floor"}, "floor")
      .Cases({"CeilToInt", "ceiling", "ceil"}, "ceil")
      .Cases({"TruncToInt", "trunc"}, "trunc")
      .Cases({"RoundToInt", "round"}, "round")
      .Cases({"int", "sym_int"}, "to_int")
      .Cases({"ToFloat", "float", "sym_float"}, "to_float")
      .Case("TruncToFloat", "trunc_to_float")
      .Case("RoundDecimal", "round_decimal")
      .Case("IntTrueDiv", "int_truediv")
      .Case("FloatTrueDiv", "float_truediv")
      .Case("FloatPow", "float_pow")
      .Case("Rational", "div")
      .Case("Identity", "identity")
      .Case("IsNonOverlappingAndDenseIndicator", "is_non_overlapping_and_dense")
      .Cases({"OpaqueUnaryFn_sqrt", "sqrt"}, "sqrt")
      .Cases({"OpaqueUnaryFn_exp", "exp"}, "exp")
      .Cases({"OpaqueUnaryFn_log", "log"}, "log")
      .Cases({"OpaqueUnaryFn_log2", "log2"}, "log2")
      .Cases({"OpaqueUnaryFn_sin", "sin"}, "sin")
      .Cases({"OpaqueUnaryFn_cos", "cos"}, "cos")
      .Cases({"OpaqueUnaryFn_tan", "tan"}, "tan")
      .Cases({"OpaqueUnaryFn_sinh", "sinh"}, "sinh")
      .Cases({"OpaqueUnaryFn_cosh", "cosh"}, "cosh")
      .Cases({"OpaqueUnaryFn_tanh", "tanh"}, "tanh")
      .Cases({"OpaqueUnaryFn_asin", "asin"}, "asin")
      .Cases({"OpaqueUnaryFn_acos", "acos"}, "acos")
      .Cases({"OpaqueUnaryFn_atan", "atan"}, "atan")
      .Case("BitwiseFn_bitwise_and", "bitwise_and")
      .Case("BitwiseFn_bitwise_or", "bitwise_or")
      .Case("BitwiseFn_bitwise_xor", "bitwise_xor")
      .Default("");
}

/// Builds a call of the function with the Python or sympy name `callee`.
ExprAttr TextParser::callNamed(StringRef callee, ArrayRef<ExprAttr> args) {
  if (args.empty() || !llvm::all_of(args, [](ExprAttr e) { return bool(e); }))
    return failed() ? ExprAttr()
                    : fail("no arguments for '" + callee.take_front(40) + "'");
  if (callee == "Add")
    return checked(ExprAttr::add(ctx, args));
  if (callee == "Mul")
    return checked(ExprAttr::mul(ctx, args));
  if (callee == "ModularIndexing" && args.size() == 3)
    return call("mod", {call("floordiv", {args[0], args[1]}), args[2]});
  StringRef function = getFunction(callee);
  if (function.empty())
    return fail("unknown function '" + callee.take_front(40) + "'");
  std::string error = getExprArityError(function, args.size());
  if (!error.empty())
    return fail(error);
  return call(function, args);
}
