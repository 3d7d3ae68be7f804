//===- ContractionRules.cpp - matmuls, convolutions and attention ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

/// The operands of a contraction with a letter for each dimension: "mk", "kn"
/// and "mn" for a matmul. A `1` is a dimension that is broadcast.
namespace {
struct Letters {
  std::optional<unsigned> operand;
  std::string text;
};
} // namespace

/// Adds a factor for each letter. Letters that the result lacks are summed.
static bool addLetters(const OperatorView &call, ArrayRef<Letters> operands,
                       StringRef result, Rule &rule) {
  std::string seen;
  for (const Letters &some : operands)
    for (char letter : some.text) {
      if (letter == '1' || StringRef(seen).contains(letter))
        continue;
      seen += letter;
      Factor factor(call);
      for (const Letters &each : operands)
        if (size_t at = each.text.find(letter);
            each.operand && at != std::string::npos)
          factor.operand(*each.operand, at);
      if (size_t at = result.find(letter); at != StringRef::npos)
        factor.result(0, at);
      else
        factor.isSum = true;
      rule.factors.push_back(factor);
    }
  return true;
}

/// Returns the letters of an operand that is broadcast to `result`.
static std::string broadcast(FakeTensorType type, FakeTensorType to,
                             StringRef letters) {
  std::string text;
  unsigned missing = to.getRank() - type.getRank();
  for (auto [dim, size] : llvm::enumerate(type.getSizes()))
    text += size == to.getSizes()[dim + missing] ? letters[dim + missing] : '1';
  return text;
}

/// Returns letters for the leading `count` dimensions.
static std::string getBatch(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += char('A' + i);
  return text;
}

static bool addMatMul(const OperatorView &call, Rule &rule) {
  FakeTensorType a = getOperandType(call, 0), b = getOperandType(call, 1);
  FakeTensorType to = getResultType(call);
  if (!a || !b || !to || to.getRank() > 20 || a.getRank() == 0 ||
      b.getRank() == 0)
    return false;
  // A vector has no dimension m or n.
  bool hasM = a.getRank() > 1, hasN = b.getRank() > 1;
  unsigned batch = to.getRank() - hasM - hasN;
  std::string letters = getBatch(batch);
  auto getLeading = [&](FakeTensorType type) {
    std::string text;
    unsigned count = type.getRank() < 2 ? 0 : type.getRank() - 2;
    for (unsigned i = 0; i < count; ++i) {
      unsigned at = batch - count + i;
      text += type.getSizes()[i] == to.getSizes()[at] ? letters[at] : '1';
    }
    return text;
  };
  std::string first = getLeading(a) + (hasM ? "mk" : "k");
  std::string second = getLeading(b) + (hasN ? "kn" : "k");
  std::string result = letters + (hasM ? "m" : "") + (hasN ? "n" : "");
  return addLetters(call, {{0, first}, {1, second}}, result, rule);
}

/// `addmm` and `baddbmm`: the first operand is broadcast and added. A sum of
/// parts adds it after the reduction (see `Sharder`).
static bool addAddMatMul(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0), to = getResultType(call);
  if (!self || !to || call->getNumOperands() != 3 ||
      self.getRank() > to.getRank())
    return false;
  bool hasBatch = to.getRank() == 3;
  StringRef result = hasBatch ? "Amn" : "mn";
  return addLetters(call,
                    {{1, hasBatch ? "Amk" : "mk"},
                     {2, hasBatch ? "Akn" : "kn"},
                     {0, broadcast(self, to, result)}},
                    result, rule);
}

static bool addLinear(const OperatorView &call, Rule &rule) {
  FakeTensorType x = getOperandType(call, 0), weight = getOperandType(call, 1);
  if (!x || !weight || x.getRank() == 0 || x.getRank() > 20 ||
      weight.getRank() != 2)
    return false;
  std::string batch = getBatch(x.getRank() - 1);
  SmallVector<Letters> operands = {{0, batch + "k"}, {1, "nk"}};
  if (std::optional<unsigned> bias = getOperand(call.getArg("bias")))
    operands.push_back({bias, "n"});
  return addLetters(call, operands, batch + "n", rule);
}

/// The rows of each group are multiplied by the matrix of the group.
static bool addGroupedMatMul(const OperatorView &call, Rule &rule) {
  FakeTensorType self = getOperandType(call, 0);
  FakeTensorType matrices = getOperandType(call, 1);
  if (!self || !matrices || self.getRank() != 2 || matrices.getRank() != 3 ||
      getOperand(call.getArg("bias")))
    return false;
  addLetters(call, {{0, "mk"}, {1, "gkn"}}, "mn", rule);
  // Rows belong to groups, which are not divided.
  llvm::erase_if(rule.factors, [](const Factor &factor) {
    return factor.operands[1] == Dim(0) || factor.operands[0] == Dim(0);
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static bool addConvolution(const OperatorView &call, Rule &rule) {
  FakeTensorType input = getOperandType(call, 0), to = getResultType(call);
  std::optional<unsigned> bias = getOperand(call.getArg("bias"));
  std::optional<int64_t> groups = call.getArg("groups").getInt();
  bool transposes = call.declares("transposed") &&
                    call.getArg("transposed").getBool().value_or(true);
  if (!input || !to || !groups || transposes ||
      input.getRank() != to.getRank() || call->getNumOperands() < 2 ||
      getOperandType(call, 1).getRank() != input.getRank())
    return false;
  rule.factors.push_back(Factor(call).operand(0, 0).result(0, 0));
  Factor output = Factor(call).operand(1, 0).result(0, 1);
  if (bias)
    output.operand(*bias, 0);
  if (*groups == 1) {
    Factor sum = Factor(call).operand(0, 1).operand(1, 1);
    sum.isSum = true;
    rule.factors.push_back(sum);
  } else {
    output.operand(0, 1);
    output.sizes.push_back({"groups", std::nullopt});
    output.count = groups;
  }
  rule.factors.push_back(output);
  return true;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

static bool addAttention(const OperatorView &call, Rule &rule) {
  FakeTensorType q = getOperandType(call, 0), k = getOperandType(call, 1);
  FakeTensorType v = getOperandType(call, 2), to = getResultType(call);
  if (!q || !k || !v || !to || q.getRank() < 3 || k.getRank() != q.getRank() ||
      v.getRank() != q.getRank() || to.getRank() != q.getRank())
    return false;
  std::optional<unsigned> mask = getOperand(call.getArg("attn_mask"));
  for (unsigned dim = 0; dim + 2 < to.getRank(); ++dim) {
    // With enable_gqa, several heads of the query have one of the keys. A part
    // of both has the same heads as before.
    Factor factor =
        Factor(call).operand(0, dim).operand(1, dim).operand(2, dim);
    for (unsigned i = 0; i < call->getNumResults(); ++i)
      if (getResultType(call, i))
        factor.result(i, dim);
    if (mask) {
      FakeTensorType type = getOperandType(call, *mask);
      int64_t at = int64_t(dim) + type.getRank() - q.getRank();
      if (at >= 0 && !isOne(type.getSizes()[at]))
        factor.operand(*mask, at);
    }
    factor.isWhole = k.getSizes()[dim] == q.getSizes()[dim];
    rule.factors.push_back(factor);
  }
  return true;
}

void shard::addContractionRules(RuleTable &rules) {
  for (StringRef name :
       {"aten.mm.default", "aten.bmm.default", "aten.matmul.default",
        "aten.mv.default", "aten.dot.default"})
    rules[name] = addMatMul;
  for (StringRef name : {"aten.addmm.default", "aten.baddbmm.default"})
    rules[name] = addAddMatMul;
  rules["aten.linear.default"] = addLinear;
  rules["aten._grouped_mm.default"] = addGroupedMatMul;
  for (StringRef name :
       {"aten.conv1d.default", "aten.conv2d.default", "aten.conv3d.default",
        "aten.conv1d.padding", "aten.conv2d.padding", "aten.conv3d.padding",
        "aten.convolution.default"})
    rules[name] = addConvolution;
  for (StringRef name :
       {"aten.scaled_dot_product_attention.default",
        "aten._scaled_dot_product_flash_attention_for_cpu.default"})
    rules[name] = addAttention;
}
