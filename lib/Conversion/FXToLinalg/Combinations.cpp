//===- Combinations.cpp - choices of elements, and packed chunks ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include <numeric>

using namespace mlir;

namespace fx::lin {

/// The largest table of indices, in elements, that is made a constant.
static constexpr int64_t mostIndices = 1 << 20;

/// Returns the number of ways to choose `r` of `length` elements: C(length, r),
/// or C(length + r - 1, r) where an element may be chosen again. Returns
/// std::nullopt beyond mostIndices.
static std::optional<int64_t> countRows(int64_t length, int64_t r,
                                        bool repeats) {
  if (length > mostIndices || r > mostIndices)
    return std::nullopt;
  if (length == 0)
    return 0;
  int64_t n = repeats ? length + r - 1 : length;
  if (r > n)
    return 0;
  int64_t chosen = std::min(r, n - r), count = 1;
  // C(n - chosen + i, i) grows with i, and each is a whole number.
  for (int64_t i = 1; i <= chosen; ++i) {
    count = count * (n - chosen + i) / i;
    if (count > mostIndices)
      return std::nullopt;
  }
  return count;
}

/// Returns the `count` combinations of indices in lexicographic order, row by
/// row.
static SmallVector<int64_t> getRows(int64_t length, int64_t r, bool repeats,
                                    int64_t count) {
  SmallVector<int64_t> row(r, 0), indices;
  if (!repeats)
    std::iota(row.begin(), row.end(), 0);
  indices.reserve(count * r);
  for (int64_t k = 0; k < count; ++k) {
    indices.append(row);
    // Increment the last place that can grow and set the places after it to the
    // smallest values that may follow.
    int64_t at = r - 1;
    while (at >= 0 && row[at] == (repeats ? length - 1 : length - r + at))
      --at;
    for (int64_t i = at, next = at < 0 ? 0 : row[at] + 1; i >= 0 && i < r; ++i)
      row[i] = repeats ? next : next++;
  }
  return indices;
}

/// combinations(self, r, with_replacement): rows of r elements, in order.
static LogicalResult lowerCombinations(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t r = n.integer("r");
  bool repeats = n.boolean("with_replacement");
  if (n.failed() || x.rank() != 1 || !x.sizes[0].isInteger() || r < 1)
    return n.fail("a vector of unknown size, or no elements to choose");
  Builder &b = n.b;
  int64_t length = *x.sizes[0].getInteger();
  std::optional<int64_t> count = countRows(length, r, repeats);
  if (!count || *count > mostIndices / r)
    return n.fail("many combinations");
  // torch.export makes the number of rows a symbol, as if it depended on data.
  if (!n.resultSizes().empty() && n.resultSizes()[0].isSymbol() &&
      !b.symbols.isBound(n.resultSizes()[0].getName()))
    b.symbols.bind(n.resultSizes()[0].getName(), b.index(*count), false);
  for (ExprAttr size : n.resultSizes())
    if (!b.symbols.canEvaluate(size))
      return n.fail("the result's size depends on data");
  if (*count == 0) {
    Sizes none(n.resultSizes());
    return n.result(Tensor(b.empty(none, x.dtype), none, x.dtype));
  }
  Sizes sizes = {b.expr(*count), b.expr(r)};
  Tensor at = b.constant(getRows(length, r, repeats, *count), sizes);
  return n.result(b.read(
      x, {at}, sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value>) -> SmallVector<Value> {
        return {Scalars(s.b, s.loc, at.dtype).toIndex(v[0])};
      }));
}

/// _chunk_cat(tensors, dim, num_chunks): pads each tensor with 0 along `dim` to
/// `num_chunks` chunks of equal size, flattens each chunk with the dimensions
/// after `dim`, and concatenates the tensors along the flattened dimension.
static LogicalResult lowerChunkCat(NodeLowering &n) {
  SmallVector<Tensor> tensors = n.tensors("tensors");
  int64_t chunks = n.integer("num_chunks");
  if (n.failed() || tensors.empty() || chunks < 1)
    return n.fail("no tensors, or no chunks");
  int64_t dim = n.dim("dim", tensors[0].rank());
  Builder &b = n.b;
  SmallVector<Tensor> parts;
  ExprAttr total = b.expr(0);
  for (const Tensor &t : tensors) {
    if (n.failed() || t.rank() <= dim || !t.sizes[dim].isInteger())
      return n.fail("a dimension of unknown size");
    int64_t size = *t.sizes[dim].getInteger(),
            each = (size + chunks - 1) / chunks;
    Sizes low(t.rank(), b.expr(0)), high(low);
    high[dim] = b.expr(each * chunks - size);
    Tensor x = b.cast(t, n.resultDtype());
    if (each * chunks != size)
      x = b.pad(x, low, high, Scalars(b.b, b.loc, x.dtype).integer(0));
    Sizes sizes(ArrayRef<ExprAttr>(t.sizes).take_front(dim));
    sizes.push_back(b.expr(chunks));
    Sizes rest(ArrayRef<ExprAttr>(t.sizes).drop_front(dim));
    rest[0] = b.expr(each);
    sizes.push_back(b.product(rest));
    total = ExprAttr::add(n.context(), {total, sizes.back()});
    if (!total)
      return n.fail("a size overflows");
    parts.push_back(b.reshape(x, sizes));
  }
  Sizes whole(parts[0].sizes);
  whole.back() = total;
  return n.result(parts.size() == 1 ? parts[0]
                                    : b.concat(parts, dim + 1, whole));
}

void registerCombinations(Registry &r) {
  r.addCounting({"aten.combinations.default"}, lowerCombinations);
  r.add("aten._chunk_cat.default", lowerChunkCat);
}

} // namespace fx::lin
