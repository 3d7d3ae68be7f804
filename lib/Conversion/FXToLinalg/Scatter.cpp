//===- Scatter.cpp - operators that write at computed indices -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Masks.h"
#include "Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value loopNest(Builder &b, ArrayRef<ExprAttr> sizes, Value init,
               function_ref<Value(ArrayRef<Value>, Value)> body) {
  // Compute all bounds before the loops, so that the values are visible after
  // them, too.
  SmallVector<Value> bounds, indices;
  for (ExprAttr size : sizes)
    bounds.push_back(b.index(size));
  Value zero = b.index(0), one = b.index(1);
  std::function<Value(unsigned, Value)> build = [&](unsigned depth,
                                                    Value carried) -> Value {
    if (depth == sizes.size())
      return body(indices, carried);
    if (sizes[depth].getInteger() == 1) {
      indices.push_back(zero);
      Value result = build(depth + 1, carried);
      indices.pop_back();
      return result;
    }
    auto loop =
        scf::ForOp::create(b.b, b.loc, zero, bounds[depth], one, carried);
    OpBuilder::InsertionGuard guard(b.b);
    b.b.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
    Value next = build(depth + 1, loop.getRegionIterArg(0));
    indices.pop_back();
    scf::YieldOp::create(b.b, b.loc, next);
    return loop.getResult(0);
  };
  return build(0, init);
}

/// Reads an element of the index tensor `t` (materialized) as an index, and
/// adds `size` if it is negative. `indices` are aligned with the dimensions of
/// `t` at the right; in unit dimensions, element 0 is read.
static Value readIndex(Builder &b, const Tensor &t, ArrayRef<Value> indices,
                       Value size) {
  SmallVector<Value> at(
      llvm::cast<RankedTensorType>(t.value.getType()).getRank());
  ArrayRef<Value> tail = indices.take_back(t.rank());
  for (auto [i, dim] : llvm::enumerate(t.dims))
    if (dim >= 0)
      at[dim] = t.sizes[i].getInteger() == 1
                    ? arith::ConstantIndexOp::create(b.b, b.loc, 0).getResult()
                    : tail[i];
  Scalars s(b.b, b.loc, b.b.getI64Type());
  Value v = tensor::ExtractOp::create(b.b, b.loc, t.value, at);
  v = s.cast(v, t.dtype, b.b.getI64Type());
  Value i = arith::IndexCastOp::create(b.b, b.loc, b.b.getIndexType(), v);
  Value negative =
      arith::CmpIOp::create(b.b, b.loc, arith::CmpIPredicate::slt, i,
                            arith::ConstantIndexOp::create(b.b, b.loc, 0));
  return s.select(negative, arith::AddIOp::create(b.b, b.loc, i, size), i);
}

//===----------------------------------------------------------------------===//
// Slices at the positions of index tensors
//===----------------------------------------------------------------------===//

namespace {
/// A write into `x`. `at` has an index tensor for each of the dimensions
/// `indexed`; the other dimensions are written whole. `values` has the shape of
/// x[at].
struct SliceWrite {
  Tensor x;
  SmallVector<int64_t> indexed;
  SmallVector<Tensor> at;
  Tensor values;
  Sizes indexSizes;  // the sizes that the index tensors broadcast to
  int64_t first = 0; // the dimension of `values` where these sizes start
  bool accumulate = false;
};
} // namespace

/// Builds a loop nest over the elements of the index tensors that writes, or
/// adds, one slice in each iteration.
static Tensor write(Builder &b, SliceWrite w) {
  int64_t rank = w.x.rank(), indexRank = w.indexSizes.size();
  Tensor values = b.contiguous(b.cast(w.values, w.x.dtype));
  SmallVector<Value> lengths;
  for (int64_t d : w.indexed)
    lengths.push_back(b.index(w.x.sizes[d]));
  Sizes partSizes(w.x.sizes);
  for (int64_t d : w.indexed)
    partSizes[d] = b.expr(1);
  SmallVector<OpFoldResult> part = b.fold(partSizes);
  SmallVector<OpFoldResult> unit(rank, b.b.getIndexAttr(1));
  bool hasElements = !isEmpty(partSizes);
  Value result = loopNest(
      b, w.indexSizes, b.materialize(w.x),
      [&](ArrayRef<Value> i, Value carried) -> Value {
        SmallVector<OpFoldResult> offsets(rank, b.b.getIndexAttr(0));
        for (auto [k, d] : llvm::enumerate(w.indexed))
          offsets[d] = readIndex(b, w.at[k], i, lengths[k]);
        Tensor slice = values;
        for (int64_t k = 0; k < indexRank; ++k)
          slice = b.select(slice, w.first, getAsOpFoldResult(i[k]));
        SmallVector<int64_t> indexed(w.indexed);
        llvm::sort(indexed);
        for (int64_t d : indexed)
          slice = b.unsqueeze(slice, d);
        if (w.accumulate && hasElements) {
          Value old = tensor::ExtractSliceOp::create(
              b.b, b.loc, tensorType(partSizes, w.x.dtype), carried, offsets,
              part, unit);
          slice = b.pointwise(
              {Tensor(old, partSizes, w.x.dtype), slice}, partSizes, w.x.dtype,
              opMathType(w.x.dtype),
              [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
        }
        return b.insert(b.materialize(slice), carried, offsets, part, unit);
      });
  return Tensor(result, w.x.sizes, w.x.dtype);
}

/// Lowers index_put whose only index is a bool mask over the first dimensions,
/// if all true elements of the mask get the same values: `values` broadcasts to
/// the remaining dimensions. Returns std::nullopt in other cases.
static std::optional<LogicalResult>
putByMask(NodeLowering &n, const SliceWrite &w, Argument list) {
  if (list.getElements().size() != 1 || list.getElements()[0].isNone())
    return std::nullopt;
  Tensor mask = n.asTensor(list.getElements()[0]);
  if (n.failed() || !mask.dtype.isInteger(1) || mask.rank() == 0)
    return std::nullopt;
  int64_t rest = w.x.rank() - mask.rank();
  Tensor values = w.values;
  // A first dimension of size 1 stands for all true elements. If it has another
  // size, the true elements get its values in order; see indexByMask.
  if (values.rank() == rest + 1 && values.sizes[0].getInteger() == 1)
    values = n.b.squeeze(values, 0);
  if (rest < 0 || values.rank() > rest)
    return std::nullopt;
  for (int64_t i = 0; i < rest; ++i)
    mask = n.b.unsqueeze(mask, mask.rank());
  if (!n.broadcasts(values, w.x.sizes) || !n.broadcasts(mask, w.x.sizes))
    return failure();
  Type dtype = w.x.dtype, i1 = n.b.b.getI1Type();
  return n.pointwise(0, {w.x, values, n.b.cast(mask, dtype)}, opMathType(dtype),
                     [&](Scalars &s, ValueRange v) {
                       Value put = w.accumulate ? s.add(v[0], v[1]) : v[1];
                       return s.select(s.cast(v[2], s.dtype, i1), put, v[0]);
                     });
}

/// Returns the position in `list` of the only index, if that is a mask.
static std::optional<int64_t> findMask(NodeLowering &n, Argument list) {
  std::optional<int64_t> place;
  for (auto [i, arg] : llvm::enumerate(list.getElements())) {
    if (arg.isNone())
      continue;
    if (place || !isMask(n.asTensor(arg).dtype))
      return std::nullopt;
    place = i;
  }
  return place;
}

/// Returns the values with 0 where the mask is false: adding 0 has no effect.
static Tensor zeroHidden(Builder &b, const Tensor &values, const Tensor &mask) {
  Type dtype = values.dtype;
  return b.pointwise(
      {values, mask}, values.sizes, dtype, Type(),
      [&](Scalars &s, ValueRange v) {
        Scalars e(s.b, s.loc, dtype);
        return e.select(v[1], v[0], e.integer(0));
      },
      dtype);
}

/// Indexes the dimensions from `place` on by the true elements of the mask.
static LogicalResult indexByMask(NodeLowering &n, SliceWrite &w,
                                 const Tensor &mask, int64_t place) {
  int64_t rest = w.x.rank() - mask.rank();
  // The size of `values` at `place` is the number of true elements.
  if (mask.rank() == 0 || rest < place || w.values.rank() != rest + 1 ||
      w.values.sizes[place].getInteger() == 1)
    return n.fail("a mask whose values are no list");
  for (auto [have, want] :
       llvm::zip(mask.sizes, ArrayRef<ExprAttr>(w.x.sizes).drop_front(place)))
    if (have.isProvablyDifferent(want))
      return n.fail("the mask does not fit the tensor");
  FailureOr<SmallVector<Tensor>> vectors =
      maskIndices(n, mask, w.values.sizes[place]);
  if (failed(vectors))
    return failure();
  for (auto [i, vector] : llvm::enumerate(*vectors)) {
    w.indexed.push_back(place + i);
    w.at.push_back(n.b.contiguous(vector));
  }
  return success();
}

/// Returns the indices clamped to [-size, size), as i64.
static Tensor clampIndices(Builder &b, const Tensor &t, ExprAttr size) {
  Type i64 = b.b.getI64Type();
  Value length = Scalars(b.b, b.loc, i64).fromIndex(b.index(size));
  return b.pointwise({t}, t.sizes, i64, i64, [&](Scalars &s, ValueRange v) {
    Value last = s.sub(length, s.integer(1));
    return s.min(s.max(v[0], s.neg(length)), last);
  });
}

/// Indexes each dimension that has a tensor in `list` by that tensor. `clamps`:
/// indices that are out of range are clamped.
static LogicalResult indexByTensors(NodeLowering &n, SliceWrite &w,
                                    Argument list, bool clamps) {
  for (auto [i, arg] : llvm::enumerate(list.getElements())) {
    if (arg.isNone())
      continue;
    Tensor t = n.asTensor(arg);
    if (n.failed() || !isa<IntegerType>(t.dtype) || t.dtype.isInteger(1))
      return n.fail("an index that is no integer tensor");
    if (clamps)
      t = clampIndices(n.b, t, w.x.sizes[i]);
    w.indexed.push_back(i);
    w.at.push_back(n.b.contiguous(t));
  }
  return success();
}

/// Sets the sizes that the index tensors broadcast to.
static LogicalResult broadcastIndices(NodeLowering &n, SliceWrite &w) {
  int64_t indexRank = 0;
  for (const Tensor &t : w.at)
    indexRank = std::max(indexRank, t.rank());
  for (int64_t i = 0; i < indexRank; ++i) {
    ExprAttr size = n.b.expr(1);
    for (const Tensor &t : w.at) {
      int64_t k = i - (indexRank - t.rank());
      if (k < 0 || t.sizes[k].getInteger() == 1)
        continue;
      if (size.getInteger() != 1 && size.isProvablyDifferent(t.sizes[k]))
        return n.fail("the indices do not broadcast");
      size = t.sizes[k];
    }
    w.indexSizes.push_back(size);
  }
  return success();
}

/// Returns the shape of self[indices], which the values broadcast to.
static Sizes selectedSizes(const SliceWrite &w) {
  Sizes sizes;
  for (int64_t d = 0; d < w.x.rank(); ++d)
    if (!llvm::is_contained(w.indexed, d))
      sizes.push_back(w.x.sizes[d]);
  sizes.insert(sizes.begin() + w.first, w.indexSizes.begin(),
               w.indexSizes.end());
  return sizes;
}

/// Lowers index_put(self, indices, values, accumulate) and, if `isMasked`,
/// _unsafe_masked_index_put_accumulate(self, mask, indices, values), which adds
/// the values where the mask is true, and clamps indices that are out of range.
template <bool isMasked>
static LogicalResult lowerIndexPut(NodeLowering &n) {
  SliceWrite w;
  w.x = n.tensor("self");
  Argument list = n.arg("indices");
  w.values = n.tensor("values");
  w.accumulate = isMasked || n.boolean("accumulate");
  if (isMasked) {
    Tensor mask = n.tensor("mask");
    if (n.failed() || !mask.dtype.isInteger(1))
      return n.fail("the mask is no bool tensor");
    for (ExprAttr size : w.x.sizes)
      if (size.getInteger() == 0)
        return n.result(w.x);
    if (!n.broadcasts(mask, w.values.sizes))
      return failure();
    w.values = zeroHidden(n.b, w.values, mask);
  }
  if (n.failed() || !list.isList() ||
      int64_t(list.getElements().size()) > w.x.rank())
    return n.fail("the indices do not fit the tensor");
  if (std::optional<LogicalResult> done = putByMask(n, w, list))
    return *done;
  std::optional<int64_t> place = findMask(n, list);
  if (place) {
    Tensor mask = n.asTensor(list.getElements()[*place]);
    if (failed(indexByMask(n, w, mask, *place)))
      return failure();
  } else if (failed(indexByTensors(n, w, list, /*clamps=*/isMasked))) {
    return failure();
  }
  if (w.indexed.empty())
    return n.fail("no index");
  if (failed(broadcastIndices(n, w)))
    return failure();
  bool adjacent =
      w.indexed.back() - w.indexed.front() + 1 == int64_t(w.indexed.size());
  w.first = adjacent ? w.indexed.front() : 0;
  Sizes sizes = selectedSizes(w);
  if (!n.broadcasts(w.values, sizes))
    return failure();
  w.values = n.b.expand(w.values, sizes);
  // The indices of a mask and clamped indices are in range.
  for (auto [t, d] : llvm::zip(w.at, w.indexed))
    if (!place && !isMasked)
      n.b.checkIndices(t, w.x.sizes[d],
                       "aten.index_put: an index is out of range");
  return n.result(write(n.b, w));
}

Tensor writeSlices(Builder &b, const Tensor &x, int64_t dim,
                   const Tensor &index, const Tensor &values, bool accumulate,
                   StringRef name) {
  b.checkIndices(index, x.sizes[dim],
                 (name + ": an index is out of range").str(), false);
  SliceWrite w;
  w.x = x;
  w.values = values;
  w.accumulate = accumulate;
  w.indexed = {dim};
  w.at = {b.contiguous(index)};
  w.first = dim;
  w.indexSizes = {index.sizes[0]};
  return write(b, w);
}

/// Lowers index_copy and index_add, which write whole slices along one
/// dimension.
template <bool add>
static LogicalResult lowerIndexCopy(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  Tensor index = n.tensor("index"), values = n.tensor("source");
  Number alpha = n.number("alpha", 1);
  // Treat 0-d tensors as vectors of one element.
  bool scalar = x.rank() == 0;
  if (scalar)
    x = n.b.unsqueeze(x, 0);
  if (values.rank() == 0)
    values = n.b.unsqueeze(values, 0);
  if (n.failed() || index.rank() > 1 || values.rank() != x.rank() ||
      !isa<IntegerType>(index.dtype))
    return n.fail("the index is no vector");
  if (add && (!alpha.expr || alpha.expr.getInteger() != 1)) {
    Hoisted factor(n.b, alpha, opMathType(x.dtype));
    values = n.b.map(
        {n.b.cast(values, x.dtype)}, x.dtype,
        [&](Scalars &s, ValueRange v) { return s.mul(v[0], factor.in(s)); });
  }
  if (index.rank() == 0)
    index = n.b.unsqueeze(index, 0);
  Sizes sizes(x.sizes);
  sizes[dim] = index.sizes[0];
  for (auto [have, want] : llvm::zip(values.sizes, sizes))
    if (have.isProvablyDifferent(want))
      return n.fail("the source does not fit the index");
  Tensor y = writeSlices(n.b, x, dim, index, values, add,
                         add ? "aten.index_add" : "aten.index_copy");
  return n.result(scalar ? n.b.squeeze(y, 0) : y);
}

//===----------------------------------------------------------------------===//
// Slices at one position
//===----------------------------------------------------------------------===//

/// Lowers slice_scatter(self, src, dim, start, end, step). The size of `src`
/// determines the number of elements, so `end` is not read.
static LogicalResult lowerSliceScatter(NodeLowering &n) {
  Tensor x = n.tensor("self"), src = n.tensor("src");
  int64_t dim = n.dim("dim", x.rank());
  ExprAttr start = n.size("start", 0);
  int64_t step = n.integer("step");
  if (n.failed() || x.rank() == 0 || src.rank() != x.rank() || step < 1)
    return n.fail("the source does not fit the tensor");
  MLIRContext *ctx = n.context();
  ExprAttr size = x.sizes[dim], count = src.sizes[dim];
  start = n.clampPosition(start, size);
  if (n.failed() || !n.b.symbols.canEvaluate(start))
    return n.fail("the start is not known");
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != dim && src.sizes[i].isProvablyDifferent(x.sizes[i]))
      return n.fail("the source does not fit the tensor");
  if (start.getInteger() == 0 && step == 1 && count == size)
    return n.result(n.b.cast(src, x.dtype));
  if (isEmpty(src.sizes))
    return n.result(x);
  ExprAttr steps = ExprAttr::add(ctx, {count, n.b.expr(-1)});
  ExprAttr reach = steps ? ExprAttr::mul(ctx, {steps, n.b.expr(step)}) : steps;
  ExprAttr last = reach ? ExprAttr::add(ctx, {start, reach}) : reach;
  if (failed(n.checkInside(start, last, size,
                           "the source is longer than the slice")))
    return failure();
  SmallVector<OpFoldResult> offsets(x.rank(), n.b.b.getIndexAttr(0)),
      strides(x.rank(), n.b.b.getIndexAttr(1));
  offsets[dim] = n.b.fold(start);
  strides[dim] = n.b.b.getIndexAttr(step);
  Value v =
      n.b.insert(n.b.materialize(n.b.cast(src, x.dtype)), n.b.materialize(x),
                 offsets, n.b.fold(src.sizes), strides);
  return n.result(Tensor(v, x.sizes, x.dtype));
}

static LogicalResult lowerSelectScatter(NodeLowering &n) {
  Tensor x = n.tensor("self"), src = n.tensor("src");
  int64_t dim = n.dim("dim", x.rank());
  ExprAttr at = n.size("index");
  if (n.failed() || x.rank() == 0 || src.rank() + 1 != x.rank())
    return n.fail("the source does not fit the tensor");
  at = n.wrapPosition(at, x.sizes[dim]);
  if (failed(n.checkInside(at, at, x.sizes[dim], "the index is out of range")))
    return failure();
  Sizes part(x.sizes);
  part.erase(part.begin() + dim);
  if (!n.broadcasts(src, part))
    return failure();
  part.insert(part.begin() + dim, n.b.expr(1));
  SmallVector<OpFoldResult> offsets(x.rank(), n.b.b.getIndexAttr(0)),
      strides(x.rank(), n.b.b.getIndexAttr(1));
  offsets[dim] = n.b.fold(at);
  Value v = n.b.insert(n.b.materialize(n.b.cast(src, x.dtype)),
                       n.b.materialize(x), offsets, n.b.fold(part), strides);
  return n.result(Tensor(v, x.sizes, x.dtype));
}

void registerScatter(Registry &r) {
  r.addWithFloat8({"aten.index_put.default", "aten._unsafe_index_put.default",
                   "aten._index_put_impl.default"},
                  lowerIndexPut<false>);
  r.add("aten._unsafe_masked_index_put_accumulate.default",
        lowerIndexPut<true>);
  r.addWithFloat8({"aten.index_copy.default"}, lowerIndexCopy<false>);
  r.add("aten.index_add.default", lowerIndexCopy<true>);
  r.addWithFloat8({"aten.slice_scatter.default"}, lowerSliceScatter);
  r.addWithFloat8({"aten.select_scatter.default"}, lowerSelectScatter);
}

} // namespace fx::lin
