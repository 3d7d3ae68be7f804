//===- Segments.cpp - reductions of runs of slices ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "Matrices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;

namespace fx::lin {

/// Lowers segment_reduce(data, reduce, lengths, indices, offsets, axis, unsafe,
/// initial). Segment k of a row has the slices [offsets[k], offsets[k + 1])
/// along `axis`. The mean of an empty segment without an initial value is NaN.
static LogicalResult lowerSegmentReduce(NodeLowering &n) {
  Tensor x = n.tensor("data");
  std::optional<Combine> reduction = combineOf(n.string("reduce"));
  std::optional<Tensor> lengths = n.optionalTensor("lengths"),
                        offsets = n.optionalTensor("offsets");
  int64_t axis = n.dim("axis", x.rank());
  bool hasInitial = n.has("initial");
  Number initial;
  if (hasInitial)
    initial = n.number("initial");
  if (n.failed() || !reduction || !n.resultType() || x.rank() == 0 ||
      !isa<FloatType>(x.dtype) || n.has("indices") ||
      bool(lengths) == bool(offsets))
    return n.fail("no floats, or neither lengths nor offsets");
  Tensor given = lengths ? *lengths : *offsets;
  if (given.rank() != axis + 1 || !isa<IntegerType>(given.dtype))
    return n.fail("the segments do not fit the data");
  Builder &b = n.b;
  Type acc = opMathType(x.dtype), i64 = b.b.getI64Type();
  Sizes sizes(n.resultSizes());
  ExprAttr outer = b.product(ArrayRef<ExprAttr>(x.sizes).take_front(axis)),
           inner = b.product(ArrayRef<ExprAttr>(x.sizes).drop_front(axis + 1)),
           segments = sizes[axis];
  Tensor rows =
      b.contiguous(b.reshape(b.cast(x, acc), {outer, x.sizes[axis], inner}));
  Tensor bounds =
      b.contiguous(b.reshape(b.cast(given, i64), {outer, given.sizes[axis]}));
  Value zero = b.index(0), count = b.index(segments),
        length = b.index(x.sizes[axis]), columns = b.index(inner);
  Scalars s(b.b, b.loc, acc), ix = indices(b), si = integers(b);
  Value start = hasInitial ? b.number(initial, acc) : neutral(s, *reduction);
  Value nan = s.constant(std::numeric_limits<double>::quiet_NaN());
  auto bound = [&](Value row, Value k) {
    Value v =
        tensor::ExtractOp::create(b.b, b.loc, bounds.value, ValueRange{row, k});
    return si.toIndex(v);
  };
  Sizes flat = {outer, segments, inner};
  Variables v(b);
  unsigned y = v.addEmpty(flat, acc), sum = v.add(s.constant(0)),
           next = v.add(zero), isGood = v.add(s.boolean(true));
  v.loop(zero, b.index(outer), [&](Value row) {
    v.set(next, zero);
    v.loop(zero, count, [&](Value k) {
      Value from = offsets ? bound(row, k) : v.get(next);
      Value to = offsets ? bound(row, ix.add(k, b.index(1)))
                         : ix.add(from, bound(row, k));
      Value fits = s.logicalAnd(
          s.logicalAnd(ix.le(zero, from), ix.le(from, to)), ix.le(to, length));
      v.set(isGood, s.logicalAnd(v.get(isGood), fits));
      // A segment that leaves the data counts as empty: nothing out of bounds
      // is read.
      from = ix.select(fits, from, zero);
      to = ix.select(fits, to, zero);
      v.set(next, to);
      Value size = ix.sub(to, from), isEmpty = ix.eq(size, zero);
      v.loop(zero, columns, [&](Value c) {
        v.set(sum, start);
        v.loop(from, to, [&](Value i) {
          Value e = tensor::ExtractOp::create(b.b, b.loc, rows.value,
                                              ValueRange{row, i, c});
          v.set(sum, combine(s, *reduction, v.get(sum), e));
        });
        Value r = v.get(sum);
        if (*reduction == Combine::Mean) {
          Value mean = s.div(r, s.fromIndex(ix.max(size, b.index(1))));
          r = s.select(isEmpty, hasInitial ? r : nan, mean);
        }
        v.store(y, {row, k, c}, r);
      });
    });
  });
  b.check(v.get(isGood),
          "aten.segment_reduce: expected segments within the data");
  return n.result(b.reshape(v.tensor(y, flat, acc), sizes));
}

void registerSegments(Registry &r) {
  r.add("aten.segment_reduce.default", lowerSegmentReduce);
}

} // namespace fx::lin
