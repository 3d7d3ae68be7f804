//===- Canonicalize.cpp - the normal form of calls ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "fx/Operators/Simplify.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace fx;

/// Normalizes the arguments so that equal calls have equal attributes; import
/// keeps the arguments as they are written. The normal form has the order of
/// the schema and omits each argument that equals its default. Arguments are
/// passed by position up to the first omitted or keyword-only one. An int does
/// not equal a float default: `add(x, 1)` and `add(x, 1.0)` promote
/// differently.
static LogicalResult normalizeArguments(CallFunctionOp op,
                                        const OperatorView &call,
                                        PatternRewriter &rewriter) {
  SmallVector<Attribute> trees, names;
  SmallVector<Value> operands;
  bool byName = false;
  for (auto [i, argument] : llvm::enumerate(call.getSchema().getArguments())) {
    Argument arg = call.getArg(i);
    if (!arg.tree)
      return failure();
    if (argument.hasDefault() && arg.operands.empty() &&
        arg.tree == getDefault(argument, op.getContext())) {
      byName = true;
      continue;
    }
    byName |= argument.isKwargOnly();
    trees.push_back(arg.tree);
    llvm::append_range(operands, arg.operands);
    if (byName)
      names.push_back(rewriter.getStringAttr(argument.getName()));
  }
  auto args = rewriter.getArrayAttr(trees);
  auto kwnames = rewriter.getArrayAttr(names);
  if (args == op.getArgs() && kwnames == op.getKwnames())
    return failure();
  // The verifier reports keywords that are not in the schema.
  if (operands.size() != op.getNumOperands())
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op->setOperands(operands);
    op.setArgsAttr(args);
    op.setKwnamesAttr(kwnames);
  });
  return success();
}

LogicalResult fx::canonicalizeCall(CallFunctionOp op,
                                   PatternRewriter &rewriter) {
  OperatorView call = getOperatorView(op);
  if (!call || op.getArgs().size() > call.getNumArgs())
    return failure();
  if (succeeded(normalizeArguments(op, call, rewriter)))
    return success();
  return simplifyCall(call, rewriter);
}
