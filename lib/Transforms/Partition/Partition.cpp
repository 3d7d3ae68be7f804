//===- Partition.cpp - split a graph into sub-graphs ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition.h"
#include "../NodeNamer.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Cost.h"
#include "fx/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

namespace fx {
#define GEN_PASS_DEF_PARTITIONPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
using namespace fx::partition;

namespace {
/// What crosses the border of a block.
struct Border {
  /// From outside, in the order of their first use; neither states nor
  /// references, of which a block has its own.
  llvm::SetVector<Value> inputs;
  /// Placeholders of states and references to graphs.
  llvm::SetVector<Operation *> copies;
  /// What is used outside.
  SmallVector<Value> outputs;
};

struct PartitionPass : fx::impl::PartitionPassBase<PartitionPass> {
  using PartitionPassBase::PartitionPassBase;

  void runOnOperation() override {
    if (failed(partition()))
      signalPassFailure();
  }

private:
  LogicalResult partition();
  FailureOr<Predicate> getPredicate();
  void makeBlock(GraphOp graph, const Unit &unit, StringRef name,
                 NodeNamer &namer);
  LogicalResult printReport(GraphOp graph, ArrayRef<Unit> units,
                            ArrayRef<std::string> names,
                            const Coloring &coloring, const SizeMap &sizes);
};
} // namespace

static bool isState(Operation *op) {
  auto placeholder = dyn_cast_if_present<PlaceholderOp>(op);
  return placeholder && placeholder.getTarget();
}

static Border getBorder(const Unit &unit) {
  Border border;
  llvm::SmallPtrSet<Operation *, 16> inside(unit.nodes.begin(),
                                            unit.nodes.end());
  for (Operation *op : unit.nodes) {
    for (Value operand : op->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (inside.contains(definition))
        continue;
      if (isState(definition) || isa<GetAttrOp>(definition))
        border.copies.insert(definition);
      else
        border.inputs.insert(operand);
    }
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !inside.contains(user); }))
        border.outputs.push_back(result);
  }
  return border;
}

/// The ranges of the graph's symbols that the types in `block` use.
static ArrayAttr getRanges(GraphOp graph, Block &block) {
  llvm::StringSet<> used;
  for (Operation &op : block)
    for (Type type : op.getResultTypes())
      type.walk([&](ExprAttr expr) {
        expr.walkSymbols([&](StringRef symbol) { used.insert(symbol); });
      });
  SmallVector<Attribute> ranges;
  for (Attribute attr : graph.getSymbols()) {
    bool isUsed = false;
    cast<RangeAttr>(attr).getExpr().walkSymbols(
        [&](StringRef symbol) { isUsed |= used.contains(symbol); });
    if (isUsed)
      ranges.push_back(attr);
  }
  return ArrayAttr::get(graph.getContext(), ranges);
}

static std::string getValueName(Value value) {
  SmallVector<StringRef> names = getResultNames(value.getDefiningOp());
  unsigned i = cast<OpResult>(value).getResultNumber();
  return i < names.size() && !names[i].empty() ? names[i].str() : "value";
}

static PlaceholderOp createInput(OpBuilder &b, Value value, StringRef name) {
  Location loc = NameLoc::get(b.getStringAttr(name));
  OperationState state(loc, PlaceholderOp::getOperationName());
  state.addTypes(value.getType());
  state.addAttribute("name", b.getStringAttr(name));
  return cast<PlaceholderOp>(b.create(state));
}

/// Moves the nodes of a block into a graph of their own and calls it.
void PartitionPass::makeBlock(GraphOp graph, const Unit &unit, StringRef name,
                              NodeNamer &namer) {
  MLIRContext *ctx = &getContext();
  Border border = getBorder(unit);
  OpBuilder b(graph);
  std::string symbol = (graph.getSymName() + "." + name).str();
  auto body = GraphOp::create(b, graph.getLoc(), symbol, /*isPrivate=*/true);
  body.setFunctional(true);

  // The call, where the last of the nodes stands.
  b.setInsertionPoint(unit.nodes.back());
  SmallVector<Attribute> leaves(border.inputs.size(), OperandAttr::get(ctx));
  SmallVector<Type> types(ValueRange(border.outputs).getTypes());
  auto call =
      CallModuleOp::create(b, graph.getLoc(), types, b.getStringAttr(name),
                           border.inputs.getArrayRef(), b.getArrayAttr(leaves),
                           b.getArrayAttr({}), ArrayAttr());
  call->setAttr("fx.body", FlatSymbolRefAttr::get(ctx, symbol));
  std::string names = name.str();
  if (border.outputs.size() != 1) {
    // As FX's getitem nodes: each result under the name that it had.
    SmallVector<std::string> each;
    for (Value output : border.outputs)
      each.push_back(getValueName(output));
    if (!each.empty())
      names = llvm::join(each, ",");
  }
  call->setLoc(NameLoc::get(b.getStringAttr(names)));

  for (auto [output, result] :
       llvm::zip_equal(border.outputs, call->getResults()))
    output.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !llvm::is_contained(unit.nodes, use.getOwner());
    });
  for (Operation *op : unit.nodes)
    op->moveBefore(&body.getBlock(), body.getBlock().end());
  NodeNamer inner(body);
  b.setInsertionPointToStart(&body.getBlock());
  auto replaceInside = [&](Value from, Value to) {
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return use.getOwner()->getParentOp() == body;
    });
  };
  auto copy = [&](Operation *op) {
    Operation *copied = b.clone(*op);
    if (auto placeholder = dyn_cast<PlaceholderOp>(copied)) {
      placeholder.setName(inner.getUnique(placeholder.getName()));
      copied->setLoc(NameLoc::get(placeholder.getNameAttr()));
    } else {
      inner.makeUnique(copied);
    }
    replaceInside(op->getResult(0), copied->getResult(0));
  };
  // States, then what the user gives, then the other nodes.
  for (Operation *op : border.copies)
    if (isa<PlaceholderOp>(op))
      copy(op);
  for (Value input : border.inputs) {
    std::string inputName = inner.getUnique(getValueName(input));
    replaceInside(input, createInput(b, input, inputName).getResult());
  }
  for (Operation *op : border.copies)
    if (!isa<PlaceholderOp>(op))
      copy(op);
  b.setInsertionPointToEnd(&body.getBlock());
  leaves.assign(border.outputs.size(), OperandAttr::get(ctx));
  OutputOp::create(b, graph.getLoc(), border.outputs, b.getArrayAttr(leaves),
                   ArrayAttr());
  if (ArrayAttr ranges = getRanges(graph, body.getBlock()); !ranges.empty())
    body.setSymbolsAttr(ranges);
}

static void printBytes(llvm::raw_ostream &os, ArrayRef<Value> values,
                       const SizeMap &sizes) {
  SmallVector<ExprAttr> terms;
  for (Value value : values)
    if (ExprAttr bytes = getByteCount(value.getType()))
      terms.push_back(bytes);
  if (terms.empty()) {
    os << 0;
    return;
  }
  ExprAttr sum = ExprAttr::add(terms.front().getContext(), terms);
  if (std::optional<int64_t> number = evaluate(sum, sizes))
    os << *number;
  else if (sum)
    sum.printInfix(os);
  else
    os << '?';
}

LogicalResult PartitionPass::printReport(GraphOp graph, ArrayRef<Unit> units,
                                         ArrayRef<std::string> names,
                                         const Coloring &coloring,
                                         const SizeMap &sizes) {
  std::error_code error;
  llvm::ToolOutputFile file(report, error, llvm::sys::fs::OF_Text);
  if (error)
    return getOperation().emitError("cannot write '")
           << report << "': " << error.message();
  llvm::raw_ostream &os = file.os();
  // Statistics count in builds that have them only.
  size_t blocks = llvm::count_if(units, [](auto &u) { return u.isBlock(); });
  size_t left = units.size() - blocks;
  os << '@' << graph.getSymName() << " by " << by << ": " << blocks
     << " blocks of " << getNodes(graph).size() - left << " nodes, " << left
     << " nodes left\n";
  for (auto [unit, name] : llvm::zip_equal(units, names)) {
    if (!unit.isBlock())
      continue;
    Border border = getBorder(unit);
    os << "block " << name << ": " << unit.color << ", " << unit.nodes.size()
       << " nodes, " << border.inputs.size() << " inputs of ";
    printBytes(os, border.inputs.getArrayRef(), sizes);
    os << " bytes, " << border.outputs.size() << " outputs of ";
    printBytes(os, border.outputs, sizes);
    os << " bytes\n";
  }
  for (const Unit &unit : units)
    if (!unit.isBlock()) {
      Operation *op = unit.nodes.front();
      os << "left " << getNodeName(op).value_or("-") << ": "
         << cast<NodeOpInterface>(op).getTargetName() << ", "
         << coloring.reasons.lookup(op) << "\n";
    }
  file.keep();
  return success();
}

FailureOr<Predicate> PartitionPass::getPredicate() {
  FailureOr<SizeMap> sizes = parseSizes(getOperation(), sizeText);
  if (failed(sizes))
    return failure();
  if (parts == 0 || minSize == 0)
    return getOperation().emitError("expected 'parts' and 'min-size' of at "
                                    "least 1, got 0");
  if (!(peak > 0) || !(bandwidth > 0))
    return getOperation().emitError(
        "expected a positive 'peak' and 'bandwidth'");
  Predicate predicate;
  predicate.by = by;
  predicate.modules.assign(modules.begin(), modules.end());
  predicate.parts = parts;
  predicate.peak = peak;
  predicate.bandwidth = bandwidth;
  predicate.sizes = std::move(*sizes);
  return predicate;
}

LogicalResult PartitionPass::partition() {
  auto graph = getOperation().lookupSymbol<GraphOp>("main");
  if (!graph)
    return getOperation().emitError("expected an 'fx.graph @main'");
  if (!graph.getFunctional())
    return graph.emitError("expected a functional graph; 'fx-functionalize' "
                           "makes one");
  FailureOr<Predicate> predicate = getPredicate();
  if (failed(predicate))
    return failure();
  FailureOr<Coloring> coloring = color(graph, *predicate);
  if (failed(coloring))
    return failure();
  SmallVector<Operation *> nodes = getNodes(graph);
  std::vector<Unit> units = group(nodes, *coloring, minSize);

  NodeNamer namer(graph);
  std::vector<std::string> names;
  unsigned number = 0;
  for (const Unit &unit : units) {
    names.emplace_back();
    if (!unit.isBlock()) {
      ++numLeft;
      continue;
    }
    ++numBlocks;
    numInBlocks += unit.nodes.size();
    std::string name;
    do
      name = prefix + "_" + std::to_string(number++);
    while (getOperation().lookupSymbol(graph.getSymName().str() + "." + name));
    names.back() = namer.getUnique(name);
  }
  if (dryRun || !report.empty()) {
    if (report.empty())
      report = "-";
    if (failed(printReport(graph, units, names, *coloring, predicate->sizes)))
      return failure();
  }
  if (dryRun)
    return success();

  // References first, as no block can stand before them.
  Operation *output = graph.getOutput();
  for (Unit &unit : units)
    for (Operation *op : unit.nodes)
      op->moveBefore(output);
  for (auto [unit, name] : llvm::zip_equal(units, names))
    if (unit.isBlock())
      makeBlock(graph, unit, name, namer);
  for (GetAttrOp op :
       llvm::make_early_inc_range(graph.getBlock().getOps<GetAttrOp>()))
    if (op->use_empty())
      op.erase();
  return success();
}
