//===- Mermaid.cpp - pictures of graphs in Markdown -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphView.h"
#include "PythonLeaf.h"
#include "fx/Export/Text.h"

#include <set>

using namespace mlir;
using namespace fx;

namespace {
class MermaidPrinter {
public:
  MermaidPrinter(raw_ostream &os, const MarkedGraph &marked)
      : os(os), symbols(marked.symbols), marks(marked.marks),
        longest(getLongestTime(marks)) {}

  /// Prints the nodes of a graph. Their ids begin with `scope`, which
  /// distinguishes the nodes of several graphs.
  void print(GraphOp op, const std::string &scope, unsigned indent) {
    FXGraph graph(op, symbols);
    for (auto [i, node] : llvm::enumerate(graph.getNodes()))
      printNode(drawNode(node, graph, marks, longest),
                scope + std::to_string(i), indent);
    for (auto [i, node] : llvm::enumerate(graph.getNodes()))
      for (unsigned input : node.inputs)
        os.indent(indent) << scope << input << " --> " << scope << i << "\n";
    for (auto [i, subgraph] : llvm::enumerate(graph.getSubgraphs())) {
      std::string inner = scope + "g" + std::to_string(i);
      os.indent(indent) << "subgraph " << inner << "[\"";
      printEscaped(subgraph.name);
      os << "\"]\n";
      print(subgraph.graph, inner + "_", indent + 2);
      os.indent(indent) << "end\n";
    }
  }

  /// Prints the colors of the nodes. Text is black, as on a light page, because
  /// the colors of nodes are light on dark pages, too.
  void printColors() {
    for (const std::string &color : colors)
      os << "  classDef " << getClass(color) << " fill:" << color
         << ",stroke:#666666,color:#000000\n";
  }

private:
  static std::string getClass(StringRef color) {
    return "c" + color.drop_front().str();
  }

  /// Prints a part of a text in quotes. Mermaid reads the text as HTML with
  /// character references that begin with '#', and reads it as Markdown if it
  /// begins with a backtick.
  void printEscaped(StringRef text) {
    for (char c : text)
      if (StringRef reference = getReference(c); !reference.empty())
        os << reference;
      else
        os << (c == '\n' ? ' ' : c);
  }

  static StringRef getReference(char c) {
    switch (c) {
    case '"':
      return "#quot;";
    case '#':
      return "#35;";
    case '&':
      return "#amp;";
    case '<':
      return "#lt;";
    case '>':
      return "#gt;";
    case '`':
      return "#96;";
    default:
      return "";
    }
  }

  /// Returns the brackets that mean the shape.
  static std::pair<StringRef, StringRef> getShape(NodeDrawing::Shape shape) {
    switch (shape) {
    case NodeDrawing::UserInput:
      return {"[/", "\\]"};
    case NodeDrawing::State:
      return {"([", "])"};
    case NodeDrawing::Output:
      return {"[\\", "/]"};
    case NodeDrawing::Operator:
      return {"[", "]"};
    }
    llvm_unreachable("unknown shape");
  }

  void printNode(const NodeDrawing &drawing, const std::string &id,
                 unsigned indent) {
    auto [open, close] = getShape(drawing.shape);
    os.indent(indent) << id << open << '"';
    llvm::interleave(
        drawing.lines, os, [&](StringRef line) { printEscaped(line); }, "<br>");
    os << '"' << close << ":::" << getClass(drawing.color) << "\n";
    colors.insert(drawing.color);
  }

  raw_ostream &os;
  const SymbolTable &symbols;
  const OperatorMarks &marks;
  double longest;
  std::set<std::string> colors;
};
} // namespace

LogicalResult fx::printMermaid(ModuleOp module, raw_ostream &os,
                               StringRef report) {
  FailureOr<MarkedGraph> marked = MarkedGraph::get(module, report);
  if (failed(marked))
    return failure();
  os << "flowchart TD\n";
  MermaidPrinter printer(os, *marked);
  printer.print(marked->graph, "n", 2);
  printer.printColors();
  return success();
}
