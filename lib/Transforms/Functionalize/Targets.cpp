//===- Targets.cpp - the functional form of an operator that writes -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Decompose/Decompose.h"
#include "Functionalizer.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

/// Returns the name of the functional form: `aten.add` for `aten.add_` and
/// `aten.add`, `aten.__and__` for `aten.__iand__`.
static std::string getFunctionalBase(StringRef base) {
  auto [space, name] = base.split('.');
  if (name.starts_with("__i") && name.ends_with("__") && name.size() > 5)
    return (space + ".__" + name.drop_front(3)).str();
  base.consume_back("_out");
  base.consume_back("_");
  return base.str();
}

/// Returns true for arguments of a factory that its `out` form does not have,
/// because it takes them from the written tensor.
static bool isOfFactory(const ArgumentSchema &argument) {
  return argument.isKwargOnly() &&
         llvm::is_contained({"dtype", "layout", "device", "pin_memory"},
                            argument.getName());
}

/// Returns true if `candidate` has the arguments of `schema` except `out`.
static bool takesTheSame(const OperatorSchema &candidate,
                         const OperatorSchema &schema) {
  ArrayRef<ArgumentSchema> have = candidate.getArguments();
  for (const ArgumentSchema &argument : schema.getArguments()) {
    if (argument.isWrite() && argument.isKwargOnly())
      continue;
    while (!have.empty() && isOfFactory(have.front()) &&
           have.front().getName() != argument.getName())
      have = have.drop_front();
    if (have.empty() || have.front().getName() != argument.getName() ||
        have.front().getTypeText() != argument.getTypeText())
      return false;
    have = have.drop_front();
  }
  return llvm::all_of(have, isOfFactory);
}

/// Finds the functional form of a mutating operator; null if there is none.
static const OperatorSchema *findFunctional(const OperatorSchema &schema) {
  auto [base, overload] = schema.getName().rsplit('.');
  std::string functional = getFunctionalBase(base);
  auto isUsable = [&](const OperatorSchema &candidate) {
    return !candidate.isMutating() && !candidate.hasNoResults() &&
           takesTheSame(candidate, schema);
  };
  const OperatorSchema *same =
      lookupOperator(functional + "." + overload.str());
  if (same && isUsable(*same))
    return same;
  // Try other overloads, and names such as `normal_functional` for `normal_`.
  for (std::string base : {functional, functional + "_functional"})
    for (const OperatorSchema &candidate : getAllOperators()) {
      StringRef name = candidate.getName();
      if (name.consume_front(base) && name.consume_front(".") &&
          !name.contains('.') && isUsable(candidate))
        return &candidate;
    }
  return nullptr;
}

const OperatorSchema *
functionalize::getFunctionalOperator(const OperatorSchema &schema) {
  const OperatorSchema *functional = findFunctional(schema);
  if (!functional)
    return nullptr;
  // Rules and lowerings know operators by their usual names.
  std::optional<std::string> usual = getUsualTarget(functional->getName());
  return usual ? lookupOperator(*usual) : functional;
}

gen::OperatorDeclaration
functionalize::getParsedSchema(const OperatorSchema &schema) {
  gen::OperatorDeclaration parsed;
  parsed.target = schema.getName().str();
  parsed.flags = schema.flags;
  auto parse = [](const ArgumentSchema &argument) {
    gen::ArgumentDeclaration made;
    made.name = argument.getName().str();
    made.type = argument.getTypeText().str();
    made.kind = argument.kind;
    made.flags = argument.flags;
    made.listDepth = argument.listDepth;
    made.listSize = argument.listSize;
    made.aliasSets = argument.aliasSets;
    return made;
  };
  for (const ArgumentSchema &argument : schema.getArguments())
    parsed.arguments.push_back(parse(argument));
  for (const ArgumentSchema &result : schema.getResults())
    parsed.results.push_back(parse(result));
  return parsed;
}
