//===- Purity.cpp - what a call reads, writes and draws -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Purity.h"
#include "fx/Operators/Collectives.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;

/// Returns the boolean argument `name` of a call, or false if `name` is empty.
/// Returns true if the argument is not an immediate: the effect is then
/// assumed.
static bool mayBeTrue(const OperatorView &call, StringRef name) {
  if (name.empty())
    return false;
  return call.findArg(name).getBool().value_or(true);
}

SmallVector<OpOperand *> fx::getWrittenOperands(const OperatorView &call) {
  SmallVector<OpOperand *> written;
  Operation *op = call.getOperation();
  auto add = [&](const Argument &argument) {
    unsigned first = argument.operands.empty()
                         ? 0
                         : argument.operands.getBeginOperandIndex();
    for (unsigned i = 0; i < argument.operands.size(); ++i)
      written.push_back(&op->getOpOperand(first + i));
  };
  for (auto [i, argument] : llvm::enumerate(call.getSchema().getArguments()))
    if (argument.isWrite())
      add(call.getArg(i));
  const PurityException *exception =
      lookupPurityException(call.getSchema().getName());
  if (exception && mayBeTrue(call, exception->trainingFlag))
    for (StringRef name : exception->mutated)
      add(call.findArg(name));
  llvm::sort(written, [](OpOperand *a, OpOperand *b) {
    return a->getOperandNumber() < b->getOperandNumber();
  });
  return written;
}

bool fx::drawsRandomNumbers(const OperatorView &call) {
  if (!call.getSchema().isSeeded())
    return false;
  const PurityException *exception =
      lookupPurityException(call.getSchema().getName());
  if (!exception)
    return true;
  if (!exception->trainingFlag.empty() &&
      !mayBeTrue(call, exception->trainingFlag))
    return false;
  if (exception->probability.empty())
    return true;
  return call.findArg(exception->probability).getFloat() != 0.0;
}

/// Calls `fn` for every symbol that occurs in a type.
static void walkTypeSymbols(Type type, function_ref<void(StringRef)> fn) {
  if (auto tensor = dyn_cast<FakeTensorType>(type)) {
    for (ExprAttr size : tensor.getSizes())
      size.walkSymbols(fn);
    return;
  }
  ExprAttr expr;
  if (auto symInt = dyn_cast<SymIntType>(type))
    expr = symInt.getExpr();
  else if (auto symFloat = dyn_cast<SymFloatType>(type))
    expr = symFloat.getExpr();
  else if (auto symBool = dyn_cast<SymBoolType>(type))
    expr = symBool.getExpr();
  if (expr)
    expr.walkSymbols(fn);
}

bool fx::definesSymbol(const OperatorView &call) {
  if (call.getSchema().isSymbolic())
    return false;
  llvm::StringSet<> made;
  for (Type type : call->getResultTypes())
    walkTypeSymbols(type, [&](StringRef name) {
      // Unbacked symbols are named `u0`, or `zuf0` for floats. The inputs
      // define all other symbols.
      if (name.starts_with("u") || name.starts_with("zuf"))
        made.insert(name);
    });
  if (made.empty())
    return false;
  for (Type type : call->getOperandTypes())
    walkTypeSymbols(type, [&](StringRef name) { made.erase(name); });
  return !made.empty();
}

bool fx::isSymbolicComputation(const OperatorView &call) {
  return call.getSchema().isSymbolic() &&
         llvm::all_of(call->getOperandTypes(),
                      llvm::IsaPred<SymIntType, SymFloatType, SymBoolType>);
}

bool fx::isPure(const OperatorView &call) {
  if (isSymbolicComputation(call))
    return true;
  return !call.getSchema().hasNoResults() && getWrittenOperands(call).empty() &&
         !drawsRandomNumbers(call) && !definesSymbol(call) &&
         !isCollective(call.getSchema().getName());
}
