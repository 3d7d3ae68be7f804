//===- Dot.cpp - pictures of graphs for graphviz --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphView.h"
#include "PythonLeaf.h"
#include "fx/Export/Text.h"

using namespace mlir;
using namespace fx;

namespace {
class DotPrinter {
public:
  DotPrinter(raw_ostream &os, const MarkedGraph &marked)
      : os(os), symbols(marked.symbols), marks(marked.marks),
        longest(getLongestTime(marks)) {}

  /// Prints the nodes of a graph. Their ids begin with `scope`, which
  /// distinguishes the nodes of several graphs.
  void print(GraphOp op, const std::string &scope, unsigned indent) {
    FXGraph graph(op, symbols);
    for (auto [i, node] : llvm::enumerate(graph.getNodes())) {
      printNode(graph, node, scope + std::to_string(i), indent);
      for (unsigned input : node.inputs)
        os.indent(indent) << scope << input << " -> " << scope << i << ";\n";
    }
    for (auto [i, subgraph] : llvm::enumerate(graph.getSubgraphs())) {
      std::string inner = scope + "g" + std::to_string(i) + "_";
      os.indent(indent) << "subgraph cluster_" << inner << " {\n";
      os.indent(indent + 2) << "label = \"" << escape(subgraph.name) << "\";\n";
      print(subgraph.graph, inner, indent + 2);
      os.indent(indent) << "}\n";
    }
  }

private:
  static std::string escape(StringRef text) {
    std::string result;
    for (char c : text) {
      if (c == '"' || c == '\\')
        result += '\\';
      result += c == '\n' ? ' ' : c;
    }
    return result;
  }

  static StringRef getShape(NodeDrawing::Shape shape) {
    switch (shape) {
    case NodeDrawing::UserInput:
      return "invhouse";
    case NodeDrawing::State:
      return "ellipse";
    case NodeDrawing::Output:
      return "house";
    case NodeDrawing::Operator:
      return "box";
    }
    llvm_unreachable("unknown shape");
  }

  void printNode(const FXGraph &graph, const FXNode &node,
                 const std::string &id, unsigned indent) {
    NodeDrawing drawing = drawNode(node, graph, marks, longest);
    os.indent(indent) << id << " [shape = " << getShape(drawing.shape)
                      << ", fillcolor = \"" << drawing.color
                      << "\", label = \"";
    llvm::interleave(
        drawing.lines, os, [&](StringRef line) { os << escape(line); }, "\\n");
    os << "\"";
    if (!drawing.modulePath.empty())
      os << ", tooltip = \"" << escape(drawing.modulePath) << "\"";
    os << "];\n";
  }

  raw_ostream &os;
  const SymbolTable &symbols;
  const OperatorMarks &marks;
  double longest;
};
} // namespace

LogicalResult fx::printDot(ModuleOp module, raw_ostream &os, StringRef report) {
  FailureOr<MarkedGraph> marked = MarkedGraph::get(module, report);
  if (failed(marked))
    return failure();
  os << "digraph main {\n"
        "  node [style = filled, fontname = \"Helvetica\", fontsize = 10];\n";
  DotPrinter(os, *marked).print(marked->graph, "n", 2);
  os << "}\n";
  return success();
}
