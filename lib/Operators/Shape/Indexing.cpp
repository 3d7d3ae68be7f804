//===- Indexing.cpp - shape rules of gathers and scatters -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

static InferredTypes inferEmbedding(const OperatorView &call) {
  FakeTensorType weight = getTensor(call.getArg("weight"));
  FakeTensorType indices = getTensor(call.getArg("indices"));
  if (!weight || !indices)
    return failure();
  if (weight.getRank() != 2)
    return refuse("expected a weight of rank 2, got " +
                  Twine(weight.getRank()));
  Sizes sizes(indices.getSizes());
  sizes.push_back(weight.getSizes()[1]);
  return result(makeTensor(weight, sizes));
}

/// Infers NumPy's advanced indexing with integer tensors. The index tensors
/// broadcast. Their dimensions replace the indexed dimensions if those are
/// adjacent, and are the first dimensions of the result otherwise.
static InferredTypes inferIndex(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  SmallVector<Argument, 4> indices = call.getArg("indices").getElements();
  if (!self)
    return failure();
  // With a mask, the sizes depend on its values. A mask also indexes as many
  // dimensions as its rank.
  bool hasMask = llvm::any_of(indices, [](const Argument &index) {
    FakeTensorType tensor = getTensor(index);
    return !index.isNone() && (!tensor || !isIntDtype(tensor.getDtype()) ||
                               tensor.getDtype().isUnsignedInteger(8));
  });
  if (hasMask)
    return failure();
  if (int64_t(indices.size()) > self.getRank())
    return refuse("expected " + Twine(self.getRank()) +
                  " indices at most, got " + Twine(indices.size()));
  std::optional<Sizes> indexed = Sizes();
  Sizes sizes;
  size_t first = 0, last = 0, count = 0, position = 0;
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (index.isNone()) {
      sizes.push_back(self.getSizes()[i]);
      continue;
    }
    FakeTensorType tensor = getTensor(index);
    if (!(indexed = broadcast(*indexed, tensor.getSizes())))
      return failure();
    if (count++ == 0) {
      first = i;
      position = sizes.size();
    }
    last = i;
  }
  if (count == 0)
    return result(makeTensor(self, self.getSizes()));
  llvm::append_range(sizes, self.getSizes().drop_front(indices.size()));
  if (last - first + 1 != count)
    position = 0;
  sizes.insert(sizes.begin() + position, indexed->begin(), indexed->end());
  return result(makeTensor(self, sizes));
}

/// Returns true if `index` is no larger than `whole` in every dimension except
/// `skipped`. `whole` is the tensor that is read or written.
static bool isIndexWithin(FakeTensorType index, FakeTensorType whole,
                          std::optional<int64_t> skipped) {
  // PyTorch does not check an index without elements. A symbolic size may be 0.
  if (llvm::any_of(index.getSizes(),
                   [](Size size) { return size.getInt().value_or(0) == 0; }))
    return true;
  // A 0-d tensor counts as one of rank 1.
  bool fits = std::max<int64_t>(index.getRank(), 1) ==
              std::max<int64_t>(whole.getRank(), 1);
  for (int64_t i = 0; fits && i < index.getRank() && i < whole.getRank(); ++i) {
    std::optional<int64_t> size = Size(whole.getSizes()[i]).getInt();
    fits =
        i == skipped || !size || *Size(index.getSizes()[i]).getInt() <= *size;
  }
  if (!fits)
    noteRefusal([&] {
      return "expected an index within the sizes " + toText(whole.getSizes()) +
             ", got one of " + toText(index.getSizes());
    });
  return fits;
}

static InferredTypes inferGather(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u)),
                 index = getTensor(call.getArg("index"));
  if (!self || !index)
    return failure();
  if (Argument dim = call.getArg("dim")) {
    std::optional<int64_t> wrapped = wrapDim(dim, self.getRank());
    if (!wrapped || !isIndexWithin(index, self, wrapped))
      return failure();
  }
  return result(makeTensor(self, index.getSizes()));
}

static InferredTypes inferIndexSelect(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u)),
                 index = getTensor(call.getArg("index"));
  if (!self || !index || index.getRank() > 1)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  Sizes sizes(self.getSizes());
  if (!sizes.empty())
    sizes[*dim] = getNumElements(call.getContext(), index.getSizes());
  return result(makeTensor(self, sizes));
}

/// Returns the type of the first argument. Fails if `dim` is out of range.
static InferredTypes inferScatter(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  Argument dim = call.getArg("dim");
  if (dim && dim.getInt() && !wrapDim(dim, self.getRank()))
    return failure();
  return sameAsFirst(call);
}

/// Infers operators that write one element for each element of `index`.
static InferredTypes inferScatterElements(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u)),
                 index = getTensor(call.getArg("index")),
                 source = getTensor(call.getArg("src"));
  if (!self || !index)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim || !isIndexWithin(index, self, dim) ||
      (source && !isIndexWithin(index, source, std::nullopt)))
    return failure();
  return sameAsFirst(call);
}

/// Infers operators that write one slice of `source` for each element of
/// `index`.
static InferredTypes inferIndexCopy(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u)),
                 index = getTensor(call.getArg("index")),
                 source = getTensor(call.getArg("source"));
  if (!self || !index || !source)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  if (index.getRank() > 1)
    return refuse("expected an index of rank 1 at most, got " +
                  Twine(index.getRank()));
  if (self.getRank() == 0 || source.getRank() == 0)
    return sameAsFirst(call);
  Sizes want(self.getSizes());
  want[*dim] = getNumElements(call.getContext(), index.getSizes());
  bool fits = source.getRank() == self.getRank();
  for (size_t i = 0; fits && i < want.size(); ++i)
    fits = !want[i] || !want[i].isProvablyDifferent(source.getSizes()[i]);
  if (!fits)
    return refuse("expected a source of sizes " + toText(want) + ", got " +
                  toText(source.getSizes()));
  return sameAsFirst(call);
}

/// The result has the sizes that `self` and `mask` broadcast to.
static InferredTypes inferMaskedScatter(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u)),
                 mask = getTensor(call.getArg("mask"));
  if (!self || !mask)
    return failure();
  std::optional<Sizes> sizes = broadcast(self.getSizes(), mask.getSizes());
  if (!sizes)
    return failure();
  return result(makeTensor(self, *sizes));
}

static InferredTypes inferOneHot(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  std::optional<int64_t> classes = call.getArg("num_classes").getInt();
  if (!self || !classes || *classes == -1) // -1: depends on the values.
    return failure();
  if (*classes <= 0)
    return refuse("expected classes above 0, or -1, got " + Twine(*classes));
  Sizes sizes(self.getSizes());
  sizes.push_back(makeSize(call.getContext(), *classes));
  return result(makeTensor(self, sizes));
}

/// The results are positions among sorted boundaries, as int32 or int64.
static InferredTypes inferSearch(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg("self"));
  std::optional<bool> narrow = call.getArg("out_int32").getBool();
  if (!self || !narrow)
    return failure();
  return result(
      makeTensor(self, self.getSizes(),
                 IntegerType::get(call.getContext(), *narrow ? 32 : 64)));
}

void fx::registerIndexingShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferEmbedding, {"aten.embedding.default"});
  hooks.add(inferIndex, {"aten.index.Tensor", "aten._unsafe_index.Tensor"});
  hooks.add(inferGather, {"aten.gather.default", "aten.take.default"});
  hooks.add(inferIndexSelect, {"aten.index_select.default"});
  hooks.add(inferScatterElements,
            {"aten.scatter.src", "aten.scatter.value", "aten.scatter.reduce",
             "aten.scatter.value_reduce", "aten.scatter_add.default",
             "aten.scatter_reduce.two"});
  hooks.add(inferIndexCopy,
            {"aten.index_add.default", "aten.index_copy.default"});
  hooks.add(inferScatter,
            {"aten.index_put.default", "aten._unsafe_index_put.default",
             "aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor"});
  hooks.add(inferMaskedScatter, {"aten.masked_scatter.default"});
  hooks.add(inferOneHot, {"aten.one_hot.default"});
  hooks.add(inferSearch, {"aten.searchsorted.Tensor", "aten.bucketize.Tensor"});
}
