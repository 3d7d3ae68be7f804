//===- Signature.cpp - what a graph takes and checks ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/Signature.h"
#include "fx/IR/Ranges.h"
#include "fx/Support/LocatedError.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;

namespace fx {

std::optional<DType> InputLeaf::getDType() const {
  switch (kind) {
  case LeafKind::Tensor:
    return fx::getDType(type.getDtype());
  case LeafKind::Int:
    return DType::I64;
  case LeafKind::Float:
    return DType::F64;
  case LeafKind::Bool:
    return DType::Bool;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Reading the graph
//===----------------------------------------------------------------------===//

/// Returns the kind of a leaf whose value export made a constant.
static std::optional<LeafKind> getConstantKind(Attribute value) {
  if (isa<NoneAttr>(value))
    return LeafKind::None;
  if (isa<StringAttr>(value))
    return LeafKind::String;
  if (isa<BoolAttr>(value))
    return LeafKind::Bool;
  if (isa<IntegerAttr>(value))
    return LeafKind::Int;
  if (isa<FloatAttr>(value))
    return LeafKind::Float;
  return std::nullopt;
}

static llvm::Error readLeaf(PlaceholderOp op, InputLeaf &leaf) {
  leaf.name = op.getName().str();
  Type type = op.getResult().getType();
  if (Attribute value = op.getValueAttr()) {
    std::optional<LeafKind> kind = getConstantKind(value);
    if (!kind)
      return makeLocatedError(leaf.name, "constant input of an unknown kind");
    leaf.kind = *kind;
    leaf.constant = value;
    return llvm::Error::success();
  }
  if (auto tensor = dyn_cast<FakeTensorType>(type)) {
    leaf.kind = LeafKind::Tensor;
    leaf.type = tensor;
    if (!leaf.getDType()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << tensor.getDtype();
      return makeLocatedError(leaf.name,
                              "inputs of dtype " + text + " are not supported");
    }
  } else if (auto sym = dyn_cast<SymIntType>(type)) {
    leaf.kind = LeafKind::Int;
    leaf.expr = sym.getExpr();
  } else if (auto sym = dyn_cast<SymFloatType>(type)) {
    leaf.kind = LeafKind::Float;
    leaf.expr = sym.getExpr();
  } else if (auto sym = dyn_cast<SymBoolType>(type)) {
    leaf.kind = LeafKind::Bool;
    leaf.expr = sym.getExpr();
  } else if (isa<NoneType>(type)) {
    leaf.kind = LeafKind::None;
  } else if (isa<StringType>(type)) {
    leaf.kind = LeafKind::String;
  } else {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << type;
    return makeLocatedError(leaf.name,
                            "inputs of type '" + text + "' cannot be passed");
  }
  return llvm::Error::success();
}

llvm::Expected<GraphSignature> GraphSignature::get(ModuleOp module) {
  auto graph = module.lookupSymbol<GraphOp>("main");
  if (!graph)
    return makeLocatedError("", "the module has no graph @main");
  return get(graph);
}

llvm::Expected<GraphSignature> GraphSignature::get(GraphOp graph) {
  GraphSignature signature;
  signature.graph = graph;
  for (PlaceholderOp op : graph.getPlaceholders()) {
    if (op.getKind() != InputKind::UserInput &&
        op.getKind() != InputKind::ConstantInput)
      continue;
    if (llvm::Error error = readLeaf(op, signature.inputs.emplace_back()))
      return std::move(error);
  }
  return signature;
}

//===----------------------------------------------------------------------===//
// Checking a call
//===----------------------------------------------------------------------===//

static std::string toText(ExprAttr expr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  expr.printInfix(os);
  return text;
}

static std::string toText(FakeTensorType type, DType dtype) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getName(dtype) << "[";
  llvm::interleaveComma(type.getSizes(), os,
                        [&](ExprAttr size) { size.printInfix(os); });
  os << "]";
  return text;
}

/// Returns true if `value` is the constant of the scalar leaf. Sets `expected`
/// and `got` to the texts of both.
static bool equalsConstant(const InputLeaf &leaf, const HostTensor &value,
                           std::string &expected, std::string &got) {
  llvm::raw_string_ostream e(expected), g(got);
  switch (leaf.kind) {
  case LeafKind::Bool: {
    bool want = cast<BoolAttr>(leaf.constant).getValue();
    bool have = value.item<bool>();
    e << (want ? "True" : "False");
    g << (have ? "True" : "False");
    return want == have;
  }
  case LeafKind::Int: {
    int64_t want = cast<IntegerAttr>(leaf.constant).getValue().getSExtValue();
    int64_t have = value.item<int64_t>();
    e << want;
    g << have;
    return want == have;
  }
  default: {
    double want = cast<FloatAttr>(leaf.constant).getValueAsDouble();
    double have = value.item<double>();
    e << llvm::format("%.17g", want);
    g << llvm::format("%.17g", have);
    return want == have || (std::isnan(want) && std::isnan(have));
  }
  }
}

llvm::Error GraphSignature::checkLeaf(const InputLeaf &leaf,
                                      const HostValue &value) const {
  if (!leaf.isPassed())
    return value ? makeLocatedError(leaf.name, "expected no value for a None "
                                               "or str input, got " +
                                                   value->describe())
                 : llvm::Error::success();
  if (!value)
    return makeLocatedError(leaf.name, "no value is given");
  DType dtype = *leaf.getDType();
  size_t rank = leaf.type ? leaf.type.getRank() : 0;
  std::string expected =
      leaf.type ? toText(leaf.type, dtype) : (getName(dtype) + "[]").str();
  if (value->dtype != dtype || value->sizes.size() != rank)
    return makeLocatedError(leaf.name, "expected " + expected + ", got " +
                                           value->describe());
  if (leaf.constant) {
    std::string want, have;
    if (!equalsConstant(leaf, *value, want, have))
      return makeLocatedError(leaf.name,
                              "the model was exported for the value " + want +
                                  ", got " + have);
  }
  return llvm::Error::success();
}

/// Solves `expr = value` if `expr` is a*s + b with one unbound symbol `s`, and
/// binds `s` in `symbols`.
static void solve(ExprAttr expr, int64_t value, SymbolValues &symbols) {
  StringRef unknown;
  bool several = false;
  expr.walkSymbols([&](StringRef name) {
    if (symbols.contains(name) || name == unknown)
      return;
    several |= !unknown.empty();
    unknown = name;
  });
  if (unknown.empty() || several)
    return;
  auto at = [&](int64_t x) {
    return expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
      if (name == unknown)
        return x;
      auto it = symbols.find(name);
      return it == symbols.end() ? std::nullopt : std::optional(it->second);
    });
  };
  std::optional<int64_t> zero = at(0), one = at(1);
  int64_t slope, rest;
  if (!zero || !one || llvm::SubOverflow(*one, *zero, slope) || slope == 0 ||
      llvm::SubOverflow(value, *zero, rest) ||
      (slope == -1 && rest == INT64_MIN))
    return;
  // Bind the symbol only if the solution is exact. If `expr` is not linear, the
  // size check reports a mismatch.
  int64_t x = rest / slope;
  if (at(x) == value)
    symbols[unknown] = x;
}

void GraphSignature::bind(llvm::ArrayRef<HostValue> values,
                          SymbolValues &symbols) const {
  // Bind plain symbols first: `s17 + 1` may come before the `s17` that defines
  // the symbol.
  for (bool plain : {true, false})
    for (auto [leaf, value] : llvm::zip_equal(inputs, values)) {
      auto visit = [&](ExprAttr expr, int64_t have) {
        if (plain && expr.isSymbol())
          symbols.try_emplace(expr.getName().getValue(), have);
        else if (!plain && !expr.isInteger())
          solve(expr, have, symbols);
      };
      if (leaf.type)
        for (auto [expr, have] :
             llvm::zip_equal(leaf.type.getSizes(), value->sizes))
          visit(expr, have);
      else if (leaf.expr && leaf.kind == LeafKind::Int)
        visit(leaf.expr, value->item<int64_t>());
      else if (leaf.expr && leaf.kind == LeafKind::Bool)
        visit(leaf.expr, value->item<bool>());
    }
}

static std::optional<int64_t> evaluate(ExprAttr expr,
                                       const SymbolValues &symbols) {
  return expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
    auto it = symbols.find(name);
    return it == symbols.end() ? std::nullopt : std::optional(it->second);
  });
}

llvm::Error GraphSignature::checkSizes(llvm::ArrayRef<HostValue> values,
                                       const SymbolValues &symbols) const {
  for (auto [leaf, value] : llvm::zip_equal(inputs, values)) {
    if (leaf.type) {
      for (auto [dim, expr] : llvm::enumerate(leaf.type.getSizes())) {
        int64_t have = value->sizes[dim];
        std::optional<int64_t> want = evaluate(expr, symbols);
        if (want && *want == have)
          continue;
        std::string text = "dimension " + std::to_string(dim) + ": expected ";
        text += toText(expr);
        if (want && !expr.isInteger())
          text += " = " + std::to_string(*want);
        return makeLocatedError(leaf.name,
                                text + ", got " + std::to_string(have));
      }
    } else if (leaf.expr && leaf.kind == LeafKind::Int) {
      std::optional<int64_t> want = evaluate(leaf.expr, symbols);
      int64_t have = value->item<int64_t>();
      if (want && *want == have)
        continue;
      std::string text = "expected " + toText(leaf.expr);
      if (want)
        text += " = " + std::to_string(*want);
      return makeLocatedError(leaf.name,
                              text + ", got " + std::to_string(have));
    }
  }
  return llvm::Error::success();
}

/// Finds the first input that uses a symbol of `expr`. Returns the input's name
/// and the beginning of a message about it, such as "dimension 0: ".
static std::pair<std::string, std::string> findUse(ArrayRef<InputLeaf> inputs,
                                                   ExprAttr expr) {
  llvm::StringSet<> symbols;
  expr.walkSymbols([&](StringRef name) { symbols.insert(name); });
  for (const InputLeaf &leaf : inputs) {
    if (leaf.type)
      for (auto [dim, size] : llvm::enumerate(leaf.type.getSizes())) {
        bool uses = false;
        size.walkSymbols(
            [&](StringRef name) { uses |= symbols.contains(name); });
        if (uses)
          return {leaf.name, "dimension " + std::to_string(dim) + ": "};
      }
    else if (leaf.expr && leaf.expr.isSymbol() &&
             symbols.contains(leaf.expr.getName().getValue()))
      return {leaf.name, ""};
  }
  return {"", ""};
}

llvm::Error GraphSignature::checkConditions(const SymbolValues &symbols) const {
  GraphOp op = graph;
  for (Attribute attr : op.getSymbols()) {
    auto range = dyn_cast<RangeAttr>(attr);
    if (!range)
      continue;
    std::optional<int64_t> value = evaluate(range.getExpr(), symbols);
    if (!value)
      continue; // a data-dependent symbol: checked by the graph's own nodes
    std::optional<int64_t> min = getCheckedMin(range), max = range.getMax();
    if (!(min && *value < *min) && !(max && *value > *max))
      continue;
    auto [where, what] = findUse(inputs, range.getExpr());
    std::string text;
    llvm::raw_string_ostream os(text);
    os << what << "expected ";
    range.printBody(os);
    return makeLocatedError(where, text + ", got " + std::to_string(*value));
  }
  for (GuardOp guard : op.getBlock().getOps<GuardOp>()) {
    ExprAttr condition = guard.getConditionAttr();
    if (!condition)
      continue;
    std::optional<int64_t> value = evaluate(condition, symbols);
    if (!value || *value != 0)
      continue;
    auto [where, what] = findUse(inputs, condition);
    std::string text = what + "guard '" + guard.getCode().str() +
                       "' does not hold: expected " + toText(condition) +
                       ", got";
    llvm::StringSet<> seen;
    condition.walkSymbols([&](StringRef name) {
      auto it = symbols.find(name);
      if (it != symbols.end() && seen.insert(name).second)
        text += " " + name.str() + " = " + std::to_string(it->second);
    });
    return makeLocatedError(where, text);
  }
  return llvm::Error::success();
}

llvm::Expected<SymbolValues>
GraphSignature::check(llvm::ArrayRef<HostValue> values) const {
  if (values.size() != inputs.size())
    return makeLocatedError("", "expected " + std::to_string(inputs.size()) +
                                    " inputs, got " +
                                    std::to_string(values.size()));
  for (auto [leaf, value] : llvm::zip_equal(inputs, values))
    if (llvm::Error error = checkLeaf(leaf, value))
      return std::move(error);
  SymbolValues symbols;
  bind(values, symbols);
  if (llvm::Error error = checkSizes(values, symbols))
    return std::move(error);
  if (llvm::Error error = checkConditions(symbols))
    return std::move(error);
  return symbols;
}

} // namespace fx
