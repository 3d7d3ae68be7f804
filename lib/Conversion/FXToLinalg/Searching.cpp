//===- Searching.cpp - searches in sorted rows ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"

using namespace mlir;

namespace fx::lin {

/// The maximum length of the sorted rows: `search` compares each value with
/// each element.
static constexpr int64_t mostSearched = 4096;

/// Sets the result to the number of elements of the sorted row that come before
/// each value: those less than it, or not greater if `right`. All elements come
/// before a NaN.
static LogicalResult search(NodeLowering &n, const Tensor &sorted,
                            const Tensor &values, bool right) {
  Builder &b = n.b;
  std::optional<int64_t> length =
      sorted.rank() ? sorted.sizes.back().getInteger() : std::nullopt;
  if (n.failed() || !length || *length > mostSearched ||
      (sorted.rank() > 1 && sorted.rank() != values.rank()))
    return n.fail("a row that is long, or of unknown length");
  Type i64 = b.b.getI64Type(), dtype = promote({sorted, values}, {});
  Tensor row = sorted;
  if (sorted.rank() > 1)
    row = b.unsqueeze(row, row.rank() - 1);
  Tensor value = b.unsqueeze(values, values.rank());
  Sizes sizes(values.sizes);
  sizes.push_back(sorted.sizes.back());
  Tensor before = b.pointwise(
      {row, value}, sizes, i64, dtype,
      [&](Scalars &s, ValueRange v) {
        Value stop = right ? s.gt(v[0], v[1]) : s.ge(v[0], v[1]);
        return toI64(s, s.logicalNot(stop), s.b.getI1Type());
      },
      i64);
  return n.result(b.sum(before, {values.rank()}, false, i64));
}

static LogicalResult lowerSearchSorted(NodeLowering &n) {
  Tensor sorted = n.tensor("sorted_sequence");
  bool scalar = n.target().ends_with(".Scalar");
  bool right = n.boolean("right") || n.string("side", "left") == "right";
  if (n.failed())
    return failure();
  if (n.has("sorter")) {
    Tensor order = n.tensor("sorter");
    if (n.failed() || order.rank() != sorted.rank() || order.rank() == 0)
      return n.fail("the sorter does not fit the sequence");
    n.b.checkIndices(order, sorted.sizes.back(),
                     "aten.searchsorted: an index is out of range", false);
    sorted = pick(n.b, sorted, n.b.cast(order, n.b.b.getI64Type()));
  }
  if (!scalar)
    return search(n, sorted, n.tensor("self"), right);
  Number v = n.number("self");
  // PyTorch promotes the number with the sequence, as in a comparison.
  Type dtype = promote({sorted}, {v});
  return search(n, sorted, n.b.fromElement(n.b.number(v, dtype), dtype), right);
}

static LogicalResult lowerBucketize(NodeLowering &n) {
  bool right = n.boolean("right");
  Tensor values = n.tensor("self"), row = n.tensor("boundaries");
  return search(n, row, values, right);
}

static LogicalResult lowerIsIn(NodeLowering &n) {
  bool isScalar = n.has("element"), isOneElement = n.has("test_element");
  if (isScalar && isOneElement)
    return n.fail("expected a tensor");
  // Convert a number to the dtype to which type promotion converts it and the
  // tensor.
  auto ofNumber = [&](ArgName name, const Tensor &beside) {
    Number v = n.number(name);
    Type dtype = promote({beside}, {v});
    return n.b.fromElement(n.b.number(v, dtype), dtype);
  };
  Tensor x, set;
  if (!isScalar)
    x = n.tensor("elements");
  if (!isOneElement)
    set = n.tensor("test_elements");
  if (n.failed())
    return failure();
  if (isScalar)
    x = ofNumber("element", set);
  if (isOneElement)
    set = ofNumber("test_element", x);
  bool invert = n.boolean("invert");
  if (n.failed())
    return failure();
  Builder &b = n.b;
  Type i1 = b.b.getI1Type();
  Tensor flat = b.reshape(set, {b.product(set.sizes)});
  Sizes sizes(x.sizes);
  sizes.push_back(flat.sizes[0]);
  Tensor same = b.pointwise(
      {b.unsqueeze(x, x.rank()), flat}, sizes, i1, promote({x, set}, {}),
      [](Scalars &s, ValueRange v) { return s.eq(v[0], v[1]); }, i1);
  Tensor any = b.reduce(
      same, {x.rank()}, false, i1, [](Scalars &s) { return s.boolean(false); },
      [](Scalars &s, Value a, Value v) { return s.logicalOr(a, v); });
  return n.pointwise(0, {any}, i1, [&](Scalars &s, ValueRange v) {
    return invert ? s.logicalNot(v[0]) : v[0];
  });
}

void registerSearching(Registry &r) {
  r.add({"aten.searchsorted.Tensor", "aten.searchsorted.Scalar"},
        lowerSearchSorted);
  r.add("aten.bucketize.Tensor", lowerBucketize);
  r.add({"aten.isin.Tensor_Tensor", "aten.isin.Scalar_Tensor",
         "aten.isin.Tensor_Scalar"},
        lowerIsIn);
}

} // namespace fx::lin
