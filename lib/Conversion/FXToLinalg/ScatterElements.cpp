//===- ScatterElements.cpp - operators that write single elements ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "NodeLowering.h"
#include "Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// A write of one element of `x` for each element of `index`: x[index[i, j], j]
/// if `dim` is 0, x[i, index[i, j]] if it is 1.
struct Write {
  Tensor x;
  int64_t dim = 0;
  Tensor index;
  std::optional<Tensor> source; // at least as large as the index
  Number constant;              // the value written if there is no source
  Combine combine = Combine::Set;
  bool includeSelf = true;
};
} // namespace

/// Loops over the elements of the index and updates one element of `x` for
/// each. `fn` gets the old element in the compute type and the position in the
/// index, and returns the new element.
static Tensor visit(Builder &b, const Write &w, const Tensor &x,
                    function_ref<Value(Scalars &, Value, ArrayRef<Value>)> fn) {
  Value result = loopNest(
      b, w.index.sizes, b.materialize(x),
      [&](ArrayRef<Value> i, Value carried) -> Value {
        SmallVector<Value> place(i);
        Value at = tensor::ExtractOp::create(b.b, b.loc, w.index.value, i);
        place[w.dim] = Scalars(b.b, b.loc, w.index.dtype).toIndex(at);
        Type compute = opMathType(x.dtype);
        Scalars s(b.b, b.loc, compute);
        Value old = tensor::ExtractOp::create(b.b, b.loc, carried, place);
        Value v =
            s.cast(fn(s, s.cast(old, x.dtype, compute), i), compute, x.dtype);
        return tensor::InsertOp::create(b.b, b.loc, v, carried, place);
      });
  return Tensor(result, x.sizes, x.dtype);
}

static LogicalResult scatter(NodeLowering &n, Write w) {
  Builder &b = n.b;
  if (n.failed() || !isa<IntegerType>(w.index.dtype))
    return n.fail("the index is no integer tensor");
  bool scalar = w.x.rank() == 0;
  auto atLeastVector = [&](Tensor &t) {
    if (t.rank() == 0)
      t = b.unsqueeze(t, 0);
  };
  atLeastVector(w.x);
  atLeastVector(w.index);
  if (w.source)
    atLeastVector(*w.source);
  if (isEmpty(w.index.sizes))
    return n.result(scalar ? b.squeeze(w.x, 0) : w.x);
  if (w.index.rank() != w.x.rank() ||
      (w.source && w.source->rank() != w.x.rank()))
    return n.fail("the index does not fit the tensor");
  for (int64_t i = 0; i < w.x.rank(); ++i) {
    std::optional<int64_t> to = w.x.sizes[i].getInteger(),
                           at = w.index.sizes[i].getInteger();
    if (i != w.dim && to && at && *at > *to)
      return n.fail("the index is larger than the tensor");
    std::optional<int64_t> from =
        w.source ? w.source->sizes[i].getInteger() : std::nullopt;
    if (from && at && *from < *at)
      return n.fail("the source is smaller than the index");
  }
  b.checkIndices(w.index, w.x.sizes[w.dim],
                 n.target().str() + ": an index is out of range", false);
  w.index = b.contiguous(w.index);
  Type dtype = w.x.dtype, compute = opMathType(dtype);
  Tensor source;
  Value constant;
  if (w.source)
    source = b.contiguous(b.cast(*w.source, dtype));
  else
    constant = b.number(w.constant, compute);
  Tensor y = w.x;
  // Without include_self, the elements that are written to start from the
  // neutral element.
  if (!w.includeSelf)
    y = visit(b, w, y, [&](Scalars &s, Value, ArrayRef<Value>) {
      return neutral(s, w.combine);
    });
  y = visit(b, w, y, [&](Scalars &s, Value old, ArrayRef<Value> i) -> Value {
    Value v = constant;
    if (w.source)
      v = s.cast(tensor::ExtractOp::create(b.b, b.loc, source.value, i), dtype,
                 compute);
    return combine(s, w.combine, old, v);
  });
  if (w.combine == Combine::Mean) {
    Scalars outer(b.b, b.loc, compute);
    Tensor count(
        b.filled(w.x.sizes, compute, outer.integer(w.includeSelf ? 1 : 0)),
        w.x.sizes, compute);
    count = visit(b, w, count, [](Scalars &s, Value old, ArrayRef<Value>) {
      return s.add(old, s.integer(1));
    });
    y = b.map({y, count}, dtype, [](Scalars &s, ValueRange v) {
      Value by = s.max(v[1], s.integer(1));
      return s.isFloat() ? s.div(v[0], by) : s.floorDiv(v[0], by);
    });
  }
  return n.result(scalar ? b.squeeze(y, 0) : y);
}

/// Returns the index if it is the same for all elements of a slice, and all of
/// them take part: programs often expand a vector.
static std::optional<Tensor> getSliceIndex(Builder &b, const Write &w) {
  if (!w.source || w.x.rank() == 0 || w.index.rank() != w.x.rank() ||
      w.source->rank() != w.x.rank())
    return std::nullopt;
  Tensor index = w.index;
  for (int64_t d = w.x.rank(); d-- > 0;) {
    if (w.index.sizes[d] != w.source->sizes[d])
      return std::nullopt;
    if (d == w.dim)
      continue;
    bool isExpanded = w.index.dims[d] < 0;
    if (!isExpanded || w.index.sizes[d] != w.x.sizes[d])
      return std::nullopt;
    index = b.select(index, d, b.b.getIndexAttr(0));
  }
  return index;
}

/// Lowers scatter(self, dim, index, src or value, reduce), scatter_add and
/// scatter_reduce(self, dim, index, src, reduce, include_self).
template <Combine combine>
static LogicalResult lowerScatter(NodeLowering &n) {
  Write w;
  w.x = n.tensor("self");
  w.dim = n.dim("dim", w.x.rank());
  w.index = n.tensor("index");
  ArgName from = n.oneOf({"src", "value"});
  Argument source = n.arg(from);
  if (n.isTensor(source))
    w.source = n.asTensor(source);
  else
    w.constant = n.number(from);
  w.combine = combine;
  if (n.has("reduce")) {
    std::optional<Combine> named = combineOf(n.string("reduce"));
    if (!named)
      return n.fail("a reduction of that name");
    w.combine = *named;
  }
  w.includeSelf = n.boolean("include_self", true);
  if (!n.failed() && w.combine == Combine::Sum && w.includeSelf)
    if (auto index = getSliceIndex(n.b, w))
      return n.result(writeSlices(n.b, w.x, w.dim, *index, *w.source,
                                  /*accumulate=*/true,
                                  n.target().rsplit('.').first));
  return scatter(n, w);
}

/// Expands `index`, a vector along `dim`, to an index for each element: its
/// sizes are `sizes`, except for the length of the vector at `dim`.
static Tensor alongDim(Builder &b, Tensor index, int64_t dim, Sizes sizes) {
  if (index.rank() == 0)
    index = b.unsqueeze(index, 0);
  if (sizes.empty())
    return index;
  sizes[dim] = index.sizes[0];
  for (int64_t i = dim + 1, e = sizes.size(); i < e; ++i)
    index = b.unsqueeze(index, index.rank());
  return b.expand(index, sizes);
}

/// Lowers index_reduce(self, dim, index, source, reduce, include_self).
static LogicalResult lowerIndexReduce(NodeLowering &n) {
  Write w;
  w.x = n.tensor("self");
  w.dim = n.dim("dim", w.x.rank());
  Tensor index = n.tensor("index");
  w.source = n.tensor("source");
  std::optional<Combine> named = combineOf(n.string("reduce"));
  w.includeSelf = n.boolean("include_self");
  if (n.failed() || !named || index.rank() > 1)
    return n.fail("the index is no vector");
  w.combine = *named;
  w.index = alongDim(n.b, index, w.dim, w.x.sizes);
  return scatter(n, w);
}

/// Lowers index_fill(self, dim, index, value).
static LogicalResult lowerIndexFill(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  Tensor index = n.tensor("index");
  Argument value = n.arg("value");
  if (n.failed() || index.rank() > 1 || !isa<IntegerType>(index.dtype))
    return n.fail("the index is no vector");
  Builder &b = n.b;
  if (isEmpty(index.sizes) || isEmpty(x.sizes))
    return n.result(x);
  Type i64 = b.b.getI64Type();
  // Negative indices count from the end.
  ExprAttr length = x.rank() ? x.sizes[dim] : b.expr(1);
  Value size = Scalars(b.b, b.loc, i64).fromIndex(b.index(length));
  b.checkIndices(index, length, "aten.index_fill: an index is out of range");
  index = b.pointwise(
      {index}, index.sizes, i64, i64, [&](Scalars &s, ValueRange v) {
        return s.select(s.lt(v[0], s.integer(0)), s.add(v[0], size), v[0]);
      });
  Write w;
  w.x = x;
  w.dim = dim;
  w.index = alongDim(b, index, dim, x.sizes);
  if (n.isTensor(value)) {
    Tensor t = n.asTensor(value);
    if (n.failed() || t.rank() != 0)
      return n.fail("the value is no scalar");
    w.source = b.expand(b.cast(t, x.dtype), w.index.sizes);
  } else {
    w.constant = n.number("value");
  }
  return scatter(n, w);
}

/// Lowers put(self, index, source, accumulate), whose indices refer to the
/// flattened tensor.
static LogicalResult lowerPut(NodeLowering &n) {
  Tensor x = n.tensor("self"), index = n.tensor("index"),
         source = n.tensor("source");
  bool accumulate = n.boolean("accumulate");
  if (n.failed())
    return failure();
  Builder &b = n.b;
  Sizes flat = {b.product(x.sizes)}, count = {b.product(index.sizes)},
        given = {b.product(source.sizes)};
  if (given[0].isProvablyDifferent(count[0]))
    return n.fail("the source and the index differ in their numbers of "
                  "elements");
  if (given[0] != count[0])
    b.check(b.symbols.boolean(
                b.b, b.loc,
                ExprAttr::call(n.context(), "eq", {given[0], count[0]})),
            "aten.put: the source and the index differ in their numbers of "
            "elements");
  if (isEmpty(index.sizes))
    return n.result(x);
  b.checkIndices(index, flat[0], "aten.put: an index is out of range");
  Type i64 = b.b.getI64Type(), dtype = x.dtype, compute = opMathType(dtype);
  Value size = Scalars(b.b, b.loc, i64).fromIndex(b.index(flat[0]));
  Tensor at = b.contiguous(b.reshape(b.pointwise({index}, index.sizes, i64, i64,
                                                 [&](Scalars &s, ValueRange v) {
                                                   return s.select(
                                                       s.lt(v[0], s.integer(0)),
                                                       s.add(v[0], size), v[0]);
                                                 }),
                                     count));
  Tensor from = b.contiguous(b.reshape(b.cast(source, dtype), given));
  Write w;
  w.index = at;
  Tensor y = visit(b, w, b.contiguous(b.reshape(x, flat)),
                   [&](Scalars &s, Value old, ArrayRef<Value> i) -> Value {
                     Value v = s.cast(
                         tensor::ExtractOp::create(b.b, b.loc, from.value, i),
                         dtype, compute);
                     return accumulate ? s.add(old, v) : v;
                   });
  return n.result(b.reshape(y, x.sizes));
}

/// Lowers masked_scatter: the elements where the mask is true are replaced by
/// the elements of the source, in order.
static LogicalResult lowerMaskedScatter(NodeLowering &n) {
  Tensor x = n.tensor("self"), mask = n.tensor("mask"),
         source = n.tensor("source");
  if (n.failed() || !n.resultType() || !mask.dtype.isInteger(1))
    return n.fail("the mask is no bool tensor");
  Builder &b = n.b;
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (!n.broadcasts(x, sizes) || !n.broadcasts(mask, sizes))
    return failure();
  if (isEmpty(sizes))
    return n.result(b.expand(x, sizes));
  Type i64 = b.b.getI64Type();
  Sizes flat = {b.product(sizes)}, count = {b.product(source.sizes)};
  Tensor set = b.contiguous(b.reshape(b.expand(mask, sizes), flat));
  Scalars si(b.b, b.loc, i64);
  Value length = si.fromIndex(b.index(count[0]));
  Tensor total = b.sum(b.cast(set, i64), {0}, false, i64);
  b.check(si.le(b.element(total), length),
          "aten.masked_scatter: the source has fewer elements than the mask");
  if (isEmpty(source.sizes))
    return n.result(b.expand(x, sizes));
  // The number of true elements up to and including each element.
  Tensor zero = b.fromElement(si.integer(0), i64);
  Tensor place = scan(
      b, {b.cast(set, i64)}, 0, flat[0], {zero}, 1,
      [&](Value, ArrayRef<Tensor> part,
          ArrayRef<Tensor> sofar) -> SmallVector<Tensor> {
        return {b.map({sofar[0], part[0]}, i64, [](Scalars &s, ValueRange v) {
          return s.add(v[0], v[1]);
        })};
      })[0];
  Tensor from = b.read(
      b.reshape(source, count), {place}, flat,
      [&](Scalars &s, ValueRange v, ArrayRef<Value>) -> SmallVector<Value> {
        Scalars i(s.b, s.loc, i64);
        Value last = i.sub(length, i.integer(1));
        Value at = i.max(i.sub(v[0], i.integer(1)), i.integer(0));
        return {i.toIndex(i.min(at, last))};
      });
  Type dtype = x.dtype, i1 = b.b.getI1Type();
  Tensor old = b.reshape(b.expand(x, sizes), flat);
  Tensor y = b.pointwise({set, from, old}, flat, dtype, Type(),
                         [&](Scalars &s, ValueRange v) {
                           return s.select(s.cast(v[0], i1, i1), v[1], v[2]);
                         });
  return n.result(b.reshape(y, sizes));
}

/// Lowers max_pool2d_with_indices_backward(grad_output, self, ..., indices):
/// adds each gradient to the element of its plane that was the maximum.
static LogicalResult lowerMaxPoolBackward(NodeLowering &n) {
  Tensor gradient = n.tensor("grad_output"), x = n.tensor("self"),
         index = n.tensor("indices");
  if (n.failed() || x.rank() < 3 || gradient.rank() != x.rank() ||
      index.rank() != x.rank() || !isa<IntegerType>(index.dtype))
    return n.fail("the gradient does not fit the input");
  Builder &b = n.b;
  // Flatten the planes to rows.
  auto flat = [&](const Tensor &t) {
    ArrayRef<ExprAttr> sizes(t.sizes);
    return b.reshape(
        t, {b.product(sizes.drop_back(2)), b.product(sizes.take_back(2))});
  };
  Sizes sizes = flat(x).sizes;
  b.checkIndices(index, sizes[1],
                 n.target().str() + ": an index is out of range", false);
  Tensor from = b.contiguous(flat(b.cast(gradient, x.dtype)));
  Scalars outer(b.b, b.loc, x.dtype);
  Write w;
  w.dim = 1;
  w.index = b.contiguous(flat(index));
  Tensor y = visit(
      b, w, Tensor(b.filled(sizes, x.dtype, outer.integer(0)), sizes, x.dtype),
      [&](Scalars &s, Value old, ArrayRef<Value> i) {
        Value v = tensor::ExtractOp::create(b.b, b.loc, from.value, i);
        return s.add(old, s.cast(v, x.dtype, s.dtype));
      });
  return n.result(b.reshape(y, x.sizes));
}

void registerScatterElements(Registry &r) {
  r.add({"aten.scatter.src", "aten.scatter.value", "aten.scatter.reduce",
         "aten.scatter.value_reduce", "aten.scatter_reduce.two"},
        lowerScatter<Combine::Set>);
  r.add("aten.scatter_add.default", lowerScatter<Combine::Sum>);
  r.add("aten.index_reduce.default", lowerIndexReduce);
  r.add({"aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor"},
        lowerIndexFill);
  r.add("aten.put.default", lowerPut);
  r.add("aten.max_pool2d_with_indices_backward.default", lowerMaxPoolBackward);
  r.add("aten.masked_scatter.default", lowerMaskedScatter);
}

} // namespace fx::lin
