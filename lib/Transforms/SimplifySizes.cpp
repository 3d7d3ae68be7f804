//===- SimplifySizes.cpp - sizes by the ranges of their symbols -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simplifies `max` and `min` in sizes: interval arithmetic proves that some
// arguments never are the result, as in torch.export
// (torch/utils/_sympy/value_ranges.py).
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fx;

namespace fx {
#define GEN_PASS_DEF_SIMPLIFYSIZESPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

namespace {
/// A closed interval; an absent bound is infinite.
struct Interval {
  std::optional<int64_t> low, high;
};
using Bound = std::optional<int64_t>;

class SizeSimplifier {
public:
  explicit SizeSimplifier(GraphOp graph);

  /// Returns `expr` without those arguments of `max` and `min` that never are
  /// the result.
  ExprAttr simplify(ExprAttr expr) const;
  bool knowsNothing() const { return ranges.empty(); }

private:
  Interval getInterval(ExprAttr expr) const;
  /// Drops the arguments of a maximum (else minimum) that are never greater
  /// (less) than another argument.
  void dropNever(SmallVectorImpl<ExprAttr> &args, bool isMax) const;

  llvm::StringMap<Interval> ranges;
};
} // namespace

SizeSimplifier::SizeSimplifier(GraphOp graph) {
  for (auto range : graph.getSymbols().getAsRange<RangeAttr>()) {
    if (!range.getExpr().isSymbol())
      continue;
    Interval interval{range.getMin(), range.getMax()};
    StringRef name = range.getExpr().getName().getValue();
    // torch.export assumes that a backed symbol is at least 2, but at run time
    // the size can be 1 or 0. Assume at least 1, so that the result is valid
    // for a size of 1. For a size of 0 the tensor is empty and has no elements
    // to read.
    if (name.starts_with("s") && (!interval.low || *interval.low <= 2))
      interval.low = 1;
    ranges[name] = interval;
  }
}

static Bound add(Bound x, Bound y) {
  int64_t sum;
  if (!x || !y || llvm::AddOverflow(*x, *y, sum))
    return std::nullopt;
  return sum;
}

static Bound multiply(Bound x, Bound y) {
  int64_t product;
  if (!x || !y || llvm::MulOverflow(*x, *y, product))
    return std::nullopt;
  return product;
}

static Interval scale(Interval x, int64_t factor) {
  if (factor >= 0)
    return {multiply(x.low, factor), multiply(x.high, factor)};
  return {multiply(x.high, factor), multiply(x.low, factor)};
}

Interval SizeSimplifier::getInterval(ExprAttr expr) const {
  if (Bound value = expr.getInteger())
    return {value, value};
  if (expr.isSymbol())
    return ranges.lookup(expr.getName().getValue());
  SmallVector<Interval> parts;
  for (ExprAttr operand : expr.getOperands())
    parts.push_back(getInterval(operand));
  if (expr.getKind() == ExprKind::Add) {
    Interval sum{0, 0};
    for (const Interval &part : parts)
      sum = {add(sum.low, part.low), add(sum.high, part.high)};
    return sum;
  }
  if (expr.getKind() == ExprKind::Mul) {
    Interval product{1, 1};
    for (const Interval &part : parts) {
      if (product.low && product.low == product.high)
        product = scale(part, *product.low);
      else if (part.low && part.low == part.high)
        product = scale(product, *part.low);
      else if (product.low >= Bound(0) && part.low >= Bound(0))
        product = {multiply(product.low, part.low),
                   multiply(product.high, part.high)};
      else
        return {};
    }
    return product;
  }
  if (expr.getKind() != ExprKind::Call)
    return {};
  StringRef name = expr.getName().getValue();
  if (name == "max" || name == "min") {
    bool isMax = name == "max";
    Interval result = parts.front();
    for (const Interval &part : ArrayRef(parts).drop_front()) {
      // An absent low bound is minus infinity, an absent high bound is plus
      // infinity. std::max orders an absent value below all others.
      if (isMax) {
        result.low = std::max(result.low, part.low);
        result.high = result.high && part.high
                          ? Bound(std::max(*result.high, *part.high))
                          : std::nullopt;
      } else {
        result.low = result.low && part.low
                         ? Bound(std::min(*result.low, *part.low))
                         : std::nullopt;
        result.high = !result.high ? part.high
                      : !part.high ? result.high
                                   : Bound(std::min(*result.high, *part.high));
      }
    }
    return result;
  }
  Bound divisor = parts.size() == 2 && parts[1].low == parts[1].high
                      ? parts[1].low
                      : Bound();
  if (name == "floordiv" && divisor && *divisor > 0) {
    auto divide = [&](Bound x) -> Bound {
      return x ? Bound(llvm::divideFloorSigned(*x, *divisor)) : x;
    };
    return {divide(parts[0].low), divide(parts[0].high)};
  }
  if (name == "mod" && divisor && *divisor > 0)
    return {0, *divisor - 1};
  return {};
}

static bool isExtreme(ExprAttr expr) {
  return expr.getKind() == ExprKind::Call &&
         llvm::is_contained({"max", "min"}, expr.getName().getValue());
}

void SizeSimplifier::dropNever(SmallVectorImpl<ExprAttr> &args,
                               bool isMax) const {
  for (size_t i = 0; i < args.size() && args.size() > 1;) {
    Interval mine = getInterval(args[i]);
    bool never = llvm::any_of(llvm::enumerate(args), [&](auto other) {
      Interval theirs = getInterval(other.value());
      return other.index() != i &&
             (isMax ? mine.high && theirs.low && *theirs.low >= *mine.high
                    : mine.low && theirs.high && *theirs.high <= *mine.low);
    });
    if (never)
      args.erase(args.begin() + i);
    else
      ++i;
  }
}

ExprAttr SizeSimplifier::simplify(ExprAttr expr) const {
  if (!expr || expr.getOperands().empty())
    return expr;
  SmallVector<ExprAttr> operands;
  for (ExprAttr operand : expr.getOperands())
    operands.push_back(simplify(operand));
  if (isExtreme(expr)) {
    dropNever(operands, expr.getName().getValue() == "max");
    if (operands.size() == 1)
      return operands.front();
  }
  ExprAttr result = rebuild(expr, operands);
  return result ? result : expr; // null where integers overflow
}

namespace {
struct SimplifySizesPass : fx::impl::SimplifySizesPassBase<SimplifySizesPass> {
  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>()) {
      SizeSimplifier simplifier(graph);
      if (simplifier.knowsNothing())
        continue;
      AttrTypeReplacer replacer;
      replacer.addReplacement([&](ExprAttr expr) {
        ExprAttr result = simplifier.simplify(expr);
        numSimplified += result != expr;
        return std::pair<Attribute, WalkResult>(result, WalkResult::skip());
      });
      // Leave guards and ranges, which are attributes, unchanged.
      replacer.recursivelyReplaceElementsIn(graph, /*replaceAttrs=*/false,
                                            /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
    }
  }
};
} // namespace
