//===- Partition.cpp - split a graph into sub-graphs ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition.h"
#include "Extract.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Cost.h"
#include "fx/Support/OutputFile.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx {
#define GEN_PASS_DEF_PARTITIONPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
using namespace fx::partition;

namespace {
struct PartitionPass : fx::impl::PartitionPassBase<PartitionPass> {
  using PartitionPassBase::PartitionPassBase;

  void runOnOperation() override {
    if (failed(partition()))
      signalPassFailure();
  }

private:
  LogicalResult partition();
  FailureOr<Predicate> getPredicate();
  void printReport(llvm::raw_ostream &os, GraphOp graph, ArrayRef<Unit> units,
                   ArrayRef<std::string> names, const Coloring &coloring,
                   const SizeMap &sizes);
};
} // namespace

/// Prints the total bytes of `values`: a number if the sizes are known, else a
/// formula.
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

void PartitionPass::printReport(llvm::raw_ostream &os, GraphOp graph,
                                ArrayRef<Unit> units,
                                ArrayRef<std::string> names,
                                const Coloring &coloring,
                                const SizeMap &sizes) {
  // Do not use the pass statistics: some builds disable them.
  size_t blocks = llvm::count_if(units, [](auto &u) { return u.isBlock(); });
  size_t left = units.size() - blocks;
  os << '@' << graph.getSymName() << " by " << by << ": " << blocks
     << " blocks of " << getNodes(graph).size() - left << " nodes, " << left
     << " nodes left\n";
  for (auto [unit, name] : llvm::zip_equal(units, names)) {
    if (!unit.isBlock())
      continue;
    Boundary boundary = getBoundary(unit.nodes);
    os << "block " << name << ": " << unit.color << ", " << unit.nodes.size()
       << " nodes, " << boundary.inputs.size() << " inputs of ";
    printBytes(os, boundary.inputs.getArrayRef(), sizes);
    os << " bytes, " << boundary.outputs.size() << " outputs of ";
    printBytes(os, boundary.outputs, sizes);
    os << " bytes\n";
  }
  for (const Unit &unit : units)
    if (!unit.isBlock()) {
      Operation *op = unit.nodes.front();
      os << "left " << getNodeName(op).value_or("-") << ": "
         << cast<NodeOpInterface>(op).getTargetName() << ", "
         << coloring.reasons.lookup(op) << "\n";
    }
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
    auto print = [&](llvm::raw_ostream &os) {
      printReport(os, graph, units, names, *coloring, predicate->sizes);
      return llvm::Error::success();
    };
    if (llvm::Error error = writeOutputFile(report, print))
      return getOperation().emitError(llvm::toString(std::move(error)));
  }
  if (dryRun)
    return success();

  // Move all nodes behind the references to graphs, in the order of the units.
  Operation *output = graph.getOutput();
  for (Unit &unit : units)
    for (Operation *op : unit.nodes)
      op->moveBefore(output);
  for (auto [unit, name] : llvm::zip_equal(units, names))
    if (unit.isBlock())
      makeBlock(graph, unit.nodes, name);
  for (GetAttrOp op :
       llvm::make_early_inc_range(graph.getBlock().getOps<GetAttrOp>()))
    if (op->use_empty())
      op.erase();
  return success();
}
