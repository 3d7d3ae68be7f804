//===- Custom.cpp - operators of users that write, as functions -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %z = call_function @my.push.default(%x, %y)
//
// whose schema is `my::push(Tensor x, Tensor(a!) y) -> Tensor` is rewritten to
// the same call as in torch's own functionalization,
//
//   %z, %push_y = higher_order @auto_functionalized(
//       #fx.operator<"my.push.default">, x = %x, y = %y)
//
// which calls the operator on a copy of %y and returns the copy.
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"
#include "fx/IR/Metadata.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

namespace {
/// An argument of the call and its schema.
struct Named {
  const gen::ArgumentDeclaration *schema;
  Argument argument;
};
} // namespace

/// Matches the arguments of `op` with those of the schema. Returns the reason
/// if they do not match, else an empty string.
static std::string getNamed(CallFunctionOp op,
                            const gen::OperatorDeclaration &schema,
                            SmallVectorImpl<Named> &named) {
  SmallVector<Argument> args = getArguments(op);
  ArrayAttr names = op.getKwnames();
  size_t numPositional = args.size() - names.size();
  if (numPositional > schema.arguments.size())
    return ("'" + op.getTarget() + "' takes " + Twine(schema.arguments.size()) +
            " arguments, got " + Twine(numPositional))
        .str();
  for (auto [i, arg] : llvm::enumerate(args)) {
    const gen::ArgumentDeclaration *found = nullptr;
    if (i < numPositional) {
      found = &schema.arguments[i];
    } else {
      StringRef name = cast<StringAttr>(names[i - numPositional]).getValue();
      for (const gen::ArgumentDeclaration &candidate : schema.arguments)
        if (candidate.name == name)
          found = &candidate;
      if (!found)
        return ("'" + op.getTarget() + "' has no argument '" + name + "'")
            .str();
    }
    named.push_back({found, arg});
  }
  return "";
}

/// The parts of a call of auto_functionalized.
struct Functionalizer::CustomCall {
  /// Creates the call in front of `op`.
  HigherOrderOp create(CallFunctionOp op) const;
  /// Replaces each result of `op` that aliases a written argument by that
  /// argument. Returns false if such a result is not exactly one argument.
  bool replaceAliases(CallFunctionOp op,
                      const gen::OperatorDeclaration &schema) const;

  SmallVector<Named> named;
  SmallVector<ArgumentTree> trees;
  SmallVector<Attribute> kwnames, outs;
  SmallVector<Type> types;
  SmallVector<std::string> nodeNames;
  /// The values that the operator writes, in order, and the union of their
  /// alias sets in the schema.
  SmallVector<Value> written;
  uint32_t writtenSets = 0;
};

HigherOrderOp Functionalizer::CustomCall::create(CallFunctionOp op) const {
  OpBuilder b(op);
  bool isFlat = llvm::all_of(outs, llvm::IsaPred<OperandAttr>);
  ArgumentTree all = ArgumentTree::list(b.getContext(), trees);
  auto call = HigherOrderOp::create(
      b, op.getLoc(), types, b.getStringAttr("auto_functionalized"), all.values,
      cast<ArrayAttr>(all.tree), b.getArrayAttr(kwnames),
      isFlat ? ArrayAttr() : b.getArrayAttr(outs));
  if (!nodeNames.empty())
    call->setLoc(withNodeName(op.getLoc(), llvm::join(nodeNames, ",")));
  return call;
}

bool Functionalizer::CustomCall::replaceAliases(
    CallFunctionOp op, const gen::OperatorDeclaration &schema) const {
  bool oneForOne =
      schema.results.size() == op->getNumResults() && !op.getOutsAttr();
  for (auto [i, result] : llvm::enumerate(schema.results)) {
    uint32_t sets = result.aliasSets & writtenSets;
    Value target;
    for (auto &[argument, given] : named)
      if (sets && argument->aliasSets == sets && given.isValue())
        target = given.getValue();
    if (sets && (!oneForOne || !target))
      return false;
    if (target)
      op->getResult(i).replaceAllUsesWith(target);
  }
  return true;
}

LogicalResult Functionalizer::addArguments(CallFunctionOp op,
                                           CustomCall &custom) {
  MLIRContext *ctx = graph.getContext();
  std::string node = getNodeName(op).value_or("custom").str();
  if (op->getNumResults())
    custom.nodeNames.push_back(node);
  llvm::append_range(custom.types, op->getResultTypes());
  // The results of the operator come first; None if it has no results.
  custom.outs.assign(op->getNumResults(), OperandAttr::get(ctx));
  if (ArrayAttr given = op.getOutsAttr())
    custom.outs.assign(given.begin(), given.end());
  else if (custom.outs.empty())
    custom.outs.push_back(fx::NoneAttr::get(ctx));

  custom.trees.push_back(
      ArgumentTree(Attribute(OperatorAttr::get(ctx, op.getTarget()))));
  std::string prefix = StringRef(node).split(',').first.str() + "_";
  for (auto &[argument, given] : custom.named) {
    ArgumentTree tree = given;
    custom.kwnames.push_back(StringAttr::get(ctx, argument->name));
    if (argument->isWrite()) {
      custom.writtenSets |= argument->aliasSets;
      custom.outs.push_back(given.tree);
      for (Value value : given.operands) {
        auto type = dyn_cast<FakeTensorType>(value.getType());
        if (!type)
          return fail(op, "'" + op.getTarget() + "' writes what is no tensor");
        custom.written.push_back(value);
        custom.types.push_back(type.withoutMeta());
        custom.nodeNames.push_back(namer.getUnique(prefix + argument->name));
      }
    }
    for (Value &value : tree.values)
      value = getCurrent(value);
    custom.trees.push_back(std::move(tree));
  }
  return success();
}

bool Functionalizer::hasOtherName(CallFunctionOp op, Value written) const {
  unsigned uses = 0;
  for (Value operand : op->getOperands())
    uses += isa<FakeTensorType>(operand.getType()) &&
            getRoot(operand) == getRoot(written);
  return uses > 1;
}

LogicalResult
Functionalizer::visitCustom(CallFunctionOp op,
                            const gen::OperatorDeclaration &schema) {
  CustomCall custom;
  if (std::string why = getNamed(op, schema, custom.named); !why.empty())
    return fail(op, why);
  if (schema.flags & OperatorSchema::View)
    return fail(op, "'" + op.getTarget() + "' returns a view of an argument");
  if (failed(addArguments(op, custom)))
    return failure();
  // Another operand that aliases a written one would not see the new value.
  for (Value target : custom.written)
    if (hasOtherName(op, target))
      return fail(op, "'" + op.getTarget() +
                          "' writes what it also has by another name");

  HigherOrderOp call = custom.create(op);
  // A result that aliases a written argument is the argument from here on.
  if (!custom.replaceAliases(op, schema)) {
    call->erase();
    return fail(op, "'" + op.getTarget() + "' returns what it writes");
  }
  for (OpResult result : op->getResults())
    result.replaceAllUsesWith(call->getResult(result.getResultNumber()));
  replaced.push_back(op);
  unsigned first = op->getNumResults();
  for (auto [i, target] : llvm::enumerate(custom.written))
    if (failed(write(op, target, call->getResult(first + i))))
      return failure();
  return success();
}
