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
  std::optional<Argument> take(const Twine &name);
  /// Takes the arguments that describe the written argument `name`. Returns
  /// it, which consists of `bases`, or nullopt if it consists of views.
  std::optional<Argument> takeWritten(StringRef name, const Argument &bases);

  SmallVector<std::pair<StringRef, Argument>> all;
};
} // namespace

std::optional<Argument> Keywords::take(const Twine &name) {
  std::string text = name.str();
  auto it = llvm::find_if(all, [&](auto &k) { return k.first == text; });
  if (it == all.end())
    return std::nullopt;
  Argument value = it->second;
  all.erase(it);
  return value;
}

std::optional<Argument> Keywords::takeWritten(StringRef name,
                                              const Argument &bases) {
  MLIRContext *context = bases.tree.getContext();
  auto getBase = [&](const Twine &key) -> std::optional<int64_t> {
    std::optional<Argument> index = take("_" + key + "_base_index");
    return index ? index->getInt() : std::nullopt;
  };
  std::optional<Argument> length = take("_" + name + "_length");
  if (!length) {
    auto isNone = [&](auto &k) {
      return k.first == ("_" + name + "_base_index").str() && k.second.isNone();
    };
    if (llvm::any_of(all, isNone)) {
      take("_" + name + "_base_index");
      return Argument{NoneAttr::get(context), bases.operands.slice(0, 0)};
    }
    std::optional<int64_t> base = getBase(name);
    if (!base || *base >= int64_t(bases.operands.size()))
      return std::nullopt;
    return Argument{OperandAttr::get(context), bases.operands.slice(*base, 1)};
  }
  if (length->isNone())
    return Argument{NoneAttr::get(context), bases.operands.slice(0, 0)};
  int64_t n = length->getInt().value_or(0), first = 0;
  for (int64_t i = 0; i < n; ++i) {
    std::optional<int64_t> base = getBase(name + "_" + Twine(i));
    if (i == 0)
      first = base.value_or(0);
    if (!base || *base != first + i || *base >= int64_t(bases.operands.size()))
      return std::nullopt;
  }
  SmallVector<Attribute> leaves(n, OperandAttr::get(context));
  return Argument{ArrayAttr::get(context, leaves),
                  bases.operands.slice(first, n)};
}

/// Reads the arguments of auto_functionalized_v2. Those that the operator
/// writes must be bases, not views of them, and use each base once.
llvm::Error ExternCall::readBases(ArrayRef<Argument> given,
                                  ArrayRef<Attribute> names) {
  if (given.size() != names.size())
    return refuse("positional arguments beside '_all_bases'");
  Keywords keywords(given, names);
  std::optional<Argument> bases = keywords.take("_all_bases");
  if (!bases || !bases->isList() || given.back().tree != bases->tree)
    return refuse("no '_all_bases' as the last argument");
  numCopies = bases->operands.size();
  SmallVector<std::pair<Parameter, Argument>> written;
  for (const Parameter &parameter : parameters) {
    if (!parameter.isWritten())
      continue;
    std::optional<Argument> argument =
        keywords.takeWritten(parameter.name, *bases);
    if (!argument)
      return refuse("arguments that it writes by views");
    written.emplace_back(parameter, *argument);
  }
  for (auto &[name, value] : keywords.all) {
    const Parameter *parameter = find(name);
    if (!parameter)
      return refuse("arguments that it writes by views");
    arguments.emplace_back(*parameter, value);
  }
  // The operands of the call are in the order of the bases.
  unsigned next = bases->operands.getBeginOperandIndex();
  while (!written.empty()) {
    auto it = llvm::find_if(written, [&](auto &given) {
      return given.second.operands.empty() ||
             given.second.operands.getBeginOperandIndex() == next;
    });
    if (it == written.end())
      return refuse("arguments that it writes by several names");
    next += it->second.operands.size();
    arguments.push_back(*it);
    written.erase(it);
  }
  return next - bases->operands.getBeginOperandIndex() == numCopies
             ? llvm::Error::success()
             : refuse("more bases than it writes arguments");
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
