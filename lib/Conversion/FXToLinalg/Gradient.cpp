//===- Gradient.cpp - numerical derivatives -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// The distances between the elements of a dimension: `step` everywhere, or the
/// differences of their coordinates, `places`.
struct Spacing {
  std::optional<Number> step;
  std::optional<Tensor> places;
};
} // namespace

/// Returns the weights of three neighbours, `d` and `e` apart, in the
/// derivative of the parabola through them: row k has those of the derivative
/// at neighbour k.
static SmallVector<SmallVector<Value>> getWeights(Scalars &s, Value d,
                                                  Value e) {
  Value both = s.add(d, e), two = s.constant(2);
  Value left = s.mul(d, both), middle = s.mul(d, e), right = s.mul(e, both);
  auto twice = [&](Value x, Value y) { return s.add(s.mul(two, x), y); };
  return {
      {s.div(s.neg(twice(d, e)), left), s.div(both, middle),
       s.div(s.neg(d), right)},
      {s.div(s.neg(e), left), s.div(s.sub(e, d), middle), s.div(d, right)},
      {s.div(e, left), s.div(s.neg(both), middle), s.div(twice(e, d), right)}};
}

/// Computes the derivative along `dim`: inside from the neighbours of an
/// element, at the ends from the two (`order` 1) or three (`order` 2) elements
/// there.
static Tensor derive(NodeLowering &n, const Tensor &x, int64_t dim,
                     const Spacing &spacing, int64_t order, Type dtype) {
  Builder &b = n.b;
  Type acc = opMathType(dtype);
  Value source = b.materialize(x), length = b.index(x.sizes[dim]);
  Value places, step;
  if (spacing.places)
    places = b.materialize(b.cast(*spacing.places, acc));
  else
    step = b.number(*spacing.step, acc);
  return b.indexed(
      {}, x.sizes, dtype, acc,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) -> Value {
        Scalars ix = s.indices();
        Value zero = ix.integer(0), one = ix.integer(1), at = i[dim];
        Value last = ix.sub(length, one);
        auto read = [&](Value k) -> Value {
          SmallVector<Value> place(i);
          place[dim] = k;
          Value e = tensor::ExtractOp::create(s.b, s.loc, source, place);
          return s.cast(e, x.dtype, acc);
        };
        auto distance = [&](Value from, Value to) -> Value {
          if (step)
            return s.mul(step, s.fromIndex(ix.sub(to, from)));
          Value p = tensor::ExtractOp::create(s.b, s.loc, places, from),
                q = tensor::ExtractOp::create(s.b, s.loc, places, to);
          return s.sub(q, p);
        };
        Value low = ix.max(ix.sub(at, one), zero),
              high = ix.min(ix.add(at, one), last);
        Value slope = s.div(s.sub(read(high), read(low)), distance(low, high));
        if (step && order == 1)
          return slope;
        Value first = ix.max(ix.min(low, ix.sub(last, ix.integer(2))), zero);
        Value second = ix.min(ix.add(first, one), last),
              third = ix.min(ix.add(second, one), last);
        auto weights =
            getWeights(s, distance(first, second), distance(second, third));
        Value elements[] = {read(first), read(second), read(third)};
        Value sums[3];
        for (unsigned k = 0; k < 3; ++k)
          for (unsigned j = 0; j < 3; ++j) {
            Value term = s.mul(weights[k][j], elements[j]);
            sums[k] = j ? s.add(sums[k], term) : term;
          }
        // If the distances are equal, the weight of the element itself is 0.
        Value inside = step ? slope : sums[1];
        Value isFirst = ix.eq(at, zero), isLast = ix.eq(at, last);
        Value ends = order == 1 ? slope : s.select(isFirst, sums[0], sums[2]);
        return s.select(s.logicalOr(isFirst, isLast), ends, inside);
      });
}

/// gradient(self, spacing, dim, edge_order): one result for each dimension.
static LogicalResult lowerGradient(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t order = n.integer("edge_order");
  Argument spacing = n.arg("spacing"), dim = n.arg("dim");
  SmallVector<int64_t> dims;
  if (dim.isNone() || dim.isList())
    dims = n.dims("dim", x.rank(), dim.isNone());
  else
    dims = {n.dim("dim", x.rank())};
  if (n.failed() || dims.size() != n.numResults() || order < 1 || order > 2)
    return n.fail("the dimensions do not fit the results");
  for (auto [k, d] : llvm::enumerate(dims)) {
    std::optional<int64_t> size = x.sizes[d].getInteger();
    if (size && *size < order + 1)
      return n.fail("too few elements");
    Spacing apart;
    Argument given = spacing;
    if (spacing.isList()) {
      SmallVector<Argument, 4> each = spacing.getElements();
      if (each.size() != dims.size() && each.size() != 1)
        return n.fail("the spacing does not fit the dimensions");
      given = each[each.size() == 1 ? 0 : k];
    }
    if (n.isTensor(given)) {
      apart.places = n.asTensor(given);
      if (n.failed() || apart.places->rank() != 1 ||
          apart.places->sizes[0].isProvablyDifferent(x.sizes[d]))
        return n.fail("the coordinates do not fit the dimension");
    } else if (given.isNone()) {
      apart.step = Number();
      apart.step->expr = n.b.expr(1);
    } else {
      apart.step = n.asNumber(given);
    }
    Type dtype = n.resultDtype(k);
    if (n.failed() || !isa<FloatType>(dtype) || !isSupported(dtype))
      return n.fail("the result is no float");
    if (failed(n.set(k, derive(n, x, d, apart, order, dtype))))
      return failure();
  }
  return success();
}

void registerGradient(Registry &r) {
  r.add({"aten.gradient.scalarint", "aten.gradient.scalararray",
         "aten.gradient.array", "aten.gradient.scalarrayint",
         "aten.gradient.scalarrayarray", "aten.gradient.tensorarrayint",
         "aten.gradient.tensorarray"},
        lowerGradient);
}

} // namespace fx::lin
