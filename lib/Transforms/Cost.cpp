//===- Cost.cpp - what a graph computes and moves -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Cost.h"
#include "Sizes.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"
#include "fx/Support/OutputFile.h"
#include "fx/Transforms/Passes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace fx {
#define GEN_PASS_DEF_COSTPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
/// A row of the table: a node, a module path with everything below it, or the
/// graph.
struct Row {
  std::string name, target, module;
  ExprAttr contractions, flops, bytes;
  int64_t parameters = 0;
  /// Seconds by the roofline model; nullopt if a formula is not a number.
  std::optional<double> seconds = 0;
};

/// Accumulates rows. Adds the terms of each formula only at the end, because
/// each `ExprAttr::add` sorts its terms.
struct Sum {
  SmallVector<ExprAttr> contractions, flops, bytes;
  Row row;

  void add(const Row &other) {
    contractions.push_back(other.contractions);
    flops.push_back(other.flops);
    bytes.push_back(other.bytes);
    row.seconds = row.seconds && other.seconds
                      ? std::optional(*row.seconds + *other.seconds)
                      : std::nullopt;
  }
  Row finish() {
    row.contractions = total(contractions);
    row.flops = total(flops);
    row.bytes = total(bytes);
    return row;
  }
  static ExprAttr total(ArrayRef<ExprAttr> terms) {
    if (terms.empty() || llvm::is_contained(terms, ExprAttr()))
      return {};
    return ExprAttr::add(terms.front().getContext(), terms);
  }
};

struct CostPass : fx::impl::CostPassBase<CostPass> {
  using CostPassBase::CostPassBase;

  void runOnOperation() override {
    FailureOr<SizeMap> parsed = parseSizes(getOperation(), sizeText);
    if (failed(parsed))
      return signalPassFailure();
    sizes = std::move(*parsed);
    if (format != "table" && format != "json") {
      getOperation().emitError("expected the format 'table' or 'json', got '")
          << format << "'";
      return signalPassFailure();
    }
    auto graph = getOperation().lookupSymbol<GraphOp>("main");
    if (!graph) {
      getOperation().emitError("expected an 'fx.graph @main'");
      return signalPassFailure();
    }
    collect(graph);
    auto print = [&](llvm::raw_ostream &os) {
      format == "json" ? printJson(os) : printTable(os);
      return llvm::Error::success();
    };
    if (llvm::Error error = writeOutputFile(output, print)) {
      getOperation().emitError(llvm::toString(std::move(error)));
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

private:
  void collect(GraphOp graph);
  Row measure(Operation *op, const OperatorView &call,
              llvm::StringMap<int64_t> &states);
  std::string getText(ExprAttr expr);
  std::string getIntensity(const Row &row);
  void printTable(llvm::raw_ostream &os);
  void printJson(llvm::raw_ostream &os);
  void printRow(llvm::json::OStream &json, const Row &row);

  SizeMap sizes;
  std::vector<Row> nodes, modules;
  Row whole;
};
} // namespace

Row CostPass::measure(Operation *op, const OperatorView &call,
                      llvm::StringMap<int64_t> &states) {
  Row row;
  row.name = getNodeName(op).value_or("").str();
  row.target = cast<NodeOpInterface>(op).getTargetName().str();
  row.module = getModulePath(op->getLoc());
  for (Value operand : op->getOperands())
    if (auto input = operand.getDefiningOp<PlaceholderOp>();
        input && input.getKind() == InputKind::Parameter)
      if (ExprAttr count = getElementCount(operand.getType())) {
        int64_t elements = count.getInteger().value_or(0);
        row.parameters += elements;
        // Sums count a parameter that several nodes share only once.
        states[input.getTarget().value_or(input.getName())] = elements;
      }
  if (call) {
    Cost cost = getCost(call);
    row.contractions = cost.contractions;
    row.flops = cost.total;
    row.bytes = cost.bytes;
  }
  std::optional<int64_t> flops = evaluate(row.flops, sizes),
                         bytes = evaluate(row.bytes, sizes);
  row.seconds = flops && bytes
                    ? std::optional(std::max(*flops / (peak * 1e9),
                                             *bytes / (bandwidth * 1e9)))
                    : std::nullopt;
  return row;
}

void CostPass::collect(GraphOp graph) {
  Sum all;
  std::map<std::string, Sum> sums;
  std::map<std::string, llvm::StringMap<int64_t>> states;
  llvm::StringMap<int64_t> allStates;
  for (Operation &op : graph.getBlock()) {
    if (!isa<NodeOpInterface>(op))
      continue;
    OperatorView call = getOperatorView(&op);
    llvm::StringMap<int64_t> used;
    Row row = measure(&op, call, used);
    if (!row.flops)
      ++numUnknown;
    else
      ++numCounted;
    all.add(row);
    // Visit each module that contains the node, the innermost first.
    for (StringRef path = row.module; !path.empty();
         path = path.contains('.') ? path.rsplit('.').first : StringRef()) {
      sums[path.str()].add(row);
      for (auto &[name, count] : used)
        states[path.str()][name] = count;
    }
    for (auto &[name, count] : used)
      allStates[name] = count;
    nodes.push_back(std::move(row));
  }
  auto sum = [](const llvm::StringMap<int64_t> &map) {
    int64_t n = 0;
    for (auto &[name, count] : map)
      n += count;
    return n;
  };
  for (auto &[path, s] : sums) {
    Row row = s.finish();
    row.name = path;
    row.parameters = sum(states[path]);
    modules.push_back(std::move(row));
  }
  llvm::sort(modules,
             [](const Row &a, const Row &b) { return a.name < b.name; });
  whole = all.finish();
  whole.name = "total";
  whole.parameters = sum(allStates);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Returns the number if the sizes are known, else the formula.
std::string CostPass::getText(ExprAttr expr) {
  if (!expr)
    return "?";
  if (std::optional<int64_t> value = evaluate(expr, sizes))
    return std::to_string(*value);
  std::string text;
  llvm::raw_string_ostream os(text);
  expr.printInfix(os);
  return text;
}

/// Returns the arithmetic intensity (operations per byte).
std::string CostPass::getIntensity(const Row &row) {
  std::optional<int64_t> flops = evaluate(row.flops, sizes),
                         bytes = evaluate(row.bytes, sizes);
  std::string text = "-";
  if (flops && bytes && *bytes) {
    text.clear();
    llvm::raw_string_ostream(text)
        << llvm::format("%.2f", double(*flops) / double(*bytes));
  }
  return text;
}

void CostPass::printTable(llvm::raw_ostream &os) {
  std::vector<std::array<std::string, 8>> lines{
      {"node", "target", "contractions", "flops", "bytes", "params",
       "flops/byte", "us"}};
  auto add = [&](const Row &row) {
    std::string time = "-";
    if (row.seconds) {
      time.clear();
      llvm::raw_string_ostream(time)
          << llvm::format("%.2f", *row.seconds * 1e6);
    }
    lines.push_back({row.name, row.target, getText(row.contractions),
                     getText(row.flops), getText(row.bytes),
                     std::to_string(row.parameters), getIntensity(row), time});
  };
  llvm::for_each(nodes, add);
  if (!modules.empty())
    lines.push_back({"module"});
  llvm::for_each(modules, add);
  add(whole);
  std::array<size_t, 8> widths{};
  for (auto &line : lines)
    for (auto [width, text] : llvm::zip_equal(widths, line))
      width = std::max(width, text.size());
  for (auto &line : lines) {
    std::string text;
    for (auto [i, cell] : llvm::enumerate(line)) {
      std::string pad(widths[i] - cell.size(), ' ');
      // Align names to the left and numbers to the right.
      text += (i ? "  " : "") + (i < 2 ? cell + pad : pad + cell);
    }
    os << StringRef(text).rtrim() << "\n";
  }
}

void CostPass::printRow(llvm::json::OStream &json, const Row &row) {
  auto attribute = [&](StringRef key, ExprAttr expr) {
    std::optional<int64_t> value = evaluate(expr, sizes);
    if (value)
      json.attribute(key, *value);
    else if (expr)
      json.attribute(key, getText(expr));
    else
      json.attribute(key, nullptr);
  };
  json.object([&] {
    json.attribute("name", row.name);
    if (!row.target.empty()) {
      json.attribute("target", row.target);
      json.attribute("module", row.module);
    }
    attribute("contractions", row.contractions);
    attribute("flops", row.flops);
    attribute("bytes", row.bytes);
    json.attribute("parameters", row.parameters);
    if (row.seconds)
      json.attribute("seconds", *row.seconds);
    else
      json.attribute("seconds", nullptr);
  });
}

void CostPass::printJson(llvm::raw_ostream &os) {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    auto list = [&](StringRef key, ArrayRef<Row> rows) {
      json.attributeArray(key, [&] {
        for (const Row &row : rows)
          printRow(json, row);
      });
    };
    list("nodes", nodes);
    list("modules", modules);
    json.attributeBegin("total");
    printRow(json, whole);
    json.attributeEnd();
  });
  os << "\n";
}
