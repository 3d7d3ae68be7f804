//===- ConstantFold.cpp - evaluate what is computed from states -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frozen.h"
#include "NodeNamer.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/View.h"
#include "fx/Transforms/ConstantEvaluator.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

namespace fx {
#define GEN_PASS_DEF_CONSTANTFOLDPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

static ConstantEvaluator evaluator = nullptr;
void fx::setConstantEvaluator(ConstantEvaluator e) { evaluator = e; }
ConstantEvaluator fx::getConstantEvaluator() { return evaluator; }

static bool isView(Operation *op) {
  OperatorView view = getOperatorView(op);
  return view && view.getSchema().isView();
}

/// True if some user takes the value itself, or a view of it, that is not part
/// of a larger constant.
static bool isNeeded(Value value, Frozen &frozen) {
  for (Operation *user : value.getUsers()) {
    bool isConstant = isa<CallFunctionOp>(user) && user->getNumResults() > 0 &&
                      frozen.isConstant(user->getResult(0));
    if (!isConstant || (isView(user) && isNeeded(user->getResult(0), frozen)))
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
  OwningOpRef<ModuleOp> extract(GraphOp graph, ArrayRef<Value> roots);
  void replace(GraphOp graph, Value root, const HostTensor &tensor,
               NodeNamer &namer);
};
} // namespace

/// The results to compute. A view is none: its copy would take memory and save
/// nothing, so it stays, on what it shows.
SmallVector<Value> ConstantFoldPass::findRoots(GraphOp graph) {
  Frozen frozen(graph);
  SmallVector<Value> roots;
  for (auto call : graph.getBlock().getOps<CallFunctionOp>()) {
    if (isView(call))
      continue;
    for (Value result : call->getResults()) {
      if (!frozen.contains(result) || !isNeeded(result, frozen))
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

/// A module whose @main returns the roots.
OwningOpRef<ModuleOp> ConstantFoldPass::extract(GraphOp graph,
                                                ArrayRef<Value> roots) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> worklist(roots);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (needed.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(graph.getLoc());
  OpBuilder b(module->getBodyRegion());
  for (Operation *op : needed)
    if (auto placeholder = dyn_cast<PlaceholderOp>(op))
      if (auto state = getOperation().lookupSymbol<StateOp>(
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

void ConstantFoldPass::replace(GraphOp graph, Value root,
                               const HostTensor &tensor, NodeNamer &namer) {
  Operation *op = root.getDefiningOp();
  MLIRContext *ctx = &getContext();
  auto type = cast<FakeTensorType>(root.getType()).withoutMeta();
  // Not the name of a state that the user knows.
  StringRef base = getNodeName(op).value_or("constant");
  std::string name = namer.getUnique(("folded_" + base.split(',').first).str());
  for (unsigned i = 1; getOperation().lookupSymbol(name); ++i)
    name = namer.getUnique("folded_" + std::to_string(i));
  OpBuilder b(graph);
  auto bytes = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({int64_t(tensor.getNumBytes())},
                            IntegerType::get(ctx, 8, IntegerType::Unsigned)),
      ArrayRef<char>(tensor.data.get(), tensor.getNumBytes()));
  StateOp::create(b, op->getLoc(), name, type, bytes);
  // Behind the other states, before what the user gives.
  Operation *before = nullptr;
  for (Operation &node : graph.getBlock()) {
    auto placeholder = dyn_cast<PlaceholderOp>(node);
    before = &node;
    if (!placeholder || placeholder.getKind() == InputKind::UserInput ||
        placeholder.getKind() == InputKind::ConstantInput)
      break;
  }
  b.setInsertionPoint(before);
  OperationState state(withNodeName(op->getLoc(), name),
                       PlaceholderOp::getOperationName());
  state.addTypes(type);
  state.addAttribute("name", b.getStringAttr(name));
  state.addAttribute("kind",
                     InputKindAttr::get(ctx, InputKind::TensorConstant));
  state.addAttribute("target", FlatSymbolRefAttr::get(ctx, name));
  root.replaceAllUsesWith(b.create(state)->getResult(0));
  ++numFolded;
  numBytes += tensor.getNumBytes();
}

LogicalResult ConstantFoldPass::fold(GraphOp graph) {
  SmallVector<Value> roots = findRoots(graph);
  if (roots.empty())
    return success();
  if (!evaluator)
    return graph.emitError("expected a constant evaluator, got none");
  OwningOpRef<ModuleOp> module = extract(graph, roots);
  std::string directory = baseDir;
  if (auto file = dyn_cast<FileLineColLoc>(getOperation().getLoc());
      file && directory.empty())
    directory = llvm::sys::path::parent_path(file.getFilename()).str();
  llvm::Expected<SmallVector<HostTensor>> tensors =
      evaluator(*module, directory);
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
  // What only led there; the last first.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(graph.getBlock())))
    if (isa<CallFunctionOp>(op) && isOpTriviallyDead(&op))
      op.erase();
  return success();
}
