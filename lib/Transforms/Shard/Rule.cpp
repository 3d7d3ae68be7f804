//===- Rule.cpp - the table of rules --------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "fx/Operators/Purity.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

std::optional<unsigned> shard::getOperand(const Argument &argument) {
  if (!argument.isValue() ||
      !isa<FakeTensorType>(argument.getValue().getType()))
    return std::nullopt;
  return argument.operands.getBeginOperandIndex();
}

FakeTensorType shard::getOperandType(Operation *op, unsigned i) {
  return dyn_cast<FakeTensorType>(op->getOperand(i).getType());
}

FakeTensorType shard::getResultType(Operation *op, unsigned i) {
  return i < op->getNumResults()
             ? dyn_cast<FakeTensorType>(op->getResult(i).getType())
             : FakeTensorType();
}

Dim shard::wrapDim(std::optional<int64_t> dim, int64_t rank) {
  if (!dim || *dim < -rank || *dim >= rank)
    return std::nullopt;
  return *dim < 0 ? *dim + rank : *dim;
}

Dim shard::getDim(const OperatorView &call, ArgName name, int64_t rank) {
  return wrapDim(call.getArg(name).getInt(), rank);
}

bool shard::isOne(ExprAttr size) { return size.getInteger() == 1; }

/// Each result element is a function of the operands' elements at the same
/// place, after broadcasting.
static bool addPointwise(const OperatorView &call, Rule &rule) {
  FakeTensorType result = getResultType(call);
  if (!result)
    return false;
  for (unsigned i = 1; i < call->getNumResults(); ++i)
    if (!getResultType(call, i) ||
        getResultType(call, i).getSizes() != result.getSizes())
      return false;
  for (unsigned i = 0; i < call->getNumOperands(); ++i) {
    FakeTensorType type = getOperandType(call, i);
    if (type && type.getRank() > result.getRank())
      return false;
  }
  for (unsigned dim = 0; dim < result.getRank(); ++dim) {
    Factor factor(call);
    ExprAttr size = result.getSizes()[dim];
    bool fits = true;
    for (unsigned i = 0; i < call->getNumOperands(); ++i) {
      FakeTensorType type = getOperandType(call, i);
      unsigned missing = type ? result.getRank() - type.getRank() : dim + 1;
      if (missing > dim)
        continue;
      ExprAttr mine = type.getSizes()[dim - missing];
      if (mine == size)
        factor.operand(i, dim - missing);
      else if (!isOne(mine))
        fits = false;
    }
    if (!fits)
      continue;
    for (unsigned i = 0; i < call->getNumResults(); ++i)
      factor.result(i, dim);
    rule.factors.push_back(factor);
  }
  return true;
}

/// Takes only the dtype or device of the second operand.
static bool addLikeSecond(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  if (!self || call->getNumOperands() != 2)
    return false;
  rule.unused.push_back(1);
  for (unsigned dim = 0; dim < self.getRank(); ++dim)
    rule.factors.push_back(Factor(call).operand(0, dim).result(0, dim));
  return true;
}

/// Takes only the dtype and device of the operand: `new_zeros`, and the check
/// of a dtype.
static bool addUnused(const OperatorView &call, Rule &rule) {
  rule.unused.push_back(0);
  return true;
}

static RuleTable makeTable() {
  RuleTable rules;
  // Pointwise operators without the tag, and views that change nothing.
  for (StringRef name : {"aten.contiguous.default",
                         "aten.detach.default",
                         "aten.alias.default",
                         "aten.clone.default",
                         "aten.lift_fresh.default",
                         "aten.lift_fresh_copy.default",
                         "aten.detach_copy.default",
                         "aten.alias_copy.default",
                         "aten._to_copy.default",
                         "aten.to.dtype",
                         "aten.to.dtype_layout",
                         "aten.to.device",
                         "aten.type.default",
                         "aten.copy.default",
                         "aten.dropout.default",
                         "aten.zeros_like.default",
                         "aten.ones_like.default",
                         "aten.full_like.default",
                         "aten.empty_like.default",
                         "aten.masked_fill.Scalar",
                         "aten.masked_fill.Tensor",
                         "aten.where.self",
                         "aten.where.ScalarSelf",
                         "aten.where.ScalarOther",
                         "aten.where.Scalar",
                         "aten.fill.Scalar",
                         "aten.fill.Tensor",
                         "aten.relu6.default",
                         "aten.selu.default",
                         "aten.hardswish.default",
                         "aten.hardsigmoid.default",
                         "aten.log_sigmoid.default",
                         "aten.square.default",
                         "aten.mish.default",
                         "aten.softplus.default",
                         "aten.rsub.Scalar",
                         "aten.rsub.Tensor",
                         "aten._conj.default",
                         "aten.conj.default",
                         "aten.resolve_conj.default",
                         "aten.float_power.Tensor_Scalar",
                         "aten.polar.default",
                         "aten.complex.default",
                         "aten.isnan.default",
                         "aten._unsafe_masked_fill.Scalar",
                         "prims.convert_element_type.default"})
    rules[name] = addPointwise;
  rules["aten.to.other"] = addLikeSecond;
  rules["aten.type_as.default"] = addLikeSecond;
  for (StringRef name : {"aten.new_zeros.default", "aten.new_ones.default",
                         "aten.new_full.default", "aten.new_empty.default"})
    rules[name] = addUnused;
  // Its arguments are not broadcast.
  rules["aten.prelu.default"] = nullptr;
  rules["aten._prelu_kernel.default"] = nullptr;
  addViewRules(rules);
  addContractionRules(rules);
  addReductionRules(rules);
  addIndexingRules(rules);
  addNormalizationRules(rules);
  return rules;
}

RuleFn shard::lookupRule(const OperatorView &call) {
  static const RuleTable rules = makeTable();
  if (!isPure(call) || drawsRandomNumbers(call) || definesSymbol(call))
    return nullptr;
  const OperatorSchema &schema = call.getSchema();
  if (auto it = rules.find(schema.getName()); it != rules.end())
    return it->second;
  return schema.has(OperatorSchema::Pointwise) && !schema.isSeeded()
             ? addPointwise
             : nullptr;
}

bool shard::isLinearIn(const OperatorView &call, ArrayRef<unsigned> summands) {
  static const llvm::StringSet<> unary = {
      "aten.neg.default",        "aten.clone.default",
      "aten.contiguous.default", "aten.detach.default",
      "aten.alias.default",      "aten.view.default",
      "aten.reshape.default",    "aten._unsafe_view.default",
      "aten.transpose.int",      "aten.permute.default",
      "aten.t.default",          "aten.unsqueeze.default",
      "aten.squeeze.default",    "aten.squeeze.dim",
      "aten.squeeze.dims",       "aten.expand.default",
      "aten.slice.Tensor",       "aten.select.int",
      "aten.flatten.using_ints", "aten.unflatten.int",
      "aten.sum.dim_IntList",    "aten.sum.default",
      "aten.mean.dim",           "aten.mean.default",
      "aten.dropout.default"};
  StringRef name = call.getSchema().getName();
  if (!isPure(call) || drawsRandomNumbers(call))
    return false;
  // A cast or a sum of integers could overflow or round elsewhere.
  for (unsigned i : summands)
    if (!isa<FloatType>(getOperandType(call, i).getDtype()))
      return false;
  FakeTensorType result = getResultType(call);
  if (!result ||
      result.getDtype() != getOperandType(call, summands[0]).getDtype())
    return false;
  if (unary.contains(name))
    return summands.size() == 1 && summands[0] == 0;
  unsigned numTensors = 0;
  for (Value operand : call->getOperands())
    numTensors += isa<FakeTensorType>(operand.getType());
  if (summands.size() == numTensors && numTensors == call->getNumOperands()) {
    if (name == "aten.cat.default" || name == "aten.stack.default")
      return true;
    // A number would be added on each rank.
    if (name == "aten.add.Tensor" || name == "aten.sub.Tensor")
      return numTensors == 2;
  }
  if (name == "aten.mul.Tensor")
    return summands.size() == 1;
  if (name == "aten.div.Tensor" || name == "aten.mul.Scalar" ||
      name == "aten.div.Scalar")
    return summands.size() == 1 && summands[0] == 0;
  if (name == "aten.index_add.default")
    return call.getArg("alpha").getFloat() &&
           llvm::is_contained(summands, *getOperand(call.getArg("source")));
  return false;
}
