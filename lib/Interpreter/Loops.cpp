//===- Loops.cpp - loops over sub-graphs ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements while_loop, map, scan and associative_scan.
//
//===----------------------------------------------------------------------===//

#include "HigherOrder.h"
#include "TorchBoundary.h"
#include <ATen/core/Tensor.h>
#include <ATen/ops/stack.h>

using at::Tensor;
using c10::IValue;

namespace fx::interp {

static Tensor toTensorItem(const IValue &v) {
  if (!v.isTensor() || !v.toTensor().defined())
    throw std::runtime_error("expected a Tensor to iterate over, got " +
                             v.tagKind());
  if (v.toTensor().dim() == 0)
    throw std::runtime_error("cannot iterate over a 0-d tensor");
  return v.toTensor();
}

/// Returns the size of dimension 0, which all tensors must share.
static int64_t getLength(const Values &xs) {
  if (xs.empty())
    throw std::runtime_error("nothing to iterate over");
  int64_t length = toTensorItem(xs[0]).size(0);
  for (const IValue &x : xs)
    if (int64_t other = toTensorItem(x).size(0); other != length)
      throw std::runtime_error("expected equal lengths, got " +
                               std::to_string(length) + " and " +
                               std::to_string(other));
  return length;
}

static Values select(const Values &xs, int64_t i) {
  Values items;
  for (const IValue &x : xs)
    items.push_back(x.toTensor().select(0, i));
  return items;
}

/// Stacks the values of all iterations. Returns None if a value is None.
static IValue stack(const std::vector<IValue> &items) {
  std::vector<Tensor> tensors;
  for (const IValue &item : items) {
    if (item.isNone())
      return {};
    if (!item.isTensor())
      throw std::runtime_error("expected a Tensor from each iteration, got " +
                               item.tagKind());
    tensors.push_back(item.toTensor());
  }
  return at::stack(tensors);
}

/// Runs a while_loop and returns the last carried values. Calls
/// `afterIteration` with the results of each iteration of the body.
template <typename AfterIteration>
static Values repeat(const Call &call, AfterIteration afterIteration) {
  const GraphPlan &condition = call.graph(0), &body = call.graph(1);
  Values carried = call.list(2), additional;
  if (call.node.args.numPositional() > 3)
    additional = call.list(3);
  for (IValue &v : carried)
    if (v.isTensor())
      v = v.toTensor().clone();
  size_t count = carried.size();
  while (true) {
    Values inputs = carried;
    append(inputs, additional);
    Values test = call.run(condition, inputs);
    if (test.size() != 1)
      throw std::runtime_error("expected one result of the condition, got " +
                               std::to_string(test.size()));
    if (!toCondition(test[0]))
      return carried;
    carried = call.run(body, std::move(inputs));
    if (carried.size() != count)
      throw std::runtime_error("expected " + std::to_string(count) +
                               " results of the body, got " +
                               std::to_string(carried.size()));
    afterIteration(carried);
  }
}

Values whileLoop(const Call &call) {
  return repeat(call, [](const Values &) {});
}

Values whileLoopStackOutput(const Call &call) {
  std::vector<std::vector<IValue>> columns;
  Values last = repeat(call, [&](const Values &carried) {
    columns.resize(carried.size());
    for (size_t i = 0; i < carried.size(); ++i)
      columns[i].push_back(carried[i].isTensor()
                               ? IValue(carried[i].toTensor().clone())
                               : carried[i]);
  });
  if (columns.empty())
    for (const IValue &value : last)
      columns.push_back({value});
  Values results;
  for (const auto &column : columns)
    results.push_back(stack(column));
  return results;
}

/// Runs `step(i)` for each i and stacks each of its results over all i.
template <typename Step>
static Values collect(int64_t length, Step step) {
  std::vector<std::vector<IValue>> columns;
  for (int64_t i = 0; i < length; ++i) {
    Values row = step(i);
    columns.resize(std::max(columns.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c)
      columns[c].push_back(std::move(row[c]));
  }
  Values results;
  for (const auto &column : columns)
    results.push_back(stack(column));
  return results;
}

Values map(const Call &call) {
  const GraphPlan &body = call.graph(0);
  Values xs = call.list(1), additional = call.list(2);
  int64_t length = getLength(xs);
  if (length == 0)
    throw std::runtime_error("cannot map over an empty dimension");
  return collect(length, [&](int64_t i) {
    Values inputs = select(xs, i);
    append(inputs, additional);
    return call.run(body, std::move(inputs));
  });
}

/// combine(*carry, *x, *additional) returns the new carry, then the values to
/// stack.
Values scan(const Call &call) {
  const GraphPlan &body = call.graph(0);
  Values carry = call.list(1), xs = call.list(2), additional;
  if (call.node.args.numPositional() > 3)
    additional = call.list(3);
  size_t count = carry.size();
  int64_t length = getLength(xs);
  if (length == 0)
    throw std::runtime_error("cannot scan an empty dimension");
  Values stacked = collect(length, [&](int64_t i) {
    Values inputs = carry;
    append(inputs, select(xs, i));
    append(inputs, additional);
    Values outputs = call.run(body, std::move(inputs));
    if (outputs.size() < count)
      throw std::runtime_error("expected at least " + std::to_string(count) +
                               " results of the body, got " +
                               std::to_string(outputs.size()));
    carry.assign(outputs.begin(), outputs.begin() + count);
    // A body may return the same tensor as carry and as output.
    Values row;
    for (size_t k = count; k < outputs.size(); ++k)
      row.push_back(outputs[k].isTensor()
                        ? IValue(outputs[k].toTensor().clone())
                        : outputs[k]);
    return row;
  });
  append(carry, stacked);
  return carry;
}

/// Applies combine(*left, *right, *additional) from the left. The body was
/// traced on slices without the scanned dimension or, if the caller batched it,
/// with the dimension. The rank of its first placeholder tells which.
Values associativeScan(const Call &call) {
  const GraphPlan &body = call.graph(0);
  Values xs = call.list(1), additional;
  if (call.node.args.numPositional() > 2)
    additional = call.list(2);
  int64_t length = getLength(xs);
  if (length == 0)
    return xs;
  bool keepsDim = false;
  if (!body.inputs.empty())
    if (auto type = llvm::dyn_cast<FakeTensorType>(
            PlaceholderOp(body.inputs[0]).getResult().getType()))
      keepsDim = type.getRank() == xs[0].toTensor().dim();
  auto slice = [&](int64_t i) {
    Values items = select(xs, i);
    if (keepsDim)
      for (IValue &item : items)
        item = item.toTensor().unsqueeze(0);
    return items;
  };
  Values running = slice(0);
  Values results = collect(length, [&](int64_t i) {
    if (i > 0) {
      Values inputs = running;
      append(inputs, slice(i));
      append(inputs, additional);
      running = call.run(body, std::move(inputs));
      if (running.size() != xs.size())
        throw std::runtime_error("expected " + std::to_string(xs.size()) +
                                 " results of the body, got " +
                                 std::to_string(running.size()));
    }
    return running;
  });
  if (keepsDim)
    for (IValue &result : results)
      result = result.toTensor().flatten(0, 1);
  return results;
}

} // namespace fx::interp
