//===- ConstantFold.cpp - evaluate what is computed from states -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/Metadata.h"
#include "fx/Operators/View.h"
#include "fx/Transforms/ConstantAnalysis.h"
#include "fx/Transforms/ConstantEvaluator.h"
#include "fx/Transforms/Constants.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_CONSTANTFOLDPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

/// Returns true if a copy of the results would take more memory than the
/// operands: for views, and for dequantization, which makes 4-byte floats of
/// bytes.
static bool isLargerForm(Operation *op) {
  OperatorView view = getOperatorView(op);
  return view &&
         (view.getSchema().isView() || view.getSchema().getName().starts_with(
                                           "quantized_decomposed.dequantize_"));
}

/// Returns true if a user that is not itself a constant takes the value, or a
/// view or dequantization of it.
static bool isNeeded(Value value, ConstantAnalysis &constants) {
  for (Operation *user : value.getUsers()) {
    bool isConstant = isa<CallFunctionOp>(user) && user->getNumResults() > 0 &&
                      constants.isConstant(user->getResult(0));
    if (!isConstant ||
        (isLargerForm(user) && isNeeded(user->getResult(0), constants)))
      return true;
  }
  return false;
}

namespace {
struct ConstantFoldPass : fx::impl::ConstantFoldPassBase<ConstantFoldPass> {
  using ConstantFoldPassBase::ConstantFoldPassBase;

  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      if (graph.getFunctional() && graph.getSymName() == "main" &&
          failed(fold(graph)))
        return signalPassFailure();
  }

  LogicalResult fold(GraphOp graph);
  SmallVector<Value> findRoots(GraphOp graph);
  void replace(GraphOp graph, Value root, const HostTensor &tensor,
               NodeNamer &namer);
};
} // namespace

/// Returns the values to evaluate. Excludes views and dequantized values: they
/// are cheap to compute and copies of them would take memory. They stay in the
/// graph and take the folded values as operands.
SmallVector<Value> ConstantFoldPass::findRoots(GraphOp graph) {
  ConstantAnalysis constants(graph);
  SmallVector<Value> roots;
  for (auto call : graph.getBlock().getOps<CallFunctionOp>()) {
    if (isLargerForm(call))
      continue;
    for (Value result : call->getResults()) {
      if (!constants.contains(result) || !isNeeded(result, constants))
        continue;
      auto type = dyn_cast<FakeTensorType>(result.getType());
      std::optional<DType> dtype =
          type ? getDType(type.getDtype()) : std::nullopt;
      std::optional<int64_t> count =
          type ? type.getNumElements() : std::nullopt;
      bool onHost = type && (!type.getDevice() || type.getDevice() == "cpu");
      if (!dtype || !count || *count == 0 || !onHost)
        continue;
      if (*count > int64_t(maxBytes) / getByteSize(*dtype)) {
        ++numTooLarge;
        continue;
      }
      roots.push_back(result);
    }
  }
  return roots;
}

void ConstantFoldPass::replace(GraphOp graph, Value root,
                               const HostTensor &tensor, NodeNamer &namer) {
  Operation *op = root.getDefiningOp();
  auto type = cast<FakeTensorType>(root.getType()).withoutMeta();
  // The name must not clash with a state of the user.
  StringRef base = getNodeName(op).value_or("constant");
  std::string name = namer.getUnique(("folded_" + base.split(',').first).str());
  for (unsigned i = 1; getOperation().lookupSymbol(name); ++i)
    name = namer.getUnique("folded_" + std::to_string(i));
  PlaceholderOp input = addState(graph, op->getLoc(), name, name,
                                 InputKind::TensorConstant, type, tensor);
  root.replaceAllUsesWith(input->getResult(0));
  ++numFolded;
  numBytes += tensor.getNumBytes();
}

LogicalResult ConstantFoldPass::fold(GraphOp graph) {
  SmallVector<Value> roots = findRoots(graph);
  if (roots.empty())
    return success();
  llvm::Expected<SmallVector<HostTensor>> tensors =
      evaluateConstants(graph, roots);
  if (!tensors)
    return graph.emitError("cannot evaluate constants: ")
           << llvm::toString(tensors.takeError());
  NodeNamer namer(graph);
  for (auto [root, tensor] : llvm::zip_equal(roots, *tensors)) {
    auto type = cast<FakeTensorType>(root.getType());
    if (tensor.dtype != getDType(type.getDtype()) ||
        tensor.getNumElements() != type.getNumElements())
      return root.getDefiningOp()->emitError("expected a constant of type ")
             << type << ", got " << tensor.describe();
    replace(graph, root, tensor, namer);
  }
  // Erase nodes that only the folded values used, in reverse order.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(graph.getBlock())))
    if (isa<CallFunctionOp>(op) && isOpTriviallyDead(&op))
      op.erase();
  return success();
}
