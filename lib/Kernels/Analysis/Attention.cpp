//===- Attention.cpp - softmax(Q K^T) V in linalg ops ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention is recognized by its computation, not by the operator that it comes
// from. The matcher goes backwards from the second matmul: through casts and a
// division by the row's sum to exp(x - max), where max may be replaced by 0 in
// rows that are fully masked; to the maximum of x and the sum of the
// exponentials; from x through pointwise ops to the first matmul.
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Attention.h"

#include "fx/Kernels/RowGather.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace fx::kernel;

/// Maximum number of ops between the matmuls.
static constexpr unsigned kMaxOps = 24;

static bool isLowest(Value v) {
  APFloat c(0.0f);
  return matchPattern(v, m_ConstantFloat(&c)) && c.isInfinity() &&
         c.isNegative();
}

/// Returns the input tensor of a generic of which `v`, an argument of its body,
/// is an element; null for other values.
static Value getTensor(Value v) {
  auto arg = dyn_cast<BlockArgument>(v);
  auto op =
      arg ? dyn_cast_or_null<linalg::GenericOp>(arg.getOwner()->getParentOp())
          : nullptr;
  if (!op || arg.getArgNumber() >= op.getNumDpsInputs())
    return {};
  Value tensor = op.getInputs()[arg.getArgNumber()];
  return isa<RankedTensorType>(tensor.getType()) ? tensor : Value();
}

/// Returns `v` before its extension to f32.
static Value getNarrow(Value v) {
  auto wide = v.getDefiningOp<arith::ExtFOp>();
  return wide ? wide.getIn() : v;
}

/// Returns the scalar that the destination of `op` is filled with; null if it
/// is not filled.
static Value getInit(linalg::GenericOp op) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill ? fill.getInputs()[0] : Value();
}

namespace {
struct Matcher {
  OperandKind kind;
  Attention found;
  llvm::SetVector<Operation *> ops;
  /// Pointwise ops that `findScores` has visited, and its results.
  llvm::DenseMap<Operation *, bool> dependsOnScores;

  /// Returns the value that the op that defines `tensor` yields, and adds this
  /// op to the attention. Returns null if the op is not pointwise.
  Value getElement(Value tensor);
  /// Follows `v` through pointwise ops to where it is computed, or to an
  /// element of `stop`.
  Value follow(Value v, Value stop = {});
  /// Returns the reduction along one loop by `Combine` that defines the tensor
  /// of `v`, and sets `input` to the value that it combines. Returns null if
  /// there is no such reduction.
  template <typename... Combine>
  linalg::GenericOp getReduction(Value v, Value &input);
  bool matchSum(linalg::GenericOp op, math::ExpOp exp);
  bool matchSoftmax();
  bool findScores(Value tensor);
  bool isClosed();
  bool fits();
  bool match(linalg::GenericOp op);
};
} // namespace

Value Matcher::getElement(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!op || op->getNumResults() != 1 || !isPointwise(op))
    return {};
  ops.insert(op);
  return cast<linalg::GenericOp>(op).getBody()->getTerminator()->getOperand(0);
}

Value Matcher::follow(Value v, Value stop) {
  while (Value tensor = getTensor(v)) {
    if (tensor == stop)
      return v;
    Value element = getElement(tensor);
    if (!element)
      return v;
    v = element;
  }
  return v;
}

template <typename... Combine>
linalg::GenericOp Matcher::getReduction(Value v, Value &input) {
  Value tensor = getTensor(v);
  auto op = tensor ? tensor.getDefiningOp<linalg::GenericOp>() : nullptr;
  if (!op || op.getNumReductionLoops() != 1 || op->getNumResults() != 1)
    return {};
  auto combiners = matchReduction(op);
  if (!combiners || !isa<Combine...>(combiners->front().op) ||
      !getElementTypeOrSelf(tensor.getType()).isF32())
    return {};
  input = combiners->front().input;
  return op;
}

bool Matcher::matchSum(linalg::GenericOp op, math::ExpOp exp) {
  auto combiners = matchReduction(op);
  return combiners && combiners->size() == 1 &&
         isa<arith::AddFOp>(combiners->front().op) &&
         op.getNumReductionLoops() == 1 && getInit(op) &&
         matchPattern(getInit(op), m_AnyZeroFloat()) &&
         follow(combiners->front().input).getDefiningOp() == exp;
}

bool Matcher::matchSoftmax() {
  Value v = getElement(found.values.lhs()), input;
  linalg::GenericOp sum;
  math::ExpOp exp;
  while (v && !exp) {
    v = follow(v);
    Operation *def = v.getDefiningOp();
    if (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(def)) {
      v = def->getOperand(0);
    } else if (auto div = dyn_cast_or_null<arith::DivFOp>(def); div && !sum) {
      sum = getReduction<arith::AddFOp>(div.getRhs(), input);
      v = sum ? div.getLhs() : Value();
    } else {
      exp = dyn_cast_or_null<math::ExpOp>(def);
      if (!exp)
        return false;
    }
  }
  if (!exp || !exp.getType().isF32())
    return false;
  auto sub = follow(exp.getOperand()).getDefiningOp<arith::SubFOp>();
  if (!sub)
    return false;
  // The maximum may be 0 where it is -inf: exp(-inf - 0) is 0.
  Value row = sub.getRhs();
  if (auto select = row.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    row = select.getFalseValue();
    if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ ||
        compare.getLhs() != row || !isLowest(compare.getRhs()) ||
        !matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
      return false;
  }
  found.max = getReduction<arith::MaximumFOp, arith::MaxNumFOp>(row, input);
  if (!found.max || !getInit(found.max) || !isLowest(getInit(found.max)))
    return false;
  found.x = getTensor(getNarrow(input));
  if (!found.x)
    return false;
  Value x = getNarrow(follow(sub.getLhs(), found.x));
  if (getTensor(follow(x, found.x)) != found.x)
    return false;
  found.isNormalized = bool(sum);
  // Without a division, look for the sum among the users of the exponentials.
  if (!sum)
    for (Value user : exp->getParentOp()->getResults())
      for (Operation *reader : user.getUsers())
        if (auto op = dyn_cast<linalg::GenericOp>(reader);
            op && !sum && op != found.max && op.getNumReductionLoops() == 1 &&
            op != found.values.op)
          sum = op;
  if (!sum || !matchSum(sum, exp))
    return false;
  found.sum = sum;
  ops.insert(found.max);
  ops.insert(sum);
  return true;
}

/// Finds the first matmul, from which pointwise ops compute `tensor`. Adds the
/// matmul, and the pointwise ops that depend on it, to the attention.
bool Matcher::findScores(Value tensor) {
  Operation *def = tensor.getDefiningOp();
  if (!def || ops.size() > kMaxOps)
    return false;
  if (found.scores.op == def)
    return true;
  if (auto match = matchContraction(def)) {
    // Probabilities of f32 may be multiplied by values of 16 bits. Then the
    // queries have 16 bits or are f32, too.
    bool fits = match->kind == kind || (kind == OperandKind::HalfWeights &&
                                        match->kind == OperandKind::Half);
    if (!fits || found.scores.op)
      return false;
    found.scores = *match;
    ops.insert(def);
    return true;
  }
  if (auto known = dependsOnScores.find(def); known != dependsOnScores.end())
    return known->second;
  if (def->getNumResults() != 1 || !isPointwise(def))
    return false;
  bool depends = false;
  for (Value input : cast<linalg::GenericOp>(def).getInputs())
    if (isa<RankedTensorType>(input.getType()))
      depends |= findScores(input);
  if (depends)
    ops.insert(def);
  return dependsOnScores[def] = depends;
}

/// Returns true if no op outside reads the results of ops before the second
/// matmul.
bool Matcher::isClosed() {
  for (Operation *op : ops) {
    if (op->getBlock() != found.values.op->getBlock())
      return false;
    if (op == found.values.op)
      continue;
    for (Operation *user : op->getUsers())
      // Without normalized probabilities, an op outside divides by the sum.
      if (!ops.contains(user) && !(op == found.sum && !found.isNormalized))
        return false;
  }
  return true;
}

std::optional<LoopLabels> Attention::label(ArrayRef<Operation *> others) const {
  linalg::GenericOp root = values.op;
  LoopLabels labels;
  SmallVector<int> loops;
  for (auto [d, range] : llvm::enumerate(root.getStaticLoopRanges()))
    loops.push_back(range == 1 ? LoopLabels::kUnit : int(d));
  llvm::SetVector<Operation *> all(ops.begin(), ops.end());
  all.insert(others.begin(), others.end());
  labels.setRoot(root, loops);
  // The reduction loop of the first matmul has no label. It is also a loop of
  // the ops that compute the keys.
  llvm::SetVector<Operation *> ofKeys;
  linalg::GenericOp first = scores.op;
  SmallVector<Value> open = {first.getInputs()[scores.b]};
  while (!open.empty()) {
    Operation *def = open.pop_back_val().getDefiningOp();
    if (def && all.contains(def) && ofKeys.insert(def))
      llvm::append_range(open, def->getOperands());
  }
  bool agree = labels.propagate(all.getArrayRef()) &&
               llvm::all_of(all, [&](Operation *op) {
                 return op == first || ofKeys.contains(op) ||
                        !isa<linalg::GenericOp>(op) || labels.isComplete(op);
               });
  return agree ? std::optional(labels) : std::nullopt;
}

/// Returns true if the loops of both matmuls agree in rows, keys and batches,
/// and the sizes of heads are static and at most kMaxHeadSize.
bool Matcher::fits() {
  Contraction &scores = found.scores, &values = found.values;
  SmallVector<int64_t> inner = scores.op.getStaticLoopRanges(),
                       outer = values.op.getStaticLoopRanges();
  auto proper = [](ArrayRef<unsigned> loops, ArrayRef<int64_t> ranges) {
    SmallVector<unsigned> some;
    for (unsigned loop : loops)
      if (ranges[loop] != 1)
        some.push_back(loop);
    return some;
  };
  auto isHead = [&](ArrayRef<unsigned> loops, ArrayRef<int64_t> ranges) {
    SmallVector<unsigned> some = proper(loops, ranges);
    return some.size() == 1 && ranges[some[0]] > 0 &&
           ranges[some[0]] <= kMaxHeadSize;
  };
  SmallVector<unsigned> keys = proper(values.k, outer);
  auto isZero = [](linalg::GenericOp op) {
    return getInit(op) && matchPattern(getInit(op), m_AnyZeroFloat());
  };
  if (keys.size() != 1 || !isHead(scores.k, inner) ||
      !isHead(values.n, outer) || !isZero(scores.op) || !isZero(values.op) ||
      !values.lhsMap().isProjectedPermutation() ||
      !scores.lhsMap().isProjectedPermutation() ||
      getElementTypeOrSelf(scores.rhs().getType()) !=
          getElementTypeOrSelf(values.rhs().getType()))
    return false;
  found.key = keys[0];
  std::optional<LoopLabels> labels = found.label();
  if (!labels)
    return false;
  for (linalg::GenericOp op : {found.max, found.sum}) {
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    if (labels->ofLoops(op)[reduced[0]] != int(found.key))
      return false;
  }
  ArrayRef<int> of = labels->ofTensor(scores.op->getResult(0));
  if (of.size() != scores.resultMap().getNumResults())
    return false;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [d, label] : llvm::enumerate(of)) {
    unsigned loop = scores.resultMap().getDimPosition(d);
    if (inner[loop] == 1)
      continue;
    if (label < 0 || outer[label] != inner[loop] || !seen.insert(label).second)
      return false;
    auto same = [&](ArrayRef<unsigned> xs, ArrayRef<unsigned> ys) {
      return llvm::is_contained(xs, loop) ==
             llvm::is_contained(ys, unsigned(label));
    };
    if (!same(scores.m, values.m) || !same(scores.batch, values.batch) ||
        !same(scores.n, values.k))
      return false;
  }
  return seen.size() == proper(values.m, outer).size() +
                            proper(values.batch, outer).size() + 1;
}

bool Matcher::match(linalg::GenericOp op) {
  auto values = matchContraction(op);
  if (!values || values->kind != kind)
    return false;
  found.values = *values;
  ops.insert(op);
  if (!matchSoftmax() || !findScores(found.x) || !found.scores.op ||
      !isClosed())
    return false;
  found.ops = ops.takeVector();
  return fits();
}

std::optional<Attention> fx::kernel::matchAttention(linalg::GenericOp values,
                                                    OperandKind kind) {
  Matcher matcher;
  matcher.kind = kind;
  if (!matcher.match(values))
    return std::nullopt;
  return matcher.found;
}

std::optional<Attention>
fx::kernel::matchAnyAttention(linalg::GenericOp values) {
  auto contraction = matchContraction(values);
  if (!contraction)
    return std::nullopt;
  return matchAttention(values, contraction->kind);
}

/// Returns true if pointwise ops compute `v` from rows of a table.
static bool isGathered(Value v) {
  Operation *def = v.getDefiningOp();
  if (!def || !v.hasOneUse() || !isPointwise(def))
    return false;
  return matchRowGather(def) || llvm::any_of(def->getOperands(), isGathered);
}

/// The most rows that are few.
static constexpr int64_t kFewQueries = 32;

bool fx::kernel::hasFewQueries(const Attention &attention) {
  linalg::GenericOp op = attention.values.op;
  int64_t rows = 1;
  for (unsigned loop : attention.values.m) {
    int64_t size = op.getStaticLoopRanges()[loop];
    if (ShapedType::isDynamic(size) || size > kFewQueries)
      return false;
    rows *= size;
  }
  return rows <= kFewQueries;
}

/// The least number of keys.
static constexpr int64_t kLeastKeys = 128;

bool fx::kernel::mayRoundToBF16(const Attention &attention) {
  return mayRoundToBF16(attention.scores) && mayRoundToBF16(attention.values);
}

bool fx::kernel::isFasterAsOne(const Attention &attention) {
  Contraction scores = attention.scores, values = attention.values;
  SmallVector<int64_t> inner = scores.op.getStaticLoopRanges(),
                       outer = values.op.getStaticLoopRanges();
  auto last = [](AffineMap map) -> std::optional<unsigned> {
    if (map.getNumResults() == 0)
      return std::nullopt;
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    return dim ? std::optional(dim.getPosition()) : std::nullopt;
  };
  std::optional<unsigned> k = last(scores.rhsMap()), v = last(values.rhsMap());
  int64_t keys = outer[attention.key];
  bool isLong = ShapedType::isDynamic(keys) || keys >= kLeastKeys ||
                scores.isHalf() || mayRoundToBF16(attention) ||
                isGathered(scores.rhs());
  return k && llvm::is_contained(scores.k, *k) && inner[*k] != 1 && v &&
         llvm::is_contained(values.n, *v) && outer[*v] != 1 && isLong;
}

//===----------------------------------------------------------------------===//
// Causal masks
//===----------------------------------------------------------------------===//

namespace {
/// A loop of `values.op` plus a constant.
struct Place {
  int loop = LoopLabels::kUnknown;
  int64_t constant = 0;
};
} // namespace

static std::optional<Place> getPlace(Value v, const LoopLabels &labels) {
  APInt c;
  if (auto cast = v.getDefiningOp<arith::IndexCastOp>())
    return getPlace(cast.getIn(), labels);
  if (auto index = v.getDefiningOp<linalg::IndexOp>())
    return Place{labels.ofLoops(index->getParentOp())[index.getDim()], 0};
  auto add = v.getDefiningOp<arith::AddIOp>();
  if (!add)
    return std::nullopt;
  for (auto [x, y] : {std::pair(add.getLhs(), add.getRhs()),
                      std::pair(add.getRhs(), add.getLhs())})
    if (matchPattern(y, m_ConstantInt(&c)))
      if (std::optional<Place> place = getPlace(x, labels)) {
        place->constant += c.getSExtValue();
        return place;
      }
  return std::nullopt;
}

/// Matches a `condition` that the key is at most row + offset.
static std::optional<CausalMask>
getMask(Value condition, const Attention &attention, const LoopLabels &labels) {
  using P = arith::CmpIPredicate;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  auto x = getPlace(compare.getLhs(), labels),
       y = getPlace(compare.getRhs(), labels);
  if (!x || !y)
    return std::nullopt;
  P predicate = compare.getPredicate();
  if (predicate == P::sge || predicate == P::sgt) {
    std::swap(x, y);
    predicate = predicate == P::sge ? P::sle : P::slt;
  }
  if ((predicate != P::sle && predicate != P::slt) ||
      x->loop != int(attention.key) || y->loop < 0 ||
      !llvm::is_contained(attention.values.m, unsigned(y->loop)))
    return std::nullopt;
  return CausalMask{unsigned(y->loop),
                    y->constant - x->constant - (predicate == P::slt)};
}

/// Looks for a mask that sets elements of x to -inf. `v` is an element of x, or
/// a value from which it is computed.
static std::optional<CausalMask> findMask(Value v, const Attention &attention,
                                          const LoopLabels &labels) {
  if (Value tensor = getTensor(v)) {
    auto op = tensor.getDefiningOp<linalg::GenericOp>();
    if (!op || op == attention.scores.op ||
        !llvm::is_contained(attention.ops, op.getOperation()))
      return std::nullopt;
    return findMask(op.getBody()->getTerminator()->getOperand(0), attention,
                    labels);
  }
  Operation *def = v.getDefiningOp();
  if (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp, arith::AddFOp>(def)) {
    for (Value operand : def->getOperands())
      if (auto mask = findMask(operand, attention, labels))
        return mask;
    return std::nullopt;
  }
  auto select = dyn_cast_or_null<arith::SelectOp>(def);
  if (!select || !isLowest(select.getFalseValue()))
    return std::nullopt;
  if (auto mask = getMask(select.getCondition(), attention, labels))
    return mask;
  return findMask(select.getTrueValue(), attention, labels);
}

std::optional<CausalMask>
fx::kernel::matchCausalMask(const Attention &attention,
                            const LoopLabels &labels) {
  auto op = attention.x.getDefiningOp<linalg::GenericOp>();
  if (!op || op == attention.scores.op)
    return std::nullopt;
  return findMask(op.getBody()->getTerminator()->getOperand(0), attention,
                  labels);
}

/// Follows `v`, an element of x or a value from which it is computed, to an
/// element of the scores. Returns false if there is an op other than a product
/// with a constant and one causal mask.
static bool findScores(Value v, const Attention &attention,
                       const LoopLabels &labels, ScaledScores &found) {
  if (!v.getType().isF32())
    return false;
  if (Value tensor = getTensor(v)) {
    auto op = tensor.getDefiningOp<linalg::GenericOp>();
    if (op == attention.scores.op)
      return true;
    return op && llvm::is_contained(attention.ops, op.getOperation()) &&
           findScores(op.getBody()->getTerminator()->getOperand(0), attention,
                      labels, found);
  }
  Operation *def = v.getDefiningOp();
  if (auto product = dyn_cast_or_null<arith::MulFOp>(def)) {
    APFloat c(0.0f);
    for (auto [x, y] : {std::pair(product.getLhs(), product.getRhs()),
                        std::pair(product.getRhs(), product.getLhs())})
      if (matchPattern(y, m_ConstantFloat(&c))) {
        found.scale *= c.convertToFloat();
        return findScores(x, attention, labels, found);
      }
    return false;
  }
  auto select = dyn_cast_or_null<arith::SelectOp>(def);
  if (!select || !isLowest(select.getFalseValue()) || found.causal)
    return false;
  found.causal = getMask(select.getCondition(), attention, labels);
  return found.causal &&
         findScores(select.getTrueValue(), attention, labels, found);
}

std::optional<ScaledScores>
fx::kernel::matchScaledScores(const Attention &attention,
                              const LoopLabels &labels) {
  ScaledScores found;
  auto op = attention.x.getDefiningOp<linalg::GenericOp>();
  if (!op || (op != attention.scores.op &&
              !findScores(op.getBody()->getTerminator()->getOperand(0),
                          attention, labels, found)))
    return std::nullopt;
  if (!std::isnormal(found.scale) || found.scale < 0)
    return std::nullopt;
  return found;
}
