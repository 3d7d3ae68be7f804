//===- FXText.cpp - the text of torch.fx's Graph.__str__ ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FXGraph.h"
#include "PythonLeaf.h"
#include "fx/Export/Text.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

namespace {
class Printer {
public:
  Printer(raw_ostream &os, const FXGraph &graph) : os(os), graph(graph) {}

  void print() {
    os << "graph():";
    for (const FXNode &node : graph.getNodes()) {
      os << "\n    ";
      print(node);
    }
  }

private:
  void print(const FXNode &node) {
    if (node.kind == FXNode::Output) {
      // The argument is printed as in Python: names have no `%`.
      os << "return ";
      printPlain(node.args.front());
      return;
    }
    static constexpr StringLiteral kinds[] = {"placeholder", "get_attr",
                                              "call_function", "call_method",
                                              "call_module"};
    os << '%' << node.name << " : [num_users=" << node.numUsers
       << "] = " << kinds[node.kind] << "[target=";
    StringRef target = node.target;
    if (node.kind == FXNode::CallFunction && target.consume_front("_operator."))
      os << "operator.";
    os << target << ']';
    if (node.kind == FXNode::Placeholder) {
      if (!node.args.empty()) {
        os << "(default=";
        printPlain(node.args.front());
        os << ')';
      }
      return;
    }
    if (node.kind == FXNode::GetAttr)
      return;
    os << "(args = ";
    printList('(', node.args, ')');
    os << ", kwargs = {";
    llvm::interleaveComma(node.kwargs, os, [&](auto &entry) {
      os << entry.first << ": ";
      print(entry.second);
    });
    os << "})";
  }

  void printList(char open, ArrayRef<FXArgument> elements, char close) {
    os << open;
    llvm::interleaveComma(elements, os, [&](const FXArgument &e) { print(e); });
    // A tuple of one has a comma.
    if (open == '(' && elements.size() == 1)
      os << ',';
    os << close;
  }

  void print(const FXArgument &argument) {
    switch (argument.kind) {
    case FXArgument::Node:
      os << '%' << graph.getNodes()[argument.node].name;
      return;
    case FXArgument::Leaf:
      printPythonLeaf(os, argument.leaf, LeafStyle::Str);
      return;
    case FXArgument::List:
      return printList('[', argument.elements, ']');
    case FXArgument::Tuple:
      return printList('(', argument.elements, ')');
    case FXArgument::Dict:
      os << '{';
      llvm::interleaveComma(llvm::seq<size_t>(0, argument.keys.size()), os,
                            [&](size_t i) {
                              os << argument.keys[i] << ": ";
                              print(argument.elements[i]);
                            });
      os << '}';
      return;
    }
  }

  /// Prints `str(argument)`, which has the reprs of a container's elements.
  void printPlain(const FXArgument &argument) {
    if (argument.kind == FXArgument::Leaf)
      printPythonLeaf(os, argument.leaf, LeafStyle::Str);
    else
      printRepr(os, argument, graph, LeafStyle::Repr);
  }

  raw_ostream &os;
  const FXGraph &graph;
};
} // namespace

void fx::printRepr(raw_ostream &os, const FXArgument &argument,
                   const FXGraph &graph, LeafStyle style) {
  auto list = [&](char open, char close) {
    os << open;
    llvm::interleaveComma(argument.elements, os, [&](const FXArgument &e) {
      printRepr(os, e, graph, style);
    });
    if (open == '(' && argument.elements.size() == 1)
      os << ',';
    os << close;
  };
  switch (argument.kind) {
  case FXArgument::Node:
    os << graph.getNodes()[argument.node].name;
    return;
  case FXArgument::Leaf:
    printPythonLeaf(os, argument.leaf, style);
    return;
  case FXArgument::List:
    return list('[', ']');
  case FXArgument::Tuple:
    return list('(', ')');
  case FXArgument::Dict:
    os << '{';
    llvm::interleaveComma(llvm::seq<size_t>(0, argument.keys.size()), os,
                          [&](size_t i) {
                            printPythonString(os, argument.keys[i]);
                            os << ": ";
                            printRepr(os, argument.elements[i], graph, style);
                          });
    os << '}';
    return;
  }
}

LogicalResult fx::printFXText(ModuleOp module, raw_ostream &os,
                              StringRef path) {
  SymbolTable symbols(module);
  GraphOp graph = findGraph(module, symbols, path);
  if (!graph)
    return failure();
  Printer(os, FXGraph(graph, symbols)).print();
  os << '\n';
  return success();
}

GraphOp fx::findGraph(ModuleOp module, const SymbolTable &symbols,
                      StringRef path) {
  auto graph = symbols.lookup<GraphOp>("main");
  if (!graph)
    emitError(module.getLoc()) << "expected a graph '@main' in the module";
  else if (failed(checkSubgraphs(graph, symbols)))
    return {};
  SmallVector<StringRef> steps;
  if (!path.empty())
    path.split(steps, '.');
  for (StringRef step : steps) {
    if (!graph)
      break;
    FXGraph parent(graph, symbols);
    auto subgraphs = ArrayRef(parent.getSubgraphs());
    const auto *found = llvm::find_if(
        subgraphs, [&](auto &subgraph) { return subgraph.name == step; });
    if (found == subgraphs.end()) {
      InFlightDiagnostic error = emitError(module.getLoc());
      error << "the graph '" << graph.getSymName() << "' has no sub-graph '"
            << step << "'";
      if (!subgraphs.empty())
        error << ", only '"
              << llvm::join(
                     llvm::map_range(subgraphs, [](auto &s) { return s.name; }),
                     "', '")
              << "'";
      return {};
    }
    graph = found->graph;
  }
  return graph;
}
