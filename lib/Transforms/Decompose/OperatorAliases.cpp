//===- OperatorAliases.cpp - operators that have two names ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An export without decompositions keeps operator aliases as the user wrote
// them: `torch.absolute`, `torch.less`. Most of them are listed in
// torch/csrc/jit/passes/normalize_ops.cpp. Hooks and lowerings know only one
// name of each operator.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fx;

static StringRef getUsualName(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("__and__", "bitwise_and")
      .Case("__or__", "bitwise_or")
      .Case("__xor__", "bitwise_xor")
      .Case("_neg_view", "neg")
      .Case("absolute", "abs")
      .Case("adjoint", "mH")
      .Case("arccos", "acos")
      .Case("arccosh", "acosh")
      .Case("arcsin", "asin")
      .Case("arcsinh", "asinh")
      .Case("arctan", "atan")
      .Case("arctan2", "atan2")
      .Case("arctanh", "atanh")
      .Case("clip", "clamp")
      .Case("divide", "div")
      .Case("fix", "trunc")
      .Case("greater", "gt")
      .Case("greater_equal", "ge")
      .Case("less", "lt")
      .Case("less_equal", "le")
      .Case("linalg_matmul", "matmul")
      .Case("moveaxis", "movedim")
      .Case("multiply", "mul")
      .Case("native_channel_shuffle", "channel_shuffle")
      .Case("negative", "neg")
      .Case("not_equal", "ne")
      .Case("subtract", "sub")
      .Case("true_divide", "div")
      .Case("unsafe_split_with_sizes", "split_with_sizes")
      .Default("");
}

std::optional<std::string> fx::getUsualTarget(StringRef target) {
  if (!target.consume_front("aten."))
    return std::nullopt;
  auto [name, overload] = target.split('.');
  StringRef usual = getUsualName(name);
  if (usual.empty())
    return std::nullopt;
  std::string known = ("aten." + usual + "." + overload).str();
  const OperatorSchema *from = lookupOperator(("aten." + target).str()),
                       *to = lookupOperator(known);
  // The names of the arguments must match: calls can use them as keywords.
  auto takesTheSame = [](const ArgumentSchema &a, const ArgumentSchema &b) {
    return a.getName() == b.getName();
  };
  if (!from || !to ||
      !llvm::equal(from->getArguments(), to->getArguments(), takesTheSame))
    return std::nullopt;
  return known;
}
