//===- DataDependent.cpp - results whose size only the data tells ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowerings mark the elements that a result takes, count them and collect
// their indices. The count becomes the value of the symbol that is the result's
// size.
//
//===----------------------------------------------------------------------===//

#include "Masks.h"
#include "Variables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

static Scalars indices(Builder &b) {
  return Scalars(b.b, b.loc, b.b.getIndexType());
}
static Scalars integers(Builder &b) {
  return Scalars(b.b, b.loc, b.b.getI64Type());
}

/// Binds `size`, a symbol without a value, to `value`. For any other size,
/// emits an assertion that it equals `value`; fails if the size cannot be
/// evaluated.
static LogicalResult bindSize(NodeLowering &n, ExprAttr size, Value value) {
  Builder &b = n.b;
  if (size.isSymbol() && !b.symbols.isBound(size.getName())) {
    b.symbols.bind(size.getName(), value, false);
    return success();
  }
  if (!b.symbols.canEvaluate(size))
    return n.fail("a size that is no symbol of its own");
  b.check(arith::CmpIOp::create(b.b, b.loc, arith::CmpIPredicate::eq,
                                b.index(size), value),
          "expected the data to give the size that was exported");
  return success();
}

/// Returns `x != 0` as a contiguous vector of i1.
static Tensor flags(Builder &b, const Tensor &x) {
  Type i1 = b.b.getI1Type();
  Tensor set = x.dtype.isInteger(1) ? x
                                    : b.pointwise(
                                          {x}, x.sizes, i1, x.dtype,
                                          [](Scalars &s, ValueRange v) {
                                            return s.ne(v[0], s.integer(0));
                                          },
                                          i1);
  return b.contiguous(b.reshape(set, {b.product(x.sizes)}));
}

static Value countFlags(Builder &b, const Tensor &set) {
  Type i64 = b.b.getI64Type();
  return integers(b).toIndex(
      b.element(b.sum(b.cast(set, i64), {0}, false, i64)));
}

/// Returns the indices of the true elements of the vector `set`, at most `most`
/// of them, at the front of an i64 vector of `most` + 1 elements. The other
/// elements, among them the last one, are unspecified.
static Tensor places(Builder &b, const Tensor &set, ExprAttr most) {
  Type i64 = b.b.getI64Type();
  Sizes sizes = {ExprAttr::add(b.context(), {most, b.expr(1)})};
  Value limit = b.index(most), length = b.index(set.sizes[0]);
  Variables v(b);
  unsigned out = v.addEmpty(sizes, i64), next = v.add(b.index(0));
  v.loop(b.index(0), length, [&](Value i) {
    Scalars ix = indices(b);
    Value flag = tensor::ExtractOp::create(b.b, b.loc, set.value, i);
    // Store the index in any case, but advance only where the flag is set: this
    // needs no branch.
    v.store(out, {ix.min(v.get(next), limit)}, integers(b).fromIndex(i));
    v.set(next, ix.add(v.get(next), arith::IndexCastUIOp::create(
                                        b.b, b.loc, b.b.getIndexType(), flag)));
  });
  return v.tensor(out, sizes, i64);
}

/// Binds `size` to the number of true elements of the vector `set` and returns
/// their indices.
static FailureOr<Tensor> boundPlaces(NodeLowering &n, const Tensor &set,
                                     ExprAttr size) {
  Builder &b = n.b;
  if (failed(bindSize(n, size, countFlags(b, set))))
    return failure();
  return b.slice(places(b, set, size), 0, b.expr(0), size, b.expr(1));
}

/// Returns the index along dimension `dim` of element `place` of the flattened
/// tensor, whose sizes are `lengths`.
static Value coordinate(Builder &b, Scalars &s, Value place,
                        ArrayRef<Value> lengths, int64_t dim) {
  for (int64_t i = lengths.size() - 1; i > dim; --i)
    place = s.div(place, lengths[i]);
  return s.fmod(place, lengths[dim]);
}

/// Returns the sizes of `x` as i64, at least 1 each, so that nothing is divided
/// by 0.
static SmallVector<Value> divisors(Builder &b, const Tensor &x) {
  Scalars si = integers(b);
  SmallVector<Value> result;
  for (ExprAttr size : x.sizes)
    result.push_back(si.max(si.fromIndex(b.index(size)), si.integer(1)));
  return result;
}

/// Returns a [places, rank] tensor: row i has the indices in `x` of element
/// place[i] of the flattened `x`.
static Tensor coordinates(Builder &b, const Tensor &place, const Tensor &x) {
  Type i64 = b.b.getI64Type();
  SmallVector<Value> lengths = divisors(b, x);
  Sizes sizes = {place.sizes[0], b.expr(x.rank())};
  if (x.rank() == 0)
    return Tensor(b.empty(sizes, i64), sizes, i64);
  return b.indexed({b.unsqueeze(place, 1)}, sizes, i64, i64,
                   [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                     Value column = s.fromIndex(i[1]), r;
                     for (int64_t dim = 0; dim < x.rank(); ++dim) {
                       Value c = coordinate(b, s, v[0], lengths, dim);
                       r = r ? s.select(s.eq(column, s.integer(dim)), c, r) : c;
                     }
                     return r;
                   });
}

/// Lowers nonzero and argwhere: a row of indices for each element that is not
/// 0.
static LogicalResult lowerNonzero(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed() || !n.resultType() || !isSupported(x.dtype))
    return n.fail("the dtype has no native code");
  FailureOr<Tensor> place =
      boundPlaces(n, flags(n.b, x), n.resultSizes().front());
  if (failed(place))
    return failure();
  return n.result(coordinates(n.b, *place, x));
}

FailureOr<SmallVector<Tensor>> maskIndices(NodeLowering &n, const Tensor &mask,
                                           ExprAttr size) {
  Builder &b = n.b;
  FailureOr<Tensor> place = boundPlaces(n, flags(b, mask), size);
  if (failed(place))
    return failure();
  Type i64 = b.b.getI64Type();
  SmallVector<Value> lengths = divisors(b, mask);
  SmallVector<Tensor> indices;
  for (int64_t dim = 0; dim < mask.rank(); ++dim)
    indices.push_back(b.pointwise({*place}, place->sizes, i64, i64,
                                  [&](Scalars &s, ValueRange v) {
                                    return coordinate(b, s, v[0], lengths, dim);
                                  }));
  return indices;
}

/// Lowers nonzero_numpy and where of a mask alone: a vector of indices for each
/// dimension.
static LogicalResult lowerNonzeroNumpy(NodeLowering &n, ArgName mask) {
  Tensor x = n.tensor(mask);
  if (n.failed() || !isSupported(x.dtype))
    return n.fail("the dtype has no native code");
  if (x.rank() == 0)
    x = n.b.unsqueeze(x, 0);
  if (int64_t(n.numResults()) != x.rank() || !n.resultType())
    return n.fail("the results are not one for each dimension");
  FailureOr<SmallVector<Tensor>> indices =
      maskIndices(n, x, n.resultSizes()[0]);
  if (failed(indices))
    return failure();
  for (auto [dim, index] : llvm::enumerate(*indices))
    if (failed(n.set(dim, index)))
      return failure();
  return success();
}

/// Lowers nonzero_static: `size` rows. Rows beyond the last nonzero element are
/// `fill_value`.
static LogicalResult lowerNonzeroStatic(NodeLowering &n) {
  Tensor x = n.tensor("self");
  ExprAttr size = n.size("size");
  Number fill = n.number("fill_value");
  if (n.failed() || !isSupported(x.dtype))
    return n.fail("the dtype has no native code");
  Builder &b = n.b;
  Type i64 = b.b.getI64Type();
  Tensor set = flags(b, x);
  Value count = integers(b).fromIndex(countFlags(b, set));
  Tensor place = b.slice(places(b, set, size), 0, b.expr(0), size, b.expr(1));
  Tensor rows = coordinates(b, place, x);
  Value other = b.number(fill, i64);
  return n.result(b.indexed({rows}, rows.sizes, i64, i64,
                            [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                              return s.select(s.lt(s.fromIndex(i[0]), count),
                                              v[0], other);
                            }));
}

/// Returns the elements of the vector `x` at the indices `place`.
static Tensor take(Builder &b, const Tensor &x, const Tensor &place) {
  return b.read(
      x, {place}, place.sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value>) -> SmallVector<Value> {
        return {Scalars(s.b, s.loc, place.dtype).toIndex(v[0])};
      });
}

static LogicalResult lowerMaskedSelect(NodeLowering &n) {
  Tensor x = n.tensor("self"), mask = n.tensor("mask");
  if (n.failed() || !n.resultType() || !mask.dtype.isInteger(1))
    return n.fail("the mask is no bool tensor");
  Builder &b = n.b;
  Sizes sizes = b.broadcast({x, mask});
  if (!n.broadcasts(x, sizes) || !n.broadcasts(mask, sizes))
    return failure();
  FailureOr<Tensor> place =
      boundPlaces(n, flags(b, b.expand(mask, sizes)), n.resultSizes().front());
  if (failed(place))
    return failure();
  Tensor flat = b.reshape(b.expand(x, sizes), {b.product(sizes)});
  return n.result(take(b, flat, *place));
}

//===----------------------------------------------------------------------===//
// Distinct elements
//===----------------------------------------------------------------------===//

/// Sets the results of a unique operator: groups equal neighbours of the
/// flattened `x`, in the order that `order` gives if it is there. The results
/// are the value of each group, the group of each element (if `inverse`), and
/// the size of each group (if `counts`).
static LogicalResult groups(NodeLowering &n, const Tensor &x,
                            std::optional<Tensor> order, bool inverse,
                            bool counts) {
  Builder &b = n.b;
  Type i64 = b.b.getI64Type(), i1 = b.b.getI1Type();
  Sizes flat = {b.product(x.sizes)};
  Tensor row = b.contiguous(b.reshape(x, flat));
  Tensor sorted = order ? b.contiguous(take(b, row, *order)) : row;
  Tensor first = b.contiguous(b.indexed(
      {sorted}, flat, i1, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> Value {
        Scalars ix = s.indices(), e(s.b, s.loc, x.dtype);
        Value zero = ix.integer(0);
        Value before = tensor::ExtractOp::create(
            s.b, s.loc, sorted.value,
            ix.max(ix.sub(i[0], ix.integer(1)), zero));
        return e.logicalOr(ix.eq(i[0], zero), e.ne(v[0], before));
      },
      i1));
  ExprAttr size = n.resultSizes().front();
  if (failed(bindSize(n, size, countFlags(b, first))))
    return failure();
  Tensor start = places(b, first, size);
  Tensor at = b.slice(start, 0, b.expr(0), size, b.expr(1));
  if (failed(n.set(0, take(b, sorted, at))))
    return failure();
  auto none = [&](unsigned i) {
    Sizes sizes(n.resultSizes(i));
    return n.set(i, Tensor(b.empty(sizes, i64), sizes, i64));
  };
  if (!inverse) {
    if (failed(none(1)))
      return failure();
  } else {
    // The group of an element is the number of groups that begin before or at
    // it, minus 1.
    Variables v(b);
    Value length = b.index(flat[0]);
    unsigned out = v.addEmpty(flat, i64), group = v.add(b.index(0));
    v.loop(b.index(0), length, [&](Value i) {
      Scalars ix = indices(b);
      Value flag = tensor::ExtractOp::create(b.b, b.loc, first.value, i);
      v.set(group,
            ix.add(v.get(group), arith::IndexCastUIOp::create(
                                     b.b, b.loc, b.b.getIndexType(), flag)));
      Value place = i;
      if (order)
        place = integers(b).toIndex(
            tensor::ExtractOp::create(b.b, b.loc, order->value, i));
      v.store(out, {place},
              integers(b).fromIndex(ix.sub(v.get(group), ix.integer(1))));
    });
    if (failed(n.set(1, b.reshape(v.tensor(out, flat, i64), x.sizes))))
      return failure();
  }
  if (!counts)
    return none(2);
  Value total = integers(b).fromIndex(b.index(flat[0])),
        number = integers(b).fromIndex(b.index(size));
  return n.set(
      2, b.indexed({at}, {size}, i64, i64,
                   [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> Value {
                     Scalars ix = s.indices();
                     Value next = ix.add(i[0], ix.integer(1));
                     Value end = tensor::ExtractOp::create(s.b, s.loc,
                                                           start.value, next);
                     Value last = s.eq(s.fromIndex(next), number);
                     return s.sub(s.select(last, total, end), v[0]);
                   }));
}

/// _unique2(self, sorted, return_inverse, return_counts),
/// unique_dim(self, dim, sorted, return_inverse, return_counts) of a vector.
template <bool dim>
static LogicalResult lowerUnique(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool inverse = n.boolean("return_inverse"),
       counts = n.boolean("return_counts");
  if (n.failed() || n.numResults() != 3 || !isSupported(x.dtype))
    return n.fail("the dtype has no native code");
  if (dim && x.rank() != 1)
    return n.fail("rows of several elements are compared");
  if (isEmpty(x.sizes))
    return n.fail("an empty tensor");
  Builder &b = n.b;
  Tensor row = b.contiguous(b.reshape(x, {b.product(x.sizes)}));
  return groups(n, x, b.contiguous(sortedOrder(b, row)), inverse, counts);
}

/// unique_consecutive(self, return_inverse, return_counts, dim)
static LogicalResult lowerUniqueConsecutive(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool inverse = n.boolean("return_inverse"),
       counts = n.boolean("return_counts");
  if (n.failed() || n.numResults() != 3 || !isSupported(x.dtype))
    return n.fail("the dtype has no native code");
  if (n.has("dim") && x.rank() != 1)
    return n.fail("rows of several elements are compared");
  if (isEmpty(x.sizes))
    return n.fail("an empty tensor");
  return groups(n, x, std::nullopt, inverse, counts);
}

//===----------------------------------------------------------------------===//
// Repetition and counting
//===----------------------------------------------------------------------===//

/// Returns a vector of `size` that has index i repeats[i] times. Binds `size`
/// to the sum of the repeats.
static FailureOr<Tensor> repeatedIndices(NodeLowering &n, const Tensor &repeats,
                                         ExprAttr size) {
  Builder &b = n.b;
  Type i64 = b.b.getI64Type(), i1 = b.b.getI1Type();
  Tensor row = b.contiguous(b.cast(repeats, i64));
  Tensor good = b.reduce(
      b.pointwise(
          {row}, row.sizes, i1, i64,
          [](Scalars &s, ValueRange v) { return s.ge(v[0], s.integer(0)); },
          i1),
      {0}, false, i1, [](Scalars &s) { return s.boolean(true); },
      [](Scalars &s, Value a, Value x) { return s.logicalAnd(a, x); });
  b.check(b.element(good),
          "aten.repeat_interleave: repeats cannot be negative");
  Value total = integers(b).toIndex(b.element(b.sum(row, {0}, false, i64)));
  if (failed(bindSize(n, size, total)))
    return failure();
  Value length = b.index(row.sizes[0]);
  Variables v(b);
  unsigned out = v.addEmpty({size}, i64), next = v.add(b.index(0));
  v.loop(b.index(0), length, [&](Value i) {
    Value times = integers(b).toIndex(
        tensor::ExtractOp::create(b.b, b.loc, row.value, i));
    Value from = v.get(next), to = indices(b).add(from, times);
    v.loop(from, to,
           [&](Value at) { v.store(out, {at}, integers(b).fromIndex(i)); });
    v.set(next, to);
  });
  return v.tensor(out, {size}, i64);
}

/// repeat_interleave(repeats), repeat_interleave(self, repeats, dim)
static LogicalResult lowerRepeatInterleave(NodeLowering &n) {
  bool indicesOnly =
      n.target().ends_with(".Tensor") && !n.target().ends_with(".self_Tensor");
  Tensor x, repeats = n.tensor("repeats");
  Builder &b = n.b;
  int64_t dim = 0;
  if (!indicesOnly) {
    x = n.tensor("self");
    if (n.has("dim"))
      dim = n.dim("dim", x.rank());
    else if (!n.failed())
      x = b.reshape(x, {b.product(x.sizes)});
  }
  if (n.failed() || !n.resultType() || repeats.rank() > 1 ||
      !isa<IntegerType>(repeats.dtype))
    return n.fail("the repeats are no vector of integers");
  if (repeats.rank() == 0)
    repeats = b.unsqueeze(repeats, 0);
  if (!indicesOnly && x.rank() == 0)
    x = b.unsqueeze(x, 0);
  if (!indicesOnly) {
    ExprAttr have = repeats.sizes[0], want = x.sizes[dim];
    if (have.getInteger() == 1)
      repeats = b.expand(repeats, {want});
    else if (have.isProvablyDifferent(want))
      return n.fail("the repeats do not fit the tensor");
  }
  FailureOr<Tensor> at = repeatedIndices(n, repeats, n.resultSizes()[dim]);
  if (failed(at))
    return failure();
  if (indicesOnly)
    return n.result(*at);
  Tensor where = *at;
  for (int64_t i = dim + 1; i < x.rank(); ++i)
    where = b.unsqueeze(where, where.rank());
  return n.result(b.read(
      x, {where}, n.resultSizes(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
        SmallVector<Value> place(i);
        place[dim] = integers(b).toIndex(v[0]);
        return place;
      }));
}

/// bincount(self, weights, minlength)
static LogicalResult lowerBinCount(NodeLowering &n) {
  Tensor x = n.tensor("self");
  std::optional<Tensor> weights = n.optionalTensor("weights");
  int64_t least = n.integer("minlength");
  if (n.failed() || !n.resultType() || x.rank() != 1)
    return n.fail("the operand is no vector");
  Builder &b = n.b;
  Type i64 = b.b.getI64Type(), dtype = n.resultDtype();
  Tensor row = b.contiguous(b.cast(x, i64));
  auto extreme = [&](bool max) {
    return b.element(b.reduce(
        row, {0}, false, i64,
        [&](Scalars &s) { return s.integer(max ? least - 1 : 0); },
        [&](Scalars &s, Value a, Value v) {
          return max ? s.max(a, v) : s.min(a, v);
        }));
  };
  Scalars si = integers(b);
  b.check(si.ge(extreme(false), si.integer(0)),
          "aten.bincount: expected no negative elements");
  ExprAttr size = n.resultSizes().front();
  Value length = si.toIndex(si.add(extreme(true), si.integer(1)));
  if (failed(bindSize(n, size, length)))
    return failure();
  Tensor weight;
  if (weights)
    weight = b.contiguous(b.cast(*weights, dtype));
  Scalars s(b.b, b.loc, dtype);
  Value count = b.index(row.sizes[0]);
  Variables v(b);
  unsigned out = v.addFilled({size}, dtype, s.integer(0));
  v.loop(b.index(0), count, [&](Value i) {
    Scalars s(b.b, b.loc, dtype);
    Value at = integers(b).toIndex(
        tensor::ExtractOp::create(b.b, b.loc, row.value, i));
    Value w =
        weights ? Value(tensor::ExtractOp::create(b.b, b.loc, weight.value, i))
                : s.integer(1);
    v.store(out, {at}, s.add(v.load(out, {at}), w));
  });
  return n.result(v.tensor(out, {size}, dtype));
}

void registerDataDependent(Registry &r) {
  r.addCounting({"aten.nonzero.default", "aten.argwhere.default"},
                lowerNonzero);
  r.addCounting({"aten.nonzero_numpy.default"},
                [](NodeLowering &n) { return lowerNonzeroNumpy(n, "self"); });
  r.addCounting({"aten.where.default"}, [](NodeLowering &n) {
    return lowerNonzeroNumpy(n, "condition");
  });
  r.add("aten.nonzero_static.default", lowerNonzeroStatic);
  r.addCounting({"aten.masked_select.default"}, lowerMaskedSelect);
  r.addCounting({"aten._unique2.default"}, lowerUnique<false>);
  r.addCounting({"aten.unique_dim.default"}, lowerUnique<true>);
  r.addCounting({"aten.unique_consecutive.default"}, lowerUniqueConsecutive);
  r.addCounting(
      {"aten.repeat_interleave.self_Tensor", "aten.repeat_interleave.Tensor"},
      lowerRepeatInterleave);
  r.addCounting({"aten.bincount.default"}, lowerBinCount);
}

} // namespace fx::lin
