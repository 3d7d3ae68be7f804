//===- Functionalize.cpp - replace mutation by new values -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"
#include "fx/IR/Metadata.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_FUNCTIONALIZEPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

namespace {
struct FunctionalizePass : fx::impl::FunctionalizePassBase<FunctionalizePass> {
  using FunctionalizePassBase::FunctionalizePassBase;

  void runOnOperation() override {
    SubgraphForms forms;
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      if (graph.getFunctional()) {
        NodeNamer namer(graph);
        SmallPtrSet<Operation *, 4> memories;
        convertMutations(graph, namer);
        addressStorage(graph, namer, memories);
        isolateStridedViews(graph, namer);
      }
    // A graph can be functionalized only after its sub-graphs, which can
    // contain sub-graphs, too. Iterate to a fixed point.
    SmallVector<GraphOp> pending;
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      if (!graph.getFunctional())
        pending.push_back(graph);
    DenseMap<Operation *, std::pair<Location, std::string>> reasons;
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<GraphOp> failed;
      for (GraphOp graph : pending) {
        if (functionalize(graph, forms, reasons))
          changed = true;
        else
          failed.push_back(graph);
      }
      pending = failed;
    }
    for (GraphOp graph : pending)
      if (auto it = reasons.find(graph); it != reasons.end()) {
        const auto &[location, reason] = it->second;
        emitRemark(location)
            << "graph @" << graph.getSymName() << " stays as it is: " << reason;
        // Conversions that need a functional graph add this to their error.
        std::string text = getNodeName(location).value_or("").str();
        text += (text.empty() ? "" : ": ") + reason;
        graph->setAttr("fx.reason", StringAttr::get(&getContext(), text));
      }
    forms.finish(getOperation());
  }

  bool functionalize(
      GraphOp &graph, SubgraphForms &forms,
      DenseMap<Operation *, std::pair<Location, std::string>> &reasons) {
    OpBuilder b(graph);
    auto copy = cast<GraphOp>(b.clone(*graph));
    Functionalizer functionalizer(copy, forms, assumesFunctional);
    if (failed(functionalizer.run())) {
      reasons.insert_or_assign(graph.getOperation(),
                               std::make_pair(functionalizer.problem->getLoc(),
                                              functionalizer.reason));
      copy.erase();
      return false;
    }
    copy->removeAttr("fx.reason");
    numMutations += functionalizer.numMutations;
    numReplayed += functionalizer.numReplayed;
    // The functional form of a sub-graph that mutates its inputs has additional
    // outputs. Keep it beside the sub-graph: the rewrite of each call decides
    // how to use these outputs.
    if (graph.isPrivate() && copy.getOutput().getArgs().size() !=
                                 graph.getOutput().getArgs().size()) {
      forms.add(graph, copy);
      return true;
    }
    graph.erase();
    graph = copy;
    return true;
  }
};
} // namespace
