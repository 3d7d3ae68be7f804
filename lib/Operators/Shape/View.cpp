//===- View.cpp - shape rules of views ------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

//===----------------------------------------------------------------------===//
// Reshaping
//===----------------------------------------------------------------------===//

static bool areIntegers(ArrayRef<ExprAttr> sizes) {
  return llvm::all_of(sizes, [](Size size) { return size.getInt(); });
}

/// Replaces a size of -1 such that the product of the sizes is `numel`. Returns
/// false if the product provably differs or is not known.
static bool resolveUnknownSize(Sizes &sizes, Size numel) {
  std::string given = toText(sizes);
  auto refuse = [&](const Twine &why) {
    noteRefusal([&] { return (why + ", got " + given).str(); });
    return false;
  };
  Size known = makeSize(numel.get().getContext(), 1);
  ExprAttr *unknown = nullptr;
  for (ExprAttr &size : sizes) {
    if (!Size(size).is(-1)) {
      if (Size(size).getInt().value_or(0) < 0)
        return refuse("expected no size below -1");
      known = known * Size(size);
      continue;
    }
    if (unknown)
      return refuse("expected one -1 at most");
    unknown = &size;
  }
  auto refuseCount = [&] {
    return refuse("expected sizes of " + toText(numel.get()) + " elements");
  };
  if (!known)
    return areIntegers(sizes) ? refuseCount() : false; // `known` overflows.
  if (!unknown)
    return !known.get().isProvablyDifferent(numel) || refuseCount();
  if (known.is(0))
    return refuse("expected no 0 beside -1");
  *unknown = numel.exactDiv(known);
  if (!*unknown)
    return false;
  Size product = known * Size(*unknown);
  if (product && !product.get().isProvablyDifferent(numel))
    return true;
  return product ? refuseCount() : false;
}

static InferredTypes inferReshape(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<Sizes> sizes = call.getArg(1).getExprs();
  if (!self || !sizes)
    return failure();
  Size numel = getNumElements(call.getContext(), self.getSizes());
  if (!numel || !resolveUnknownSize(*sizes, numel))
    return failure();
  return result(makeTensor(self, *sizes));
}

static InferredTypes inferLikeOther(const OperatorView &call) {
  FakeTensorType self = getSelf(call), other = getTensor(call.getArg("other"));
  if (!self || !other)
    return failure();
  return result(makeTensor(self, other.getSizes()));
}

static InferredTypes inferFlatten(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  std::optional<int64_t> start =
      wrapDim(call.getArg("start_dim"), self.getRank());
  std::optional<int64_t> end = wrapDim(call.getArg("end_dim"), self.getRank());
  if (!start || !end)
    return failure();
  if (*start > *end)
    return refuse("expected start_dim before end_dim, got " + Twine(*start) +
                  " and " + Twine(*end));
  Sizes sizes(self.getSizes());
  if (sizes.empty())
    return result(makeTensor(self, makeSize(call.getContext(), 1).get()));
  ArrayRef<ExprAttr> merged = self.getSizes().slice(*start, *end - *start + 1);
  Size product = getNumElements(call.getContext(), merged);
  sizes.erase(sizes.begin() + *start + 1, sizes.begin() + *end + 1);
  sizes[*start] = product;
  return result(makeTensor(self, sizes));
}

static InferredTypes inferUnflatten(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<Sizes> split = call.getArg("sizes").getExprs();
  if (!self || !split || self.getRank() == 0)
    return failure();
  if (split->empty())
    return refuse("expected sizes, got none");
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim || !resolveUnknownSize(*split, self.getSizes()[*dim]))
    return failure();
  Sizes sizes(self.getSizes());
  sizes.erase(sizes.begin() + *dim);
  sizes.insert(sizes.begin() + *dim, split->begin(), split->end());
  return result(makeTensor(self, sizes));
}

//===----------------------------------------------------------------------===//
// Permuting
//===----------------------------------------------------------------------===//

static InferredTypes permute(FakeTensorType self, ArrayRef<int64_t> dims) {
  if (int64_t(dims.size()) != self.getRank())
    return refuse("expected " + Twine(self.getRank()) + " dimensions, got " +
                  Twine(dims.size()));
  Sizes sizes;
  llvm::SmallBitVector seen(dims.size());
  for (int64_t dim : dims) {
    if (seen.test(dim))
      return refuse("expected each dimension once, got " + Twine(dim) +
                    " again");
    seen.set(dim);
    sizes.push_back(self.getSizes()[dim]);
  }
  return result(makeTensor(self, sizes));
}

static InferredTypes inferPermute(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  std::optional<SmallVector<int64_t>> dims =
      wrapDims(call.getArg("dims"), self.getRank());
  if (!dims)
    return failure();
  return permute(self, *dims);
}

static InferredTypes inferTranspose(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  std::optional<int64_t> a = wrapDim(call.getArg(1), self.getRank());
  std::optional<int64_t> b = wrapDim(call.getArg(2), self.getRank());
  if (!a || !b)
    return failure();
  Sizes sizes(self.getSizes());
  if (!sizes.empty())
    std::swap(sizes[*a], sizes[*b]);
  return result(makeTensor(self, sizes));
}

static InferredTypes inferReverse(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  if (self.getRank() > 2 && !call.getSchema().getName().contains("numpy_T"))
    return refuse("expected a tensor of rank 2 at most, got " +
                  Twine(self.getRank()));
  return permute(self, llvm::to_vector(llvm::reverse(
                           llvm::seq<int64_t>(0, self.getRank()))));
}

static InferredTypes inferMatrixTranspose(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || self.getRank() < 2)
    return failure();
  Sizes sizes(self.getSizes());
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  return result(makeTensor(self, sizes));
}

static InferredTypes inferMoveDim(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  std::optional<SmallVector<int64_t>> source =
      wrapDims(call.getArg("source"), self.getRank());
  std::optional<SmallVector<int64_t>> target =
      wrapDims(call.getArg("destination"), self.getRank());
  if (!source || !target)
    return failure();
  if (source->size() != target->size())
    return refuse("expected as many destinations as sources, got " +
                  Twine(target->size()) + " and " + Twine(source->size()));
  if (self.getRank() == 0)
    return permute(self, {});
  SmallVector<int64_t> order(self.getRank(), -1);
  for (auto [from, to] : llvm::zip_equal(*source, *target))
    order[to] = from;
  int64_t next = 0;
  for (int64_t &dim : order) {
    if (dim >= 0)
      continue;
    while (llvm::is_contained(*source, next))
      ++next;
    if (next >= self.getRank())
      return failure();
    dim = next++;
  }
  return permute(self, order);
}

//===----------------------------------------------------------------------===//
// Dimensions of size 1
//===----------------------------------------------------------------------===//

static InferredTypes inferUnsqueeze(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank() + 1);
  if (!dim)
    return failure();
  Sizes sizes(self.getSizes());
  sizes.insert(sizes.begin() + *dim, makeSize(call.getContext(), 1));
  return result(makeTensor(self, sizes));
}

/// A symbol is not 1, since torch.export replaces such a symbol by the constant
/// 1. Whether a computed size is 1 depends on a guard, so the rule fails; only
/// the recorded type has the answer.
static InferredTypes inferSqueeze(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  std::optional<SmallVector<int64_t>> dims =
      wrapDims(call.getArg("dim"), self.getRank());
  if (!dims)
    return failure();
  // An empty list squeezes no dimension. Without `dim`, all are squeezed.
  if (call.getArg("dim").isList() && call.getArg("dim").getElements().empty())
    dims->clear();
  Sizes sizes;
  for (auto [i, size] : llvm::enumerate(self.getSizes())) {
    bool isSqueezed = llvm::is_contained(*dims, int64_t(i));
    if (isSqueezed && !size.isInteger() && !size.isSymbol())
      return failure();
    if (!isSqueezed || !Size(size).is(1))
      sizes.push_back(size);
  }
  return result(makeTensor(self, sizes));
}

static InferredTypes inferExpand(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<Sizes> sizes = call.getArg("size").getExprs();
  if (!self || !sizes)
    return failure();
  if (int64_t(sizes->size()) < self.getRank())
    return refuse("expected " + Twine(self.getRank()) + " sizes or more, got " +
                  toText(*sizes));
  size_t added = sizes->size() - self.getRank();
  for (auto [i, own] : llvm::enumerate(self.getSizes())) {
    Size wanted((*sizes)[added + i]);
    if (wanted.is(-1))
      (*sizes)[added + i] = own;
    else if (!Size(own).is(1) && wanted.get().isProvablyDifferent(own))
      return refuse("expected sizes that " + toText(self.getSizes()) +
                    " expands to, got " + toText(*sizes));
  }
  return result(makeTensor(self, *sizes));
}

//===----------------------------------------------------------------------===//
// Slicing and splitting
//===----------------------------------------------------------------------===//

/// Returns a slice bound as an index in [0, size]. Assumes that a symbolic size
/// is large enough for a constant start or a negative bound.
static Size clampBound(Size bound, Size size, bool isStart) {
  std::optional<int64_t> value = bound.getInt(), extent = size.getInt();
  if (value && extent) {
    int64_t index = *value < 0 ? *value + *extent : *value;
    return size.constant(std::clamp<int64_t>(index, 0, *extent));
  }
  if (value && *value < 0)
    return size + *value;
  if (value && (isStart || *value == 0))
    return bound;
  if (value && *value == INT64_MAX)
    return size;
  if (!bound || bound.get() == size.get())
    return bound;
  return bound.min(size);
}

static InferredTypes inferSlice(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || self.getRank() == 0)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  Size step = call.getArg("step").getExpr();
  if (!dim || !step)
    return failure();
  if (step.getInt().value_or(1) <= 0)
    return refuse("expected a step above 0, got " + Twine(*step.getInt()));
  Size size = self.getSizes()[*dim];
  Argument startArg = call.getArg("start"), endArg = call.getArg("end");
  Size start = startArg.isNone() ? size.constant(0) : Size(startArg.getExpr());
  Size end = endArg.isNone() ? size : clampBound(endArg.getExpr(), size, false);
  start = clampBound(start, size, true);
  Size length = end - start;
  if (length.getInt())
    length = length.max(size.constant(0));
  Sizes sizes(self.getSizes());
  sizes[*dim] = step.is(1) ? length : length.ceilDiv(step);
  return result(makeTensor(self, sizes));
}

static InferredTypes inferNarrow(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || self.getRank() == 0)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  Sizes sizes(self.getSizes());
  std::optional<int64_t> size = Size(sizes[*dim]).getInt(),
                         start = call.getArg("start").getInt(),
                         length = call.getArg("length").getInt();
  if (size && start && length) {
    int64_t first = *start < 0 ? *start + *size : *start;
    if (first < 0 || *length < 0 || first > *size || *length > *size - first)
      return refuse("expected a range within the size " + Twine(*size) +
                    ", got start " + Twine(*start) + " and length " +
                    Twine(*length));
  }
  sizes[*dim] = call.getArg("length").getExpr();
  return result(makeTensor(self, sizes));
}

static InferredTypes inferSelect(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || self.getRank() == 0)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  std::optional<int64_t> size = Size(self.getSizes()[*dim]).getInt();
  std::optional<int64_t> index = call.getArg("index").getInt();
  if (size && index && (*index < -*size || *index >= *size))
    return refuse("expected an index within the size " + Twine(*size) +
                  ", got " + Twine(*index));
  Sizes sizes(self.getSizes());
  sizes.erase(sizes.begin() + *dim);
  return result(makeTensor(self, sizes));
}

/// Returns the types of `self` split along `dim` into parts of the given sizes.
static InferredTypes splitInto(FakeTensorType self, int64_t dim,
                               ArrayRef<ExprAttr> parts) {
  SmallVector<Type> types;
  for (ExprAttr part : parts) {
    Sizes sizes(self.getSizes());
    sizes[dim] = part;
    types.push_back(makeTensor(self, sizes));
  }
  return results(types);
}

/// Splits `dim` into pieces of size `piece`; the last piece has the remainder.
/// The number of pieces follows from the sizes, or is the number of results of
/// the call if the sizes are symbolic.
static InferredTypes splitEvenly(const OperatorView &call, FakeTensorType self,
                                 int64_t dim, Size piece) {
  Size size = self.getSizes()[dim];
  if (!piece)
    return failure();
  if (piece.getInt().value_or(0) < 0 ||
      (piece.is(0) && size.getInt().value_or(0) > 0))
    return refuse("expected a split_size above 0, got " +
                  Twine(*piece.getInt()));
  if (piece.is(0) && !size.is(0))
    return failure();
  std::optional<int64_t> count = size.is(0) ? 1 : size.ceilDiv(piece).getInt();
  if (!count)
    count = call->getNumResults();
  if (*count <= 0 || *count > maxResults)
    return failure();
  Sizes parts(*count - 1, piece.get());
  parts.push_back(size - piece * (*count - 1));
  return splitInto(self, dim, parts);
}

static InferredTypes inferSplit(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || self.getRank() == 0)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  return splitEvenly(call, self, *dim, call.getArg("split_size").getExpr());
}

static InferredTypes inferSplitWithSizes(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<Sizes> parts = call.getArg(1).getExprs();
  if (!self || self.getRank() == 0 || !parts)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  Size sum = makeSize(call.getContext(), 0);
  for (ExprAttr part : *parts)
    sum = sum + Size(part);
  if (sum && sum.get().isProvablyDifferent(self.getSizes()[*dim]))
    return refuse("expected split sizes whose sum is " +
                  toText(self.getSizes()[*dim]) + ", got " + toText(*parts));
  return splitInto(self, *dim, *parts);
}

static InferredTypes inferChunk(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || self.getRank() == 0)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  std::optional<int64_t> chunks = call.getArg("chunks").getInt();
  if (chunks && *chunks <= 0)
    return refuse("expected chunks above 0, got " + Twine(*chunks));
  if (!dim || !chunks)
    return failure();
  Size size = self.getSizes()[*dim];
  // PyTorch returns the requested number of chunks if they are empty.
  if (size.is(0) && *chunks <= maxResults)
    return splitInto(self, *dim, Sizes(*chunks, size));
  if (size.is(0))
    return refuse("expected " + Twine(maxResults) + " chunks at most, got " +
                  Twine(*chunks));
  return splitEvenly(call, self, *dim, size.ceilDiv(*chunks));
}

static InferredTypes inferUnbind(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || self.getRank() == 0)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  std::optional<int64_t> count = Size(self.getSizes()[*dim]).getInt();
  if (!count || *count > maxResults)
    return failure();
  Sizes sizes(self.getSizes());
  sizes.erase(sizes.begin() + *dim);
  return results(SmallVector<Type>(*count, makeTensor(self, sizes)));
}

static InferredTypes inferUnfold(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || self.getRank() == 0)
    return failure();
  std::optional<int64_t> dim =
      wrapDim(call.getArg("dimension"), self.getRank());
  Size window = call.getArg("size").getExpr(),
       step = call.getArg("step").getExpr();
  if (!dim || !window || !step)
    return failure();
  Sizes sizes(self.getSizes());
  std::optional<int64_t> length = Size(sizes[*dim]).getInt();
  if (step.getInt().value_or(1) <= 0)
    return refuse("expected a step above 0, got " + Twine(*step.getInt()));
  if (window.getInt() && length &&
      (*window.getInt() < 0 || *window.getInt() > *length))
    return refuse("expected a size from 0 to " + Twine(*length) + ", got " +
                  Twine(*window.getInt()));
  sizes[*dim] = (Size(sizes[*dim]) - window).floorDiv(step) + 1;
  sizes.push_back(window);
  return result(makeTensor(self, sizes));
}

static InferredTypes inferDiagonal(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<int64_t> offset = call.getArg("offset").getInt();
  if (!self || !offset)
    return failure();
  std::optional<int64_t> a = wrapDim(call.getArg("dim1"), self.getRank());
  std::optional<int64_t> b = wrapDim(call.getArg("dim2"), self.getRank());
  if (!a || !b)
    return failure();
  if (*a == *b)
    return refuse("expected two dimensions, got " + Twine(*a) + " twice");
  Size rows = self.getSizes()[*a], columns = self.getSizes()[*b];
  Size length = *offset >= 0 ? rows.min(columns - *offset)
                             : (rows + *offset).min(columns);
  Sizes sizes(self.getSizes());
  sizes.erase(sizes.begin() + std::max(*a, *b));
  sizes.erase(sizes.begin() + std::min(*a, *b));
  sizes.push_back(length.getInt() ? length.max(length.constant(0)) : length);
  return result(makeTensor(self, sizes));
}

static InferredTypes inferAsStrided(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<Sizes> sizes = call.getArg("size").getExprs(),
                       strides = call.getArg("stride").getExprs();
  if (!self || !sizes)
    return failure();
  if (strides && strides->size() != sizes->size())
    return refuse("expected " + Twine(sizes->size()) + " strides, got " +
                  Twine(strides->size()));
  for (Size stride : strides.value_or(Sizes()))
    if (stride.getInt().value_or(0) < 0)
      return refuse("expected strides of 0 or more, got " +
                    Twine(*stride.getInt()));
  return result(makeTensor(self, *sizes));
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void fx::registerViewShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferReshape,
            {"aten.view.default", "aten.reshape.default",
             "aten._unsafe_view.default", "aten.view_copy.default",
             "aten._reshape_copy.default"});
  hooks.add(inferLikeOther, {"aten.view_as.default", "aten.reshape_as.default",
                             "aten.expand_as.default"});
  hooks.add(inferFlatten, {"aten.flatten.using_ints"});
  hooks.add(inferUnflatten, {"aten.unflatten.int"});
  hooks.add(inferPermute,
            {"aten.permute.default", "aten.permute_copy.default"});
  hooks.add(inferTranspose, {"aten.transpose.int", "aten.swapaxes.default",
                             "aten.swapdims.default", "aten.transpose_copy.int",
                             "aten.transpose_.default"});
  hooks.add(inferReverse,
            {"aten.t.default", "aten.t_.default", "aten.numpy_T.default"});
  hooks.add(inferMatrixTranspose,
            {"aten.mT.default", "aten.adjoint.default", "aten.mH.default"});
  hooks.add(inferMoveDim, {"aten.movedim.int", "aten.movedim.intlist",
                           "aten.moveaxis.int", "aten.moveaxis.intlist"});
  hooks.add(inferUnsqueeze,
            {"aten.unsqueeze.default", "aten.unsqueeze_copy.default",
             "aten.unsqueeze_.default"});
  hooks.add(inferSqueeze,
            {"aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims",
             "aten.squeeze_copy.dim", "aten.squeeze_copy.dims",
             "aten.squeeze_copy.default", "aten.squeeze_.default",
             "aten.squeeze_.dim", "aten.squeeze_.dims"});
  hooks.add(inferExpand, {"aten.expand.default", "aten.broadcast_to.default",
                          "aten.expand_copy.default"});
  hooks.add(inferSlice, {"aten.slice.Tensor", "aten.slice_copy.Tensor"});
  hooks.add(inferNarrow, {"aten.narrow.default", "aten.narrow_copy.default"});
  hooks.add(inferSelect, {"aten.select.int", "aten.select_copy.int"});
  hooks.add(inferSplit, {"aten.split.Tensor", "aten.split_copy.Tensor",
                         "aten.unsafe_split.Tensor"});
  hooks.add(inferSplitWithSizes,
            {"aten.split_with_sizes.default", "aten.split.sizes",
             "aten.split_with_sizes_copy.default"});
  hooks.add(inferChunk, {"aten.chunk.default", "aten.unsafe_chunk.default"});
  hooks.add(inferUnbind, {"aten.unbind.int", "aten.unbind_copy.int"});
  hooks.add(inferUnfold, {"aten.unfold.default"});
  hooks.add(inferDiagonal,
            {"aten.diagonal.default", "aten.diagonal_copy.default"});
  hooks.add(inferAsStrided,
            {"aten.as_strided.default", "aten.as_strided_copy.default"});
  hooks.add(sameAsFirst, {"aten.alias.default", "aten.detach.default",
                          "aten.contiguous.default", "aten.alias_copy.default",
                          "aten.detach_copy.default", "aten.detach_.default"});
}
