//===- CheckCompilable.cpp - what compiled code cannot do -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/FXDialect.h"
#include "fx/Operators/Schema.h"
#include "fx/Operators/Verify.h"
#include "fx/Transforms/CorrectTypes.h"
#include "fx/Transforms/Passes.h"
#include "fx/Transforms/StridedMemory.h"

#include "llvm/ADT/StringSet.h"

namespace fx {
#define GEN_PASS_DEF_CHECKOPERATORSPASS
#define GEN_PASS_DEF_CHECKSTATESPASS
#define GEN_PASS_DEF_CORRECTTYPESPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
struct CorrectTypesPass : fx::impl::CorrectTypesPassBase<CorrectTypesPass> {
  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      correctTypes(graph);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Returns the reason why `call` cannot be compiled, not even as a fallback;
/// empty if it can.
static std::string getRefusal(CallFunctionOp call) {
  if (std::string unknown = getUnknownMemory(call); !unknown.empty())
    return unknown;
  StringRef target = call.getTarget();
  // Calls of torch.vmap change the meaning of the operators between them.
  if (target.starts_with("torch._functorch."))
    return "expected a graph without torch.vmap, as run_decompositions leaves "
           "it";
  // A live graph (one that was not exported) can call a Python function of the
  // user.
  StringRef space = target.split('.').first;
  if (call->hasAttr("fx.function") && space != "torch" && space != "math" &&
      space != "_operator" && !lookupOperator(target))
    return "expected operators, got a function that only Python can run";
  return getMistakenType(call).str();
}

namespace {
struct CheckOperatorsPass
    : fx::impl::CheckOperatorsPassBase<CheckOperatorsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    WalkResult walk = getOperation().walk([](CallFunctionOp call) {
      std::string refusal = getRefusal(call);
      if (refusal.empty())
        return WalkResult::advance();
      call.emitError("'") << call.getTarget()
                          << "' has no native code: " << refusal;
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// Returns the storages of the states that the graph reads, by state name.
static llvm::StringMap<Attribute> getUsedStates(GraphOp graph,
                                                ModuleOp module) {
  llvm::StringMap<Attribute> used;
  for (PlaceholderOp input : graph.getPlaceholders())
    if (input.getTarget() && !input.getResult().use_empty())
      if (auto state = module.lookupSymbol<StateOp>(*input.getTarget()))
        if (isa_and_present<ExternalAttr>(state.getInitAttr()))
          used[state.getSymName()] = state.getInitAttr();
  return used;
}

/// Fails if the graph writes a state whose storage it also reads as another
/// state, unless the graph writes the other state, too, and the two have the
/// same type.
static LogicalResult checkStates(GraphOp graph, ModuleOp module) {
  llvm::StringMap<Attribute> used = getUsedStates(graph, module);
  SmallVector<StateOp> written;
  llvm::StringSet<> names;
  OutputOp output = graph.getOutput();
  for (size_t i = 0, n = output.getArgs().size(); i < n; ++i) {
    OutputSpecAttr spec = output.getSpec(i);
    if (!spec.getTarget() || !spec.isMutation() ||
        spec.getKind() == OutputKind::UserInputMutation)
      continue;
    if (auto state = module.lookupSymbol<StateOp>(spec.getTarget().getValue()))
      written.push_back(state);
    names.insert(spec.getTarget().getValue());
  }
  for (StateOp state : written)
    for (const auto &[name, bytes] : used)
      if (bytes == state.getInitAttr() && name != state.getSymName() &&
          !(names.contains(name) &&
            module.lookupSymbol<StateOp>(name).getType() == state.getType()))
        return state.emitError("state '")
               << state.getSymName() << "' is written and shares its storage "
               << "with '" << name << "': this has no native code";
  return success();
}

namespace {
struct CheckStatesPass : fx::impl::CheckStatesPassBase<CheckStatesPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto graph = getOperation().lookupSymbol<GraphOp>("main");
    if (graph && failed(checkStates(graph, getOperation())))
      signalPassFailure();
  }
};
} // namespace
