//===- Extract.cpp - move nodes into a graph of their own -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extract.h"
#include "fx/IR/Metadata.h"
#include "fx/Transforms/NodeNamer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;
using namespace fx::partition;

static bool isState(Operation *op) {
  auto placeholder = dyn_cast_if_present<PlaceholderOp>(op);
  return placeholder && placeholder.getTarget();
}

Boundary fx::partition::getBoundary(ArrayRef<Operation *> nodes) {
  Boundary boundary;
  llvm::SmallPtrSet<Operation *, 16> inside(nodes.begin(), nodes.end());
  for (Operation *op : nodes) {
    for (Value operand : op->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (inside.contains(definition))
        continue;
      if (isState(definition) || isa<GetAttrOp>(definition))
        boundary.copies.insert(definition);
      else
        boundary.inputs.insert(operand);
    }
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !inside.contains(user); }))
        boundary.outputs.push_back(result);
  }
  return boundary;
}

/// Returns the ranges of those symbols of the graph that types in `block` use.
static ArrayAttr getRanges(GraphOp graph, Block &block) {
  llvm::StringSet<> used;
  for (Operation &op : block)
    for (Type type : op.getResultTypes())
      type.walk([&](ExprAttr expr) {
        expr.walkSymbols([&](StringRef symbol) { used.insert(symbol); });
      });
  SmallVector<Attribute> ranges;
  for (Attribute attr : graph.getSymbols()) {
    bool isUsed = false;
    cast<RangeAttr>(attr).getExpr().walkSymbols(
        [&](StringRef symbol) { isUsed |= used.contains(symbol); });
    if (isUsed)
      ranges.push_back(attr);
  }
  return ArrayAttr::get(graph.getContext(), ranges);
}

static std::string getValueName(Value value) {
  SmallVector<StringRef> names = getResultNames(value.getDefiningOp());
  unsigned i = cast<OpResult>(value).getResultNumber();
  return i < names.size() && !names[i].empty() ? names[i].str() : "value";
}

static PlaceholderOp createInput(OpBuilder &b, Value value, StringRef name) {
  Location loc = NameLoc::get(b.getStringAttr(name));
  OperationState state(loc, PlaceholderOp::getOperationName());
  state.addTypes(value.getType());
  state.addAttribute("name", b.getStringAttr(name));
  return cast<PlaceholderOp>(b.create(state));
}

void fx::partition::makeBlock(GraphOp graph, ArrayRef<Operation *> nodes,
                              StringRef name) {
  MLIRContext *ctx = graph.getContext();
  Boundary boundary = getBoundary(nodes);
  OpBuilder b(graph);
  std::string symbol = (graph.getSymName() + "." + name).str();
  auto body = GraphOp::create(b, graph.getLoc(), symbol, /*isPrivate=*/true);
  body.setFunctional(true);

  // Create the call at the position of the last node.
  b.setInsertionPoint(nodes.back());
  SmallVector<Attribute> leaves(boundary.inputs.size(), OperandAttr::get(ctx));
  SmallVector<Type> types(ValueRange(boundary.outputs).getTypes());
  auto call = CallModuleOp::create(
      b, graph.getLoc(), types, b.getStringAttr(name),
      boundary.inputs.getArrayRef(), b.getArrayAttr(leaves), b.getArrayAttr({}),
      ArrayAttr());
  call->setAttr("fx.body", FlatSymbolRefAttr::get(ctx, symbol));
  std::string names = name.str();
  if (boundary.outputs.size() != 1) {
    // Each result keeps its name, as the getitem nodes of FX.
    SmallVector<std::string> each;
    for (Value output : boundary.outputs)
      each.push_back(getValueName(output));
    if (!each.empty())
      names = llvm::join(each, ",");
  }
  call->setLoc(NameLoc::get(b.getStringAttr(names)));

  for (auto [output, result] :
       llvm::zip_equal(boundary.outputs, call->getResults()))
    output.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !llvm::is_contained(nodes, use.getOwner());
    });
  for (Operation *op : nodes)
    op->moveBefore(&body.getBlock(), body.getBlock().end());
  NodeNamer inner(body);
  b.setInsertionPointToStart(&body.getBlock());
  auto replaceInside = [&](Value from, Value to) {
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return use.getOwner()->getParentOp() == body;
    });
  };
  auto copy = [&](Operation *op) {
    Operation *copied = b.clone(*op);
    if (auto placeholder = dyn_cast<PlaceholderOp>(copied)) {
      placeholder.setName(inner.getUnique(placeholder.getName()));
      copied->setLoc(NameLoc::get(placeholder.getNameAttr()));
    } else {
      inner.makeUnique(copied);
    }
    replaceInside(op->getResult(0), copied->getResult(0));
  };
  // Create states first, then inputs of the user, then references.
  for (Operation *op : boundary.copies)
    if (isa<PlaceholderOp>(op))
      copy(op);
  for (Value input : boundary.inputs) {
    std::string inputName = inner.getUnique(getValueName(input));
    replaceInside(input, createInput(b, input, inputName).getResult());
  }
  for (Operation *op : boundary.copies)
    if (!isa<PlaceholderOp>(op))
      copy(op);
  b.setInsertionPointToEnd(&body.getBlock());
  leaves.assign(boundary.outputs.size(), OperandAttr::get(ctx));
  OutputOp::create(b, graph.getLoc(), boundary.outputs, b.getArrayAttr(leaves),
                   ArrayAttr());
  if (ArrayAttr ranges = getRanges(graph, body.getBlock()); !ranges.empty())
    body.setSymbolsAttr(ranges);
}
