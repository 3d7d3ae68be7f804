//===- Rule.h - which dimensions of a node can be divided -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule lists the factors of a node: dimensions of operands and results that
// can be divided together. A matmul [m, k] x [k, n] -> [m, n] has three: m and
// n are dimensions of the result, and k is summed. To divide a factor, each
// operand that has it is divided in its dimension and the others are whole;
// then each result is divided in its dimension of the factor. If the factor is
// summed, the results are summands. Dimensions that are in no factor cannot be
// divided.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_SHARD_RULE_H
#define FX_LIB_TRANSFORMS_SHARD_RULE_H

#include "fx/Operators/View.h"
#include "llvm/ADT/StringMap.h"

namespace fx::shard {

using Dim = std::optional<unsigned>;

/// An integer argument that has the size of a factor.
struct SizeArgument {
  llvm::StringRef name;
  /// The element of a list; nullopt if the argument is no list.
  std::optional<unsigned> element;
};

struct Factor {
  Factor(mlir::Operation *op)
      : operands(op->getNumOperands()), results(op->getNumResults()) {}

  llvm::SmallVector<Dim, 4> operands;
  llvm::SmallVector<Dim, 2> results;
  /// Each dimension has the factor alone, not merged with others. Only then a
  /// dimension of several sections can be divided.
  bool isWhole = true;
  bool isSum = false;
  /// As a sum, but the result of a rank is the mean of its part.
  bool isMean = false;
  llvm::SmallVector<SizeArgument, 1> sizes;
  /// A count other than a dimension that the ranks must divide, as the number
  /// of groups of a convolution.
  std::optional<int64_t> count;

  Factor &operand(unsigned i, unsigned dim) {
    operands[i] = dim;
    return *this;
  }
  Factor &result(unsigned i, unsigned dim) {
    results[i] = dim;
    return *this;
  }
};

struct Rule {
  llvm::SmallVector<Factor, 4> factors;
  /// Operands whose elements are not used, but only their dtype or device.
  llvm::SmallVector<unsigned, 1> unused;
};

/// Adds the factors of a node. Returns false if the rule does not know it.
using RuleFn = bool (*)(const OperatorView &, Rule &);
using RuleTable = llvm::StringMap<RuleFn>;

/// Returns the rule of the operator, which may be a general one for pointwise
/// operators; null if there is none.
RuleFn lookupRule(const OperatorView &call);

/// Returns true if the result for a sum of operands is the sum of the results,
/// where the operands that are not in `summands` stay the same.
bool isLinearIn(const OperatorView &call, llvm::ArrayRef<unsigned> summands);

void addViewRules(RuleTable &rules);
void addContractionRules(RuleTable &rules);
void addReductionRules(RuleTable &rules);
void addIndexingRules(RuleTable &rules);
void addNormalizationRules(RuleTable &rules);

//===----------------------------------------------------------------------===//
// Helpers of the rules
//===----------------------------------------------------------------------===//

/// Returns the number of the operand that is the argument; nullopt if the
/// argument is no tensor.
std::optional<unsigned> getOperand(const Argument &argument);
/// Returns the type of an operand or result; null if it is no tensor.
FakeTensorType getOperandType(mlir::Operation *op, unsigned i);
FakeTensorType getResultType(mlir::Operation *op, unsigned i = 0);
/// The dimension of a reshape's result that dimension `dim` of the operand is
/// merged into, behind others: the result then consists of sections, in each of
/// which this dimension comes first. Returns nullopt if there is none.
struct MergedDim {
  unsigned dim;
  llvm::SmallVector<int64_t> sections;
};
std::optional<MergedDim> findMergedDim(FakeTensorType from, FakeTensorType to,
                                       unsigned dim);

/// Returns `dim` counted from the front; nullopt if it is out of range.
Dim wrapDim(std::optional<int64_t> dim, int64_t rank);
/// Returns the argument `dim` (or another name), counted from the front.
Dim getDim(const OperatorView &call, ArgName name, int64_t rank);
bool isOne(ExprAttr size);

} // namespace fx::shard

#endif // FX_LIB_TRANSFORMS_SHARD_RULE_H
