//===- Sizes.cpp - integers for symbolic sizes ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace fx;

FailureOr<SizeMap> fx::parseSizes(Operation *op, StringRef text) {
  SizeMap sizes;
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    int64_t value;
    if (name.trim().empty() || number.trim().getAsInteger(10, value) ||
        value < 0)
      return op->emitError("expected sizes as 'symbol=integer', got '")
             << part << "'";
    sizes[name.trim()] = value;
  }
  return sizes;
}

std::optional<int64_t> fx::evaluate(ExprAttr expr, const SizeMap &sizes) {
  if (!expr)
    return std::nullopt;
  return expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
    auto it = sizes.find(name);
    return it == sizes.end() ? std::nullopt : std::optional(it->second);
  });
}

ExprAttr fx::rebuild(ExprAttr expr, ArrayRef<ExprAttr> operands) {
  MLIRContext *ctx = expr.getContext();
  switch (expr.getKind()) {
  case ExprKind::Add:
    return ExprAttr::add(ctx, operands);
  case ExprKind::Mul:
    return ExprAttr::mul(ctx, operands);
  default:
    return ExprAttr::call(ctx, expr.getName().getValue(), operands);
  }
}

/// Replaces the symbols of `expr` that are in `sizes` by integers. Returns the
/// canonical form; null if it overflows or divides by zero.
static ExprAttr substitute(ExprAttr expr, const SizeMap &sizes) {
  MLIRContext *ctx = expr.getContext();
  if (expr.isSymbol()) {
    auto it = sizes.find(expr.getName().getValue());
    return it == sizes.end() ? expr : ExprAttr::integer(ctx, it->second);
  }
  if (expr.getOperands().empty())
    return expr;
  SmallVector<ExprAttr> operands;
  for (ExprAttr operand : expr.getOperands()) {
    operands.push_back(substitute(operand, sizes));
    if (!operands.back())
      return {};
  }
  return rebuild(expr, operands);
}

/// Checks the ranges and sets `kept` to those whose expressions are still
/// unknown. Fails if a value is out of range or a symbol of `sizes` has no
/// range.
static LogicalResult checkRanges(GraphOp graph, const SizeMap &sizes,
                                 SmallVectorImpl<Attribute> &kept) {
  SizeMap unused = sizes;
  for (auto range : graph.getSymbols().getAsRange<RangeAttr>()) {
    if (range.getExpr().isSymbol())
      unused.erase(range.getExpr().getName().getValue());
    std::optional<int64_t> value = evaluate(range.getExpr(), sizes);
    if (!value) {
      kept.push_back(range);
      continue;
    }
    if ((range.getMin() && *value < *range.getMin()) ||
        (range.getMax() && *value > *range.getMax())) {
      std::string text;
      llvm::raw_string_ostream os(text);
      range.printBody(os);
      return graph.emitError("expected ") << text << ", got " << *value;
    }
  }
  if (!unused.empty())
    return graph.emitError("expected a symbol of the graph, got '")
           << unused.begin()->getKey() << "'";
  return success();
}

/// Returns true if an expression of the graph overflows or divides by zero.
static bool hasOverflow(GraphOp graph, const SizeMap &sizes) {
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr expr) {
    return substitute(expr, sizes) ? WalkResult::skip()
                                   : WalkResult::interrupt();
  });
  return graph
      .walk([&](Operation *op) {
        WalkResult result = walker.walk(op->getAttrDictionary());
        for (Type type : op->getResultTypes())
          if (!result.wasInterrupted())
            result = walker.walk(type);
        return result.wasInterrupted() ? result : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult fx::specialize(GraphOp graph, const SizeMap &sizes) {
  // Check everything before the graph changes.
  SmallVector<Attribute> ranges;
  if (failed(checkRanges(graph, sizes, ranges)))
    return failure();
  SmallVector<GuardOp> holding;
  for (auto guard : graph.getBlock().getOps<GuardOp>()) {
    ExprAttr condition = guard.getConditionAttr();
    std::optional<int64_t> value = evaluate(condition, sizes);
    if (value == 0)
      return guard.emitError("guard does not hold: ") << guard.getCode();
    if (value)
      holding.push_back(guard);
  }
  if (hasOverflow(graph, sizes))
    return graph.emitError("a size overflows, or divides by zero");
  graph.setSymbolsAttr(ArrayAttr::get(graph.getContext(), ranges));
  for (GuardOp guard : holding)
    guard.erase();
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ExprAttr expr) {
    return std::pair<Attribute, WalkResult>(substitute(expr, sizes),
                                            WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(graph, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return success();
}
