//===- ModelExplorer.cpp - graphs for Model Explorer ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The JSON is a graph collection of Model Explorer. A graph is a list of nodes
// with their namespaces (here the paths of nn.Modules), attributes, incoming
// edges and the descriptions of their outputs.
//
//===----------------------------------------------------------------------===//

#include "GraphView.h"
#include "JsonWriter.h"
#include "PythonLeaf.h"
#include "fx/Export/Text.h"
#include "fx/IR/PythonStack.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace fx;

namespace {
class ExplorerPrinter {
public:
  ExplorerPrinter(JsonWriter &json, const MarkedGraph &marked)
      : json(json), symbols(marked.symbols), marks(marked.marks) {}

  void print(GraphOp op, const std::string &id) {
    FXGraph graph(op, symbols);
    json.object([&] {
      string("id", id);
      json.key("nodes");
      json.array([&] {
        for (auto [i, node] : llvm::enumerate(graph.getNodes()))
          printNode(graph, node, id, i);
      });
    });
    for (const FXGraph::Subgraph &subgraph : graph.getSubgraphs())
      print(subgraph.graph, id + "." + subgraph.name);
  }

private:
  void string(StringRef key, StringRef value) {
    json.key(key);
    json.string(value);
  }
  void attribute(StringRef key, StringRef value) {
    if (value.empty())
      return;
    json.object([&] {
      string("key", key);
      string("value", value);
    });
  }

  void printEdges(const FXNode &node) {
    json.array([&] {
      for (auto [i, input] : llvm::enumerate(node.inputs))
        json.object([&] {
          string("sourceNodeId", std::to_string(input));
          string("sourceNodeOutputId", "0");
          string("targetNodeInputId", std::to_string(i));
        });
    });
  }

  void printMark(const OperatorMark &mark) {
    attribute("runs", mark.isNative ? "native" : "fallback");
    attribute("reason", mark.reason);
    if (mark.seconds) {
      std::string text;
      llvm::raw_string_ostream(text)
          << llvm::format("%.6f", *mark.seconds * 1000);
      attribute("milliseconds", text);
    }
    attribute("kernels", llvm::join(mark.kernels, ", "));
  }

  void printNode(const FXGraph &graph, const FXNode &node,
                 const std::string &graphId, size_t index) {
    // torch.ops.aten.add.Tensor is shown as add.
    StringRef label = node.name;
    if (node.kind == FXNode::CallFunction) {
      StringRef target = node.target;
      label = target.consume_front("torch.ops.") && target.count('.') > 1
                  ? target.split('.').second.split('.').first
                  : target.drop_front(target.rfind('.') + 1);
    }
    std::string space = getModulePath(node.op->getLoc());
    std::replace(space.begin(), space.end(), '.', '/');
    json.object([&] {
      string("id", std::to_string(index));
      string("label", label);
      string("namespace", space);
      json.key("attrs");
      json.array([&] {
        attribute("name", node.name);
        attribute("target", node.target);
        if (node.kind != FXNode::Placeholder && node.kind != FXNode::GetAttr)
          attribute("arguments", describeArguments(node, graph));
        if (const OperatorMark *mark = findMark(marks, node, graph))
          printMark(*mark);
      });
      if (node.kind == FXNode::GetAttr) {
        json.key("subgraphIds");
        json.array([&] { json.string(graphId + "." + node.target); });
      }
      json.key("incomingEdges");
      printEdges(node);
      json.key("outputsMetadata");
      json.array([&] {
        std::string type = describeType(node);
        if (type.empty())
          return;
        json.object([&] {
          string("id", "0");
          json.key("attrs");
          json.array([&] { attribute("tensor_shape", type); });
        });
      });
    });
  }

  JsonWriter &json;
  const SymbolTable &symbols;
  const OperatorMarks &marks;
};
} // namespace

LogicalResult fx::printModelExplorer(ModuleOp module, raw_ostream &os,
                                     StringRef report) {
  FailureOr<MarkedGraph> marked = MarkedGraph::get(module, report);
  if (failed(marked))
    return failure();
  auto name = module->getAttrOfType<StringAttr>("fx.model");
  JsonWriter json(os);
  json.object([&] {
    json.key("label");
    json.string(name ? name.getValue() : "model");
    json.key("graphs");
    json.array(
        [&] { ExplorerPrinter(json, *marked).print(marked->graph, "main"); });
  });
  os << '\n';
  return success();
}
