//===- HoistInvariants.cpp - move loop invariants out of loops ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SubgraphForms.h"
#include "fx/Operators/View.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace fx {
#define GEN_PASS_DEF_HOISTINVARIANTSPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
/// Hoists invariant nodes out of the body of one loop.
class Hoister {
public:
  Hoister(Operation *call, const HigherOrderView &view, NodeNamer &namer)
      : call(call), view(view), namer(namer) {}

  /// Returns the number of hoisted nodes. If it is not 0, the call has been
  /// replaced.
  unsigned run();

private:
  void findInvariants();
  GraphOp makeGraph(GraphOp graph, ValueRange dropped);
  void replaceCall(ArrayRef<Value> passed);

  Operation *call;
  const HigherOrderView &view;
  NodeNamer &namer;
  /// Nodes of the body that compute the same in each iteration, in order, and
  /// those of their results that other nodes of the body use.
  llvm::SetVector<Operation *> invariants;
  SmallVector<Value> results;
};
} // namespace

static bool isLoop(Flow flow) {
  return flow == Flow::While || flow == Flow::Map || flow == Flow::Scan;
}

/// Views cost nothing to compute, so hoisting them alone saves nothing.
static bool isView(Operation *op) {
  OperatorView call = getOperatorView(op);
  return call && call.getSchema().isView();
}

void Hoister::findInvariants() {
  GraphOp body = view.getBody();
  SmallVector<PlaceholderOp, 8> inputs = body.getPlaceholders();
  llvm::SmallPtrSet<Operation *, 8> fixed;
  size_t first = inputs.size() - view.getAdditional().size();
  for (auto [i, argument] : llvm::enumerate(view.getAdditional()))
    if (argument.isValue())
      fixed.insert(inputs[first + i]);
  for (auto op : body.getBlock().getOps<CallFunctionOp>())
    if (isMemoryEffectFree(op) && op->getNumOperands() > 0 &&
        llvm::all_of(op->getOperands(), [&](Value operand) {
          return fixed.contains(operand.getDefiningOp());
        })) {
      fixed.insert(op);
      invariants.insert(op);
    }
  // Hoist only nodes that compute something, and the nodes that they need.
  llvm::SmallPtrSet<Operation *, 8> needed;
  for (Operation *op : llvm::reverse(invariants.getArrayRef())) {
    if (!isView(op))
      needed.insert(op);
    if (needed.contains(op))
      for (Value operand : op->getOperands())
        needed.insert(operand.getDefiningOp());
  }
  invariants.remove_if([&](Operation *op) { return !needed.contains(op); });
  for (Operation *op : invariants)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !invariants.contains(user);
          }))
        results.push_back(result);
}

/// Returns a copy of `graph` with an input appended for each value in
/// `dropped`. In a copy of the body, which computes these values, the inputs
/// replace them. Copies of other graphs (the condition of a while_loop) ignore
/// the inputs.
GraphOp Hoister::makeGraph(GraphOp graph, ValueRange dropped) {
  OpBuilder b(graph);
  auto module = graph->getParentOfType<ModuleOp>();
  IRMapping mapping;
  auto copy = cast<GraphOp>(b.clone(*graph, mapping));
  std::string name = (graph.getSymName() + "_hoisted").str();
  for (unsigned i = 1; module.lookupSymbol(name); ++i)
    name = (graph.getSymName() + "_hoisted_" + Twine(i)).str();
  copy.setSymName(name);
  b.setInsertionPointAfter(copy.getPlaceholders().back());
  NodeNamer inner(copy);
  for (Value value : dropped) {
    std::string input = inner.getUnique("hoisted");
    OperationState state(NameLoc::get(b.getStringAttr(input)),
                         PlaceholderOp::getOperationName());
    state.addTypes(value.getType());
    state.addAttribute("name", b.getStringAttr(input));
    Value placeholder = b.create(state)->getResult(0);
    if (Value old = mapping.lookupOrNull(value))
      old.replaceAllUsesWith(placeholder);
  }
  for (Operation *op : llvm::reverse(invariants.getArrayRef()))
    if (Operation *old = mapping.lookupOrNull(op); old && old->use_empty())
      old->erase();
  return copy;
}

void Hoister::replaceCall(ArrayRef<Value> passed) {
  MLIRContext *ctx = call->getContext();
  OpBuilder b(call);
  SmallVector<Argument> args = getArguments(view.getNode());
  SmallVector<ArgumentTree> trees;
  unsigned next = 0;
  for (const Argument &arg : args) {
    if (!arg.getValue() || !isa<GraphRefType>(arg.getValue().getType())) {
      trees.push_back(arg);
      continue;
    }
    GraphOp graph = makeGraph(view.getGraphs()[next++], results);
    std::string name = graph.getSymName().str();
    trees.push_back(GetAttrOp::create(b, namer.rename(call->getLoc(), name),
                                      GraphRefType::get(ctx),
                                      FlatSymbolRefAttr::get(ctx, name))
                        .getResult());
  }
  // The additional operands are the last argument, which can be omitted.
  SmallVector<ArgumentTree> additional(view.getAdditional().begin(),
                                       view.getAdditional().end());
  additional.append(passed.begin(), passed.end());
  size_t position = view.getFlow() == Flow::Map ? 2 : 3;
  ArgumentTree list = ArgumentTree::list(ctx, additional);
  if (view.getFlow() == Flow::While && position >= trees.size())
    trees.push_back(list);
  else
    trees[position] = list;
  ArgumentTree all = ArgumentTree::list(ctx, trees);
  auto made = HigherOrderOp::create(
      b, call->getLoc(), call->getResultTypes(),
      b.getStringAttr(view.getNode().getTargetName()), all.values,
      cast<ArrayAttr>(all.tree), view.getNode().getKwnames(),
      view.getNode().getOutsAttr());
  call->replaceAllUsesWith(made->getResults());
  call->erase();
}

unsigned Hoister::run() {
  findInvariants();
  if (results.empty())
    return 0;
  IRMapping mapping;
  SmallVector<PlaceholderOp, 8> inputs = view.getBody().getPlaceholders();
  size_t first = inputs.size() - view.getAdditional().size();
  for (auto [i, argument] : llvm::enumerate(view.getAdditional()))
    if (Value value = argument.getValue())
      mapping.map(inputs[first + i].getResult(), value);
  OpBuilder b(call);
  for (Operation *op : invariants)
    namer.makeUnique(b.clone(*op, mapping));
  SmallVector<Value> passed;
  for (Value result : results)
    passed.push_back(mapping.lookup(result));
  unsigned count = invariants.size();
  replaceCall(passed);
  return count;
}

namespace {
struct HoistInvariantsPass
    : fx::impl::HoistInvariantsPassBase<HoistInvariantsPass> {
  void runOnOperation() override {
    // Iterate to a fixed point: a node that has left an inner loop can be
    // invariant in the enclosing loop.
    for (bool changed = true; changed;) {
      changed = false;
      for (GraphOp graph :
           SmallVector<GraphOp>(getOperation().getOps<GraphOp>()))
        if (graph.getFunctional())
          changed |= hoist(graph);
      eraseUnusedGraphs(getOperation());
    }
  }

  bool hoist(GraphOp graph) {
    NodeNamer namer(graph);
    unsigned count = 0;
    for (HigherOrderOp call :
         llvm::make_early_inc_range(graph.getBlock().getOps<HigherOrderOp>())) {
      FailureOr<HigherOrderView> view = HigherOrderView::get(call);
      if (failed(view) || !isLoop(view->getFlow()) ||
          !call.getKwnames().empty() || failed(view->verify()) ||
          !llvm::all_of(view->getGraphs(),
                        [](GraphOp g) { return g.getFunctional(); }))
        continue;
      count += Hoister(call, *view, namer).run();
    }
    numHoisted += count;
    for (GetAttrOp ref :
         llvm::make_early_inc_range(graph.getBlock().getOps<GetAttrOp>()))
      if (isa<GraphRefType>(ref.getType()) && ref->use_empty())
        ref.erase();
    return count != 0;
  }
};
} // namespace
