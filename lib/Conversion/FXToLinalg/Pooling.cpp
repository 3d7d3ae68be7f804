//===- Pooling.cpp - pooling ----------------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"
#include "Taps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// The operand and the windows over its last `spatial` dimensions.
struct Pool {
  Tensor x; // [N, C, spatial...]; missing dimensions are added with size 1
  unsigned spatial = 0;
  int64_t added = 0; // number of dimensions that were added
  SmallVector<int64_t> kernel, stride, padding, dilation;
  Sizes out; // the result's sizes, with the added dimensions
};
} // namespace

/// Reads the operand and the window. The result's spatial sizes come from its
/// type.
static LogicalResult readPool(NodeLowering &n, Pool &p, unsigned spatial,
                              bool hasDilation) {
  p.x = n.tensor("self");
  p.spatial = spatial;
  p.kernel = n.integers("kernel_size", spatial);
  Argument stride = n.arg("stride");
  bool noStride =
      stride.isNone() || (stride.isList() && stride.getElements().empty());
  p.stride = noStride ? p.kernel : n.integers("stride", spatial);
  p.padding = n.integers("padding", spatial);
  p.dilation = SmallVector<int64_t>(spatial, 1);
  if (hasDilation)
    p.dilation = n.integers("dilation", spatial, 1);
  if (n.failed())
    return failure();
  for (unsigned i = 0; i < spatial; ++i)
    if (p.kernel[i] < 1 || p.stride[i] < 1 || p.dilation[i] < 1 ||
        p.padding[i] < 0)
      return n.fail("the window's parameters are out of range");
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (sizes.size() != size_t(p.x.rank()) || p.x.rank() < int64_t(spatial) ||
      p.x.rank() > int64_t(spatial) + 2)
    return n.fail("the input's rank is not what the operator takes");
  p.out.assign(sizes.begin(), sizes.end());
  while (p.x.rank() < int64_t(spatial) + 2) {
    p.x = n.b.unsqueeze(p.x, 0);
    p.out.insert(p.out.begin(), n.b.expr(1));
    ++p.added;
  }
  p.out[0] = p.x.sizes[0];
  p.out[1] = p.x.sizes[1];
  return success();
}

/// Pads the operand with `value` so that all windows of the result fit, also
/// the one that ceil_mode may add.
static Tensor padFor(Builder &b, const Pool &p, Value value) {
  MLIRContext *ctx = b.context();
  Sizes low(p.spatial + 2, b.expr(0)), high(low);
  for (unsigned i = 0; i < p.spatial; ++i) {
    low[i + 2] = b.expr(p.padding[i]);
    // (out - 1) * stride + dilation * (k - 1) + 1 - size - padding
    auto sum = [&](ArrayRef<ExprAttr> terms) {
      for (ExprAttr t : terms)
        if (!t)
          return b.expr(0);
      ExprAttr r = ExprAttr::add(ctx, terms);
      return r ? r : b.expr(0);
    };
    ExprAttr need =
        sum({ExprAttr::mul(ctx, {p.out[i + 2], b.expr(p.stride[i])}),
             b.expr(-p.stride[i] + p.dilation[i] * (p.kernel[i] - 1) + 1 -
                    p.padding[i]),
             ExprAttr::mul(ctx, {p.x.sizes[i + 2], b.expr(-1)})});
    if (std::optional<int64_t> k = need.getInteger())
      high[i + 2] = b.expr(std::max<int64_t>(*k, 0));
    else
      high[i + 2] = ExprAttr::call(ctx, "max", {need, b.expr(0)});
  }
  return b.pad(p.x, low, high, value);
}

/// Returns the maximum (if `max`) or the sum of each window, in `acc`. Uses a
/// pooling operation of linalg for two spatial dimensions of floats, else a
/// `linalg.generic`.
static Tensor window(Builder &b, const Pool &p, const Tensor &padded, bool max,
                     Type acc) {
  Scalars outer(b.b, b.loc, acc);
  Value init = b.filled(p.out, acc, max ? outer.lowest() : outer.constant(0));
  Sizes kernel;
  for (int64_t k : p.kernel)
    kernel.push_back(b.expr(k));
  Value shape = b.empty(kernel, acc);
  Value x = b.materialize(padded);
  if (p.spatial == 2 && isa<FloatType>(acc)) {
    DenseIntElementsAttr strides = b.b.getI64TensorAttr(p.stride),
                         dilations = b.b.getI64TensorAttr(p.dilation);
    Operation *op;
    if (max)
      op = linalg::PoolingNchwMaxOp::create(
          b.b, b.loc, TypeRange(init.getType()), ValueRange{x, shape},
          ValueRange(init), strides, dilations);
    else
      op = linalg::PoolingNchwSumOp::create(
          b.b, b.loc, TypeRange(init.getType()), ValueRange{x, shape},
          ValueRange(init), strides, dilations);
    return Tensor(op->getResult(0), p.out, acc);
  }
  unsigned rank = p.spatial + 2, loops = rank + p.spatial;
  MLIRContext *ctx = b.context();
  SmallVector<AffineExpr> xs = {getAffineDimExpr(0, ctx),
                                getAffineDimExpr(1, ctx)},
                          ks, os;
  for (unsigned i = 0; i < p.spatial; ++i) {
    xs.push_back(getAffineDimExpr(i + 2, ctx) * p.stride[i] +
                 getAffineDimExpr(rank + i, ctx) * p.dilation[i]);
    ks.push_back(getAffineDimExpr(rank + i, ctx));
  }
  SmallVector<utils::IteratorType> iterators;
  for (unsigned i = 0; i < loops; ++i) {
    iterators.push_back(i < rank ? utils::IteratorType::parallel
                                 : utils::IteratorType::reduction);
    if (i < rank)
      os.push_back(getAffineDimExpr(i, ctx));
  }
  SmallVector<AffineMap> maps = {AffineMap::get(loops, 0, xs, ctx),
                                 AffineMap::get(loops, 0, ks, ctx),
                                 AffineMap::get(loops, 0, os, ctx)};
  Value value = linalg::GenericOp::create(
                    b.b, b.loc, TypeRange(init.getType()), ValueRange{x, shape},
                    ValueRange(init), maps, iterators,
                    [&](OpBuilder &nested, Location loc, ValueRange v) {
                      Scalars s(nested, loc, acc);
                      Value e = s.cast(v[0], padded.dtype, acc);
                      linalg::YieldOp::create(
                          nested, loc, max ? s.max(v[2], e) : s.add(v[2], e));
                    })
                    .getResult(0);
  return Tensor(value, p.out, acc);
}

/// Drops the dimensions that readPool added.
static Tensor dropAdded(Builder &b, Tensor t, int64_t added) {
  while (added-- > 0)
    t = b.squeeze(t, 0);
  return t;
}

/// Returns the index of each window's maximum in the flattened spatial
/// dimensions. Searches each window in order; as in PyTorch, the last NaN wins.
static Tensor maxIndices(Builder &b, const Pool &p) {
  Type i64 = b.b.getI64Type();
  Tensor x = b.contiguous(p.x);
  SmallVector<Value> planeSizes;
  for (unsigned i = 0; i < p.spatial; ++i)
    planeSizes.push_back(b.index(p.x.sizes[i + 2]));
  return b.indexed(
      {}, p.out, i64, i64, [&](Scalars &s, ValueRange, ArrayRef<Value> at) {
        auto constant = [&](int64_t v) -> Value {
          return arith::ConstantIndexOp::create(s.b, s.loc, v);
        };
        Scalars e(s.b, s.loc, x.dtype);
        return foldTaps(
            s, p.kernel, {e.lowest(), s.integer(-1)},
            [&](ArrayRef<Value> tap, ValueRange v) -> SmallVector<Value> {
              Value best = v[0], where = v[1];
              SmallVector<Value> from = {at[0], at[1]};
              Value inside = s.boolean(true), flat = constant(0);
              for (unsigned i = 0; i < p.spatial; ++i) {
                auto times = [&](Value x, int64_t by) -> Value {
                  return arith::MulIOp::create(s.b, s.loc, x, constant(by));
                };
                auto add = [&](Value x, Value y) -> Value {
                  return arith::AddIOp::create(s.b, s.loc, x, y);
                };
                Value shift =
                    add(times(tap[i], p.dilation[i]), constant(-p.padding[i]));
                Value position = add(times(at[i + 2], p.stride[i]), shift);
                Value size = planeSizes[i];
                using P = arith::CmpIPredicate;
                Value low = arith::CmpIOp::create(s.b, s.loc, P::sge, position,
                                                  constant(0));
                Value high =
                    arith::CmpIOp::create(s.b, s.loc, P::slt, position, size);
                inside = s.logicalAnd(inside, s.logicalAnd(low, high));
                // A position outside reads element 0, which is ignored.
                Value safe =
                    s.select(s.logicalAnd(low, high), position, constant(0));
                from.push_back(safe);
                flat = add(arith::MulIOp::create(s.b, s.loc, flat, size), safe);
              }
              Value read = tensor::ExtractOp::create(s.b, s.loc, x.value, from);
              Value first = s.eq(where, s.integer(-1));
              Value better = e.gt(read, best);
              if (e.isFloat())
                better = s.logicalOr(better, e.isNan(read));
              Value take = s.logicalAnd(inside, s.logicalOr(first, better));
              return {s.select(take, read, best),
                      s.select(take, s.fromIndex(flat), where)};
            })[1];
      });
}

template <unsigned spatial, bool indices>
static LogicalResult lowerMaxPool(NodeLowering &n) {
  Pool p;
  if (failed(readPool(n, p, spatial, true)))
    return failure();
  Scalars s(n.b.b, n.b.loc, p.x.dtype);
  Tensor padded = padFor(n.b, p, s.lowest());
  Tensor y = window(n.b, p, padded, true, p.x.dtype);
  if (failed(n.set(0, dropAdded(n.b, y, p.added))))
    return failure();
  if (!indices || !n.isUsed(1))
    return success();
  return n.set(1, dropAdded(n.b, maxIndices(n.b, p), p.added));
}

template <unsigned spatial>
static LogicalResult lowerAvgPool(NodeLowering &n) {
  Pool p;
  bool ceil = n.boolean("ceil_mode");
  bool includePad = n.boolean("count_include_pad");
  int64_t divisor = spatial == 1 ? 0 : n.integer("divisor_override", 0);
  if (failed(readPool(n, p, spatial, false)))
    return failure();
  Type dtype = p.x.dtype, acc = opMathType(dtype);
  Builder &b = n.b;
  Scalars s(b.b, b.loc, dtype);
  Tensor total = window(b, p, padFor(b, p, s.constant(0)), false, acc);
  bool padded = llvm::any_of(p.padding, [](int64_t v) { return v != 0; });
  int64_t taps = 1;
  for (int64_t k : p.kernel)
    taps *= k;
  Tensor y;
  if (divisor || (!ceil && (includePad || !padded))) {
    double by = divisor ? double(divisor) : double(taps);
    y = b.pointwise({total}, p.out, dtype, acc, [&](Scalars &s, ValueRange v) {
      return s.div(v[0], s.constant(by));
    });
  } else {
    // The divisor is the number of elements of the window that are inside the
    // input or, with count_include_pad, inside the padded input.
    SmallVector<Value> sizes;
    for (unsigned i = 0; i < spatial; ++i)
      sizes.push_back(b.index(p.x.sizes[i + 2]));
    y = b.indexed(
        {total}, p.out, dtype, acc,
        [&](Scalars &s, ValueRange v, ArrayRef<Value> at) {
          auto constant = [&](int64_t c) -> Value {
            return arith::ConstantIndexOp::create(s.b, s.loc, c);
          };
          Value count = constant(1);
          for (unsigned i = 0; i < spatial; ++i) {
            Value start = arith::SubIOp::create(
                s.b, s.loc,
                arith::MulIOp::create(s.b, s.loc, at[i + 2],
                                      constant(p.stride[i])),
                constant(p.padding[i]));
            Value end =
                arith::AddIOp::create(s.b, s.loc, start, constant(p.kernel[i]));
            Value limit = sizes[i];
            if (includePad)
              limit = arith::AddIOp::create(s.b, s.loc, limit,
                                            constant(p.padding[i]));
            else
              start = arith::MaxSIOp::create(s.b, s.loc, start, constant(0));
            end = arith::MinSIOp::create(s.b, s.loc, end, limit);
            count = arith::MulIOp::create(
                s.b, s.loc, count,
                arith::SubIOp::create(s.b, s.loc, end, start));
          }
          return s.div(v[0], s.fromIndex(count));
        });
  }
  return n.result(dropAdded(b, y, p.added));
}

void registerPooling(Registry &r) {
  r.add("aten.max_pool1d.default", lowerMaxPool<1, false>);
  r.add("aten.max_pool2d.default", lowerMaxPool<2, false>);
  r.add("aten.max_pool3d.default", lowerMaxPool<3, false>);
  r.add("aten.max_pool1d_with_indices.default", lowerMaxPool<1, true>);
  r.add("aten.max_pool2d_with_indices.default", lowerMaxPool<2, true>);
  r.add("aten.max_pool3d_with_indices.default", lowerMaxPool<3, true>);
  r.add("aten.avg_pool1d.default", lowerAvgPool<1>);
  r.add("aten.avg_pool2d.default", lowerAvgPool<2>);
  r.add("aten.avg_pool3d.default", lowerAvgPool<3>);
}

} // namespace fx::lin
