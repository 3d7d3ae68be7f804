//===- Combinations.cpp - choices of elements, and packed chunks ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace fx::lin {

/// The most indices that are worth a table.
static constexpr int64_t mostIndices = 1 << 20;

/// combinations(self, r, with_replacement): rows of r elements, in order.
static LogicalResult lowerCombinations(Node &n) {
  Tensor x = n.tensor(0, "self");
  int64_t r = n.integer(1, "r", 2);
  bool repeats = n.boolean(2, "with_replacement", false);
  if (n.failed() || x.rank() != 1 || !x.sizes[0].isInteger() || r < 1)
    return n.fail("a vector of unknown size, or no elements to choose");
  Builder &b = n.b;
  int64_t length = *x.sizes[0].getInteger();
  // torch.export gives the number of rows a name, as if the data told it.
  auto bindRows = [&](int64_t count) {
    ExprAttr rows = n.resultSizes().empty() ? b.expr(0) : n.resultSizes()[0];
    if (rows.isSymbol() && !b.symbols.isBound(rows.getName()))
      b.symbols.bind(rows.getName(), b.index(count), false);
  };
  SmallVector<int64_t> row, indices;
  std::function<LogicalResult(int64_t)> choose = [&](int64_t from) {
    if (int64_t(row.size()) == r) {
      indices.append(row);
      return success(int64_t(indices.size()) <= mostIndices);
    }
    for (int64_t i = from; i < length; ++i) {
      row.push_back(i);
      if (failed(choose(repeats ? i : i + 1)))
        return failure();
      row.pop_back();
    }
    return success();
  };
  if (r > mostIndices || failed(choose(0)))
    return n.fail("many combinations");
  bindRows(int64_t(indices.size()) / r);
  for (ExprAttr size : n.resultSizes())
    if (!b.symbols.canEvaluate(size))
      return n.fail("the result's size depends on data");
  Type i64 = b.b.getI64Type();
  Sizes sizes = {b.expr(int64_t(indices.size()) / r), b.expr(r)};
  if (indices.empty()) {
    Sizes none(n.resultSizes());
    return n.result(Tensor(b.empty(none, x.dtype), none, x.dtype));
  }
  Tensor at(arith::ConstantOp::create(
                b.b, b.loc,
                DenseElementsAttr::get(tensorType(sizes, i64),
                                       ArrayRef<int64_t>(indices))),
            sizes, i64);
  return n.result(b.read(
      x, {at}, sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value>) -> SmallVector<Value> {
        return {Scalars(s.b, s.loc, i64).toIndex(v[0])};
      }));
}

/// _chunk_cat(tensors, dim, num_chunks): each tensor padded with 0 along `dim`
/// to whole chunks, which are flattened with what follows; the tensors' chunks
/// side by side.
static LogicalResult lowerChunkCat(Node &n) {
  SmallVector<Tensor> tensors = n.tensors(0, "tensors");
  int64_t chunks = n.integer(2, "num_chunks", 1);
  if (n.failed() || tensors.empty() || chunks < 1)
    return n.fail("no tensors, or no chunks");
  int64_t dim = n.dim(1, "dim", tensors[0].rank());
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
