//===- Matcher.cpp - finds a pattern graph in another ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"
#include "fx/Operators/View.h"

#include <cmath>

using namespace mlir;
using namespace fx;

/// Returns true if the trees and their values are the same.
static bool areEqual(const ArgumentTree &a, const ArgumentTree &b) {
  return a.tree == b.tree && llvm::equal(a.values, b.values);
}

//===----------------------------------------------------------------------===//
// Immediates and placeholders
//===----------------------------------------------------------------------===//

/// Returns true if two immediates are equal. Floats may have a relative
/// difference of 1e-6, because constants of formulas are written with more or
/// fewer digits. If `isFloat`, the call has a floating-point result, and an int
/// equals a float of the same value.
static bool areSameImmediate(Attribute want, Attribute have, bool isFloat) {
  if (want == have)
    return true;
  auto get = [](Attribute attr) -> std::optional<double> {
    if (auto f = dyn_cast<FloatAttr>(attr))
      return f.getValueAsDouble();
    if (auto i = dyn_cast<IntegerAttr>(attr); i && !i.getType().isInteger(1))
      return i.getInt();
    return std::nullopt;
  };
  std::optional<double> a = get(want), b = get(have);
  if (!a || !b || (want.getTypeID() != have.getTypeID() && !isFloat) ||
      (isa<IntegerAttr>(want) && isa<IntegerAttr>(have)))
    return false;
  return std::abs(*a - *b) <= 1e-6 * std::abs(*a);
}

/// Matches type `have` against type `want` of the pattern: the dtype, the rank
/// and static sizes must be equal. A symbol of the pattern matches any size,
/// but the same one each time.
static bool matchTensor(FakeTensorType want, Type have, Match &m) {
  auto type = dyn_cast<FakeTensorType>(have);
  if (!type || want.getDtype() != type.getDtype() ||
      want.getRank() != type.getRank())
    return false;
  for (auto [w, h] : llvm::zip_equal(want.getSizes(), type.getSizes())) {
    if (!w.isSymbol()) {
      if (w != h)
        return false;
      continue;
    }
    ExprAttr &bound = m.symbols[w.getName().getValue()];
    if (bound && bound != h)
      return false;
    bound = h;
  }
  return true;
}

/// Matches an argument against the type of a placeholder. `!fx.any` matches
/// everything.
static bool matchType(Type want, const Argument &have, Match &m) {
  Value value = have.getValue();
  auto is = [&]<typename T>(T *) { return value && isa<T>(value.getType()); };
  if (isa<AnyType>(want))
    return true;
  if (isa<SymIntType>(want))
    return have.getInt() || is((SymIntType *)nullptr);
  if (isa<SymFloatType>(want))
    return have.getFloat() || is((SymFloatType *)nullptr);
  if (isa<SymBoolType>(want))
    return have.getBool() || is((SymBoolType *)nullptr);
  if (isa<PyNoneType>(want))
    return have.isNone();
  if (auto tensor = dyn_cast<FakeTensorType>(want))
    return value && matchTensor(tensor, value.getType(), m);
  return value && value.getType() == want;
}

bool Matcher::bindInput(PlaceholderOp input, const Argument &have, Match &m) {
  ArgumentTree tree(have);
  if (auto it = m.inputs.find(input.getResult()); it != m.inputs.end())
    return areEqual(it->second, tree);
  if (!matchType(input.getResult().getType(), have, m))
    return false;
  m.inputs.try_emplace(input.getResult(), std::move(tree));
  return true;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

bool Matcher::matchValue(Value want, const Argument &have, Match &m) {
  if (auto input = want.getDefiningOp<PlaceholderOp>())
    return bindInput(input, have, m);
  Value value = have.getValue();
  if (!value)
    return false;
  if (auto it = m.values.find(want); it != m.values.end())
    return it->second == value;
  auto wanted = cast<OpResult>(want);
  auto result = dyn_cast<OpResult>(value);
  return result && result.getResultNumber() == wanted.getResultNumber() &&
         matchNode(wanted.getOwner(), result.getOwner(), m);
}

bool Matcher::matchArgument(const Argument &want, const Argument &have,
                            bool isFloat, Match &m) {
  if (!want.tree || !have.tree)
    return !want.tree && !have.tree;
  if (want.isValue())
    return matchValue(want.getValue(), have, m);
  if (!isa<ArrayAttr>(want.tree))
    return have.operands.empty() &&
           areSameImmediate(want.tree, have.tree, isFloat);
  if (!isa<ArrayAttr>(have.tree))
    return false;
  auto wanted = want.getElements(), got = have.getElements();
  return wanted.size() == got.size() &&
         llvm::all_of(llvm::zip_equal(wanted, got), [&](auto pair) {
           return matchArgument(std::get<0>(pair), std::get<1>(pair), isFloat,
                                m);
         });
}

static bool hasFloatResult(Operation *op) {
  auto type = op->getNumResults()
                  ? dyn_cast<FakeTensorType>(op->getResult(0).getType())
                  : FakeTensorType();
  return type && !isa<IntegerType>(type.getDtype());
}

/// Matches the arguments of two calls: by the schema with defaults filled in,
/// or as written if there is no schema.
bool Matcher::matchArguments(NodeOpInterface want, NodeOpInterface have,
                             Match &m) {
  bool isFloat = hasFloatResult(have);
  OperatorView a = getOperatorView(want), b = getOperatorView(have);
  if (isa<CallFunctionOp>(*want) && a && b) {
    for (unsigned i = 0; i < a.getNumArgs(); ++i)
      if (!matchArgument(a.getArg(i), b.getArg(i), isFloat, m))
        return false;
    return true;
  }
  if (want.getKwnames() != have.getKwnames() ||
      want.getArgs().size() != have.getArgs().size())
    return false;
  SmallVector<Argument> wanted = getArguments(want), got = getArguments(have);
  for (auto [w, h] : llvm::zip_equal(wanted, got))
    if (!matchArgument(w, h, isFloat, m))
      return false;
  return true;
}

bool Matcher::matchNode(Operation *want, Operation *have, Match &m) {
  if (auto it = m.nodes.find(want); it != m.nodes.end())
    return it->second == have;
  if (want->getName() != have->getName() ||
      want->getNumResults() != have->getNumResults())
    return false;
  if (auto attr = dyn_cast<GetAttrOp>(want)) {
    if (attr.getTarget() != cast<GetAttrOp>(have).getTarget())
      return false;
  } else {
    auto wanted = dyn_cast<NodeOpInterface>(want);
    auto node = dyn_cast<NodeOpInterface>(have);
    if (!wanted || !node || wanted.getTargetName() != node.getTargetName() ||
        !matchArguments(wanted, node, m))
      return false;
  }
  m.nodes[want] = have;
  m.matched.push_back(have);
  for (auto [w, h] : llvm::zip_equal(want->getResults(), have->getResults())) {
    // A type in a pattern also constrains results.
    auto type = dyn_cast<FakeTensorType>(w.getType());
    if (type && !matchTensor(type, h.getType(), m))
      return false;
    m.values[w] = h;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Matches
//===----------------------------------------------------------------------===//

/// Checks a complete match: no node is matched twice or taken, only outputs are
/// used outside of the match, and all guards of the pattern hold.
bool Matcher::check(const Match &m, const DenseSet<Operation *> &taken) {
  DenseSet<Operation *> inside(m.matched.begin(), m.matched.end());
  if (inside.size() != m.matched.size())
    return false;
  DenseSet<Value> outputs;
  for (Value output : pattern.getOutput().getOperands())
    outputs.insert(m.values.lookup(output));
  for (Operation *op : m.matched) {
    if (taken.contains(op))
      return false;
    for (Value result : op->getResults())
      if (!outputs.contains(result) &&
          !llvm::all_of(result.getUsers(),
                        [&](Operation *user) { return inside.contains(user); }))
        return false;
  }
  for (auto guard : pattern.getBlock().getOps<GuardOp>()) {
    ExprAttr condition = guard.getConditionAttr();
    std::optional<int64_t> holds =
        condition ? condition.evaluate([&](StringRef name) {
          ExprAttr size = m.symbols.lookup(name);
          return size ? size.getInteger() : std::nullopt;
        })
                  : std::nullopt;
    if (holds.value_or(0) == 0)
      return false;
  }
  return true;
}

/// Matches the outputs from number `output` on and checks the match. The
/// candidates for the node of an output are the users of its operands, where
/// these are bound already, or else all nodes behind the anchor.
bool Matcher::matchRest(unsigned output, Match &m,
                        const DenseSet<Operation *> &taken) {
  OperandRange outputs = pattern.getOutput().getOperands();
  while (output < outputs.size() && m.values.contains(outputs[output]))
    ++output;
  if (output == outputs.size())
    return check(m, taken);
  auto want = cast<OpResult>(outputs[output]);
  SmallVector<Operation *> candidates;
  for (Value operand : want.getOwner()->getOperands())
    if (auto it = m.inputs.find(operand); it != m.inputs.end())
      for (Value value : it->second.values)
        llvm::append_range(candidates, value.getUsers());
    else if (Value value = m.values.lookup(operand))
      llvm::append_range(candidates, value.getUsers());
  if (candidates.empty())
    for (Operation *op = m.matched.front()->getNextNode(); op;
         op = op->getNextNode())
      candidates.push_back(op);
  // Try the candidates in the order of the graph, whatever the order of uses.
  llvm::sort(candidates,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  candidates.erase(llvm::unique(candidates), candidates.end());
  for (Operation *candidate : candidates) {
    if (taken.contains(candidate) || llvm::is_contained(m.matched, candidate) ||
        candidate->getNumResults() <= want.getResultNumber())
      continue;
    Match next = m;
    if (matchNode(want.getOwner(), candidate, next) &&
        matchRest(output + 1, next, taken)) {
      m = std::move(next);
      return true;
    }
  }
  return false;
}

std::optional<Match> Matcher::match(Operation *anchor,
                                    const DenseSet<Operation *> &taken) {
  auto first = cast<OpResult>(pattern.getOutput().getOperand(0));
  Match m;
  if (taken.contains(anchor) || !matchNode(first.getOwner(), anchor, m) ||
      !matchRest(0, m, taken))
    return std::nullopt;
  return m;
}
