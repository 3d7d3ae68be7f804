//===- Arguments.cpp - argument trees -------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/Arguments.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;

void fx::walkLeaves(Attribute tree, function_ref<void(Attribute)> fn) {
  if (auto list = dyn_cast<ArrayAttr>(tree)) {
    for (Attribute element : list)
      walkLeaves(element, fn);
  } else if (auto dict = dyn_cast<DictAttr>(tree)) {
    walkLeaves(dict.getValues(), fn);
  } else {
    fn(tree);
  }
}

unsigned fx::countOperands(Attribute tree) {
  unsigned count = 0;
  walkLeaves(tree, [&](Attribute leaf) { count += isa<OperandAttr>(leaf); });
  return count;
}

SmallVector<Argument> fx::getArguments(NodeOpInterface node) {
  SmallVector<Argument> result;
  OperandRange operands(node->getOperands());
  for (Attribute tree : node.getArgs()) {
    unsigned count = countOperands(tree);
    result.push_back({tree, operands.take_front(count)});
    operands = operands.drop_front(count);
  }
  return result;
}

ArgumentTree::ArgumentTree(Value value)
    : tree(OperandAttr::get(value.getContext())), values({value}) {}

ArgumentTree::ArgumentTree(const Argument &argument)
    : tree(argument.tree), values(argument.operands) {}

ArgumentTree ArgumentTree::integer(MLIRContext *ctx, int64_t value) {
  return Attribute(IntegerAttr::get(IntegerType::get(ctx, 64), value));
}

ArgumentTree ArgumentTree::list(MLIRContext *ctx,
                                ArrayRef<ArgumentTree> elements) {
  ArgumentTree result{Attribute()};
  SmallVector<Attribute> trees;
  for (const ArgumentTree &element : elements) {
    trees.push_back(element.tree);
    llvm::append_range(result.values, element.values);
  }
  result.tree = ArrayAttr::get(ctx, trees);
  return result;
}

CallFunctionOp fx::createCall(OpBuilder &b, Location loc, StringRef target,
                              TypeRange results, ArrayRef<ArgumentTree> args,
                              ArrayRef<StringRef> keywords) {
  ArgumentTree all = ArgumentTree::list(b.getContext(), args);
  return CallFunctionOp::create(b, loc, results, b.getStringAttr(target),
                                all.values, cast<ArrayAttr>(all.tree),
                                b.getStrArrayAttr(keywords),
                                /*outs=*/ArrayAttr());
}

/// Returns true if each dict in `tree` has one string key for each value. The
/// generic form can express dicts that do not.
static bool isWellFormed(Attribute tree) {
  if (auto list = dyn_cast<ArrayAttr>(tree))
    return llvm::all_of(list, isWellFormed);
  auto dict = dyn_cast<DictAttr>(tree);
  if (!dict)
    return true;
  return dict.getKeys().size() == dict.getValues().size() &&
         llvm::all_of(dict.getKeys(), llvm::IsaPred<StringAttr>) &&
         llvm::all_of(dict.getValues(), isWellFormed);
}

LogicalResult fx::verifyTree(Operation *op, ArrayAttr args) {
  if (!isWellFormed(args))
    return op->emitOpError("expected one string key for each value of a dict");
  unsigned leaves = countOperands(args);
  if (leaves != op->getNumOperands())
    return op->emitOpError("expected ")
           << leaves << " operands for the values among its arguments, got "
           << op->getNumOperands();
  return success();
}

LogicalResult fx::verifyNode(NodeOpInterface node) {
  if (failed(verifyTree(node, node.getArgs())))
    return failure();
  ArrayAttr names = node.getKwnames();
  if (names.size() > node.getArgs().size())
    return node->emitOpError("expected at most ")
           << node.getArgs().size() << " keyword names, got " << names.size();
  llvm::StringSet<> seen;
  for (StringAttr name : names.getAsRange<StringAttr>())
    if (!seen.insert(name.getValue()).second)
      return node->emitOpError("keyword argument '")
             << name.getValue() << "' is given twice";
  ArrayAttr outs = node.getOutsAttr();
  if (outs &&
      (!isWellFormed(outs) || countOperands(outs) != node->getNumResults()))
    return node->emitOpError("expected ")
           << node->getNumResults() << " values in 'outs', got "
           << countOperands(outs);
  return success();
}
