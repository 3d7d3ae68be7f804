//===- KeyBounds.cpp - the keys that a mask leaves visible ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search follows an element of x backwards: through the ops that add a mask
// or choose -inf to conditions, and through the conditions to comparisons of
// the key. A key is hidden if one of several conditions hides it.
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/KeyBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx::kernel;
using Predicate = arith::CmpIPredicate;

/// The largest constant that is added to a key. There are fewer keys, so that
/// the sum does not wrap around in 32 bits.
static constexpr int64_t kMostOffset = int64_t(1) << 30;
/// The largest number of bounds on each side.
static constexpr size_t kMostBounds = 3;

namespace {
/// A value of the body of a generic.
struct Element {
  linalg::GenericOp op;
  Value value;
};

class BoundFinder {
public:
  BoundFinder(const Attention &attention, const LoopLabels &labels)
      : attention(attention), labels(labels) {}
  KeyBounds run();

private:
  /// Returns the value of which `e`, an input, is an element, if a labeled
  /// pointwise op computes it. Other values are returned as they are.
  Element follow(Element e) const;
  /// Returns the label of a loop; kUnit if the op is not labeled.
  int label(linalg::GenericOp op, unsigned loop) const;
  /// Returns c if `e` is the key plus c.
  std::optional<int64_t> matchKey(Element e) const;
  bool isKey(int label) const { return label == int(attention.key); }
  bool isRow(int label) const {
    return label >= 0 &&
           llvm::is_contained(attention.values.m, unsigned(label));
  }
  /// What a value is computed from.
  struct Sources {
    bool keys = false, rows = false, memory = false;
  };
  Sources findSources(Element e) const;
  /// Looks for conditions in a value of which x is computed.
  void findMasks(Element e);
  /// Adds the bounds that follow if keys are only seen where `e` is `expected`.
  void addCondition(Element e, bool expected);
  void addComparison(linalg::GenericOp op, arith::CmpIOp compare,
                     bool expected);
  /// Adds the bound `key` `predicate` `value` + `offset`. Unsigned comparisons
  /// and equalities are no bounds.
  void addBound(Predicate predicate, Element value, int64_t offset,
                bool isSubtracted);

  const Attention &attention;
  const LoopLabels &labels;
  KeyBounds bounds;
};
} // namespace

int BoundFinder::label(linalg::GenericOp op, unsigned loop) const {
  ArrayRef<int> loops = labels.ofLoops(op);
  return loops.empty() ? LoopLabels::kUnit : loops[loop];
}

Element BoundFinder::follow(Element e) const {
  while (auto arg = dyn_cast<BlockArgument>(e.value)) {
    if (arg.getOwner() != e.op.getBody() ||
        arg.getArgNumber() >= e.op.getNumDpsInputs())
      break;
    auto def =
        e.op.getInputs()[arg.getArgNumber()].getDefiningOp<linalg::GenericOp>();
    if (!def || def == attention.scores.op || !isPointwise(def) ||
        def->getNumResults() != 1 || !labels.isComplete(def))
      break;
    e = {def, def.getBody()->getTerminator()->getOperand(0)};
  }
  return e;
}

std::optional<int64_t> BoundFinder::matchKey(Element e) const {
  e = follow(e);
  Operation *def = e.value.getDefiningOp();
  if (auto narrow = dyn_cast_or_null<arith::TruncIOp>(def);
      narrow && narrow.getType().getIntOrFloatBitWidth() >= 32)
    return matchKey({e.op, narrow.getIn()});
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(def)) {
    Type type = cast.getType();
    if (type.isIndex() || type.getIntOrFloatBitWidth() >= 32)
      return matchKey({e.op, cast.getIn()});
    return std::nullopt;
  }
  if (auto wide = dyn_cast_or_null<arith::ExtSIOp>(def))
    return matchKey({e.op, wide.getIn()});
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(def))
    return isKey(label(e.op, index.getDim())) ? std::optional<int64_t>(0)
                                              : std::nullopt;
  APInt c;
  if (!isa_and_nonnull<arith::AddIOp>(def) ||
      !matchPattern(def->getOperand(1), m_ConstantInt(&c)) ||
      c.getSignificantBits() > 31)
    return std::nullopt;
  std::optional<int64_t> key = matchKey({e.op, def->getOperand(0)});
  if (!key || std::abs(*key + c.getSExtValue()) > kMostOffset)
    return std::nullopt;
  return *key + c.getSExtValue();
}

BoundFinder::Sources BoundFinder::findSources(Element e) const {
  Sources sources;
  auto addLoop = [&](linalg::GenericOp op, unsigned loop) {
    sources.keys |= isKey(label(op, loop));
    sources.rows |= isRow(label(op, loop));
  };
  llvm::SetVector<Value> open;
  llvm::DenseMap<Value, linalg::GenericOp> ops;
  auto add = [&](Element next) {
    next = follow(next);
    open.insert(next.value);
    ops[next.value] = next.op;
  };
  add(e);
  for (size_t n = 0; n < open.size(); ++n) {
    Value v = open[n];
    linalg::GenericOp op = ops[v];
    if (auto arg = dyn_cast<BlockArgument>(v)) {
      if (arg.getOwner() != op.getBody())
        continue;
      sources.memory = true;
      AffineMap map =
          op.getMatchingIndexingMap(&op->getOpOperand(arg.getArgNumber()));
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (map.isFunctionOfDim(loop))
          addLoop(op, loop);
      continue;
    }
    Operation *def = v.getDefiningOp();
    if (def->getBlock() != op.getBody())
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(def))
      addLoop(op, index.getDim());
    sources.memory |= isa<tensor::ExtractOp>(def);
    for (Value operand : def->getOperands())
      add({op, operand});
  }
  return sources;
}

void BoundFinder::findMasks(Element e) {
  e = follow(e);
  Operation *def = e.value.getDefiningOp();
  if (!def)
    return;
  // What is added to -inf does not change it, unless it is inf.
  if (isa<arith::TruncFOp, arith::ExtFOp, arith::AddFOp>(def)) {
    for (Value operand : def->getOperands())
      findMasks({e.op, operand});
    return;
  }
  auto select = dyn_cast<arith::SelectOp>(def);
  if (!select)
    return;
  for (bool isSeen : {true, false}) {
    Value seen = isSeen ? select.getTrueValue() : select.getFalseValue(),
          hidden = isSeen ? select.getFalseValue() : select.getTrueValue();
    if (!matchPattern(hidden, m_NegInfFloat()))
      continue;
    addCondition({e.op, select.getCondition()}, isSeen);
    return findMasks({e.op, seen});
  }
}

void BoundFinder::addCondition(Element e, bool expected) {
  e = follow(e);
  Operation *def = e.value.getDefiningOp();
  if (!def || def->getBlock() != e.op.getBody())
    return;
  // All parts must hold: of a conjunction if it is true, of a disjunction if it
  // is false.
  if (expected ? isa<arith::AndIOp>(def) : isa<arith::OrIOp>(def)) {
    for (Value operand : def->getOperands())
      addCondition({e.op, operand}, expected);
  } else if (isa<arith::XOrIOp>(def) &&
             matchPattern(def->getOperand(1), m_One())) {
    addCondition({e.op, def->getOperand(0)}, !expected);
  } else if (auto compare = dyn_cast<arith::CmpIOp>(def)) {
    addComparison(e.op, compare, expected);
  }
}

/// Returns the predicate p' for which y p' x is the same as x p y.
static Predicate swapSides(Predicate p) {
  switch (p) {
  case Predicate::slt:
    return Predicate::sgt;
  case Predicate::sle:
    return Predicate::sge;
  case Predicate::sgt:
    return Predicate::slt;
  case Predicate::sge:
    return Predicate::sle;
  default:
    return p;
  }
}

void BoundFinder::addComparison(linalg::GenericOp op, arith::CmpIOp compare,
                                bool expected) {
  Predicate predicate = compare.getPredicate();
  if (!expected)
    predicate = arith::invertPredicate(predicate);
  for (bool isSwapped : {false, true}) {
    Value x = compare.getLhs(), y = compare.getRhs();
    if (isSwapped) {
      std::swap(x, y);
      predicate = swapSides(predicate);
    }
    if (auto key = matchKey({op, x}))
      return addBound(predicate, {op, y}, -*key, /*isSubtracted=*/false);
    // A difference of the key and its bound, and a constant.
    Element difference = follow({op, x});
    auto sub = difference.value.getDefiningOp<arith::SubIOp>();
    APInt c;
    if (!sub || !matchPattern(follow({op, y}).value, m_ConstantInt(&c)) ||
        c.getSignificantBits() > 31)
      continue;
    linalg::GenericOp in = difference.op;
    if (auto key = matchKey({in, sub.getLhs()}))
      return addBound(predicate, {in, sub.getRhs()}, c.getSExtValue() - *key,
                      /*isSubtracted=*/true);
    if (auto key = matchKey({in, sub.getRhs()}))
      return addBound(swapSides(predicate), {in, sub.getLhs()},
                      -c.getSExtValue() - *key, /*isSubtracted=*/true);
  }
}

void BoundFinder::addBound(Predicate predicate, Element value, int64_t offset,
                           bool isSubtracted) {
  Sources sources = findSources(value);
  if (sources.keys)
    return;
  KeyBound bound{value.op,     value.value,  offset,
                 isSubtracted, sources.rows, sources.memory};
  auto add = [&](SmallVectorImpl<KeyBound> &to, bool isStrict, int64_t step) {
    bound.offset += isStrict ? step : 0;
    if (to.size() < kMostBounds)
      to.push_back(bound);
  };
  if (predicate == Predicate::slt || predicate == Predicate::sle)
    add(bounds.last, predicate == Predicate::slt, -1);
  else if (predicate == Predicate::sgt || predicate == Predicate::sge)
    add(bounds.first, predicate == Predicate::sgt, 1);
}

KeyBounds BoundFinder::run() {
  auto op = attention.x.getDefiningOp<linalg::GenericOp>();
  if (op && op != attention.scores.op)
    findMasks({op, op.getBody()->getTerminator()->getOperand(0)});
  return bounds;
}

KeyBounds fx::kernel::matchKeyBounds(const Attention &attention,
                                     const LoopLabels &labels) {
  return BoundFinder(attention, labels).run();
}
