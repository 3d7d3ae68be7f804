//===- AutoFunctionalized.cpp - mutating operators, as functions ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// auto_functionalized(op, **kwargs) calls a mutating operator on copies of the
// arguments that it writes. It returns the results of the operator, then the
// copies. The second version passes the tensors that own the memory,
// `_all_bases`, and describes each written argument as a view of one of them.
//
//===----------------------------------------------------------------------===//

#include "AutoFunctionalized.h"
#include <ATen/core/Tensor.h>

using at::Tensor;
using c10::IValue;
using Kind = fx::interp::ArgumentPlan::Kind;

namespace fx::interp {

/// Returns a copy with the same strides and offset, so that views can be
/// recreated on it. Copies the storage up to the last element, because elements
/// of `t` may share memory.
static Tensor cloneWithStrides(const Tensor &t) {
  int64_t length = t.numel() ? t.storage_offset() + 1 : 0;
  for (int64_t d = 0; length && d < t.dim(); ++d)
    length += (t.size(d) - 1) * t.stride(d);
  Tensor storage = t.as_strided({length}, {1}, 0).clone();
  return storage.as_strided(t.sizes(), t.strides(), t.storage_offset());
}

static bool isWritten(const c10::Argument &argument) {
  return argument.alias_info() && argument.alias_info()->isWrite();
}

/// Appends `value` to the values of the call. Returns a leaf that refers to it.
static ArgumentPlan addValue(Values &values, IValue value) {
  ArgumentPlan tree;
  tree.kind = Kind::Value;
  tree.index = values.size();
  values.push_back(std::move(value));
  return tree;
}

/// Copies a Tensor or a list of Tensors; None stays None. Appends the copy to
/// `copies` and returns an argument that refers to it.
static ArgumentPlan addCopy(const ArgumentPlan &tree, Values &values,
                            Values &copies) {
  if (tree.kind == Kind::List) {
    ArgumentPlan list;
    list.kind = Kind::List;
    c10::List<Tensor> copied;
    for (const ArgumentPlan &item : tree.items) {
      copied.push_back(cloneWithStrides(toIValue(item, values).toTensor()));
      list.items.push_back(addValue(values, copied.get(copied.size() - 1)));
    }
    copies.emplace_back(copied);
    return list;
  }
  IValue v = toIValue(tree, values);
  if (v.isTensor())
    v = cloneWithStrides(v.toTensor());
  copies.push_back(v);
  return addValue(values, v);
}

static Values finish(Values returned, const Values &copies) {
  if (returned.empty())
    returned.emplace_back(); // A function without results returns None.
  returned.insert(returned.end(), copies.begin(), copies.end());
  return returned;
}

static Values callOn(const Operator &op, const CallArguments &args,
                     const Values &values) {
  Values returned;
  BoundCall(op, args)(values, returned);
  return returned;
}

Values autoFunctionalized(const Operator &op, CallArguments args,
                          Values values) {
  Values copies;
  for (const c10::Argument &argument : op.schema->arguments()) {
    if (!isWritten(argument))
      continue;
    for (size_t k = 0; k < args.kwnames.size(); ++k)
      if (args.kwnames[k] == argument.name()) {
        ArgumentPlan &tree = args.args[args.numPositional() + k];
        tree = addCopy(tree, values, copies);
      }
  }
  return finish(callOn(op, args, values), copies);
}

namespace {
/// Reads the arguments that describe views, such as `_x_base_index`, and
/// removes them.
class ViewReader {
public:
  ViewReader(CallArguments &args, const Values &values)
      : args(args), values(values) {}

  /// Removes a keyword argument and returns its value, or std::nullopt if it is
  /// absent.
  std::optional<IValue> take(const std::string &name) {
    for (size_t k = 0; k < args.kwnames.size(); ++k) {
      if (args.kwnames[k] != name)
        continue;
      size_t at = args.numPositional() + k;
      IValue value = toIValue(args.args[at], values);
      args.args.erase(args.args.begin() + at);
      args.kwnames.erase(args.kwnames.begin() + k);
      return value;
    }
    return std::nullopt;
  }

  std::vector<int64_t> takeInts(const std::string &name) {
    std::vector<int64_t> ints;
    std::optional<IValue> list = take(name);
    if (!list || !list->isList())
      throw std::runtime_error("expected a list as '" + name + "', got " +
                               (list ? list->tagKind() : "none"));
    for (const IValue &v : list->toListRef())
      ints.push_back(v.toInt());
    return ints;
  }

  /// Returns the view of a base that the arguments with this prefix describe.
  /// Returns None if the index of the base is None.
  IValue takeView(const std::string &prefix, const std::vector<Tensor> &bases) {
    std::optional<IValue> index = take(prefix + "_base_index");
    if (!index)
      throw std::runtime_error("expected '" + prefix +
                               "_base_index', got none");
    if (index->isNone())
      return {};
    int64_t i = index->toInt();
    if (i < 0 || static_cast<size_t>(i) >= bases.size())
      throw std::runtime_error("expected '" + prefix + "_base_index' below " +
                               std::to_string(bases.size()) + ", got " +
                               std::to_string(i));
    const Tensor &base = bases[i];
    if (take(prefix + "_alias"))
      return base.alias();
    if (std::optional<IValue> dim = take(prefix + "_slice_dim")) {
      std::optional<IValue> start = take(prefix + "_slice_start");
      std::optional<IValue> end = take(prefix + "_slice_end");
      if (!start || !end)
        throw std::runtime_error("expected '" + prefix + "_slice_start' and '" +
                                 prefix + "_slice_end', got one or none");
      return base.slice(dim->toInt(), start->toInt(), end->toInt());
    }
    if (!args.getKeyword(prefix + "_size"))
      return base;
    std::vector<int64_t> size = takeInts(prefix + "_size");
    std::vector<int64_t> stride = takeInts(prefix + "_stride");
    std::optional<IValue> offset = take(prefix + "_storage_offset");
    return base.as_strided(size, stride, offset ? offset->toInt() : 0);
  }

private:
  CallArguments &args;
  const Values &values;
};
} // namespace

Values autoFunctionalizedV2(const Operator &op, CallArguments args,
                            Values values) {
  Values copies;
  const Values given = values; // `values` grows below.
  ViewReader reader(args, given);

  std::vector<Tensor> bases;
  if (std::optional<IValue> list = reader.take("_all_bases"))
    if (list->isList())
      for (const IValue &v : list->toListRef()) {
        bases.push_back(v.isTensor() ? cloneWithStrides(v.toTensor())
                                     : Tensor());
        copies.push_back(v.isTensor() ? IValue(bases.back()) : IValue());
      }

  for (const c10::Argument &argument : op.schema->arguments()) {
    if (!isWritten(argument))
      continue;
    std::string prefix = "_" + argument.name();
    ArgumentPlan tree;
    if (std::optional<IValue> length = reader.take(prefix + "_length")) {
      if (length->isInt()) {
        tree.kind = Kind::List;
        for (int64_t i = 0; i < length->toInt(); ++i)
          tree.items.push_back(
              addValue(values, reader.takeView(prefix + "_" + std::to_string(i),
                                               bases)));
      }
    } else {
      tree = addValue(values, reader.takeView(prefix, bases));
    }
    args.args.push_back(std::move(tree));
    args.kwnames.push_back(argument.name());
  }
  return finish(callOn(op, args, values), copies);
}

} // namespace fx::interp
