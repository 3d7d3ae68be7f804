//===- NativeSupport.cpp - which nodes have native code -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Transforms/NativeSupport.h"

#include "fx/Conversion/Passes.h"
#include "fx/IR/FXDialect.h"
#include "fx/IR/HigherOrder.h"
#include "fx/IR/Metadata.h"
#include "fx/Pipelines/Compile.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace fx;

/// Returns the key "graph:number" of a node.
static std::string getKey(StringRef graph, size_t number) {
  return (graph + ":" + Twine(number)).str();
}

/// Names each node by its graph and position (`getKey`). The conversion
/// propagates the name to the ops that it creates for the node.
static void nameByPlace(ModuleOp module) {
  for (GraphOp graph : module.getOps<GraphOp>())
    for (auto [i, op] : llvm::enumerate(graph.getBlock()))
      if (isa<NodeOpInterface>(op))
        op.setLoc(NameLoc::get(
            StringAttr::get(op.getContext(), getKey(graph.getSymName(), i))));
}

namespace {
/// The fallbacks of all graphs of a lowered module.
class Fallbacks {
public:
  explicit Fallbacks(ModuleOp lowered) {
    lowered.walk([&](Operation *op) {
      std::string name = getNodeName(op).value_or("").str();
      // ATen runs the graphs that the conversion leaves in the module.
      if (auto graph = op->getParentOfType<GraphOp>())
        graphs[graph.getSymName()] = "part of a graph that has no native code";
      else if (auto eager = dyn_cast<EagerOp>(op)) {
        auto reason = op->getAttrOfType<StringAttr>("fx.reason");
        reasons[name] = reason ? reason.str() : "no lowering";
        graphs[StringRef(name).rsplit(':').first] =
            "calls a graph with '" + eager.getTarget().str() +
            "', which has no native code";
      }
    });
  }

  /// Returns the reason why node `op`, at position `place` of its graph, has no
  /// native code; empty if it has.
  std::string getReason(Operation *op, size_t place) const {
    auto graph = cast<GraphOp>(op->getParentOp());
    auto it = reasons.find(getKey(graph.getSymName(), place));
    return it != reasons.end() ? it->second : getReasonInside(op);
  }

private:
  /// Returns the reason why a sub-graph that `op` runs, directly or indirectly,
  /// has no native code; empty if all have.
  std::string getReasonInside(Operation *op) const {
    for (Value operand : op->getOperands()) {
      if (!isa<GraphRefType>(operand.getType()))
        continue;
      GraphOp graph = getReferencedGraph(operand);
      if (!graph)
        continue;
      if (auto it = graphs.find(graph.getSymName()); it != graphs.end())
        return it->second;
      for (Operation &inner : graph.getBlock())
        if (std::string reason = getReasonInside(&inner); !reason.empty())
          return reason;
    }
    return "";
  }

  /// Reasons by the key of a node and by the name of a graph.
  llvm::StringMap<std::string> reasons, graphs;
};
} // namespace

static FailureOr<FallbackReasons> findFallbacks(ModuleOp module) {
  FallbackReasons found;
  auto main = module.lookupSymbol<GraphOp>("main");
  if (!main)
    return found;
  OwningOpRef<ModuleOp> copy = module.clone();
  nameByPlace(*copy);
  PassManager pm(module.getContext());
  pm.addPass(createConvertFXToLinalg());
  pm.addPass(createLowerCustom());
  if (failed(pm.run(*copy)))
    return failure();
  Fallbacks fallbacks(*copy);
  for (auto [i, op] : llvm::enumerate(main.getBlock()))
    if (isa<NodeOpInterface>(op))
      if (std::string reason = fallbacks.getReason(&op, i); !reason.empty())
        found[&op] = std::move(reason);
  return found;
}

namespace {
struct LinalgSupport : NativeSupportInterface {
  using NativeSupportInterface::NativeSupportInterface;
  FailureOr<FallbackReasons> findFallbacks(ModuleOp module) const override {
    return ::findFallbacks(module);
  }
};
} // namespace

void fx::registerNativeSupport(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, FXDialect *dialect) {
    dialect->addInterfaces<LinalgSupport>();
  });
}
