//===- Constants.cpp - constants, and states that hold them ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Transforms/Constants.h"
#include "fx/IR/Metadata.h"
#include "fx/Transforms/ConstantEvaluator.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx;

/// Creates a module with copies of the nodes and states that compute `roots`,
/// and a @main that returns them.
static OwningOpRef<ModuleOp> extract(GraphOp graph, ArrayRef<Value> roots) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> worklist(roots);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (needed.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  auto parent = graph->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(graph.getLoc());
  OpBuilder b(module->getBodyRegion());
  for (Operation *op : needed)
    if (auto placeholder = dyn_cast<PlaceholderOp>(op))
      if (auto state = parent.lookupSymbol<StateOp>(
              placeholder.getTargetAttr().getAttr()))
        if (!module->lookupSymbol(state.getSymNameAttr()))
          b.clone(*state);
  auto copy = GraphOp::create(b, graph.getLoc(), "main");
  copy.setFunctional(true);
  b.setInsertionPointToEnd(&copy.getBlock());
  IRMapping mapping;
  for (Operation &op : graph.getBlock())
    if (needed.contains(&op))
      b.clone(op, mapping);
  SmallVector<Value> results;
  SmallVector<Attribute> leaves;
  for (Value root : roots) {
    results.push_back(mapping.lookup(root));
    leaves.push_back(OperandAttr::get(b.getContext()));
  }
  OutputOp::create(b, graph.getLoc(), results, b.getArrayAttr(leaves),
                   ArrayAttr());
  return module;
}

llvm::Expected<SmallVector<HostTensor>>
fx::evaluateConstants(GraphOp graph, ArrayRef<Value> roots) {
  const auto *evaluator =
      graph->getDialect()->getRegisteredInterface<ConstantEvaluatorInterface>();
  if (!evaluator)
    return llvm::createStringError("expected a constant evaluator, got none");
  OwningOpRef<ModuleOp> module = extract(graph, roots);
  return evaluator->evaluate(*module);
}

PlaceholderOp fx::addState(GraphOp graph, Location loc, StringRef symbol,
                           StringRef name, InputKind kind, FakeTensorType type,
                           const HostTensor &tensor) {
  MLIRContext *ctx = graph.getContext();
  OpBuilder b(graph);
  auto bytes = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({int64_t(tensor.getNumBytes())},
                            IntegerType::get(ctx, 8, IntegerType::Unsigned)),
      ArrayRef<char>(tensor.data.get(), tensor.getNumBytes()));
  StateOp::create(b, loc, symbol, type, bytes);
  // Insert after the other states and before the inputs of the user.
  Operation *before = nullptr;
  for (Operation &node : graph.getBlock()) {
    auto placeholder = dyn_cast<PlaceholderOp>(node);
    before = &node;
    if (!placeholder || placeholder.getKind() == InputKind::UserInput ||
        placeholder.getKind() == InputKind::ConstantInput)
      break;
  }
  b.setInsertionPoint(before);
  OperationState state(withNodeName(loc, name),
                       PlaceholderOp::getOperationName());
  state.addTypes(type);
  state.addAttribute("name", b.getStringAttr(name));
  state.addAttribute("kind", InputKindAttr::get(ctx, kind));
  state.addAttribute("target", FlatSymbolRefAttr::get(ctx, symbol));
  return cast<PlaceholderOp>(b.create(state));
}
