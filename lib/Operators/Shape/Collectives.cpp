//===- Collectives.cpp - shape rules of collectives -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process group has a name, and the program does not know its size. The
// operators whose results depend on it have an argument `group_size`.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

/// Returns the argument `group_size`; nullopt if it is not an immediate of 1 or
/// more.
static std::optional<int64_t> getGroupSize(const OperatorView &call) {
  Argument argument = call.getArg("group_size");
  std::optional<int64_t> size = argument.getInt();
  if (size && *size < 1) {
    noteRefusal([&] {
      return "expected a group_size of 1 or more, got " + std::to_string(*size);
    });
    return std::nullopt;
  }
  return size;
}

/// Returns the type of the shards of a group, one after the other. Those of
/// 0-d tensors are a vector.
static Type getGathered(FakeTensorType shard, int64_t group) {
  Sizes sizes(shard.getSizes());
  if (sizes.empty())
    sizes.push_back(makeSize(shard.getContext(), group));
  else
    sizes[0] = Size(sizes[0]) * group;
  return makeTensor(shard, sizes);
}

/// Returns the type of a shard of `whole`; null if there is none.
static Type getShard(FakeTensorType whole, int64_t group) {
  Sizes sizes(whole.getSizes());
  if (sizes.empty()) {
    noteRefusal([] { return "expected a tensor of rank 1 or more, got 0"; });
    return {};
  }
  Size first = sizes[0];
  if (first.getInt() && *first.getInt() % group != 0) {
    noteRefusal([&] {
      return "expected a first size that the group_size " +
             std::to_string(group) + " divides, got " + toText(sizes);
    });
    return {};
  }
  sizes[0] = first.exactDiv(first.constant(group));
  return makeTensor(whole, sizes);
}

template <Type (*getType)(FakeTensorType, int64_t)>
static InferredTypes inferOne(const OperatorView &call) {
  FakeTensorType input = getSelf(call);
  std::optional<int64_t> group = getGroupSize(call);
  if (!input || !group)
    return failure();
  return result(getType(input, *group));
}

template <Type (*getType)(FakeTensorType, int64_t)>
static InferredTypes inferEach(const OperatorView &call) {
  auto inputs = getTensors(call.getArg("inputs"));
  std::optional<int64_t> group = getGroupSize(call);
  if (!inputs || !group)
    return failure();
  SmallVector<Type> types;
  for (FakeTensorType input : *inputs)
    types.push_back(getType(input, *group));
  return results(types);
}

/// Each result is like its operand.
static InferredTypes inferSame(const OperatorView &call) {
  auto inputs = getTensors(call.getArg("inputs"));
  if (!inputs)
    return failure();
  SmallVector<Type> types;
  for (FakeTensorType input : *inputs)
    types.push_back(input.withoutMeta());
  return results(types);
}

static InferredTypes inferAllToAll(const OperatorView &call) {
  FakeTensorType input = getSelf(call);
  Argument splits = call.getArg("output_split_sizes");
  if (!input || !splits.isList())
    return failure();
  if (input.getRank() == 0)
    return refuse("expected a tensor of rank 1 or more, got 0");
  std::optional<Sizes> parts = getSizes(splits, splits.getElements().size());
  if (!parts)
    return failure();
  Size first = makeSize(call.getContext(), 0);
  for (ExprAttr part : *parts)
    first = first + Size(part);
  Sizes sizes(input.getSizes());
  sizes[0] = first;
  return result(makeTensor(input, sizes));
}

void fx::registerCollectiveShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(sameAsFirst, {"_c10d_functional.all_reduce.default",
                          "_c10d_functional.broadcast.default",
                          "_c10d_functional.wait_tensor.default"});
  hooks.add(inferSame, {"_c10d_functional.all_reduce_coalesced.default",
                        "_c10d_functional.all_reduce_coalesced_.default"});
  hooks.add(inferOne<getGathered>,
            {"_c10d_functional.all_gather_into_tensor.default",
             "_c10d_functional_autograd.all_gather_into_tensor.default"});
  hooks.add(inferOne<getShard>,
            {"_c10d_functional.reduce_scatter_tensor.default",
             "_c10d_functional_autograd.reduce_scatter_tensor.default"});
  hooks.add(inferEach<getGathered>,
            {"_c10d_functional.all_gather_into_tensor_coalesced.default"});
  hooks.add(inferEach<getShard>,
            {"_c10d_functional.reduce_scatter_tensor_coalesced.default"});
  hooks.add(inferAllToAll,
            {"_c10d_functional.all_to_all_single.default",
             "_c10d_functional_autograd.all_to_all_single.default"});
}
