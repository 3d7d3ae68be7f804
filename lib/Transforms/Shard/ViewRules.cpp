//===- ViewRules.cpp - dimensions that views keep -------------------------===//
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

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

namespace {
/// Dimensions of the operand and of the result that have the same elements in
/// the same order.
struct Group {
  SmallVector<unsigned> from, to;
};
} // namespace

static ExprAttr multiply(ExprAttr a, ExprAttr b) {
  return ExprAttr::mul(a.getContext(), {a, b});
}

/// Returns true if the operand's side of a group must grow until both sides
/// have the same number of elements.
static std::optional<bool> growsOperand(ExprAttr from, ExprAttr to,
                                        ArrayRef<ExprAttr> rest) {
  if (from.isInteger() && to.isInteger())
    return *from.getInteger() < *to.getInteger();
  // A product of symbols has no order. See whether the operand's dimensions
  // can become the result's.
  for (ExprAttr size : rest) {
    from = multiply(from, size);
    if (!from)
      return std::nullopt;
    if (from == to)
      return true;
  }
  return false;
}

/// Divides the dimensions of a reshape into the smallest groups. Returns false
/// if the sizes do not tell.
static bool groupDims(ArrayRef<ExprAttr> from, ArrayRef<ExprAttr> to,
                      SmallVectorImpl<Group> &groups) {
  auto isEmpty = [](ExprAttr size) { return size.getInteger() == 0; };
  if (llvm::any_of(from, isEmpty) || llvm::any_of(to, isEmpty))
    return false;
  size_t i = 0, j = 0;
  while (true) {
    while (i < from.size() && isOne(from[i]))
      ++i;
    while (j < to.size() && isOne(to[j]))
      ++j;
    if (i == from.size() || j == to.size())
      return i == from.size() && j == to.size();
    Group group{{unsigned(i)}, {unsigned(j)}};
    ExprAttr a = from[i++], b = to[j++];
    while (a != b) {
      std::optional<bool> grows = growsOperand(a, b, from.drop_front(i));
      if (!grows || (*grows ? i == from.size() : j == to.size()))
        return false;
      if (*grows) {
        group.from.push_back(i);
        a = multiply(a, from[i++]);
      } else {
        group.to.push_back(j);
        b = multiply(b, to[j++]);
      }
      if (!a || !b)
        return false;
    }
    llvm::erase_if(group.from, [&](unsigned dim) { return isOne(from[dim]); });
    llvm::erase_if(group.to, [&](unsigned dim) { return isOne(to[dim]); });
    groups.push_back(group);
  }
}

std::optional<MergedDim> shard::findMergedDim(FakeTensorType from,
                                              FakeTensorType to, unsigned dim) {
  SmallVector<Group> groups;
  if (!groupDims(from.getSizes(), to.getSizes(), groups))
    return std::nullopt;
  for (const Group &group : groups) {
    if (!llvm::is_contained(group.from, dim) || group.to.size() != 1)
      continue;
    int64_t count = 1, size = 1;
    for (unsigned each : group.from) {
      int64_t length = from.getDimSize(each);
      if (ShapedType::isDynamic(length))
        return std::nullopt;
      (each < dim ? count : size) *= length;
    }
    return MergedDim{group.to.front(), SmallVector<int64_t>(count, size)};
  }
  return std::nullopt;
}

/// The elements keep their order. The first dimension of a group can be
/// divided: a part of it is a part of all elements of the group.
static bool addReshape(const OperatorView &call, Rule &rule) {
  FakeTensorType from = getOperandType(call, 0), to = getResultType(call);
  SmallVector<Group> groups;
  if (!from || !to || !groupDims(from.getSizes(), to.getSizes(), groups))
    return false;
  for (const Group &group : groups) {
    Factor factor(call);
    factor.operand(0, group.from.front()).result(0, group.to.front());
    factor.isWhole = group.from.size() == 1 && group.to.size() == 1;
    if (call.declares("size"))
      factor.sizes.push_back({"size", group.to.front()});
    else if (call.declares("shape"))
      factor.sizes.push_back({"shape", group.to.front()});
    else if (call.declares("sizes"))
      // The sizes of `unflatten` begin at its dimension.
      if (Dim dim = getDim(call, "dim", from.getRank());
          dim && group.to.front() >= *dim &&
          group.to.front() - *dim < call.getArg("sizes").getElements().size())
        factor.sizes.push_back({"sizes", group.to.front() - *dim});
    rule.factors.push_back(factor);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

/// Adds a factor for each dimension: dimension `order[i]` of the operand
/// becomes dimension i of the result.
static bool addOrder(const OperatorView &call, ArrayRef<unsigned> order,
                     Rule &rule) {
  for (auto [to, from] : llvm::enumerate(order))
    rule.factors.push_back(Factor(call).operand(0, from).result(0, to));
  return true;
}

static SmallVector<unsigned> getIdentity(unsigned rank) {
  return llvm::to_vector(llvm::seq(rank));
}

static bool addPermute(const OperatorView &call, Rule &rule) {
  FakeTensorType type = getOperandType(call, 0);
  auto dims = call.getArg("dims").getInts();
  if (!type || !dims || dims->size() != size_t(type.getRank()))
    return false;
  SmallVector<unsigned> order;
  for (int64_t dim : *dims) {
    Dim wrapped = wrapDim(dim, type.getRank());
    if (!wrapped)
      return false;
    order.push_back(*wrapped);
  }
  return addOrder(call, order, rule);
}

/// Exchanges two dimensions.
static bool addExchange(const OperatorView &call, Dim a, Dim b, Rule &rule) {
  FakeTensorType type = getOperandType(call, 0);
  if (!type || !a || !b)
    return false;
  SmallVector<unsigned> order = getIdentity(type.getRank());
  std::swap(order[*a], order[*b]);
  return addOrder(call, order, rule);
}

static bool addTranspose(const OperatorView &call, Rule &rule) {
  FakeTensorType type = getOperandType(call, 0);
  int64_t rank = type ? type.getRank() : 0;
  if (call.declares("dim0"))
    return addExchange(call, getDim(call, "dim0", rank),
                       getDim(call, "dim1", rank), rule);
  return addExchange(call, getDim(call, "axis0", rank),
                     getDim(call, "axis1", rank), rule);
}

/// `t`, `mT`: exchanges the last two dimensions.
static bool addMatrixTranspose(const OperatorView &call, Rule &rule) {
  FakeTensorType type = getOperandType(call, 0);
  if (!type)
    return false;
  if (type.getRank() < 2)
    return addOrder(call, getIdentity(type.getRank()), rule);
  return addExchange(call, type.getRank() - 2, type.getRank() - 1, rule);
}

static bool addReverse(const OperatorView &call, Rule &rule) {
  FakeTensorType type = getOperandType(call, 0);
  if (!type)
    return false;
  SmallVector<unsigned> order = getIdentity(type.getRank());
  std::reverse(order.begin(), order.end());
  return addOrder(call, order, rule);
}

static bool addMoveDim(const OperatorView &call, Rule &rule) {
  FakeTensorType type = getOperandType(call, 0);
  auto from = call.getArg("source").getInts();
  auto to = call.getArg("destination").getInts();
  if (!type || !from || !to || from->size() != to->size())
    return false;
  SmallVector<Dim> order(type.getRank());
  llvm::SmallBitVector taken(type.getRank());
  for (auto [source, destination] : llvm::zip_equal(*from, *to)) {
    Dim a = wrapDim(source, type.getRank());
    Dim b = wrapDim(destination, type.getRank());
    if (!a || !b)
      return false;
    order[*b] = *a;
    taken.set(*a);
  }
  unsigned next = 0;
  SmallVector<unsigned> dims;
  for (Dim dim : order) {
    while (!dim && next < taken.size() && taken.test(next))
      ++next;
    dims.push_back(dim ? *dim : next++);
  }
  return addOrder(call, dims, rule);
}

//===----------------------------------------------------------------------===//
// Expansion and repetition
//===----------------------------------------------------------------------===//

static bool addExpand(const OperatorView &call, Rule &rule) {
  FakeTensorType from = getOperandType(call, 0), to = getResultType(call);
  if (!from || !to || from.getRank() > to.getRank())
    return false;
  unsigned added = to.getRank() - from.getRank();
  for (unsigned dim = 0; dim < from.getRank(); ++dim) {
    if (from.getSizes()[dim] != to.getSizes()[dim + added])
      continue;
    Factor factor = Factor(call).operand(0, dim).result(0, dim + added);
    if (call.declares("size"))
      factor.sizes.push_back({"size", dim + added});
    else if (call.declares("other"))
      factor.operand(1, dim + added);
    rule.factors.push_back(factor);
  }
  return true;
}

static bool addRepeat(const OperatorView &call, Rule &rule) {
  FakeTensorType from = getOperandType(call, 0), to = getResultType(call);
  auto repeats = call.getArg("repeats").getElements();
  if (!from || !to || repeats.size() != size_t(to.getRank()))
    return false;
  unsigned added = to.getRank() - from.getRank();
  for (unsigned dim = 0; dim < from.getRank(); ++dim)
    if (repeats[dim + added].getInt() == 1)
      rule.factors.push_back(
          Factor(call).operand(0, dim).result(0, dim + added));
  return true;
}

/// Each element of the dimension becomes several, one after the other.
static bool addRepeatInterleave(const OperatorView &call, Rule &rule) {
  FakeTensorType type = getOperandType(call, 0);
  if (!type || !call.getArg("repeats").getInt())
    return false;
  Dim dim = getDim(call, "dim", type.getRank());
  if (!dim)
    return false;
  addOrder(call, getIdentity(type.getRank()), rule);
  rule.factors[*dim].isWhole = false;
  if (!call.getArg("output_size").isNone())
    rule.factors[*dim].sizes.push_back({"output_size", std::nullopt});
  return true;
}

void shard::addViewRules(RuleTable &rules) {
  for (StringRef name :
       {"aten.view.default", "aten.reshape.default",
        "aten._unsafe_view.default", "aten.view_copy.default",
        "aten.flatten.using_ints", "aten.unflatten.int",
        "aten.unsqueeze.default", "aten.squeeze.default", "aten.squeeze.dim",
        "aten.squeeze.dims", "aten.unsqueeze_copy.default",
        "aten.squeeze_copy.dims", "aten.ravel.default",
        "aten._reshape_copy.default"})
    rules[name] = addReshape;
  for (StringRef name : {"aten.permute.default", "aten.permute_copy.default"})
    rules[name] = addPermute;
  for (StringRef name : {"aten.transpose.int", "aten.swapaxes.default",
                         "aten.swapdims.default", "aten.transpose_copy.int"})
    rules[name] = addTranspose;
  for (StringRef name : {"aten.t.default", "aten.t_copy.default",
                         "aten.mT.default", "aten.adjoint.default"})
    rules[name] = addMatrixTranspose;
  rules["aten.numpy_T.default"] = addReverse;
  for (StringRef name : {"aten.movedim.int", "aten.movedim.intlist",
                         "aten.moveaxis.int", "aten.moveaxis.intlist"})
    rules[name] = addMoveDim;
  for (StringRef name : {"aten.expand.default", "aten.expand_as.default",
                         "aten.expand_copy.default"})
    rules[name] = addExpand;
  rules["aten.repeat.default"] = addRepeat;
  rules["aten.repeat_interleave.self_int"] = addRepeatInterleave;
}
