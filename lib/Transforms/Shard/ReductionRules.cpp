//===- ReductionRules.cpp - reductions and scans --------------------------===//
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

/// Returns the dimensions that the argument `dim` names: all if it is None or
/// missing. Returns nullopt if they are not known.
static std::optional<llvm::SmallBitVector> getDims(const OperatorView &call,
                                                   int64_t rank) {
  llvm::SmallBitVector dims(rank);
  Argument argument = call.getArg("dim");
  if (argument.isNone() ||
      (argument.isList() && argument.getElements().empty()))
    return dims.set();
  auto list = argument.getInts();
  if (std::optional<int64_t> single = argument.getInt())
    list = SmallVector<int64_t>{*single};
  if (!list)
    return std::nullopt;
  for (int64_t each : *list) {
    Dim dim = wrapDim(each, rank);
    if (!dim)
      return std::nullopt;
    dims.set(*dim);
  }
  return dims;
}

enum class Reduced { Blocked, Sum, Mean };

template <Reduced kind>
static bool addReduction(const OperatorView &call, Rule &rule) {
  FakeTensorType from = getOperandType(call, 0);
  if (!from)
    return false;
  auto dims = getDims(call, from.getRank());
  if (!dims)
    return false;
  unsigned kept = from.getRank() - dims->count(), to = 0;
  for (unsigned dim = 0; dim < from.getRank(); ++dim) {
    Factor factor = Factor(call).operand(0, dim);
    for (unsigned i = 0; i < call->getNumResults(); ++i) {
      FakeTensorType type = getResultType(call, i);
      if (!type || (type.getRank() != from.getRank() && type.getRank() != kept))
        return false;
      bool keeps = type.getRank() == from.getRank();
      if (!dims->test(dim))
        factor.result(i, keeps ? dim : to);
    }
    if (!dims->test(dim)) {
      ++to;
      rule.factors.push_back(factor);
    } else if (kind != Reduced::Blocked &&
               isa<FloatType>(getResultType(call).getDtype())) {
      factor.isSum = kind == Reduced::Sum;
      factor.isMean = kind == Reduced::Mean;
      rule.factors.push_back(factor);
    }
  }
  return true;
}

/// The elements along the dimension `dim` depend on each other; those along the
/// others do not. Operands and results have the same rank.
static bool addAlongDim(const OperatorView &call, Rule &rule) {
  FakeTensorType from = getOperandType(call, 0);
  if (!from)
    return false;
  Dim along = getDim(call, "dim", from.getRank());
  if (!along)
    return false;
  for (unsigned dim = 0; dim < from.getRank(); ++dim) {
    if (dim == *along)
      continue;
    Factor factor(call);
    for (unsigned i = 0; i < call->getNumOperands(); ++i) {
      FakeTensorType type = getOperandType(call, i);
      if (!type || type.getRank() != from.getRank())
        return false;
      factor.operand(i, dim);
    }
    for (unsigned i = 0; i < call->getNumResults(); ++i) {
      FakeTensorType type = getResultType(call, i);
      if (!type || type.getRank() != from.getRank())
        return false;
      factor.result(i, dim);
    }
    rule.factors.push_back(factor);
  }
  return true;
}

void shard::addReductionRules(RuleTable &rules) {
  for (StringRef name : {"aten.sum.default", "aten.sum.dim_IntList"})
    rules[name] = addReduction<Reduced::Sum>;
  for (StringRef name : {"aten.mean.default", "aten.mean.dim"})
    rules[name] = addReduction<Reduced::Mean>;
  for (StringRef name : {"aten.amax.default",
                         "aten.amin.default",
                         "aten.max.dim",
                         "aten.min.dim",
                         "aten.argmax.default",
                         "aten.argmin.default",
                         "aten.prod.dim_int",
                         "aten.var.correction",
                         "aten.var.dim",
                         "aten.std.correction",
                         "aten.std.dim",
                         "aten.var_mean.correction",
                         "aten.std_mean.correction",
                         "aten.logsumexp.default",
                         "aten.any.dim",
                         "aten.any.dims",
                         "aten.all.dim",
                         "aten.all.dims",
                         "aten.linalg_vector_norm.default",
                         "aten.norm.ScalarOpt_dim"})
    rules[name] = addReduction<Reduced::Blocked>;
  for (StringRef name :
       {"aten.softmax.int", "aten._softmax.default", "aten.log_softmax.int",
        "aten._log_softmax.default", "aten.special_softmax.default",
        "aten.special_log_softmax.default", "aten._safe_softmax.default",
        "aten.cumsum.default", "aten.cumprod.default",
        "aten.logcumsumexp.default", "aten.cummax.default",
        "aten.cummin.default", "aten.sort.default", "aten.sort.stable",
        "aten.argsort.default", "aten.topk.default", "aten.glu.default"})
    rules[name] = addAlongDim;
}
