//===- InlineWrappers.cpp - inline wrapping higher-order operators -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeNamer.h"
#include "fx/IR/Arguments.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSwitch.h"

namespace fx {
#define GEN_PASS_DEF_INLINEWRAPPERSPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {

/// Where a wrapper keeps its sub-graph and what follows it that is not passed
/// on to the sub-graph.
struct Wrapper {
  int graphArgument = -1;
  int firstOperand = 0;
};

Wrapper getWrapper(StringRef target) {
  return llvm::StringSwitch<Wrapper>(target)
      .Case("wrap_with_set_grad_enabled", {1, 2})
      .Cases({"strict_mode", "hints_wrapper", "wrap",
              "wrap_activation_checkpoint", "tag_activation_checkpoint"},
             {0, 1})
      .Case("invoke_subgraph", {0, 2})
      .Default({});
}

/// Values of an argument in order; fails on an immediate, for which a
/// placeholder could not stand.
LogicalResult appendValues(const Argument &argument,
                           SmallVectorImpl<Value> &values) {
  bool onlyValues = true;
  walkLeaves(argument.tree,
             [&](Attribute leaf) { onlyValues &= isa<OperandAttr>(leaf); });
  llvm::append_range(values, argument.operands);
  return success(onlyValues);
}

/// Replaces `op` by the body of its sub-graph.
LogicalResult inlineWrapper(HigherOrderOp op, NodeNamer &namer) {
  Wrapper wrapper = getWrapper(op.getTarget());
  SmallVector<Argument> args = getArguments(op);
  if (wrapper.graphArgument < 0 || (int)args.size() < wrapper.firstOperand)
    return failure();
  Value callee = args[wrapper.graphArgument].getValue();
  auto attr = callee ? callee.getDefiningOp<GetAttrOp>() : GetAttrOp();
  auto graph = attr ? SymbolTable::lookupNearestSymbolFrom<GraphOp>(
                          op->getParentOp()->getParentOp(),
                          attr.getTargetAttr())
                    : GraphOp();
  if (!graph || graph == op->getParentOp())
    return failure();

  // Keyword arguments of the wrappers (hints) are not the sub-graph's.
  SmallVector<Value> operands;
  size_t numPositional = args.size() - op.getKwnames().size();
  for (size_t i = wrapper.firstOperand; i < numPositional; ++i) {
    auto dict = dyn_cast<DictAttr>(args[i].tree);
    if (!(dict && dict.getKeys().empty()) &&
        failed(appendValues(args[i], operands)))
      return failure();
  }
  SmallVector<PlaceholderOp, 8> placeholders = graph.getPlaceholders();
  OutputOp output = graph.getOutput();
  bool onlyValues = true;
  walkLeaves(output.getArgs(),
             [&](Attribute leaf) { onlyValues &= isa<OperandAttr>(leaf); });
  if (placeholders.size() != operands.size() || !onlyValues ||
      output.getNumOperands() != op.getNumResults())
    return failure();

  IRMapping mapping;
  for (auto [placeholder, operand] : llvm::zip(placeholders, operands))
    mapping.map(placeholder.getResult(), operand);
  OpBuilder b(op);
  for (Operation &inner : graph.getBlock()) {
    if (isa<PlaceholderOp, OutputOp>(inner))
      continue;
    namer.makeUnique(b.clone(inner, mapping));
  }
  for (auto [result, value] : llvm::zip(op.getResults(), output.getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
  op.erase();
  return success();
}

struct InlineWrappersPass
    : fx::impl::InlineWrappersPassBase<InlineWrappersPass> {
  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>()) {
      NodeNamer namer(graph);
      // A body may hold wrappers of its own, so go on where it was put.
      for (Operation *op = &graph.getBlock().front(); op;) {
        Operation *previous = op->getPrevNode(), *next = op->getNextNode();
        auto wrapper = dyn_cast<HigherOrderOp>(op);
        bool inlined = wrapper && succeeded(inlineWrapper(wrapper, namer));
        numInlined += inlined;
        op = !inlined   ? next
             : previous ? previous->getNextNode()
                        : &graph.getBlock().front();
      }
      for (GetAttrOp attr :
           llvm::make_early_inc_range(graph.getBlock().getOps<GetAttrOp>()))
        if (isa<GraphRefType>(attr.getType()) && attr->use_empty())
          attr.erase();
    }
    eraseUnusedGraphs();
  }

  /// Sub-graphs that nothing refers to any more.
  void eraseUnusedGraphs() {
    ModuleOp module = getOperation();
    for (bool changed = true; changed;) {
      changed = false;
      for (GraphOp graph : llvm::make_early_inc_range(module.getOps<GraphOp>()))
        if (graph.isPrivate() && SymbolTable::symbolKnownUseEmpty(graph, module)) {
          graph.erase();
          changed = true;
        }
    }
  }
};

} // namespace
