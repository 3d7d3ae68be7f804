//===- IndexingRules.cpp - slices, indices and concatenations -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

/// Adds a factor for each dimension except `along`, for tensors of one rank.
/// Operands in `whole` do not have the dimensions. Operands of other ranks are
/// refused. A dimension is left out if its sizes differ.
static bool addExcept(const OperatorView &call, Dim along, Rule &rule,
                      ArrayRef<std::optional<unsigned>> whole = {}) {
  FakeTensorType to = getResultType(call);
  if (!to || !along)
    return false;
  for (unsigned dim = 0; dim < to.getRank(); ++dim) {
    if (dim == *along)
      continue;
    Factor factor(call);
    bool fits = true;
    for (unsigned i = 0; i < call->getNumOperands(); ++i) {
      if (llvm::is_contained(whole, i))
        continue;
      FakeTensorType type = getOperandType(call, i);
      // A size or an index that is a symbolic number.
      if (!type)
        continue;
      if (type.getRank() != to.getRank())
        return false;
      fits &= type.getSizes()[dim] == to.getSizes()[dim];
      factor.operand(i, dim);
    }
    for (unsigned i = 0; i < call->getNumResults(); ++i) {
      FakeTensorType type = getResultType(call, i);
      if (!type || type.getRank() != to.getRank())
        return false;
      factor.result(i, dim);
    }
    if (fits)
      rule.factors.push_back(factor);
  }
  return true;
}

/// Slices, parts and operators with an index along one dimension.
static bool addOneDim(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  if (!self)
    return false;
  std::optional<unsigned> index;
  if (call.declares("index"))
    index = getOperand(call.getArg("index"));
  // The index of these has one dimension; that of a gather has all.
  StringRef name = call.getSchema().getName();
  bool isVector =
      !name.starts_with("aten.gather") && !name.starts_with("aten.scatter");
  return addExcept(call, getDim(call, "dim", self.getRank()), rule,
                   isVector ? index : std::nullopt);
}

static bool addSlice(const OperatorView &call, Rule &rule) {
  if (!addOneDim(call, rule))
    return false;
  // A slice of everything.
  FakeTensorType self = getOperandType(call, 0), to = getResultType(call);
  Dim dim = getDim(call, "dim", self.getRank());
  bool takesAll = self.getSizes()[*dim] == to.getSizes()[*dim] &&
                  call.getArg("step").getInt() == 1 &&
                  call.getArg("end").getInt().value_or(INT64_MAX) == INT64_MAX;
  if (takesAll)
    rule.factors.push_back(Factor(call).operand(0, *dim).result(0, *dim));
  return true;
}

static bool addSelect(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  Dim along = self ? getDim(call, "dim", self.getRank()) : std::nullopt;
  if (!along)
    return false;
  for (unsigned dim = 0; dim < self.getRank(); ++dim) {
    if (dim == *along)
      continue;
    Factor factor = Factor(call).operand(0, dim);
    // `unbind` has several results.
    for (unsigned i = 0; i < call->getNumResults(); ++i)
      factor.result(i, dim - (dim > *along));
    rule.factors.push_back(factor);
  }
  return true;
}

static bool addSelectScatter(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  std::optional<unsigned> source = getOperand(call.getArg("src"));
  Dim along = self ? getDim(call, "dim", self.getRank()) : std::nullopt;
  if (!along || !source)
    return false;
  for (unsigned dim = 0; dim < self.getRank(); ++dim)
    if (dim != *along)
      rule.factors.push_back(Factor(call)
                                 .operand(0, dim)
                                 .operand(*source, dim - (dim > *along))
                                 .result(0, dim));
  return true;
}

static bool addCat(const OperatorView &call, Rule &rule) {
  FakeTensorType to = getResultType(call);
  return to && addExcept(call, getDim(call, "dim", to.getRank()), rule);
}

static bool addStack(const OperatorView &call, Rule &rule) {
  FakeTensorType to = getResultType(call);
  Dim along = to ? getDim(call, "dim", to.getRank()) : std::nullopt;
  if (!along)
    return false;
  for (unsigned dim = 0; dim < to.getRank(); ++dim) {
    if (dim == *along)
      continue;
    Factor factor = Factor(call).result(0, dim);
    for (unsigned i = 0; i < call->getNumOperands(); ++i)
      factor.operand(i, dim - (dim > *along));
    rule.factors.push_back(factor);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Several indices
//===----------------------------------------------------------------------===//

namespace {
/// Where the dimensions of `self[indices]` come from.
struct IndexedDims {
  /// The dimension of the result for each dimension of self that no index
  /// replaces.
  SmallVector<Dim> ofSelf;
  SmallVector<std::optional<unsigned>> indices;
  /// The first dimension of the indices in the result, and their rank.
  unsigned first = 0, rank = 0;
};
} // namespace

static std::optional<IndexedDims> getIndexedDims(const OperatorView &call,
                                                 FakeTensorType self) {
  IndexedDims dims;
  SmallVector<unsigned> replaced;
  for (auto [dim, index] :
       llvm::enumerate(call.getArg("indices").getElements())) {
    if (index.isNone())
      continue;
    std::optional<unsigned> operand = getOperand(index);
    if (!operand)
      return std::nullopt;
    FakeTensorType type = getOperandType(call, *operand);
    // A mask replaces as many dimensions as it has.
    if (type.getDtype().isInteger(1) || type.getDtype().isUnsignedInteger(8))
      return std::nullopt;
    replaced.push_back(dim);
    dims.indices.push_back(operand);
    dims.rank = std::max<unsigned>(dims.rank, type.getRank());
  }
  if (replaced.empty() || replaced.back() >= self.getRank())
    return std::nullopt;
  bool isTogether = replaced.back() - replaced.front() + 1 == replaced.size();
  dims.first = isTogether ? replaced.front() : 0;
  unsigned kept = 0;
  for (unsigned dim = 0; dim < self.getRank(); ++dim) {
    dims.ofSelf.emplace_back();
    if (llvm::is_contained(replaced, dim))
      continue;
    dims.ofSelf.back() = kept < dims.first ? kept : kept + dims.rank;
    ++kept;
  }
  return dims;
}

static bool addIndex(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  auto dims = self ? getIndexedDims(call, self) : std::nullopt;
  if (!dims)
    return false;
  for (auto [dim, to] : llvm::enumerate(dims->ofSelf))
    if (to)
      rule.factors.push_back(Factor(call).operand(0, dim).result(0, *to));
  return true;
}

static bool addIndexPut(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  std::optional<unsigned> values = getOperand(call.getArg("values"));
  auto dims = self ? getIndexedDims(call, self) : std::nullopt;
  if (!dims || !values)
    return false;
  FakeTensorType type = getOperandType(call, *values);
  unsigned rank = self.getRank() - dims->indices.size() + dims->rank;
  for (auto [dim, to] : llvm::enumerate(dims->ofSelf)) {
    if (!to)
      continue;
    Factor factor = Factor(call).operand(0, dim).result(0, dim);
    // The values are broadcast to the places.
    int64_t at = int64_t(*to) + type.getRank() - rank;
    if (at >= 0 && type.getSizes()[at] == self.getSizes()[dim])
      factor.operand(*values, at);
    else if (at >= 0 && !isOne(type.getSizes()[at]))
      continue;
    rule.factors.push_back(factor);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

/// The division of the vocabulary is in `Sharder`.
static bool addEmbedding(const OperatorView &call, Rule &rule) {
  FakeTensorType indices = getOperandType(call, 1);
  if (!indices)
    return false;
  for (unsigned dim = 0; dim < indices.getRank(); ++dim)
    rule.factors.push_back(Factor(call).operand(1, dim).result(0, dim));
  rule.factors.push_back(
      Factor(call).operand(0, 1).result(0, indices.getRank()));
  return true;
}

//===----------------------------------------------------------------------===//
// Matrices and padding
//===----------------------------------------------------------------------===//

/// Uses the places of elements in the last `count` dimensions.
template <unsigned count>
static bool addLeading(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  if (!self || self.getRank() < count)
    return false;
  for (unsigned dim = 0; dim + count < self.getRank(); ++dim) {
    Factor factor = Factor(call).operand(0, dim);
    for (unsigned i = 0; i < call->getNumResults(); ++i)
      factor.result(i, dim);
    rule.factors.push_back(factor);
  }
  return true;
}

static bool addPad(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  if (!self)
    return false;
  int64_t padded = call.getArg("pad").getElements().size() / 2;
  for (unsigned dim = 0; dim + padded < self.getRank(); ++dim)
    rule.factors.push_back(Factor(call).operand(0, dim).result(0, dim));
  return true;
}

static bool addFlip(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  auto dims = call.getArg("dims").getInts();
  if (!self || !dims || dims->empty())
    return false;
  llvm::SmallBitVector moved(self.getRank());
  for (int64_t each : *dims)
    if (Dim dim = wrapDim(each, self.getRank()))
      moved.set(*dim);
  for (unsigned dim = 0; dim < self.getRank(); ++dim)
    if (!moved.test(dim))
      rule.factors.push_back(Factor(call).operand(0, dim).result(0, dim));
  return true;
}

void shard::addIndexingRules(RuleTable &rules) {
  rules["aten.slice.Tensor"] = addSlice;
  for (StringRef name :
       {"aten.narrow.default", "aten.split.Tensor", "aten.split.sizes",
        "aten.split_with_sizes.default", "aten.chunk.default",
        "aten.tensor_split.sections", "aten.index_select.default",
        "aten.gather.default", "aten.scatter.src", "aten.scatter.value",
        "aten.scatter_add.default", "aten.index_copy.default",
        "aten.index_add.default", "aten.slice_scatter.default"})
    rules[name] = addOneDim;
  for (StringRef name :
       {"aten.select.int", "aten.unbind.int", "aten.select_copy.int"})
    rules[name] = addSelect;
  rules["aten.select_scatter.default"] = addSelectScatter;
  rules["aten.cat.default"] = addCat;
  rules["aten.stack.default"] = addStack;
  for (StringRef name : {"aten.index.Tensor", "aten._unsafe_index.Tensor"})
    rules[name] = addIndex;
  for (StringRef name :
       {"aten.index_put.default", "aten._unsafe_index_put.default"})
    rules[name] = addIndexPut;
  rules["aten.embedding.default"] = addEmbedding;
  for (StringRef name :
       {"aten.tril.default", "aten.triu.default", "aten.avg_pool2d.default",
        "aten.max_pool2d.default", "aten.adaptive_avg_pool2d.default",
        "aten._adaptive_avg_pool2d.default",
        "aten.max_pool2d_with_indices.default", "aten.upsample_nearest2d.vec",
        "aten.upsample_bilinear2d.vec"})
    rules[name] = addLeading<2>;
  for (StringRef name : {"aten.view_as_real.default"})
    rules[name] = addLeading<0>;
  for (StringRef name :
       {"aten.view_as_complex.default", "aten.max_pool1d.default",
        "aten.adaptive_avg_pool1d.default"})
    rules[name] = addLeading<1>;
  for (StringRef name : {"aten.pad.default", "aten.constant_pad_nd.default"})
    rules[name] = addPad;
  for (StringRef name : {"aten.flip.default", "aten.roll.default"})
    rules[name] = addFlip;
}
