//===- Indexing.cpp - operators that read at computed places --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Masks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

/// Returns an element of an index tensor as an index. With `size`, a negative
/// element counts from the end.
static Value toIndex(Scalars &s, Value v, Type dtype, Value size) {
  Value i = Scalars(s.b, s.loc, dtype).toIndex(v);
  if (!size)
    return i;
  Scalars ix = s.indices();
  Value negative = ix.lt(i, ix.integer(0));
  return s.select(negative, ix.add(i, size), i);
}

Tensor Builder::read(const Tensor &x, ArrayRef<Tensor> operands,
                     ArrayRef<ExprAttr> sizes, PlaceFn at) {
  Value source = materialize(x);
  return indexed(operands, sizes, x.dtype, Type(),
                 [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> Value {
                   return tensor::ExtractOp::create(s.b, s.loc, source,
                                                    at(s, v, i));
                 });
}

static Tensor readAt(NodeLowering &n, const Tensor &x,
                     ArrayRef<Tensor> operands, ArrayRef<ExprAttr> sizes,
                     PlaceFn at) {
  return n.b.read(x, operands, sizes, at);
}

static bool checkIndexDtype(NodeLowering &n, const Tensor &t) {
  if (isa<IntegerType>(t.dtype) && !t.dtype.isInteger(1))
    return true;
  (void)n.fail("an index that is no integer tensor");
  return false;
}

static LogicalResult lowerEmbedding(NodeLowering &n) {
  Tensor w = n.tensor("weight"), indices = n.tensor("indices");
  if (n.failed() || w.rank() != 2 || !checkIndexDtype(n, indices))
    return n.fail("the weight is no matrix");
  Sizes sizes(indices.sizes);
  sizes.push_back(w.sizes[1]);
  n.b.checkIndices(indices, w.sizes[0],
                   "aten.embedding: an index is out of range", false);
  // Broadcast the indices along the last dimension.
  Tensor rows = n.b.expand(n.b.unsqueeze(indices, indices.rank()), sizes);
  return n.result(readAt(
      n, w, {rows}, sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
        return {toIndex(s, v[0], rows.dtype, Value()), i.back()};
      }));
}

/// Sets `at[dim]` to the index tensor of each indexed dimension. A mask becomes
/// one vector for each of its dimensions. Other indices beside a mask must have
/// one element each, since the length of the mask's vectors is known only at
/// run time.
static LogicalResult readIndices(NodeLowering &n, const Tensor &x,
                                 SmallVector<std::optional<Tensor>> &at) {
  Argument list = n.arg("indices");
  if (n.failed() || !list.isList())
    return n.fail("the indices do not fit the tensor");
  std::optional<Tensor> mask;
  int64_t next = 0, maskAt = 0;
  bool areSingle = true;
  for (Argument arg : list.getElements()) {
    int64_t dim = next++;
    if (arg.isNone())
      continue;
    Tensor t = n.asTensor(arg);
    if (n.failed())
      return failure();
    if (isMask(t.dtype)) {
      if (mask || t.rank() == 0)
        return n.fail("several masks, or a single truth value");
      mask = t;
      maskAt = dim;
      next += t.rank() - 1;
    } else if (!checkIndexDtype(n, t)) {
      return failure();
    } else {
      areSingle &=
          llvm::all_of(t.sizes, [](ExprAttr e) { return e.getInteger() == 1; });
    }
    if (next > x.rank())
      return n.fail("the indices do not fit the tensor");
    if (!mask || maskAt != dim)
      at[dim] = t;
  }
  if (!mask) {
    for (ExprAttr size : n.resultSizes())
      if (!n.b.symbols.canEvaluate(size))
        return n.fail("the result's size depends on data");
    return success();
  }
  for (auto [have, want] :
       llvm::zip(mask->sizes, ArrayRef<ExprAttr>(x.sizes).drop_front(maskAt)))
    if (have.isProvablyDifferent(want))
      return n.fail("the mask does not fit the tensor");
  if (!areSingle)
    return n.fail("a mask beside other indices");
  // The result's dimension that the mask's vectors index. The index dimensions
  // begin at the first indexed dimension if the indexed ones are adjacent, else
  // at 0; the vectors are the last of them.
  SmallVector<int64_t> indexed;
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    if (at[dim] || (dim >= maskAt && dim < maskAt + mask->rank()))
      indexed.push_back(dim);
  int64_t count = indexed.size(), indexRank = x.rank() - count;
  bool adjacent = indexed.back() - indexed.front() + 1 == count;
  indexRank = int64_t(n.resultSizes().size()) - indexRank;
  int64_t place = (adjacent ? indexed.front() : 0) + indexRank - 1;
  if (indexRank < 1 || place >= int64_t(n.resultSizes().size()))
    return n.fail("the result's rank is not what the operator gives");
  FailureOr<SmallVector<Tensor>> vectors =
      maskIndices(n, *mask, n.resultSizes()[place]);
  if (failed(vectors))
    return failure();
  for (auto [i, vector] : llvm::enumerate(*vectors))
    at[maskAt + i] = vector;
  return success();
}

/// self[i0, :, i1, ...]: the index tensors broadcast to one shape. Its
/// dimensions replace the indexed ones if these are adjacent, and else come
/// first.
static LogicalResult lowerIndex(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<std::optional<Tensor>> at(x.rank());
  SmallVector<int64_t> indexed;
  if (failed(readIndices(n, x, at)))
    return failure();
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    if (at[dim])
      indexed.push_back(dim);
  if (indexed.empty())
    return n.result(x);
  int64_t indexRank = 0;
  for (int64_t i : indexed)
    indexRank = std::max(indexRank, at[i]->rank());
  bool adjacent =
      indexed.back() - indexed.front() + 1 == int64_t(indexed.size());
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
    // Align it with the index dimensions of the result.
    Tensor t = *at[i];
    for (int64_t k = first + indexRank; k < rank; ++k)
      t = n.b.unsqueeze(t, t.rank());
    operands.push_back(t);
    lengths.push_back(n.b.index(x.sizes[i]));
  }
  return n.result(readAt(n, x, operands, sizes,
                         [&](Scalars &s, ValueRange v, ArrayRef<Value> out) {
                           SmallVector<Value> place(x.rank());
                           for (auto [k, i] : llvm::enumerate(indexed))
                             place[i] = toIndex(s, v[k], operands[k].dtype,
                                                lengths[k]);
                           // The other dimensions, in order around the index
                           // dimensions.
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
static LogicalResult lowerGather(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  Tensor index = n.tensor("index");
  bool scalar = index.rank() == 0;
  // A 0-d tensor is a vector of one element.
  if (x.rank() == 0)
    x = n.b.unsqueeze(x, 0);
  if (scalar)
    index = n.b.unsqueeze(index, 0);
  for (ExprAttr size : index.sizes)
    if (size.getInteger() == 0)
      return n.result(
          Tensor(n.b.empty(index.sizes, x.dtype), index.sizes, x.dtype));
  if (n.failed() || index.rank() != x.rank() || !checkIndexDtype(n, index))
    return n.fail("the index does not fit the tensor");
  n.b.checkIndices(index, x.sizes[dim], "aten.gather: an index is out of range",
                   false);
  Tensor y = readAt(
      n, x, {index}, index.sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
        SmallVector<Value> place(i);
        place[dim] = toIndex(s, v[0], index.dtype, Value());
        return place;
      });
  return n.result(scalar ? n.b.squeeze(y, 0) : y);
}

/// take(self, index): elements of the flattened tensor.
static LogicalResult lowerTake(NodeLowering &n) {
  Tensor x = n.tensor("self"), index = n.tensor("index");
  if (n.failed() || !checkIndexDtype(n, index))
    return failure();
  Sizes flat = {n.b.product(x.sizes)};
  for (ExprAttr size : index.sizes)
    if (size.getInteger() == 0)
      return n.result(
          Tensor(n.b.empty(index.sizes, x.dtype), index.sizes, x.dtype));
  if (flat[0].getInteger() == 0)
    return n.fail("an empty tensor");
  n.b.checkIndices(index, flat[0], "aten.take: an index is out of range");
  Value size = n.b.index(flat[0]);
  return n.result(readAt(
      n, n.b.reshape(x, flat), {index}, index.sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value>) -> SmallVector<Value> {
        return {toIndex(s, v[0], index.dtype, size)};
      }));
}

/// Lowers take_along_dim: a gather for which the other dimensions of both
/// tensors are broadcast. Without `dim`, both tensors are flattened.
static LogicalResult lowerTakeAlongDim(NodeLowering &n) {
  Tensor x = n.tensor("self"), index = n.tensor("indices");
  bool flat = !n.has("dim");
  int64_t dim = flat ? 0 : n.dim("dim", x.rank());
  if (n.failed() || !checkIndexDtype(n, index))
    return failure();
  if (flat) {
    x = n.b.reshape(x, {n.b.product(x.sizes)});
    index = n.b.reshape(index, {n.b.product(index.sizes)});
  }
  if (x.rank() != index.rank() || x.rank() == 0)
    return n.fail("the indices' rank is not the tensor's");
  Tensor other = x;
  other.sizes[dim] = n.b.expr(1);
  Sizes sizes = n.b.broadcast({other, index});
  Sizes whole(sizes);
  whole[dim] = x.sizes[dim];
  x = n.b.expand(x, whole);
  index = n.b.expand(index, sizes);
  n.b.checkIndices(index, x.sizes[dim],
                   "aten.take_along_dim: an index is out of range");
  Value size = n.b.index(x.sizes[dim]);
  return n.result(readAt(
      n, x, {index}, sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
        SmallVector<Value> place(i);
        place[dim] = toIndex(s, v[0], index.dtype, size);
        return place;
      }));
}

/// _unsafe_masked_index(self, mask, indices, fill): self[indices] where the
/// mask is true, else `fill`. Indices are clamped, so that the read is in
/// bounds where the mask is false, too.
static LogicalResult lowerMaskedIndex(NodeLowering &n) {
  Tensor x = n.tensor("self"), mask = n.tensor("mask");
  Argument list = n.arg("indices");
  Number fill = n.number("fill");
  if (n.failed() || !list.isList() ||
      int64_t(list.getElements().size()) != x.rank() ||
      !mask.dtype.isInteger(1))
    return n.fail("the indices do not fit the tensor");
  for (ExprAttr size : x.sizes)
    if (size.getInteger() == 0)
      return n.fail("an empty tensor");
  SmallVector<Tensor> operands = {mask};
  SmallVector<Value> lengths;
  for (auto [i, arg] : llvm::enumerate(list.getElements())) {
    if (arg.isNone())
      return n.fail("a dimension without index");
    operands.push_back(n.asTensor(arg));
    if (n.failed() || !checkIndexDtype(n, operands.back()))
      return failure();
    lengths.push_back(n.b.index(x.sizes[i]));
  }
  for (const Tensor &t : operands)
    if (!n.broadcasts(t, n.resultSizes()))
      return failure();
  Value source = n.b.materialize(x), other = n.b.number(fill, x.dtype);
  return n.result(n.b.pointwise(
      operands, n.resultSizes(), x.dtype, Type(),
      [&](Scalars &s, ValueRange v) {
        Scalars ix = s.indices();
        SmallVector<Value> place;
        for (auto [i, length] : llvm::enumerate(lengths)) {
          Value at = toIndex(s, v[i + 1], operands[i + 1].dtype, length);
          at = ix.min(ix.max(at, ix.integer(0)), ix.sub(length, ix.integer(1)));
          place.push_back(at);
        }
        Value e = tensor::ExtractOp::create(s.b, s.loc, source, place);
        return s.select(v[0], e, other);
      }));
}

static LogicalResult lowerIndexSelect(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  Tensor index = n.tensor("index");
  bool scalar = x.rank() == 0;
  if (scalar)
    x = n.b.unsqueeze(x, 0);
  if (n.failed() || index.rank() > 1 || !checkIndexDtype(n, index))
    return n.fail("the index is no vector");
  if (scalar && index.rank() == 1 && index.sizes[0].getInteger() != 1)
    return n.fail("the index of a 0-d tensor has one element");
  n.b.checkIndices(index, x.sizes[dim],
                   "aten.index_select: an index is out of range", false);
  if (index.rank() == 0)
    index = n.b.unsqueeze(index, 0);
  Sizes sizes(x.sizes);
  sizes[dim] = index.sizes[0];
  for (int64_t i = dim + 1; i < x.rank(); ++i)
    index = n.b.unsqueeze(index, index.rank());
  Tensor y = readAt(
      n, x, {index}, sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
        SmallVector<Value> place(i);
        place[dim] = toIndex(s, v[0], index.dtype, Value());
        return place;
      });
  return n.result(scalar ? n.b.squeeze(y, 0) : y);
}

//===----------------------------------------------------------------------===//
// Places computed from the result's indices
//===----------------------------------------------------------------------===//

static LogicalResult lowerFlip(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<int64_t> dims = n.dims("dims", x.rank(), false);
  if (n.failed())
    return failure();
  return n.result(flip(n.b, x, dims));
}

/// Element i comes from i - shift, cyclically.
static LogicalResult lowerRoll(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<int64_t> shifts = n.integers("shifts", 0);
  SmallVector<int64_t> dims = n.dims("dims", x.rank(), false);
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
  for (ExprAttr size : x.sizes)
    if (size.getInteger() == 0)
      return n.result(flat ? n.b.reshape(x, shape) : x);
  SmallVector<Value> offsets, sizes;
  for (auto [d, shift] : llvm::zip(dims, shifts)) {
    // -shift mod size is not negative, so the sum in the body is not, either.
    ExprAttr amount =
        ExprAttr::call(n.context(), "mod", {n.b.expr(-shift), x.sizes[d]});
    if (!amount)
      return n.fail("an empty dimension");
    offsets.push_back(n.b.index(amount));
    sizes.push_back(n.b.index(x.sizes[d]));
  }
  Tensor y =
      readAt(n, x, {}, x.sizes, [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        SmallVector<Value> place(i);
        for (auto [k, d] : llvm::enumerate(dims))
          place[d] = arith::RemUIOp::create(
              s.b, s.loc,
              arith::AddIOp::create(s.b, s.loc, place[d], offsets[k]),
              sizes[k]);
        return place;
      });
  return n.result(flat ? n.b.reshape(y, shape) : y);
}

/// Windows of `size`, `step` apart, as a last dimension.
static LogicalResult lowerUnfold(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dimension", x.rank());
  int64_t size = n.integer("size"), step = n.integer("step");
  if (!n.failed() && size == 0 && n.resultType())
    return n.result(
        Tensor(n.b.empty(n.resultSizes(), x.dtype), n.resultSizes(), x.dtype));
  if (!n.failed() && x.rank() == 0 && size == 1)
    return n.result(n.b.unsqueeze(x, 0));
  if (n.failed() || x.rank() == 0 || size < 1 || step < 1 ||
      n.resultSizes().size() != size_t(x.rank()) + 1)
    return n.fail("the windows do not fit the tensor");
  return n.result(readAt(n, x, {}, n.resultSizes(),
                         [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
                           SmallVector<Value> place(i.drop_back());
                           Scalars ix = s.indices();
                           place[dim] = ix.add(
                               ix.mul(place[dim], ix.integer(step)), i.back());
                           return place;
                         }));
}

void registerIndexing(Registry &r) {
  r.addWithFloat8({"aten.embedding.default"}, lowerEmbedding);
  r.addCounting({"aten.index.Tensor", "aten._unsafe_index.Tensor"}, lowerIndex);
  r.takeFloat8({"aten.index.Tensor", "aten._unsafe_index.Tensor"});
  r.add("aten.gather.default", lowerGather);
  r.add("aten.take.default", lowerTake);
  r.add("aten._unsafe_masked_index.default", lowerMaskedIndex);
  r.add("aten.take_along_dim.default", lowerTakeAlongDim);
  r.addWithFloat8({"aten.index_select.default"}, lowerIndexSelect);
  r.addWithFloat8({"aten.flip.default"}, lowerFlip);
  r.add("aten.roll.default", lowerRoll);
  r.addWithFloat8({"aten.unfold.default", "aten.unfold_copy.default"},
                  lowerUnfold);
}

} // namespace fx::lin
