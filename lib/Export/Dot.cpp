//===- Dot.cpp - pictures of graphs for graphviz --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphView.h"
#include "PythonLeaf.h"
#include "fx/Export/Text.h"
#include "fx/IR/PythonStack.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace fx;

namespace {
class DotPrinter {
public:
  DotPrinter(raw_ostream &os, const SymbolTable &symbols,
             const OperatorMarks &marks)
      : os(os), symbols(symbols), marks(marks) {
    for (const auto &entry : marks)
      longest = std::max(longest, entry.second.seconds.value_or(0));
  }

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

  /// Returns a color between that of nodes without times, for share 0, and a
  /// dark orange, for share 1.
  static std::string getHeat(double share) {
    share = std::sqrt(std::clamp(share, 0.0, 1.0));
    auto mix = [&](int from, int to) {
      return int(std::lround(from + share * (to - from)));
    };
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(
        "#%02x%02x%02x", mix(0xdc, 0xf0), mix(0xe9, 0x8c), mix(0xf9, 0x32));
    return text;
  }

  void printNode(const FXGraph &graph, const FXNode &node,
                 const std::string &id, unsigned indent) {
    StringRef shape = "box", color = "#dce9f9";
    std::string label = escape(node.name), heat;
    if (node.kind == FXNode::Placeholder) {
      auto placeholder = cast<PlaceholderOp>(node.op);
      bool isUser = placeholder.getKind() == InputKind::UserInput ||
                    placeholder.getKind() == InputKind::ConstantInput;
      shape = isUser ? "invhouse" : "ellipse";
      color = isUser ? "#d5f0d5" : "#eeeeee";
    } else if (node.kind == FXNode::Output) {
      shape = "house";
      color = "#d5f0d5";
    } else {
      label += "\\n" + escape(node.target);
    }
    if (std::string type = describeType(node); !type.empty())
      label += "\\n" + escape(type);
    if (const OperatorMark *mark = findMark(marks, node, graph)) {
      // The color darkens with the ratio of the time to the longest time.
      if (mark->seconds && longest > 0)
        color = heat = getHeat(*mark->seconds / longest);
      if (!mark->isNative) {
        color = "#f9d5d5";
        label += "\\nfallback: " + escape(mark->reason);
      }
      if (mark->seconds) {
        llvm::raw_string_ostream(label)
            << llvm::format("\\n%.3f ms", *mark->seconds * 1000);
      }
    }
    os.indent(indent) << id << " [shape = " << shape << ", fillcolor = \""
                      << color << "\", label = \"" << label << "\"";
    if (std::string path = getModulePath(node.op->getLoc()); !path.empty())
      os << ", tooltip = \"" << escape(path) << "\"";
    os << "];\n";
  }

  raw_ostream &os;
  const SymbolTable &symbols;
  const OperatorMarks &marks;
  double longest = 0;
};
} // namespace

LogicalResult fx::printDot(ModuleOp module, raw_ostream &os, StringRef report) {
  SymbolTable symbols(module);
  OperatorMarks marks;
  GraphOp graph = findGraph(module, symbols, "");
  if (!graph || failed(readMarks(module, report, marks)))
    return failure();
  os << "digraph main {\n"
        "  node [style = filled, fontname = \"Helvetica\", fontsize = 10];\n";
  DotPrinter(os, symbols, marks).print(graph, "n", 2);
  os << "}\n";
  return success();
}
