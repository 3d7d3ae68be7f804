//===- Redistribute.cpp - change the placements of values -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sharder.h"
#include "fx/IR/Metadata.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

ArgumentTree Sharder::integer(int64_t value) {
  return ArgumentTree::integer(b.getContext(), value);
}

ArgumentTree Sharder::number(double value) {
  return Attribute(b.getF64FloatAttr(value));
}

ArgumentTree Sharder::integers(ArrayRef<int64_t> list) {
  SmallVector<ArgumentTree> elements;
  for (int64_t value : list)
    elements.push_back(integer(value));
  return ArgumentTree::list(b.getContext(), elements);
}

Value Sharder::call(Location loc, StringRef target, Type type,
                    ArrayRef<ArgumentTree> args, ArrayRef<StringRef> keywords) {
  // aten.add.Tensor becomes `add`, as in torch.
  StringRef name = target.split('.').second.split('.').first;
  return createCall(b, namer.rename(loc, name), target, type, args, keywords)
      ->getResult(0);
}

Value Sharder::slice(Value value, unsigned dim, int64_t from, int64_t to,
                     Location loc) {
  auto type = cast<FakeTensorType>(value.getType());
  SmallVector<ExprAttr> sizes(type.getSizes());
  sizes[dim] = ExprAttr::integer(b.getContext(), to - from);
  return call(loc, "aten.slice.Tensor", type.withSizes(sizes),
              {value, integer(dim), integer(from), integer(to)});
}

Value Sharder::concatenate(ArrayRef<Value> parts, unsigned dim, Location loc) {
  if (parts.size() == 1)
    return parts.front();
  auto type = cast<FakeTensorType>(parts.front().getType());
  SmallVector<ExprAttr> sizes(type.getSizes());
  int64_t size = 0;
  SmallVector<ArgumentTree> list;
  for (Value part : parts) {
    size += cast<FakeTensorType>(part.getType()).getDimSize(dim);
    list.push_back(part);
  }
  sizes[dim] = ExprAttr::integer(b.getContext(), size);
  return call(loc, "aten.cat.default", type.withSizes(sizes),
              {ArgumentTree::list(b.getContext(), list), integer(dim)});
}

Value Sharder::reduce(Value local, Location loc, StringRef what) {
  auto type = cast<FakeTensorType>(local.getType()).withoutMeta();
  Value started = call(loc, "_c10d_functional.all_reduce.default", type,
                       {local, Attribute(b.getStringAttr(what)),
                        Attribute(b.getStringAttr(options.group))});
  ++communication.numReductions;
  return call(loc, "_c10d_functional.wait_tensor.default", type, {started});
}

/// The collective puts the parts behind each other in dimension 0.
Value Sharder::gather(Value local, FakeTensorType whole,
                      const Placement &placement, Location loc) {
  auto type = cast<FakeTensorType>(local.getType()).withoutMeta();
  int64_t ranks = options.ranks;
  unsigned dim = placement.dim;
  MLIRContext *context = b.getContext();
  // c10d takes contiguous tensors only.
  Value input = call(
      loc, "aten.clone.default", type,
      {local, Attribute(MemoryFormatAttr::get(context, "contiguous_format"))},
      {"memory_format"});
  SmallVector<ExprAttr> sizes(type.getSizes());
  sizes[0] =
      ExprAttr::mul(context, {sizes[0], ExprAttr::integer(context, ranks)});
  FakeTensorType stacked = type.withSizes(sizes);
  Value started =
      call(loc, "_c10d_functional.all_gather_into_tensor.default", stacked,
           {input, integer(ranks), Attribute(b.getStringAttr(options.group))});
  ++communication.numGathers;
  Value value =
      call(loc, "_c10d_functional.wait_tensor.default", stacked, {started});
  if (dim != 0) {
    sizes.assign(type.getSizes().begin(), type.getSizes().end());
    sizes.insert(sizes.begin(), ExprAttr::integer(context, ranks));
    value = call(loc, "aten.unflatten.int", type.withSizes(sizes),
                 {value, integer(0), integers({ranks, -1})});
    std::rotate(sizes.begin(), sizes.begin() + 1, sizes.begin() + dim + 1);
    value = call(loc, "aten.movedim.int", type.withSizes(sizes),
                 {value, integer(0), integer(dim)});
    value = call(loc, "aten.flatten.using_ints", whole.withoutMeta(),
                 {value, integer(dim), integer(dim + 1)});
  }
  if (placement.sections.empty())
    return value;
  // The parts of one rank are together. Put those of one section together.
  SmallVector<Value> parts;
  int64_t offset = 0, length = type.getDimSize(dim);
  for (int64_t section : placement.sections) {
    int64_t part = section / ranks;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      int64_t from = rank * length + offset;
      parts.push_back(slice(value, dim, from, from + part, loc));
    }
    offset += part;
  }
  return concatenate(parts, dim, loc);
}

/// Returns this rank's part of a whole value.
Value Sharder::take(Value value, FakeTensorType whole,
                    const Placement &placement, Location loc) {
  SmallVector<int64_t> sections = llvm::to_vector(placement.sections);
  if (sections.empty())
    sections.push_back(whole.getDimSize(placement.dim));
  SmallVector<Value> parts;
  int64_t begin = 0;
  for (int64_t section : sections) {
    int64_t part = section / options.ranks;
    int64_t from = begin + part * options.rank;
    parts.push_back(slice(value, placement.dim, from, from + part, loc));
    begin += section;
  }
  return concatenate(parts, placement.dim, loc);
}

Value Sharder::get(Value whole, const Placement &placement) {
  Shared &shared = lookup(whole);
  if (auto it = uses.find(whole); it != uses.end()) {
    StateUse &use = it->second;
    if (placement.isReplicate())
      use.isUsedWhole = true;
    else if (!llvm::is_contained(use.parts, placement))
      use.parts.push_back(placement);
  }
  if (shared.placement == placement)
    return shared.value;
  for (auto &[other, value] : shared.others)
    if (other == placement)
      return value;
  auto type = cast<FakeTensorType>(whole.getType());
  Location loc = whole.getLoc();
  // Redistribute where the value is used first: all ranks do it there.
  if (shared.placement.isPartial()) {
    // All later uses take the sum.
    shared.value = reduce(shared.value, loc);
    shared.placement = Placement::replicate();
    return get(whole, placement);
  }
  Value value;
  if (shared.placement.isShard() && placement.isReplicate()) {
    value = gather(shared.value, type, shared.placement, loc);
  } else if (shared.placement.isShard()) {
    value = get(whole, Placement::replicate());
    Value part = value;
    value = placement.isShard() ? take(part, type, placement, loc) : Value();
    if (!value)
      value = options.rank == 0 ? part
                                : call(loc, "aten.full_like.default",
                                       type.withoutMeta(), {part, number(0)});
  } else if (placement.isShard()) {
    value = take(shared.value, type, placement, loc);
  } else {
    // The summand of rank 0 is the value, those of the others are zeros.
    value = options.rank == 0
                ? shared.value
                : call(loc, "aten.full_like.default", type.withoutMeta(),
                       {shared.value, number(0)});
  }
  lookup(whole).others.emplace_back(placement, value);
  return value;
}
