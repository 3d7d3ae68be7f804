//===- Views.cpp - views, concatenation and padding -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

static unsigned valueRank(const Tensor &t) {
  return llvm::cast<RankedTensorType>(t.value.getType()).getRank();
}

/// Returns the sizes of the dimensions of `t.value`.
static Sizes valueSizes(const Tensor &t) {
  Sizes sizes(valueRank(t));
  for (auto [dim, size] : llvm::zip(t.dims, t.sizes))
    if (dim >= 0)
      sizes[dim] = size;
  return sizes;
}

static bool isUnit(ExprAttr size) { return size.getInteger() == 1; }

Tensor Builder::permute(const Tensor &t, ArrayRef<int64_t> order) {
  Tensor result = t;
  for (auto [i, from] : llvm::enumerate(order)) {
    result.sizes[i] = t.sizes[from];
    result.dims[i] = t.dims[from];
  }
  return result;
}

Tensor Builder::unsqueeze(const Tensor &t, int64_t dim) {
  Tensor result = t;
  result.sizes.insert(result.sizes.begin() + dim, expr(1));
  result.dims.insert(result.dims.begin() + dim, -1);
  return result;
}

/// Drops the unit dimension `dim` from `t.value`. In the result it is a
/// broadcast dimension, of which every index reads the same element.
Tensor Builder::mergeUnit(const Tensor &t, int64_t dim) {
  int v = t.dims[dim];
  if (v < 0)
    return t;
  int rank = valueRank(t);
  SmallVector<ReassociationIndices> groups;
  for (int i = 0; i < rank; ++i) {
    // Merge the unit dimension with the one before it, or, if it is the first,
    // with the one after it.
    bool join = !groups.empty() && (i == v || (v == 0 && i == 1));
    if (!join)
      groups.emplace_back();
    groups.back().push_back(i);
  }
  Tensor result = t;
  Sizes inner = valueSizes(t);
  inner.erase(inner.begin() + v);
  if (rank == 1)
    groups.clear();
  result.value = tensor::CollapseShapeOp::create(
      b, loc, tensorType(inner, t.dtype), t.value, groups);
  for (int &d : result.dims)
    d = d == v ? -1 : d > v ? d - 1 : d;
  return result;
}

Tensor Builder::squeeze(const Tensor &t, int64_t dim) {
  Tensor result = mergeUnit(t, dim);
  result.sizes.erase(result.sizes.begin() + dim);
  result.dims.erase(result.dims.begin() + dim);
  return result;
}

Tensor Builder::alongAxis(Tensor t, int64_t axis, int64_t rank) {
  for (int64_t i = axis + 1; i < rank; ++i)
    t = unsqueeze(t, t.rank());
  return t;
}

Tensor Builder::expand(const Tensor &t, ArrayRef<ExprAttr> sizes) {
  Tensor result = t;
  while (result.rank() < int64_t(sizes.size()))
    result = unsqueeze(result, 0);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (!isUnit(result.sizes[i]))
      continue;
    if (!isUnit(size))
      result = mergeUnit(result, i);
    result.sizes[i] = size;
  }
  return result;
}

Tensor Builder::slice(const Tensor &t, int64_t dim, ExprAttr start,
                      ExprAttr length, ExprAttr step) {
  bool whole = start.getInteger() == 0 && step.getInteger() == 1 &&
               length == t.sizes[dim];
  Tensor result = t;
  result.sizes[dim] = length;
  if (whole || t.dims[dim] < 0)
    return result;
  if (isEmpty(result.sizes))
    return Tensor(empty(result.sizes, t.dtype), result.sizes, t.dtype);
  int v = t.dims[dim];
  unsigned rank = valueRank(t);
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      strides(rank, b.getIndexAttr(1));
  Sizes inner = valueSizes(t);
  inner[v] = length;
  offsets[v] = fold(start);
  strides[v] = fold(step);
  result.value =
      tensor::ExtractSliceOp::create(b, loc, tensorType(inner, t.dtype),
                                     t.value, offsets, fold(inner), strides);
  return result;
}

Tensor Builder::select(const Tensor &t, int64_t dim, OpFoldResult at) {
  Tensor result = t;
  int v = t.dims[dim];
  result.sizes.erase(result.sizes.begin() + dim);
  result.dims.erase(result.dims.begin() + dim);
  if (v < 0)
    return result;
  if (isEmpty(t.sizes))
    return Tensor(empty(result.sizes, t.dtype), result.sizes, t.dtype);
  unsigned rank = valueRank(t);
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      strides(rank, b.getIndexAttr(1));
  Sizes inner = valueSizes(t);
  inner[v] = expr(1);
  offsets[v] = at;
  SmallVector<OpFoldResult> lengths = fold(inner);
  // MLIR 22 canonicalizes a rank-reducing slice wrongly if its offset becomes a
  // constant only later and it has other unit dimensions. Slice first and drop
  // the dimension then.
  if (!getConstantIntValue(at)) {
    Tensor whole = t;
    whole.sizes[dim] = expr(1);
    whole.value = tensor::ExtractSliceOp::create(
        b, loc, tensorType(inner, t.dtype), t.value, offsets, lengths, strides);
    return squeeze(whole, dim);
  }
  inner.erase(inner.begin() + v);
  result.value = tensor::ExtractSliceOp::create(
      b, loc, tensorType(inner, t.dtype), t.value, offsets, lengths, strides);
  for (int &d : result.dims)
    d = d > v ? d - 1 : d;
  return result;
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

namespace {
/// Dimensions of the old shape and those of the new one that hold the same
/// elements.
struct Group {
  SmallVector<int64_t> from, to;
  /// The first dimension of `from` in the value, counting only non-unit
  /// dimensions; -1 if the dimensions are broadcast.
  int position = -1;
};
} // namespace

/// Divides the non-unit dimensions of both shapes into groups whose products
/// of sizes are provably equal, each as small as possible. Where no products
/// are provably equal, the remaining dimensions become one group: the operator
/// guarantees that the products of all sizes are equal.
static SmallVector<Group> groupDims(Builder &b, ArrayRef<ExprAttr> from,
                                    ArrayRef<ExprAttr> to) {
  SmallVector<int64_t> a, c;
  for (auto [i, size] : llvm::enumerate(from))
    if (!isUnit(size))
      a.push_back(i);
  for (auto [i, size] : llvm::enumerate(to))
    if (!isUnit(size))
      c.push_back(i);
  auto product = [&](ArrayRef<ExprAttr> sizes, ArrayRef<int64_t> dims) {
    Sizes factors;
    for (int64_t d : dims)
      factors.push_back(sizes[d]);
    return b.product(factors);
  };
  SmallVector<Group> groups;
  ArrayRef<int64_t> restA = a, restC = c;
  while (!restA.empty() || !restC.empty()) {
    size_t nA = restA.size(), nC = restC.size();
    bool found = false;
    for (size_t total = 2; !found && total <= nA + nC; ++total)
      for (size_t i = 1; !found && i < total && i <= restA.size(); ++i) {
        size_t j = total - i;
        if (j > restC.size())
          continue;
        if (product(from, restA.take_front(i)) ==
            product(to, restC.take_front(j))) {
          nA = i;
          nC = j;
          found = true;
        }
      }
    // No products are provably equal. Leave equal sizes at the end of both
    // shapes out of the group, so that they form groups of their own.
    if (!found) {
      size_t tail = 0;
      while (tail + 1 < nA && tail + 1 < nC &&
             from[restA[nA - 1 - tail]] == to[restC[nC - 1 - tail]])
        ++tail;
      nA -= tail;
      nC -= tail;
    }
    Group group;
    llvm::append_range(group.from, restA.take_front(nA));
    llvm::append_range(group.to, restC.take_front(nC));
    restA = restA.drop_front(nA);
    restC = restC.drop_front(nC);
    groups.push_back(group);
  }
  return groups;
}

/// Sets the position of each group in the value. Returns false if a group has
/// no old dimension, or if its dimensions are not adjacent and in order in the
/// value.
static bool placeGroups(const Tensor &t, MutableArrayRef<Group> groups) {
  // Position of each dimension of the value among the non-unit ones.
  Sizes inner = valueSizes(t);
  SmallVector<int> position;
  int next = 0;
  for (ExprAttr size : inner)
    position.push_back(isUnit(size) ? -1 : next++);
  for (Group &group : groups) {
    if (group.from.empty())
      return false;
    for (auto [i, dim] : llvm::enumerate(group.from)) {
      int at = t.dims[dim] < 0 ? -1 : position[t.dims[dim]];
      if (i == 0)
        group.position = at;
      else if (at != (group.position < 0 ? -1 : group.position + int(i)))
        return false;
    }
  }
  return true;
}

/// Returns one group of all dimensions of the contiguous tensor `t` and of the
/// new shape `sizes`.
static Group groupAll(const Tensor &t, ArrayRef<ExprAttr> sizes) {
  Group all;
  for (int64_t i = 0; i < t.rank(); ++i)
    if (!isUnit(t.sizes[i]))
      all.from.push_back(i);
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!isUnit(size))
      all.to.push_back(i);
  if (all.from.empty())
    all.from.push_back(0);
  if (all.to.empty() && !sizes.empty())
    all.to.push_back(0);
  all.position = 0;
  return all;
}

/// Returns the groups that are not broadcast, in their order in the value.
static SmallVector<Group *> sortByPosition(MutableArrayRef<Group> groups) {
  SmallVector<Group *> order;
  for (Group &group : groups)
    if (group.position >= 0)
      order.push_back(&group);
  llvm::sort(order,
             [](Group *x, Group *y) { return x->position < y->position; });
  return order;
}

/// Returns the product of the sizes of each group.
static Sizes mergedSizes(Builder &b, const Tensor &t, ArrayRef<Group *> order,
                         ArrayRef<ExprAttr> sizes) {
  Sizes merged;
  for (Group *group : order) {
    Sizes factors;
    bool toOne = group->to.size() == 1;
    for (int64_t d : toOne ? group->to : group->from)
      factors.push_back(toOne ? sizes[d] : t.sizes[d]);
    merged.push_back(b.product(factors));
  }
  return merged;
}

/// Collapses each group of dimensions of `t.value` to one dimension. Unit
/// dimensions become part of a neighboring group.
static Value collapseGroups(Builder &b, const Tensor &t,
                            ArrayRef<Group *> order) {
  Sizes inner = valueSizes(t);
  if (order.size() == inner.size())
    return t.value;
  SmallVector<ReassociationIndices> reassociation(order.size());
  int group = -1, left = 0;
  for (auto [v, size] : llvm::enumerate(inner)) {
    bool start = group < 0 || (left == 0 && !isUnit(size));
    if (start && group + 1 < int(order.size())) {
      ++group;
      left = order[group]->from.size();
    }
    if (!isUnit(size) || (group >= 0 && order[group]->from.size() == 1 &&
                          isUnit(t.sizes[order[group]->from[0]])))
      --left;
    if (group >= 0)
      reassociation[group].push_back(v);
  }
  RankedTensorType type = tensor::CollapseShapeOp::inferCollapsedType(
      llvm::cast<RankedTensorType>(t.value.getType()), reassociation);
  return tensor::CollapseShapeOp::create(b.b, b.loc, type, t.value,
                                         reassociation);
}

/// Splits each group, which is one dimension of `value` with a size in
/// `merged`, into its dimensions of `sizes`. Unit dimensions are broadcast
/// dimensions of the result, which cost nothing.
static Tensor expandGroups(Builder &b, Value value, ArrayRef<Group *> order,
                           ArrayRef<ExprAttr> merged, ArrayRef<ExprAttr> sizes,
                           Type dtype) {
  Tensor result;
  result.sizes.assign(sizes.begin(), sizes.end());
  result.dims.assign(sizes.size(), -1);
  result.dtype = dtype;
  SmallVector<ReassociationIndices> reassociation;
  Sizes expanded, collapsed;
  for (auto [group, size] : llvm::zip(order, merged)) {
    reassociation.emplace_back();
    Sizes parts;
    for (int64_t d : group->to) {
      reassociation.back().push_back(expanded.size());
      result.dims[d] = expanded.size();
      expanded.push_back(sizes[d]);
      parts.push_back(sizes[d]);
    }
    // A dimension that is split must be static if all its parts are, and
    // dynamic otherwise.
    collapsed.push_back(parts.size() > 1 ? b.product(parts) : size);
  }
  value = b.withType(value, collapsed, dtype);
  if (expanded.size() != collapsed.size())
    value =
        tensor::ExpandShapeOp::create(b.b, b.loc, tensorType(expanded, dtype),
                                      value, reassociation, b.fold(expanded));
  result.value = value;
  return result;
}

Tensor Builder::reshape(const Tensor &input, ArrayRef<ExprAttr> sizes) {
  if (ArrayRef<ExprAttr>(input.sizes) == sizes)
    return input;
  Tensor t = input;
  if (isEmpty(sizes) || isEmpty(t.sizes))
    return Tensor(empty(sizes, t.dtype), sizes, t.dtype);

  if (t.rank() == 0)
    t = contiguous(unsqueeze(t, 0));
  SmallVector<Group> groups = groupDims(*this, t.sizes, sizes);
  if (!placeGroups(t, groups)) {
    t = contiguous(t);
    // A symbolic size of the new shape may be 1 at run time, and its group have
    // no old dimension. Use one group of all dimensions.
    if (!placeGroups(t, groups))
      groups.assign({groupAll(t, sizes)});
  }
  SmallVector<Group *> order = sortByPosition(groups);
  Sizes merged = mergedSizes(*this, t, order, sizes);
  Value value = collapseGroups(*this, t, order);
  return expandGroups(*this, value, order, merged, sizes, t.dtype);
}

Tensor Builder::split(const Tensor &t, int64_t dim, ArrayRef<ExprAttr> parts) {
  int v = t.dims[dim], count = parts.size();
  Tensor result = t;
  result.sizes.erase(result.sizes.begin() + dim);
  result.dims.erase(result.dims.begin() + dim);
  result.sizes.insert(result.sizes.begin() + dim, parts.begin(), parts.end());
  for (int &d : result.dims)
    d = v >= 0 && d > v ? d + count - 1 : d;
  for (int i = 0; i < count; ++i)
    result.dims.insert(result.dims.begin() + dim + i, v < 0 ? -1 : v + i);
  if (v < 0)
    return result;
  Sizes inner = valueSizes(t), merged(inner);
  merged[v] = product(parts);
  inner.erase(inner.begin() + v);
  inner.insert(inner.begin() + v, parts.begin(), parts.end());
  SmallVector<ReassociationIndices> groups;
  for (int i = 0, at = 0, e = merged.size(); i < e; ++i) {
    groups.emplace_back();
    for (int k = 0; k < (i == v ? count : 1); ++k)
      groups.back().push_back(at++);
  }
  result.value = tensor::ExpandShapeOp::create(
      b, loc, tensorType(inner, t.dtype), withType(t.value, merged, t.dtype),
      groups, fold(inner));
  return result;
}

//===----------------------------------------------------------------------===//
// Insertion, concatenation and padding
//===----------------------------------------------------------------------===//

Value Builder::insert(Value part, Value whole, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes,
                      ArrayRef<OpFoldResult> strides) {
  // MLIR accepts no offset in a dimension of size 0, not even the offset 0.
  if (llvm::any_of(sizes, [](OpFoldResult size) {
        return getConstantIntValue(size) == 0;
      }))
    return whole;
  return tensor::InsertSliceOp::create(b, loc, part, whole, offsets, sizes,
                                       strides);
}

Tensor Builder::concat(ArrayRef<Tensor> parts, int64_t dim,
                       ArrayRef<ExprAttr> sizes) {
  Type dtype = parts.front().dtype;
  Value whole = empty(sizes, dtype);
  unsigned rank = sizes.size();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      strides(rank, b.getIndexAttr(1));
  ExprAttr at = expr(0);
  for (const Tensor &part : parts) {
    if (isEmpty(part.sizes))
      continue;
    offsets[dim] = fold(at);
    whole =
        insert(materialize(part), whole, offsets, fold(part.sizes), strides);
    at = ExprAttr::add(context(), {at, part.sizes[dim]});
    if (!at)
      at = expr(0);
  }
  return Tensor(whole, sizes, dtype);
}

Tensor Builder::pad(const Tensor &t, ArrayRef<ExprAttr> low,
                    ArrayRef<ExprAttr> high, Value value) {
  Tensor inner = t;
  Sizes sizes(t.sizes), lowPad(low), highPad(high);
  auto sum = [&](ExprAttr x, ExprAttr y) {
    ExprAttr r = ExprAttr::add(context(), {x, y});
    return r ? r : expr(0);
  };
  bool any = false;
  for (int64_t i = 0; i < t.rank(); ++i) {
    std::optional<int64_t> l = low[i].getInteger(), h = high[i].getInteger();
    int64_t cropLow = l && *l < 0 ? -*l : 0, cropHigh = h && *h < 0 ? -*h : 0;
    if (cropLow || cropHigh) {
      ExprAttr length = sum(inner.sizes[i], expr(-cropLow - cropHigh));
      inner = slice(inner, i, expr(cropLow), length, expr(1));
      if (cropLow)
        lowPad[i] = expr(0);
      if (cropHigh)
        highPad[i] = expr(0);
    }
    any |= lowPad[i].getInteger() != 0 || highPad[i].getInteger() != 0;
    sizes[i] = sum(inner.sizes[i], sum(lowPad[i], highPad[i]));
  }
  if (!any)
    return inner;
  if (isEmpty(sizes))
    return Tensor(empty(sizes, t.dtype), sizes, t.dtype);
  if (isEmpty(inner.sizes))
    return Tensor(filled(sizes, t.dtype, value), sizes, t.dtype);
  Value v = tensor::PadOp::create(b, loc, tensorType(sizes, t.dtype),
                                  materialize(inner), fold(lowPad),
                                  fold(highPad), value);
  return Tensor(v, sizes, t.dtype);
}

} // namespace fx::lin
