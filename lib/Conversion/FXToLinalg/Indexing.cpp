//===- Indexing.cpp - operators that read at computed places --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

static Value constantIndex(Scalars &s, int64_t v) {
  return arith::ConstantIndexOp::create(s.b, s.loc, v);
}

/// An element of an index tensor as an index; from the end where negative.
static Value toIndex(Scalars &s, Value v, Type dtype, Value size) {
  Value i = s.cast(v, dtype, s.b.getI64Type());
  i = arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), i);
  if (!size)
    return i;
  Value negative = arith::CmpIOp::create(
      s.b, s.loc, arith::CmpIPredicate::slt, i, constantIndex(s, 0));
  return s.select(negative, arith::AddIOp::create(s.b, s.loc, i, size), i);
}

/// A generic of the result's sizes that reads `x` where `at` says, given the
/// operands and the result's indices.
static Tensor
readAt(Node &n, const Tensor &x, ArrayRef<Tensor> operands,
       ArrayRef<ExprAttr> sizes,
       function_ref<SmallVector<Value>(Scalars &, ValueRange, ArrayRef<Value>)>
           at) {
  Value source = n.b.materialize(x);
  return n.b.indexed(
      operands, sizes, x.dtype, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> Value {
        return tensor::ExtractOp::create(s.b, s.loc, source, at(s, v, i));
      });
}

static bool checkIndexDtype(Node &n, const Tensor &t) {
  if (isa<IntegerType>(t.dtype) && !t.dtype.isInteger(1))
    return true;
  (void)n.fail("an index that is no integer tensor");
  return false;
}

static LogicalResult lowerEmbedding(Node &n) {
  Tensor w = n.tensor(0, "weight"), indices = n.tensor(1, "indices");
  if (n.failed() || w.rank() != 2 || !checkIndexDtype(n, indices))
    return n.fail("the weight is no matrix");
  Sizes sizes(indices.sizes);
  sizes.push_back(w.sizes[1]);
  n.b.checkIndices(indices, w.sizes[0],
                   "aten.embedding: an index is out of range", false);
  // The indices do not vary along the last dimension.
  Tensor rows = n.b.expand(n.b.unsqueeze(indices, indices.rank()), sizes);
  return n.result(readAt(
      n, w, {rows}, sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
        return {toIndex(s, v[0], rows.dtype, Value()), i.back()};
      }));
}

/// self[i0, :, i1, ...]: the index tensors broadcast to one shape, which
/// stands where the first of them stands, or in front if they are apart.
static LogicalResult lowerIndex(Node &n) {
  Tensor x = n.tensor(0, "self");
  const Arg &list = n.arg(1, "indices");
  if (n.failed() || !list.isList() || int64_t(list.list.size()) > x.rank())
    return n.fail("the indices do not fit the tensor");
  SmallVector<std::optional<Tensor>> at(x.rank());
  SmallVector<int64_t> indexed;
  for (auto [i, arg] : llvm::enumerate(list.list)) {
    if (arg.isAbsent())
      continue;
    at[i] = n.asTensor(arg);
    if (n.failed() || !checkIndexDtype(n, *at[i]))
      return n.fail("an index that is no integer tensor");
    indexed.push_back(i);
  }
  if (indexed.empty())
    return n.result(x);
  int64_t indexRank = 0;
  for (int64_t i : indexed)
    indexRank = std::max(indexRank, at[i]->rank());
  bool adjacent = indexed.back() - indexed.front() + 1 == int64_t(indexed.size());
  int64_t first = adjacent ? indexed.front() : 0;
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  int64_t rank = x.rank() - int64_t(indexed.size()) + indexRank;
  if (int64_t(sizes.size()) != rank)
    return n.fail("the result's rank is not what the operator gives");
  ArrayRef<ExprAttr> indexSizes = sizes.slice(first, indexRank);

  SmallVector<Tensor> operands;
  SmallVector<Value> lengths;
  for (int64_t i : indexed) {
    if (!n.broadcasts(*at[i], indexSizes))
      return failure();
    n.b.checkIndices(*at[i], x.sizes[i],
                     "aten.index: an index is out of range");
    // Aligned with the index part of the result.
    Tensor t = *at[i];
    for (int64_t k = first + indexRank; k < rank; ++k)
      t = n.b.unsqueeze(t, t.rank());
    operands.push_back(t);
    lengths.push_back(n.b.index(x.sizes[i]));
  }
  return n.result(readAt(
      n, x, operands, sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> out) {
        SmallVector<Value> place(x.rank());
        for (auto [k, i] : llvm::enumerate(indexed))
          place[i] = toIndex(s, v[k], operands[k].dtype, lengths[k]);
        // The other dimensions, in order around the index part.
        int64_t next = 0;
        for (Value &p : place) {
          if (p)
            continue;
          if (next == first)
            next += indexRank;
          p = out[next++];
        }
        return place;
      }));
}

/// out[i, j] = self[index[i, j], j] for dim 0.
static LogicalResult lowerGather(Node &n) {
  Tensor x = n.tensor(0, "self");
  int64_t dim = n.dim(1, "dim", x.rank());
  Tensor index = n.tensor(2, "index");
  if (n.failed() || index.rank() != x.rank() || x.rank() == 0 ||
      !checkIndexDtype(n, index))
    return n.fail("the index does not fit the tensor");
  n.b.checkIndices(index, x.sizes[dim], "aten.gather: an index is out of range",
                   false);
  return n.result(readAt(
      n, x, {index}, index.sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
        SmallVector<Value> place(i);
        place[dim] = toIndex(s, v[0], index.dtype, Value());
        return place;
      }));
}

static LogicalResult lowerIndexSelect(Node &n) {
  Tensor x = n.tensor(0, "self");
  int64_t dim = n.dim(1, "dim", x.rank());
  Tensor index = n.tensor(2, "index");
  if (n.failed() || index.rank() > 1 || x.rank() == 0 ||
      !checkIndexDtype(n, index))
    return n.fail("the index is no vector");
  n.b.checkIndices(index, x.sizes[dim],
                   "aten.index_select: an index is out of range", false);
  if (index.rank() == 0)
    index = n.b.unsqueeze(index, 0);
  Sizes sizes(x.sizes);
  sizes[dim] = index.sizes[0];
  for (int64_t i = dim + 1; i < x.rank(); ++i)
    index = n.b.unsqueeze(index, index.rank());
  return n.result(readAt(
      n, x, {index}, sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
        SmallVector<Value> place(i);
        place[dim] = toIndex(s, v[0], index.dtype, Value());
        return place;
      }));
}

//===----------------------------------------------------------------------===//
// Places computed from the result's indices
//===----------------------------------------------------------------------===//

static LogicalResult lowerFlip(Node &n) {
  Tensor x = n.tensor(0, "self");
  SmallVector<int64_t> dims = n.dims(1, "dims", x.rank(), false);
  if (n.failed())
    return failure();
  SmallVector<Value> last(x.rank());
  for (int64_t d : dims)
    last[d] = arith::SubIOp::create(n.b.b, n.b.loc, n.b.index(x.sizes[d]),
                                    n.b.index(1));
  return n.result(readAt(n, x, {}, x.sizes,
                         [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
                           SmallVector<Value> place(i);
                           for (int64_t d : dims)
                             place[d] = arith::SubIOp::create(s.b, s.loc,
                                                              last[d], i[d]);
                           return place;
                         }));
}

/// Element i comes from i - shift, cyclically.
static LogicalResult lowerRoll(Node &n) {
  Tensor x = n.tensor(0, "self");
  SmallVector<int64_t> shifts = n.integers(1, "shifts", 0, 0);
  SmallVector<int64_t> dims = n.dims(2, "dims", x.rank(), false);
  if (n.failed())
    return failure();
  Sizes shape(x.sizes);
  bool flat = dims.empty();
  if (flat) {
    x = n.b.reshape(x, {n.b.product(x.sizes)});
    dims = {0};
  }
  if (dims.size() != shifts.size())
    return n.fail("as many shifts as dimensions");
  SmallVector<Value> offsets, sizes;
  for (auto [d, shift] : llvm::zip(dims, shifts)) {
    // size - shift mod size, so that the sum is never negative
    ExprAttr amount = ExprAttr::call(
        n.context(), "mod", {n.b.expr(-shift), x.sizes[d]});
    if (!amount)
      return n.fail("an empty dimension");
    offsets.push_back(n.b.index(amount));
    sizes.push_back(n.b.index(x.sizes[d]));
  }
  Tensor y = readAt(n, x, {}, x.sizes,
                    [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
                      SmallVector<Value> place(i);
                      for (auto [k, d] : llvm::enumerate(dims))
                        place[d] = arith::RemUIOp::create(
                            s.b, s.loc,
                            arith::AddIOp::create(s.b, s.loc, place[d],
                                                  offsets[k]),
                            sizes[k]);
                      return place;
                    });
  return n.result(flat ? n.b.reshape(y, shape) : y);
}

/// Windows of `size`, `step` apart, as a last dimension.
static LogicalResult lowerUnfold(Node &n) {
  Tensor x = n.tensor(0, "self");
  int64_t dim = n.dim(1, "dimension", x.rank());
  int64_t size = n.integer(2, "size", 1), step = n.integer(3, "step", 1);
  if (n.failed() || x.rank() == 0 || size < 1 || step < 1 ||
      n.resultSizes().size() != size_t(x.rank()) + 1)
    return n.fail("the windows do not fit the tensor");
  return n.result(readAt(n, x, {}, n.resultSizes(),
                         [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
                           SmallVector<Value> place(i.drop_back());
                           place[dim] = arith::AddIOp::create(
                               s.b, s.loc,
                               arith::MulIOp::create(s.b, s.loc, place[dim],
                                                     constantIndex(s, step)),
                               i.back());
                           return place;
                         }));
}

//===----------------------------------------------------------------------===//
// Resampling
//===----------------------------------------------------------------------===//

namespace {
/// Input elements per output element along a dimension, as ATen has it: from
/// the given factor, else from the sizes.
struct Resample {
  SmallVector<Value> scale; // f32
  SmallVector<Value> size;  // index
};
} // namespace

static LogicalResult readResample(Node &n, const Tensor &x, unsigned spatial,
                                  unsigned factorPosition, bool align,
                                  Resample &r) {
  if (n.failed() || x.rank() != int64_t(spatial) + 2 ||
      n.resultSizes().size() != size_t(x.rank()) || !isa<FloatType>(x.dtype))
    return n.fail("the input's rank or dtype is not what the operator takes");
  const Arg &factors = n.arg(factorPosition, "scale_factors");
  Builder &b = n.b;
  Type f32 = b.b.getF32Type();
  Scalars s(b.b, b.loc, f32);
  for (unsigned i = 0; i < spatial; ++i) {
    ExprAttr in = x.sizes[i + 2], out = n.resultSizes()[i + 2];
    Number ni, no;
    ni.expr = in;
    no.expr = out;
    Value vi = b.number(ni, f32), vo = b.number(no, f32);
    Value scale;
    if (align) {
      Value one = s.constant(1);
      scale = s.select(s.gt(vo, one), s.div(s.sub(vi, one), s.sub(vo, one)),
                       s.constant(0));
    } else if (factors.isList() && i < factors.list.size()) {
      Number f = n.asNumber(factors.list[i]);
      if (n.failed())
        return failure();
      scale = s.div(s.constant(1), b.number(f, f32));
    } else {
      scale = s.div(vi, vo);
    }
    r.scale.push_back(scale);
    r.size.push_back(b.index(in));
  }
  return success();
}

static Value toF32(Scalars &s, Value index) {
  Scalars f(s.b, s.loc, s.b.getF32Type());
  return f.fromIndex(index);
}
static Value floorIndex(Scalars &s, Value v) {
  Value i = arith::FPToSIOp::create(s.b, s.loc, s.b.getI64Type(), v);
  return arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), i);
}
static Value lastIndex(Scalars &s, Value size) {
  return arith::SubIOp::create(s.b, s.loc, size, constantIndex(s, 1));
}

template <unsigned spatial> static LogicalResult lowerUpsampleNearest(Node &n) {
  Tensor x = n.tensor(0, "input");
  Resample r;
  if (failed(readResample(n, x, spatial, 2, false, r)))
    return failure();
  return n.result(readAt(
      n, x, {}, n.resultSizes(),
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        SmallVector<Value> place(i);
        for (unsigned d = 0; d < spatial; ++d) {
          Scalars f(s.b, s.loc, s.b.getF32Type());
          Value from = floorIndex(s, f.mul(toF32(s, i[d + 2]), r.scale[d]));
          place[d + 2] = arith::MinSIOp::create(s.b, s.loc, from,
                                                lastIndex(s, r.size[d]));
        }
        return place;
      }));
}

/// Weights of the two nearest elements along each dimension.
template <unsigned spatial> static LogicalResult lowerUpsampleLinear(Node &n) {
  Tensor x = n.tensor(0, "input");
  bool align = n.boolean(2, "align_corners", false);
  Resample r;
  if (failed(readResample(n, x, spatial, 3, align, r)))
    return failure();
  Value source = n.b.materialize(x);
  Type compute = opMathType(x.dtype), f32 = n.b.b.getF32Type();
  return n.result(n.b.indexed(
      {}, n.resultSizes(), x.dtype, compute,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        Scalars f(s.b, s.loc, f32);
        SmallVector<std::array<Value, 2>> places, weights;
        for (unsigned d = 0; d < spatial; ++d) {
          Value at = toF32(s, i[d + 2]);
          if (align)
            at = f.mul(at, r.scale[d]);
          else
            at = f.max(f.sub(f.mul(f.add(at, f.constant(0.5)), r.scale[d]),
                             f.constant(0.5)),
                       f.constant(0));
          Value last = lastIndex(s, r.size[d]);
          Value low = arith::MinSIOp::create(s.b, s.loc, floorIndex(s, at), last);
          Value high = arith::MinSIOp::create(
              s.b, s.loc,
              arith::AddIOp::create(s.b, s.loc, low, constantIndex(s, 1)),
              last);
          Value w = f.min(f.max(f.sub(at, toF32(s, low)), f.constant(0)),
                          f.constant(1));
          places.push_back({low, high});
          weights.push_back({s.cast(f.sub(f.constant(1), w), f32, compute),
                             s.cast(w, f32, compute)});
        }
        Value total;
        for (unsigned corner = 0; corner < (1u << spatial); ++corner) {
          SmallVector<Value> place(i);
          Value weight;
          for (unsigned d = 0; d < spatial; ++d) {
            unsigned side = corner >> (spatial - 1 - d) & 1;
            place[d + 2] = places[d][side];
            weight = weight ? s.mul(weight, weights[d][side])
                            : weights[d][side];
          }
          Value e = s.cast(
              tensor::ExtractOp::create(s.b, s.loc, source, place), x.dtype,
              compute);
          Value term = s.mul(weight, e);
          total = total ? s.add(total, term) : term;
        }
        return total;
      }));
}

void registerIndexing(Registry &r) {
  r.add("aten.embedding.default", lowerEmbedding);
  r.add({"aten.index.Tensor", "aten._unsafe_index.Tensor"}, lowerIndex);
  r.add("aten.gather.default", lowerGather);
  r.add("aten.index_select.default", lowerIndexSelect);
  r.add("aten.flip.default", lowerFlip);
  r.add("aten.roll.default", lowerRoll);
  r.add({"aten.unfold.default", "aten.unfold_copy.default"}, lowerUnfold);
  r.add("aten.upsample_nearest1d.vec", lowerUpsampleNearest<1>);
  r.add("aten.upsample_nearest2d.vec", lowerUpsampleNearest<2>);
  r.add("aten.upsample_nearest3d.vec", lowerUpsampleNearest<3>);
  r.add("aten.upsample_linear1d.vec", lowerUpsampleLinear<1>);
  r.add("aten.upsample_bilinear2d.vec", lowerUpsampleLinear<2>);
  r.add("aten.upsample_trilinear3d.vec", lowerUpsampleLinear<3>);
}

} // namespace fx::lin
