//===- Decompose.cpp - the decomposition pass -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "fx/IR/Metadata.h"
#include "fx/Operators/aten/sym_size.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

void Decomposition::registerAll(HookTable<Decomposition> &hooks) {
  registerArithmeticDecompositions(hooks);
  registerEinsumDecompositions(hooks);
  registerQuantizationDecompositions(hooks);
  registerRearrangeDecompositions(hooks);
  registerSamplingDecompositions(hooks);
}

Value Decomposer::call(const OperatorSchema &schema,
                       ArrayRef<ArgumentRef> args) {
  if (failed)
    return {};
  unsigned index = &schema - getAllOperators().data();
  CallFunctionOp op = createInferredCall(b, loc, index, args);
  failed = !op || op->getNumResults() == 0;
  return failed ? Value() : op->getResult(0);
}

ArgumentRef Decomposer::size(Value tensor, int64_t dim) {
  if (failed)
    return {};
  if (std::optional<int64_t> integer = staticSize(tensor, dim))
    return *integer;
  return call<aten::SymSizeInt>(tensor, dim);
}

std::optional<int64_t> Decomposer::wrap(int64_t dim, int64_t rank) {
  int64_t wrapped = dim < 0 ? dim + std::max<int64_t>(rank, 1) : dim;
  if (wrapped < 0 || wrapped >= std::max<int64_t>(rank, 1))
    return std::nullopt;
  return wrapped;
}

namespace {
/// Collects the nodes that a decomposition creates.
struct Collector : OpBuilder::Listener {
  SmallVector<Operation *> created;
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    created.push_back(op);
  }
};
} // namespace

FailureOr<SmallVector<Operation *>>
fx::replaceNode(Operation *op, NodeNamer &namer, BuildFn build) {
  Collector collector;
  OpBuilder b(op, &collector);
  Decomposer decomposer(b, op->getLoc());
  SmallVector<Value> values;
  bool replaced;
  {
    // Suppress errors of type inference: if it fails, the node stays.
    ScopedDiagnosticHandler quiet(op->getContext(),
                                  [](Diagnostic &) { return success(); });
    replaced = succeeded(build(decomposer, values)) &&
               values.size() == op->getNumResults() &&
               llvm::all_of(values, [](Value v) { return !!v; });
  }
  if (!replaced) {
    for (Operation *made : llvm::reverse(collector.created))
      made->erase();
    return failure();
  }
  op->replaceAllUsesWith(values);
  for (Operation *made : collector.created) {
    StringRef target = cast<NodeOpInterface>(made).getTargetName();
    made->setLoc(
        withNodeName(op->getLoc(), target.split('.').second.rsplit('.').first));
    namer.makeUnique(made);
  }
  op->erase();
  return collector.created;
}

namespace {
struct DecomposePass : fx::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      // In a graph that is not functional, a write could go through a view that
      // is replaced.
      if (graph.getFunctional())
        decompose(graph);
  }

  void decompose(GraphOp graph) {
    NodeNamer namer(graph);
    SmallVector<Operation *> worklist;
    for (Operation &op : graph.getBlock())
      worklist.push_back(&op);
    std::reverse(worklist.begin(), worklist.end());
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (auto call = dyn_cast<CallFunctionOp>(op))
        if (std::optional<std::string> usual = getUsualTarget(call.getTarget()))
          call.setTarget(*usual);
      OperatorView view = getOperatorView(op);
      auto hook =
          !view ? nullptr
          : isForeach(view.getSchema().getName())
              ? decomposeForeach
              : HookTable<Decomposition>::get().lookup(view.getSchema());
      if (!hook)
        continue;
      FailureOr<SmallVector<Operation *>> created = replaceNode(
          op, namer, [&](Decomposer &d, SmallVectorImpl<Value> &values) {
            return hook(view, d, values);
          });
      if (failed(created))
        continue;
      ++numDecomposed;
      // The created nodes may themselves be decomposed.
      worklist.append(created->rbegin(), created->rend());
    }
  }
};
} // namespace
