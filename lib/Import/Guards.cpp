//===- Guards.cpp - guards over the program's inputs ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guards.h"
#include "fx/Support/JsonReader.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Pytree specs
//===----------------------------------------------------------------------===//

/// Reads `{"type": ..., "context": ..., "children_spec": [...]}`.
static bool readTree(JsonReader &json, PyTree &tree,
                     llvm::BumpPtrAllocator &strings) {
  return json.readObject([&](StringRef field) {
    if (field == "type") {
      tree.isLeaf = json.peek() == JsonReader::Kind::Null;
      return json.skip();
    }
    if (field == "children_spec")
      return json.readArray([&](size_t) {
        return readTree(json, tree.children.emplace_back(), strings);
      });
    if (field != "context" || json.peek() != JsonReader::Kind::String)
      return json.skip();
    // The context of a dict is a string that holds a JSON list of its keys.
    StringRef context;
    if (!json.readString(context))
      return false;
    JsonReader inner(context, strings);
    bool isList =
        inner.peek() == JsonReader::Kind::Array && inner.readArray([&](size_t) {
          StringRef key;
          int64_t number;
          if (inner.peek() == JsonReader::Kind::Number) {
            if (!inner.readInteger(number))
              return false;
            tree.keys.push_back(std::to_string(number));
            return true;
          }
          if (!inner.readString(key))
            return false;
          tree.keys.push_back(key.str());
          return true;
        });
    if (!isList)
      tree.keys.clear();
    return true;
  });
}

bool PyTree::parse(StringRef text) {
  llvm::BumpPtrAllocator strings;
  JsonReader json(text, strings);
  // The text is a list of the format's version and the tree.
  bool ok = json.readArray([&](size_t index) {
    int64_t version;
    if (index == 0)
      return json.readInteger(version) && version == 1;
    return index == 1 && readTree(json, *this, strings);
  });
  return ok && json.readEnd();
}

size_t PyTree::countLeaves() const {
  size_t count = isLeaf;
  for (const PyTree &child : children)
    count += child.countLeaves();
  return count;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

GuardResolver::GuardResolver(GraphOp graph,
                             const schema::ExportedProgram &program)
    : graph(graph) {
  for (PlaceholderOp placeholder : graph.getPlaceholders()) {
    if (placeholder.getKind() != InputKind::UserInput &&
        placeholder.getKind() != InputKind::ConstantInput)
      continue;
    userInputs.push_back(placeholder);
    byName[placeholder.getName()] = placeholder;
  }
  for (auto &entry : program.graph_module.module_call_graph)
    if (entry.fqn.empty() && entry.signature) {
      if (!spec.parse(entry.signature->in_spec) || spec.children.size() != 2 ||
          spec.countLeaves() != userInputs.size())
        spec = PyTree();
      if (entry.signature->forward_arg_names)
        for (StringRef name : *entry.signature->forward_arg_names)
          argumentNames.push_back(name.str());
    }
}

std::optional<size_t> GuardResolver::findLeaf(ArrayRef<Access> path) {
  if (spec.children.size() != 2 || path.empty() || path[0].kind != Access::Key)
    return std::nullopt;
  // The first step names an argument. The arguments of `*args` are named
  // args_0, args_1, …, so that L['args'][0] is args_0.
  std::string root = path[0].name.str();
  path = path.drop_front();
  auto isNamed = [&](StringRef name) {
    return llvm::is_contained(argumentNames, name);
  };
  if (!isNamed(root) && !path.empty() && path[0].kind == Access::Index) {
    root += "_" + std::to_string(path[0].index);
    path = path.drop_front();
  }
  const PyTree &positional = spec.children[0], &keywords = spec.children[1];
  size_t index = llvm::find(argumentNames, root) - argumentNames.begin();
  size_t leaf = 0;
  const PyTree *tree = nullptr;
  if (index < positional.children.size()) {
    tree = &positional;
  } else {
    leaf = positional.countLeaves();
    tree = &keywords;
    index = llvm::find(keywords.keys, root) - keywords.keys.begin();
  }
  while (true) {
    if (index >= tree->children.size())
      return std::nullopt;
    for (size_t i = 0; i < index; ++i)
      leaf += tree->children[i].countLeaves();
    tree = &tree->children[index];
    if (path.empty())
      break;
    const Access &step = path.front();
    bool isDict = tree->keys.size() == tree->children.size();
    if (step.kind == Access::Key && isDict)
      index = llvm::find(tree->keys, step.name) - tree->keys.begin();
    else if (step.kind == Access::Index && isDict)
      index = llvm::find(tree->keys, std::to_string(step.index)) -
              tree->keys.begin();
    else if (step.kind == Access::Index && step.index >= 0)
      index = step.index;
    else
      return std::nullopt;
    path = path.drop_front();
  }
  return tree->isLeaf ? std::optional<size_t>(leaf) : std::nullopt;
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

/// Returns the placeholder of the leaf at a path: `L['flat_args'][i]`, or steps
/// through the arguments.
PlaceholderOp GuardResolver::getInput(ArrayRef<Access> path) {
  if (path.size() == 2 && path[0].kind == Access::Key &&
      path[0].name == "flat_args" && path[1].kind == Access::Index) {
    uint64_t index = path[1].index;
    return index < userInputs.size() ? userInputs[index] : PlaceholderOp();
  }
  if (std::optional<size_t> leaf = findLeaf(path))
    return userInputs[*leaf];
  // The spec does not name the fields of all objects. Export joins the steps of
  // the path to the input's name.
  std::string name;
  for (const Access &step : path) {
    if (!name.empty())
      name += '_';
    if (step.kind == Access::Index && step.index >= 0)
      name += std::to_string(step.index);
    else if (step.kind == Access::Key || step.kind == Access::Attribute)
      for (char c : step.name)
        name += llvm::isAlnum(c) ? llvm::toLower(c) : '_';
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
  // `.size()[i]` has a call, `.shape[i]` has none.
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
  auto isStep = [](const Access &step) { return step.kind != Access::Call; };
  // A field of an object looks like a method of a tensor, so try the longest
  // path first.
  size_t length = 0;
  while (length < accesses.size() && isStep(accesses[length]))
    ++length;
  PlaceholderOp input;
  for (; length > 0 && !input; --length)
    if ((input = getInput(accesses.take_front(length))))
      break;
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
