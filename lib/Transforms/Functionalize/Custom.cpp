//===- Custom.cpp - operators of users that write, as functions -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %z = call_function @my.push.default(%x, %y)
//
// whose schema is `my::push(Tensor x, Tensor(a!) y) -> Tensor` becomes what
// torch's own functionalization makes of it,
//
//   %z, %push_y = higher_order @auto_functionalized(
//       #fx.operator<"my.push.default">, x = %x, y = %y)
//
// which calls the operator on a copy of %y and gives the copy back.
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"
#include "fx/IR/Metadata.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

namespace {
/// An argument of the call with the name that the schema has for it.
struct Named {
  const gen::Argument *schema;
  Argument argument;
};
} // namespace

/// The arguments by the schema's names; a reason where they do not fit it.
static std::string getNamed(CallFunctionOp op, const gen::Operator &schema,
                            SmallVectorImpl<Named> &named) {
  SmallVector<Argument> args = getArguments(op);
  ArrayAttr names = op.getKwnames();
  size_t numPositional = args.size() - names.size();
  if (numPositional > schema.arguments.size())
    return ("'" + op.getTarget() + "' takes " + Twine(schema.arguments.size()) +
            " arguments, got " + Twine(numPositional))
        .str();
  for (auto [i, arg] : llvm::enumerate(args)) {
    const gen::Argument *found = nullptr;
    if (i < numPositional) {
      found = &schema.arguments[i];
    } else {
      StringRef name = cast<StringAttr>(names[i - numPositional]).getValue();
      for (const gen::Argument &candidate : schema.arguments)
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

LogicalResult Functionalizer::visitCustom(CallFunctionOp op,
                                          const gen::Operator &schema) {
  MLIRContext *ctx = graph.getContext();
  SmallVector<Named> named;
  if (std::string why = getNamed(op, schema, named); !why.empty())
    return fail(op, why);
  if (schema.flags & OperatorSchema::View)
    return fail(op, "'" + op.getTarget() + "' returns a view of an argument");

  std::string node = getNodeName(op).value_or("custom").str();
  SmallVector<std::string> nodeNames;
  if (op->getNumResults())
    nodeNames.push_back(node);
  SmallVector<Type> types(op->getResultTypes());
  // What the operator returns comes first, None if that is nothing.
  SmallVector<Attribute> outs(op->getNumResults(), OperandAttr::get(ctx));
  if (ArrayAttr given = op.getOutsAttr())
    outs.assign(given.begin(), given.end());
  else if (outs.empty())
    outs.push_back(fx::NoneAttr::get(ctx));

  SmallVector<ArgumentTree> trees{
      ArgumentTree(Attribute(OperatorAttr::get(ctx, op.getTarget())))};
  SmallVector<Attribute> kwnames;
  SmallVector<Value> written;
  uint32_t writtenSets = 0;
  std::string prefix = StringRef(node).split(',').first.str() + "_";
  for (auto &[argument, given] : named) {
    ArgumentTree tree = given;
    kwnames.push_back(StringAttr::get(ctx, argument->name));
    if (argument->isWrite()) {
      writtenSets |= argument->aliasSets;
      outs.push_back(given.tree);
      for (Value value : given.operands) {
        written.push_back(value);
        types.push_back(value.getType());
        if (auto type = dyn_cast<FakeTensorType>(value.getType()))
          types.back() = type.withoutMeta();
        else
          return fail(op, "'" + op.getTarget() + "' writes what is no tensor");
        nodeNames.push_back(namer.getUnique(prefix + argument->name));
      }
    }
    for (Value &value : tree.values)
      value = getCurrent(value);
    trees.push_back(std::move(tree));
  }
  // A second name of what is written would not see the new value.
  for (auto [i, target] : llvm::enumerate(written)) {
    unsigned uses = 0;
    for (Value operand : op->getOperands())
      uses += isa<FakeTensorType>(operand.getType()) &&
              getRoot(operand) == getRoot(target);
    if (uses > 1)
      return fail(op, "'" + op.getTarget() +
                          "' writes what it also has by another name");
  }

  OpBuilder b(op);
  bool isFlat = llvm::all_of(outs, llvm::IsaPred<OperandAttr>);
  ArgumentTree all = ArgumentTree::list(ctx, trees);
  auto call = HigherOrderOp::create(
      b, op.getLoc(), types, b.getStringAttr("auto_functionalized"), all.values,
      cast<ArrayAttr>(all.tree), b.getArrayAttr(kwnames),
      isFlat ? ArrayAttr() : b.getArrayAttr(outs));
  if (!nodeNames.empty())
    call->setLoc(withNodeName(op.getLoc(), llvm::join(nodeNames, ",")));
  // A result that is a written argument is its value from here on.
  bool oneForOne =
      schema.results.size() == op->getNumResults() && !op.getOutsAttr();
  for (auto [i, result] : llvm::enumerate(schema.results)) {
    uint32_t sets = result.aliasSets & writtenSets;
    Value target;
    for (auto &[argument, given] : named)
      if (sets && argument->aliasSets == sets && given.isValue())
        target = given.getValue();
    if (sets && (!oneForOne || !target)) {
      call->erase();
      return fail(op, "'" + op.getTarget() + "' returns what it writes");
    }
    if (target)
      op->getResult(i).replaceAllUsesWith(target);
  }
  for (OpResult result : op->getResults())
    result.replaceAllUsesWith(call->getResult(result.getResultNumber()));
  replaced.push_back(op);
  unsigned first = op->getNumResults();
  for (auto [i, target] : llvm::enumerate(written))
    if (failed(write(op, target, call->getResult(first + i))))
      return failure();
  return success();
}
