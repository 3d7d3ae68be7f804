//===- GraphNames.cpp - FX's names of a graph's values and nodes ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphNames.h"
#include "Namespace.h"

#include "fx/IR/Metadata.h"
#include "fx/Operators/Schema.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

ResultForm fx::getResultForm(Operation *op) {
  auto call = dyn_cast<NodeOpInterface>(op);
  if (!call)
    return op->getNumResults() ? ResultForm::Single : ResultForm::Nothing;
  ArrayAttr outs = call.getOutsAttr();
  size_t count = outs ? outs.size() : op->getNumResults();
  if (count > 1)
    return ResultForm::Tuple;
  if (count == 0)
    return ResultForm::Nothing;
  if (outs && isa<ArrayAttr>(outs[0]))
    return ResultForm::Tuple;
  if (outs && !isa<OperandAttr>(outs[0]))
    return ResultForm::Nothing;
  // Operators and functions return a single value directly. Higher-order
  // operators return a tuple of one element.
  bool isHigherOrder = !isa<CallFunctionOp, CallMethodOp, CallModuleOp>(op);
  return isHigherOrder && !op->hasAttr("fx.single_return") ? ResultForm::Tuple
                                                           : ResultForm::Single;
}

StringRef fx::getFunctionName(StringRef target) {
  const OperatorSchema *known = lookupOperator(target);
  auto [space, name] =
      known && known->isSymbolic() ? target.rsplit('.') : target.split('.');
  return name.empty() ? space : name;
}

/// Returns the name that tracing gives a new node: `add` for `aten.add.Tensor`.
static std::string getNameOfTarget(StringRef target) {
  std::string result;
  for (char c : getFunctionName(target).split('.').first)
    result += llvm::isAlnum(c) || c == '_' ? llvm::toLower(c) : '_';
  if (result.empty() || llvm::isDigit(result.front()) || isReservedName(result))
    result += "_1";
  return llvm::isDigit(result.front()) ? "_" + result : result;
}

StringRef GraphNames::create(StringRef wanted) {
  auto [it, isNew] = taken.insert(wanted);
  for (unsigned i = 1; !isNew; ++i)
    std::tie(it, isNew) = taken.insert((wanted + "_" + Twine(i)).str());
  return strings.save(it->getKey());
}

GraphNames::GraphNames(GraphOp graph, llvm::StringSaver &strings)
    : strings(strings) {
  // Assign the given names first, so that no new name takes one of them.
  SmallVector<std::pair<Value, std::string>> missing;
  SmallVector<std::pair<Operation *, std::string>> missingNodes;
  auto give = [&](StringRef name) {
    auto [it, isNew] = taken.insert(name);
    return isNew && !name.empty() ? strings.save(it->getKey()) : StringRef();
  };
  for (Operation &op : graph.getBlock()) {
    if (auto placeholder = dyn_cast<PlaceholderOp>(op)) {
      StringRef name = give(placeholder.getName());
      if (name.empty())
        missing.emplace_back(placeholder, placeholder.getName().str());
      values[placeholder] = nodes[&op] = name;
      continue;
    }
    std::string base;
    if (auto call = dyn_cast<NodeOpInterface>(op))
      base = getNameOfTarget(call.getTargetName());
    else if (auto attr = dyn_cast<GetAttrOp>(op))
      base = attr.getTarget().rsplit('.').second.empty()
                 ? attr.getTarget().str()
                 : attr.getTarget().rsplit('.').second.str();
    else
      continue;
    SmallVector<StringRef> names = getResultNames(&op);
    ResultForm form = getResultForm(&op);
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      StringRef wanted = i < names.size() ? names[i] : StringRef();
      StringRef name = give(wanted);
      if (name.empty())
        missing.emplace_back(result, !wanted.empty() ? wanted.str()
                                     : form == ResultForm::Single
                                         ? base
                                         : std::string("getitem"));
      values[result] = name;
    }
    if (form == ResultForm::Single)
      continue;
    StringRef own;
    DictionaryAttr metadata = getMetadata(op.getLoc());
    if (auto name =
            metadata ? metadata.getAs<StringAttr>("name") : StringAttr())
      own = give(name);
    else if (op.getNumResults() == 0 && getNodeName(&op))
      own = give(*getNodeName(&op));
    if (own.empty())
      missingNodes.emplace_back(&op, base);
    nodes[&op] = own;
  }
  for (auto &[op, base] : missingNodes)
    nodes[op] = create(base);
  for (auto &[value, base] : missing)
    values[value] = create(base);
  for (Operation &op : graph.getBlock())
    if (op.getNumResults() == 1 && getResultForm(&op) == ResultForm::Single)
      nodes[&op] = values[op.getResult(0)];
}
