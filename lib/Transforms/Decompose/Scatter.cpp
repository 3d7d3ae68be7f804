//===- Scatter.cpp - scatters of whole slices -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scatter_add takes an index for each element. Programs often give it the same
// index for all elements of a slice, as an expanded vector: index_add reads and
// checks the vector instead, and adds whole slices.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "fx/Operators/Simplify.h"
#include "fx/Operators/aten/index_add.h"
#include "fx/Operators/aten/scatter_add.h"
#include "fx/Operators/aten/scatter_reduce.h"
#include "fx/Operators/aten/view.h"

using namespace mlir;
using namespace fx;

/// Returns the tensor that `index` expands along all dimensions but `dim`, or
/// null.
static Value getExpanded(Value index, int64_t dim) {
  OperatorView expand =
      getProducer(index, {"aten.expand.default", "aten.expand_as.default",
                          "aten.broadcast_to.default"});
  Value inner = expand ? expand.getArg(0u).getValue() : Value();
  auto type =
      inner ? dyn_cast<FakeTensorType>(inner.getType()) : FakeTensorType();
  int64_t rank = Decomposer::rank(index);
  if (!type || type.getRank() != rank || rank < 2 ||
      type.getSizes()[dim] != Decomposer::type(index).getSizes()[dim])
    return {};
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim && type.getSizes()[d].getInteger() != 1)
      return {};
  return inner;
}

/// Replaces a sum of `source`'s elements at `index` by a sum of slices.
static LogicalResult addSlices(Value self, const Argument &givenDim,
                               Value index, Value source, Decomposer &d,
                               SmallVectorImpl<Value> &results) {
  if (!self || !index || !source || !givenDim.getInt())
    return failure();
  int64_t rank = d.rank(self);
  std::optional<int64_t> dim = d.wrap(*givenDim.getInt(), rank);
  if (!dim || d.rank(index) != rank || d.rank(source) != rank)
    return failure();
  // All elements of the slices take part.
  for (int64_t i = 0; i < rank; ++i) {
    ExprAttr size = d.type(index).getSizes()[i];
    if (size != d.type(source).getSizes()[i] ||
        (i != *dim && size != d.type(self).getSizes()[i]))
      return failure();
  }
  Value vector = getExpanded(index, *dim);
  if (!vector)
    return failure();
  vector = d.call<aten::View>(vector, ArrayRef<int64_t>{-1});
  results.push_back(d.call<aten::IndexAdd>(self, *dim, vector, source));
  return success();
}

static LogicalResult decomposeScatterAdd(aten::ScatterAdd op, Decomposer &d,
                                         SmallVectorImpl<Value> &results) {
  return addSlices(op.self(), op.dim(), op.index_(), op.src(), d, results);
}

static LogicalResult decomposeScatterReduce(aten::ScatterReduceTwo op,
                                            Decomposer &d,
                                            SmallVectorImpl<Value> &results) {
  auto reduce = dyn_cast_if_present<StringAttr>(op.reduce().tree);
  if (!reduce || reduce.getValue() != "sum" ||
      op.include_self().getBool() == false)
    return failure();
  return addSlices(op.self(), op.dim(), op.index_(), op.src(), d, results);
}

void fx::registerScatterDecompositions(HookTable<Decomposition> &hooks) {
  hooks.add<aten::ScatterAdd, decomposeScatterAdd>();
  hooks.add<aten::ScatterReduceTwo, decomposeScatterReduce>();
}
