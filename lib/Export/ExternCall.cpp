//===- ExternCall.cpp - the call that a proxy executor makes --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternCall.h"
#include "fx/Operators/Custom.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fx;

/// The functional forms of a call that writes its arguments. See
/// torch/_higher_order_ops/auto_functionalize.py.
static constexpr StringLiteral kFunctional = "auto_functionalized",
                               kFunctionalOnBases = "auto_functionalized_v2";

static llvm::Error refuse(const Twine &text) {
  return llvm::createStringError(text.str());
}

const Parameter *ExternCall::find(StringRef name) const {
  auto it = llvm::find_if(parameters,
                          [&](const Parameter &p) { return p.name == name; });
  return it == parameters.end() ? nullptr : &*it;
}

std::string ExternCall::getDispatcherName() const {
  auto [nameSpace, rest] = target.split('.');
  auto [name, overload] = rest.split('.');
  std::string text = (nameSpace + "::" + name).str();
  if (!overload.empty() && overload != "default")
    text += "." + overload.str();
  return text;
}

/// Reads the schema of an operator of LibTorch or of the user.
llvm::Error ExternCall::readSchema(EagerOp op) {
  if (const OperatorSchema *known = lookupOperator(target)) {
    // Python defines the other namespaces.
    if (!target.starts_with("aten."))
      return refuse("a function of Python");
    llvm::append_range(parameters, known->getArguments());
    llvm::append_range(results, known->getResults());
    aliases = known->isView() || known->has(OperatorSchema::MaybeAliasing) ||
              llvm::any_of(op->getResultTypes(), [](Type type) {
                return isa<ComplexType>(getElementTypeOrSelf(type));
              });
    return llvm::Error::success();
  }
  const gen::OperatorDeclaration *custom =
      lookupCustomSchema(op.getContext(), target);
  if (!custom)
    return refuse("no schema in LibTorch's dispatcher");
  llvm::append_range(parameters, custom->arguments);
  llvm::append_range(results, custom->results);
  aliases = true;
  return llvm::Error::success();
}

llvm::Error ExternCall::readArguments(ArrayRef<Argument> given,
                                      ArrayRef<Attribute> names) {
  size_t numPositional = given.size() - names.size();
  if (numPositional > parameters.size())
    return refuse("more arguments than it has");
  for (auto [i, argument] : llvm::enumerate(given)) {
    if (i < numPositional) {
      arguments.emplace_back(parameters[i], argument);
      continue;
    }
    StringRef name = cast<StringAttr>(names[i - numPositional]).getValue();
    const Parameter *parameter = find(name);
    if (!parameter)
      return refuse("no argument '" + name + "'");
    arguments.emplace_back(*parameter, argument);
  }
  return llvm::Error::success();
}

namespace {
/// The keyword arguments of auto_functionalized_v2.
class Keywords {
public:
  Keywords(ArrayRef<Argument> values, ArrayRef<Attribute> names) {
    for (auto [value, name] : llvm::zip(values, names))
      all.emplace_back(cast<StringAttr>(name).getValue(), value);
  }
  std::optional<Argument> take(const Twine &name) {
    std::string text = name.str();
    auto it = llvm::find_if(all, [&](auto &k) { return k.first == text; });
    if (it == all.end())
      return std::nullopt;
    Argument value = it->second;
    all.erase(it);
    return value;
  }

  SmallVector<std::pair<StringRef, Argument>> all;
};
} // namespace

/// Reads the arguments of auto_functionalized_v2. Those that the operator
/// writes must be bases, not views of them, and use each base once, in order.
llvm::Error ExternCall::readBases(ArrayRef<Argument> given,
                                  ArrayRef<Attribute> names) {
  if (given.size() != names.size())
    return refuse("positional arguments beside '_all_bases'");
  Keywords keywords(given, names);
  std::optional<Argument> bases = keywords.take("_all_bases");
  if (!bases || !bases->isList() || given.back().tree != bases->tree)
    return refuse("no '_all_bases' as the last argument");
  MLIRContext *context = bases->tree.getContext();
  numCopies = bases->operands.size();
  SmallVector<std::pair<Parameter, Argument>> written;
  for (const Parameter &parameter : parameters) {
    if (!parameter.isWritten())
      continue;
    std::string prefix = ("_" + parameter.name).str();
    std::optional<Argument> length = keywords.take(prefix + "_length");
    int64_t n = length ? length->getInt().value_or(0) : 1;
    SmallVector<int64_t> indices;
    for (int64_t i = 0; i < n; ++i) {
      std::optional<Argument> index = keywords.take(
          prefix + (length ? "_" + Twine(i) : Twine("")) + "_base_index");
      if (index && index->getInt())
        indices.push_back(*index->getInt());
      else if (!index || !index->isNone() || length)
        return refuse("arguments that it writes by views");
    }
    int64_t first = indices.empty() ? 0 : indices.front();
    for (auto [i, index] : llvm::enumerate(indices))
      if (index != first + int64_t(i) || index >= int64_t(numCopies))
        return refuse("written arguments in another order");
    SmallVector<Attribute> leaves(indices.size(), OperandAttr::get(context));
    Attribute tree = NoneAttr::get(context);
    if (length && length->getInt())
      tree = ArrayAttr::get(context, leaves);
    else if (!leaves.empty())
      tree = leaves.front();
    written.emplace_back(parameter, Argument{tree, bases->operands.slice(
                                                       first, indices.size())});
  }
  for (auto &[name, value] : keywords.all) {
    const Parameter *parameter = find(name);
    if (!parameter)
      return refuse("arguments that it writes by views");
    arguments.emplace_back(*parameter, value);
  }
  llvm::stable_sort(written, [](auto &a, auto &b) {
    auto begin = [](const Argument &argument) {
      return argument.operands.empty()
                 ? 0
                 : argument.operands.getBeginOperandIndex();
    };
    return begin(a.second) < begin(b.second);
  });
  size_t used = 0;
  for (auto &[parameter, argument] : written) {
    if (!argument.operands.empty() &&
        argument.operands.getBeginOperandIndex() !=
            bases->operands.getBeginOperandIndex() + used)
      return refuse("written arguments in another order");
    used += argument.operands.size();
  }
  if (used != numCopies)
    return refuse("written arguments in another order");
  llvm::append_range(arguments, written);
  return llvm::Error::success();
}

llvm::Error ExternCall::readOuts(EagerOp op) {
  outs.assign(op->getNumResults(), OperandAttr::get(op.getContext()));
  if (ArrayAttr tree = op.getOutsAttr())
    outs = llvm::to_vector(tree);
  if (outs.size() < numCopies)
    return refuse("fewer results than written arguments");
  copies.assign(outs.end() - numCopies, outs.end());
  outs.resize(outs.size() - numCopies);
  if (results.size() == 1 && results[0].listDepth && outs.size() == 1)
    if (auto list = dyn_cast<ArrayAttr>(outs[0]))
      outs = llvm::to_vector(list);
  return llvm::Error::success();
}

llvm::Expected<ExternCall> ExternCall::get(EagerOp op) {
  ExternCall call;
  call.target = op.getTarget();
  SmallVector<Argument> all = getArguments(op);
  ArrayRef<Argument> given = all;
  ArrayRef<Attribute> names = op.getKwnames().getValue();
  bool hasBases = call.target == kFunctionalOnBases;
  bool writes = hasBases || call.target == kFunctional;
  if (writes) {
    auto operation =
        given.empty() ? OperatorAttr() : dyn_cast<OperatorAttr>(given[0].tree);
    if (!operation)
      return refuse("no operator");
    call.target = operation.getTarget();
    given = given.drop_front();
  }
  if (llvm::Error e = call.readSchema(op))
    return e;
  auto isWritten = [](const Parameter &p) { return p.isWritten(); };
  if (!writes && llvm::any_of(call.parameters, isWritten))
    return refuse("arguments that it writes");
  if (llvm::Error e = hasBases ? call.readBases(given, names)
                               : call.readArguments(given, names))
    return e;
  if (writes && !hasBases)
    call.numCopies = llvm::count_if(
        call.arguments, [&](auto &given) { return isWritten(given.first); });
  if (llvm::Error e = call.readOuts(op))
    return e;
  return call;
}
