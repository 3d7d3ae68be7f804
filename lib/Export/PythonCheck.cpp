//===- PythonCheck.cpp - what may stand in Python source ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names come from untrusted files, and the printed source will be executed.
// These checks ensure that no name can contain code.
//
//===----------------------------------------------------------------------===//

#include "Namespace.h"
#include "PythonLeaf.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

static bool isWord(StringRef name) {
  return !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
}

static bool isIdentifier(StringRef name) {
  return isWord(name) && !llvm::isDigit(name.front()) && !isPythonKeyword(name);
}

/// Returns true for a path such as `a.b.c`. If `allowNumbers` is true, steps
/// may begin with a digit, as in the path of a module.
static bool isPath(StringRef path, bool allowNumbers) {
  return llvm::all_of(llvm::split(path, '.'), [&](StringRef step) {
    return isWord(step) && (allowNumbers || !llvm::isDigit(step.front()));
  });
}

namespace {
class Checker {
public:
  explicit Checker(const FXGraph &graph) : graph(graph) {}

  LogicalResult run() {
    for (const FXNode &node : graph.getNodes())
      if (failed(check(node)))
        return failure();
    for (const FXGraph::Subgraph &subgraph : graph.getSubgraphs())
      if (!isIdentifier(subgraph.name))
        return refuse(GraphOp(subgraph.graph).getLoc(),
                      "the name of a sub-graph", subgraph.name);
    return success();
  }

private:
  static LogicalResult refuse(Location loc, StringRef what, StringRef text) {
    return emitError(loc) << "expected " << what
                          << " to be Python identifiers, got '"
                          << text.take_front(80) << "'";
  }

  LogicalResult check(const FXNode &node) {
    Location loc = node.op->getLoc();
    if (!isIdentifier(node.name) && node.kind != FXNode::Output)
      return refuse(loc, "the name of a node", node.name);
    bool isModule =
        node.kind == FXNode::CallModule || node.kind == FXNode::GetAttr;
    if (!isPath(node.target, isModule))
      return refuse(loc, "the target of a node", node.target);
    for (const FXArgument &argument : node.args)
      if (failed(check(argument, loc)))
        return failure();
    for (auto &[name, argument] : node.kwargs) {
      if (!isIdentifier(name))
        return refuse(loc, "the name of an argument", name);
      if (failed(check(argument, loc)))
        return failure();
    }
    return success();
  }

  LogicalResult check(const FXArgument &argument, Location loc) {
    for (const FXArgument &element : argument.elements)
      if (failed(check(element, loc)))
        return failure();
    if (argument.kind != FXArgument::Leaf)
      return success();
    Attribute leaf = argument.leaf;
    StringRef name = "x";
    if (auto format = dyn_cast<MemoryFormatAttr>(leaf))
      name = format.getValue();
    else if (auto layout = dyn_cast<LayoutAttr>(leaf))
      name = layout.getValue();
    else if (auto op = dyn_cast<OperatorAttr>(leaf))
      name = op.getTarget();
    else if (auto type = dyn_cast<TypeAttr>(leaf))
      name = getDtypeName(type.getValue());
    else if (!isa<fx::NoneAttr, IntegerAttr, FloatAttr, StringAttr, DeviceAttr,
                  fx::ComplexAttr>(leaf))
      return emitError(loc) << "Python has no value for " << leaf;
    if (!isPath(name, /*allowNumbers=*/false))
      return refuse(loc, "the parts of an argument", name);
    return success();
  }

  const FXGraph &graph;
};
} // namespace

LogicalResult fx::checkPython(const FXGraph &graph) {
  return Checker(graph).run();
}
