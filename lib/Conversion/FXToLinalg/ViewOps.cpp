//===- ViewOps.cpp - operators that return views --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "NodeLowering.h"

using namespace mlir;

namespace fx::lin {

/// Lowers operators that give the operand's elements the shape of the result
/// type: view, reshape, flatten, unflatten, ravel ...
static LogicalResult lowerReshape(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (n.b.product(x.sizes).isProvablyDifferent(n.b.product(sizes)))
    return n.fail("the result has another number of elements");
  return n.result(n.b.reshape(x, sizes));
}

static LogicalResult lowerUnsqueeze(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank() + 1);
  if (n.failed())
    return failure();
  return n.result(n.b.unsqueeze(x, dim));
}

/// Drops those of the given dimensions (of all for `squeeze.default`) that have
/// size 1.
static LogicalResult lowerSqueeze(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<int64_t> dims = n.dims("dim", x.rank(), !n.arg("dim").isList());
  if (n.failed())
    return failure();
  llvm::sort(dims);
  for (int64_t dim : llvm::reverse(dims))
    if (x.sizes[dim].getInteger() == 1)
      x = n.b.squeeze(x, dim);
  // Symbolic sizes may be 1, too, by the graph's guards: the result type drops
  // them.
  if (x.rank() != int64_t(n.resultSizes().size()))
    x = n.b.reshape(x, n.resultSizes());
  return n.result(x);
}

static LogicalResult lowerPermute(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<int64_t> order = n.dims("dims", x.rank(), false);
  if (n.failed())
    return failure();
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  for (auto [i, d] : llvm::enumerate(sorted))
    if (d != int64_t(i) || sorted.size() != size_t(x.rank()))
      return n.fail("the dimensions are no permutation");
  if (int64_t(order.size()) != x.rank())
    return n.fail("the dimensions are no permutation");
  return n.result(n.b.permute(x, order));
}

static LogicalResult lowerTranspose(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t a = n.dim(n.oneOf({"dim0", "axis0"}), x.rank()),
          c = n.dim(n.oneOf({"dim1", "axis1"}), x.rank());
  if (n.failed())
    return failure();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  if (!order.empty())
    std::swap(order[a], order[c]);
  return n.result(n.b.permute(x, order));
}

/// Lowers t and numpy_T, which reverse the dimensions, and mT, mH and matrix_H,
/// which swap the last two.
static LogicalResult lowerReverse(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed())
    return failure();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  if (n.target().starts_with("aten.m")) {
    // PyTorch accepts 0-d tensors, too.
    if (x.rank() == 1)
      return n.fail("expected no dimension or at least two, got one");
    if (x.rank() > 1)
      std::swap(order[x.rank() - 1], order[x.rank() - 2]);
  } else {
    std::reverse(order.begin(), order.end());
  }
  return n.result(n.b.permute(x, order));
}

/// Moves dimensions `source` to `destination`.
static LogicalResult lowerMovedim(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<int64_t> from = n.dims("source", x.rank(), false),
                       to = n.dims("destination", x.rank(), false);
  if (n.failed() || from.size() != to.size())
    return n.fail("source and destination differ in length");
  if (x.rank() == 0)
    return n.result(x);
  SmallVector<int64_t> order(x.rank(), -1);
  for (auto [f, t] : llvm::zip(from, to))
    order[t] = f;
  int64_t next = 0;
  for (int64_t &d : order) {
    if (d >= 0)
      continue;
    while (llvm::is_contained(from, next))
      ++next;
    d = next++;
  }
  return n.result(n.b.permute(x, order));
}

static LogicalResult lowerExpand(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  if (!n.broadcasts(x, n.resultSizes()))
    return failure();
  return n.result(n.b.expand(x, n.resultSizes()));
}

/// Binds the length of a slice, if it is a data-dependent symbol without a
/// value, to the number of elements between the bounds of the slice.
static LogicalResult bindLength(NodeLowering &n, const Tensor &x, int64_t dim,
                                ExprAttr start, int64_t step) {
  ExprAttr length = n.resultSizes()[dim];
  if (!length.isSymbol() || n.b.symbols.isBound(length.getName()))
    return success();
  MLIRContext *ctx = n.context();
  ExprAttr end = n.size("end", std::numeric_limits<int64_t>::max());
  end = n.clampPosition(end, x.sizes[dim]);
  ExprAttr back = ExprAttr::mul(ctx, {start, n.b.expr(-1)});
  ExprAttr between = back ? ExprAttr::add(ctx, {end, back}) : ExprAttr();
  ExprAttr count =
      between ? ExprAttr::call(ctx, "ceildiv", {between, n.b.expr(step)})
              : ExprAttr();
  if (count)
    count = ExprAttr::call(ctx, "max", {count, n.b.expr(0)});
  if (n.failed() || !count || !n.b.symbols.canEvaluate(count))
    return n.fail("the end is not known");
  n.b.symbols.bind(length.getName(), n.b.index(count), false);
  return success();
}

static LogicalResult lowerSlice(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  ExprAttr start = n.size("start", 0);
  int64_t step = n.integer("step");
  if (n.failed() || x.rank() == 0 || step <= 0 ||
      n.resultSizes().size() != size_t(x.rank()))
    return n.fail("the arguments do not fit the tensor");
  start = n.clampPosition(start, x.sizes[dim]);
  if (n.failed() || !n.b.symbols.canEvaluate(start))
    return n.fail("the start is not known");
  if (failed(bindLength(n, x, dim, start, step)))
    return failure();
  for (ExprAttr size : n.resultSizes())
    if (!n.b.symbols.canEvaluate(size))
      return n.fail("a size depends on data");
  ExprAttr length = n.resultSizes()[dim];
  std::optional<int64_t> from = start.getInteger(), count = length.getInteger(),
                         size = x.sizes[dim].getInteger();
  if (from && count && size && *count > 0 &&
      *from + (*count - 1) * step >= *size)
    return n.fail("the result is longer than the slice");
  return n.result(n.b.slice(x, dim, start, length, n.b.expr(step)));
}

/// Lowers tensor_split at the indices of a list or of a tensor. Each part is
/// the slice from one index to the next; it is empty if the next index is not
/// greater.
static LogicalResult lowerTensorSplit(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed() || x.rank() == 0)
    return n.fail("fewer dimensions than the operator takes");
  Argument list = n.arg("indices");
  SmallVector<ExprAttr> at;
  if (list.isList()) {
    for (Argument index : list.getElements())
      at.push_back(n.asSize(index));
  } else {
    Tensor indices = n.tensor("tensor_indices_or_sections");
    if (n.failed() || indices.rank() != 1 ||
        indices.sizes[0].getInteger() != int64_t(n.numResults()) - 1)
      return n.fail("as many indices as parts but one");
    for (unsigned i = 0; i + 1 < n.numResults(); ++i) {
      Tensor index =
          n.b.select(indices, 0, OpFoldResult(n.b.b.getIndexAttr(i)));
      Number number;
      number.value = n.b.element(n.b.cast(index, n.b.b.getI64Type()));
      at.push_back(n.graph.named(n.b.loc, number).expr);
    }
  }
  if (n.failed() || at.size() + 1 != n.numResults())
    return n.fail("the number of results is not what the operator gives");
  MLIRContext *ctx = n.context();
  ExprAttr start = n.b.expr(0), whole = x.sizes[dim];
  for (ExprAttr &index : at)
    index = n.clampPosition(index, whole);
  if (n.failed())
    return failure();
  at.push_back(whole);
  for (unsigned i = 0; i < n.numResults(); ++i) {
    if (n.resultSizes(i).size() != size_t(x.rank()))
      return n.fail("the result's rank is not what the operator gives");
    ExprAttr length = n.resultSizes(i)[dim], back, count;
    if (length.isSymbol() && !n.b.symbols.isBound(length.getName())) {
      back = ExprAttr::mul(ctx, {start, n.b.expr(-1)});
      count = back ? ExprAttr::add(ctx, {at[i], back}) : ExprAttr();
      count =
          count ? ExprAttr::call(ctx, "max", {count, n.b.expr(0)}) : ExprAttr();
      if (!count || !n.b.symbols.canEvaluate(count))
        return n.fail("an index that is not known");
      n.b.symbols.bind(length.getName(), n.b.index(count), false);
    }
    if (!n.b.symbols.canEvaluate(length) || !n.b.symbols.canEvaluate(start))
      return n.fail("an index that is not known");
    std::optional<int64_t> from = start.getInteger(),
                           size = length.getInteger(), all = whole.getInteger();
    if (from && size && all && *from + *size > *all)
      return n.fail("the parts are longer than the tensor");
    if (failed(n.set(i, n.b.slice(x, dim, start, length, n.b.expr(1)))))
      return failure();
    start = at[i];
  }
  return success();
}

static LogicalResult lowerNarrow(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  ExprAttr start = n.size("start", 0);
  if (n.failed() || x.rank() == 0 || n.resultSizes().size() != size_t(x.rank()))
    return n.fail("the arguments do not fit the tensor");
  ExprAttr size = x.sizes[dim], length = n.resultSizes()[dim];
  start = n.wrapPosition(start, size);
  ExprAttr last = ExprAttr::add(n.context(), {start, length, n.b.expr(-1)});
  if (failed(n.checkInside(start, last, size,
                           "the range is not within the dimension")))
    return failure();
  return n.result(n.b.slice(x, dim, start, length, n.b.expr(1)));
}

static LogicalResult lowerSelect(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  ExprAttr at = n.size("index");
  if (n.failed() || x.rank() == 0)
    return n.fail("a 0-d tensor has no dimension to select from");
  at = n.wrapPosition(at, x.sizes[dim]);
  if (failed(n.checkInside(at, at, x.sizes[dim], "the index is out of range")))
    return failure();
  return n.result(n.b.select(x, dim, n.b.fold(at)));
}

/// Lowers split, split_with_sizes, chunk and tensor_split by sections. The
/// result types have the lengths of the parts.
static LogicalResult lowerSplit(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed() || x.rank() == 0)
    return n.fail("a 0-d tensor cannot be split");
  ExprAttr at = n.b.expr(0);
  for (unsigned i = 0; i < n.numResults(); ++i) {
    ArrayRef<ExprAttr> sizes = n.resultSizes(i);
    if (sizes.size() != size_t(x.rank()))
      return n.fail("the result's rank is not what the operator gives");
    ExprAttr length = sizes[dim];
    ExprAttr end = ExprAttr::add(n.context(), {at, length});
    std::optional<int64_t> e = end ? end.getInteger() : std::nullopt,
                           size = x.sizes[dim].getInteger();
    if (!end || (e && size && *e > *size))
      return n.fail("the parts are longer than the tensor");
    if (failed(n.set(i, n.b.slice(x, dim, at, length, n.b.expr(1)))))
      return failure();
    at = end;
  }
  return success();
}

static LogicalResult lowerUnbind(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed() || x.rank() == 0)
    return n.fail("a 0-d tensor cannot be unbound");
  if (std::optional<int64_t> size = x.sizes[dim].getInteger())
    if (*size != n.numResults())
      return n.fail("the number of results is not what the operator gives");
  for (unsigned i = 0; i < n.numResults(); ++i)
    if (failed(n.set(i, n.b.select(x, dim, n.b.b.getIndexAttr(i)))))
      return failure();
  return success();
}

/// Lowers broadcast_tensors: broadcasts the arguments to one shape.
static LogicalResult lowerBroadcastTensors(NodeLowering &n) {
  SmallVector<Tensor> parts = n.tensors("tensors");
  if (n.failed() || parts.size() != n.numResults())
    return n.fail("the number of results is not what the operator gives");
  for (auto [i, t] : llvm::enumerate(parts)) {
    if (!n.broadcasts(t, n.resultSizes(i)) ||
        failed(n.set(i, n.b.expand(t, n.resultSizes(i)))))
      return failure();
  }
  return success();
}

/// Lowers meshgrid: result i varies along dimension i (the first two are
/// swapped for "xy").
static LogicalResult lowerMeshgrid(NodeLowering &n) {
  SmallVector<Tensor> parts = n.tensors("tensors");
  StringRef indexing = n.string("indexing", "ij");
  if (n.failed() || parts.size() != n.numResults())
    return n.fail("the number of results is not what the operator gives");
  for (auto [i, t] : llvm::enumerate(parts)) {
    if (t.rank() > 1)
      return n.fail("an argument is no vector");
    size_t dim = i;
    if (indexing == "xy" && parts.size() > 1 && i < 2)
      dim = 1 - i;
    if (t.rank() == 0)
      t = n.b.unsqueeze(t, 0);
    for (size_t after = parts.size() - 1 - dim; after > 0; --after)
      t = n.b.unsqueeze(t, t.rank());
    if (!n.broadcasts(t, n.resultSizes(i)) ||
        failed(n.set(i, n.b.expand(t, n.resultSizes(i)))))
      return failure();
  }
  return success();
}

/// The largest half that `rotateHalves` applies to: each element reads both.
static constexpr int64_t kLargestHalf = 256;

/// Returns cat([-u, v], -1) as one pointwise op, which can become a part of the
/// op that reads it. Rotary embeddings rotate the halves of each head so.
/// Returns none for other concatenations, and unless the target wants it.
static std::optional<Tensor> rotateHalves(NodeLowering &n) {
  if (!n.graph.kernels.rotatesHalves || !n.arg("tensors").isList())
    return std::nullopt;
  SmallVector<Argument> parts(n.arg("tensors").getElements());
  Value first = parts.size() == 2 ? parts[0].getValue() : Value();
  auto negated = first ? first.getDefiningOp<CallFunctionOp>() : nullptr;
  FakeTensorType type = n.resultType();
  int64_t rank = type.getRank();
  if (!negated || negated.getTarget() != "aten.neg.default" || rank == 0 ||
      !type.getDtype().isFloat() || n.dim("dim", rank) != rank - 1)
    return std::nullopt;
  Tensor u = n.asTensor(getOperatorView(negated).getArg("self"));
  Tensor v = n.asTensor(parts[1]);
  if (n.failed() || u.rank() != rank || v.rank() != rank ||
      u.dtype != type.getDtype() || v.dtype != type.getDtype())
    return std::nullopt;
  std::optional<int64_t> half = u.sizes.back().getInteger();
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (!half || *half > kLargestHalf || v.sizes.back().getInteger() != half ||
      sizes.back().getInteger() != 2 * *half)
    return std::nullopt;
  for (int64_t i = 0; i + 1 < rank; ++i)
    if (u.sizes[i] != sizes[i] || v.sizes[i] != sizes[i])
      return std::nullopt;
  return n.b.indexed(
      {}, sizes, type.getDtype(), Type(),
      [&](Scalars &s, ValueRange, ArrayRef<Value> at) -> Value {
        Scalars ix = s.indices();
        Value size = ix.integer(*half), last = ix.integer(*half - 1);
        // Reads the tensor at `at`, with another last index.
        auto read = [&](const Tensor &t, Value index) -> Value {
          SmallVector<Value> place;
          int64_t valueRank =
              cast<RankedTensorType>(t.value.getType()).getRank();
          for (int64_t d = 0; d < valueRank; ++d) {
            int dim = t.logicalDim(d);
            place.push_back(dim == rank - 1 ? index : at[dim]);
          }
          return tensor::ExtractOp::create(s.b, s.loc, t.value, place);
        };
        Value negative = read(u, ix.min(at.back(), last));
        Value second = read(v, ix.max(ix.sub(at.back(), size), ix.integer(0)));
        return s.select(ix.lt(at.back(), size),
                        arith::NegFOp::create(s.b, s.loc, negative), second);
      });
}

static LogicalResult lowerCat(NodeLowering &n) {
  SmallVector<Tensor> parts = n.tensors("tensors");
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  if (std::optional<Tensor> rotated = rotateHalves(n))
    return n.result(*rotated);
  int64_t rank = n.resultType().getRank();
  int64_t dim = n.dim("dim", rank);
  if (n.failed())
    return failure();
  // PyTorch ignores empty vectors, whatever the rank of the other tensors.
  llvm::erase_if(parts, [&](const Tensor &t) {
    return t.rank() == 1 && t.sizes[0].getInteger() == 0;
  });
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (parts.empty())
    return n.result(
        Tensor(n.b.empty(sizes, n.resultDtype()), sizes, n.resultDtype()));
  ExprAttr total = n.b.expr(0);
  for (Tensor &t : parts) {
    if (t.rank() != rank)
      return n.fail("the tensors differ in rank");
    for (int64_t i = 0; i < rank; ++i)
      if (i != dim && t.sizes[i].isProvablyDifferent(sizes[i]))
        return n.fail("the tensors differ in a size");
    // If equal sizes are different expressions, use that of the result.
    for (int64_t i = 0; i < rank; ++i)
      if (i != dim && t.sizes[i] != sizes[i]) {
        Sizes same(sizes);
        same[dim] = t.sizes[dim];
        t = n.b.contiguous(t);
        t.value = n.b.withType(t.value, same, t.dtype);
        t.sizes = same;
      }
    t = n.b.cast(t, n.resultDtype());
    total = total ? ExprAttr::add(n.context(), {total, t.sizes[dim]}) : total;
  }
  if (!total || total.isProvablyDifferent(sizes[dim]))
    return n.fail("the parts are not as long as the result");
  if (parts.size() == 1)
    return n.result(parts.front());
  return n.result(n.b.concat(parts, dim, sizes));
}

static LogicalResult lowerStack(NodeLowering &n) {
  SmallVector<Tensor> parts = n.tensors("tensors");
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  int64_t rank = n.resultType().getRank();
  int64_t dim = n.dim("dim", rank);
  if (n.failed())
    return failure();
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  for (Tensor &t : parts) {
    if (t.rank() + 1 != rank)
      return n.fail("the tensors' rank is not what the operator takes");
    t = n.b.cast(n.b.unsqueeze(t, dim), n.resultDtype());
    for (int64_t i = 0; i < rank; ++i)
      if (i != dim && t.sizes[i].isProvablyDifferent(sizes[i]))
        return n.fail("the tensors differ in a size");
  }
  if (sizes[dim].getInteger() != int64_t(parts.size()))
    return n.fail("the result's size is not the number of tensors");
  return n.result(n.b.concat(parts, dim, sizes));
}

/// Lowers repeat and tile: with repeats r0, r1 and sizes s0, s1, the tensor is
/// expanded to [r0, s0, r1, s1], and reshaped to [r0 * s0, r1 * s1].
static LogicalResult lowerRepeat(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool tile = n.target() == "aten.tile.default";
  Sizes repeats = n.sizes(n.oneOf({"dims", "repeats"}));
  if (tile)
    while (int64_t(repeats.size()) < x.rank())
      repeats.insert(repeats.begin(), n.b.expr(1));
  if (n.failed() || int64_t(repeats.size()) < x.rank())
    return n.fail("fewer repeats than dimensions");
  for (ExprAttr repeat : repeats)
    if (!n.b.symbols.canEvaluate(repeat))
      return n.fail("a repeat is not known");
  while (x.rank() < int64_t(repeats.size()))
    x = n.b.unsqueeze(x, 0);
  Sizes split;
  Tensor wide = x;
  for (int64_t i = 0, e = repeats.size(); i < e; ++i) {
    split.push_back(repeats[i]);
    split.push_back(x.sizes[i]);
    wide = n.b.unsqueeze(wide, 2 * i);
  }
  return n.result(n.b.reshape(n.b.expand(wide, split), n.resultSizes()));
}

/// Repeats each element along a dimension or, without `dim`, of the flattened
/// tensor.
static LogicalResult lowerRepeatInterleave(NodeLowering &n) {
  Tensor x = n.tensor("self");
  ExprAttr repeats = n.size("repeats");
  if (n.failed())
    return failure();
  int64_t dim = 0;
  if (n.has("dim"))
    dim = n.dim("dim", x.rank());
  else
    x = n.b.reshape(x, {n.b.product(x.sizes)});
  if (n.failed() || !n.b.symbols.canEvaluate(repeats))
    return n.fail("the repeats are not known");
  Tensor wide = n.b.unsqueeze(x, dim + 1);
  Sizes sizes(wide.sizes);
  sizes[dim + 1] = repeats;
  return n.result(n.b.reshape(n.b.expand(wide, sizes), n.resultSizes()));
}

void registerViews(Registry &r) {
  r.addWithFloat8({"aten.view.default", "aten.reshape.default",
                   "aten._unsafe_view.default", "aten.flatten.using_ints",
                   "aten.unflatten.int", "aten.view_as.default",
                   "aten.reshape_as.default", "aten.view_copy.default",
                   "aten._reshape_copy.default", "aten.ravel.default"},
                  lowerReshape);
  r.addWithFloat8({"aten.unsqueeze.default", "aten.unsqueeze_copy.default"},
                  lowerUnsqueeze);
  r.addWithFloat8({"aten.squeeze.default", "aten.squeeze.dim",
                   "aten.squeeze.dims", "aten.squeeze_copy.dims",
                   "aten.squeeze_copy.dim", "aten.squeeze_copy.default"},
                  lowerSqueeze);
  r.addWithFloat8({"aten.permute.default", "aten.permute_copy.default"},
                  lowerPermute);
  r.addWithFloat8({"aten.transpose.int", "aten.transpose_copy.int",
                   "aten.swapaxes.default", "aten.swapdims.default"},
                  lowerTranspose);
  r.addWithFloat8({"aten.t.default", "aten.t_copy.default",
                   "aten.numpy_T.default", "aten.mT.default", "aten.mH.default",
                   "aten.matrix_H.default"},
                  lowerReverse);
  r.addWithFloat8(
      {"aten.movedim.int", "aten.movedim.intlist", "aten.moveaxis.int"},
      lowerMovedim);
  r.addWithFloat8({"aten.expand.default", "aten.expand_as.default",
                   "aten.broadcast_to.default", "aten.expand_copy.default"},
                  lowerExpand);
  r.addCounting({"aten.slice.Tensor", "aten.slice_copy.Tensor"}, lowerSlice);
  r.addCounting({"aten.tensor_split.indices",
                 "aten.tensor_split.tensor_indices_or_sections"},
                lowerTensorSplit);
  r.addWithFloat8({"aten.slice.Tensor", "aten.slice_copy.Tensor"}, lowerSlice);
  r.addWithFloat8({"aten.narrow.default", "aten.narrow_copy.default"},
                  lowerNarrow);
  r.addWithFloat8({"aten.select.int", "aten.select_copy.int"}, lowerSelect);
  r.addWithFloat8({"aten.split.Tensor", "aten.split.sizes",
                   "aten.split_with_sizes.default", "aten.chunk.default",
                   "aten.tensor_split.sections", "aten.split_copy.Tensor",
                   "aten.split_with_sizes_copy.default",
                   "aten.unsafe_split.Tensor", "aten.unsafe_chunk.default"},
                  lowerSplit);
  r.addWithFloat8({"aten.unbind.int", "aten.unbind_copy.int"}, lowerUnbind);
  r.addWithFloat8({"aten.broadcast_tensors.default"}, lowerBroadcastTensors);
  r.addWithFloat8({"aten.meshgrid.default", "aten.meshgrid.indexing"},
                  lowerMeshgrid);
  r.addWithFloat8(
      {"aten.cat.default", "aten.concat.default", "aten.concatenate.default"},
      lowerCat);
  r.addWithFloat8({"aten.stack.default"}, lowerStack);
  r.addWithFloat8({"aten.repeat.default", "aten.tile.default"}, lowerRepeat);
  r.addWithFloat8({"aten.repeat_interleave.self_int"}, lowerRepeatInterleave);
}

} // namespace fx::lin
