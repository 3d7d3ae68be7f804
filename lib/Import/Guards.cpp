//===- Guards.cpp - guards over the program's inputs ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guards.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

GuardResolver::GuardResolver(GraphOp graph, const schema::ExportedProgram &)
    : graph(graph) {
  for (PlaceholderOp placeholder : graph.getPlaceholders()) {
    if (placeholder.getKind() != InputKind::UserInput &&
        placeholder.getKind() != InputKind::ConstantInput)
      continue;
    userInputs.push_back(placeholder);
    byName[placeholder.getName()] = placeholder;
  }
}

ExprAttr GuardResolver::parse(StringRef code) {
  llvm::Expected<ExprAttr> condition = parsePython(
      graph.getContext(), code, [&](StringRef root, ArrayRef<Access> accesses) {
        return resolve(root, accesses);
      });
  if (condition)
    return *condition;
  llvm::consumeError(condition.takeError());
  return {};
}

/// The path to a leaf of the arguments: `L['flat_args'][i]`, or the names and
/// indices that export joins to the leaf's name.
PlaceholderOp GuardResolver::getInput(ArrayRef<Access> path) {
  if (path.size() == 2 && path[0].kind == Access::Key &&
      path[0].name == "flat_args" && path[1].kind == Access::Index) {
    uint64_t index = path[1].index;
    return index < userInputs.size() ? userInputs[index] : PlaceholderOp();
  }
  std::string name;
  for (const Access &step : path) {
    if (!name.empty())
      name += '_';
    if (step.kind == Access::Key)
      name += step.name;
    else if (step.kind == Access::Index && step.index >= 0)
      name += std::to_string(step.index);
    else
      return {};
  }
  return byName.lookup(name);
}

ExprAttr GuardResolver::getProperty(FakeTensorType type,
                                    ArrayRef<Access> steps) {
  MLIRContext *ctx = type.getContext();
  if (steps.size() < 2 || steps[0].kind != Access::Attribute)
    return {};
  StringRef property = steps[0].name;
  // `.shape[i]` has no call between.
  steps = steps.drop_front();
  if (property != "shape") {
    if (steps.front().kind != Access::Call)
      return {};
    steps = steps.drop_front();
  }
  MetaAttr meta = type.getMeta();
  if (property == "storage_offset" && steps.empty()) {
    if (meta && meta.getStorageOffset())
      return meta.getStorageOffset();
    return ExprAttr::integer(ctx, 0);
  }
  if (property == "dim" && steps.empty())
    return ExprAttr::integer(ctx, type.getRank());
  if (steps.size() != 1 || steps[0].kind != Access::Index)
    return {};
  int64_t index = steps[0].index;
  if (index < 0)
    index += type.getRank();
  if (index < 0 || index >= type.getRank())
    return {};
  if (property == "size" || property == "shape")
    return type.getSizes()[index];
  if (property != "stride")
    return {};
  if (meta && !meta.getStrides().empty())
    return meta.getStrides()[index];
  ExprAttr stride = ExprAttr::integer(ctx, 1);
  for (ExprAttr size : type.getSizes().drop_front(index + 1))
    if (stride)
      stride = ExprAttr::mul(ctx, {stride, size});
  return stride;
}

ExprAttr GuardResolver::resolve(StringRef root, ArrayRef<Access> accesses) {
  if (root != "L")
    return {};
  auto isStep = [](const Access &step) {
    return step.kind == Access::Key || step.kind == Access::Index;
  };
  size_t length = 0;
  while (length < accesses.size() && isStep(accesses[length]))
    ++length;
  PlaceholderOp input = getInput(accesses.take_front(length));
  if (!input)
    return {};
  accesses = accesses.drop_front(length);
  Type type = input.getResult().getType();
  if (auto tensor = dyn_cast<FakeTensorType>(type))
    return getProperty(tensor, accesses);
  if (!accesses.empty())
    return {};
  if (auto integer = dyn_cast<SymIntType>(type))
    return integer.getExpr();
  if (auto boolean = dyn_cast<SymBoolType>(type))
    return boolean.getExpr();
  return {};
}
