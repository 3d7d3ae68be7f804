//===- Nodes.cpp - a graph as JSON that torch.fx is built from ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonWriter.h"
#include "PythonLeaf.h"
#include "fx/Export/Text.h"
#include "fx/IR/Metadata.h"

using namespace mlir;
using namespace fx;

static StringRef getOpName(FXNode::Kind kind) {
  switch (kind) {
  case FXNode::Placeholder:
    return "placeholder";
  case FXNode::GetAttr:
    return "get_attr";
  case FXNode::CallFunction:
    return "call_function";
  case FXNode::CallMethod:
    return "call_method";
  case FXNode::CallModule:
    return "call_module";
  case FXNode::Output:
    return "output";
  }
  return "";
}

namespace {
class NodesPrinter {
public:
  NodesPrinter(JsonWriter &json, const SymbolTable &symbols)
      : json(json), symbols(symbols) {}

  void print(GraphOp op) {
    FXGraph graph(op, symbols);
    json.object([&] {
      json.key("nodes");
      json.array([&] {
        for (const FXNode &node : graph.getNodes())
          if (!isUnusedItem(node))
            printNode(graph, node);
      });
      json.key("graphs");
      json.object([&] {
        for (const FXGraph::Subgraph &subgraph : graph.getSubgraphs()) {
          json.key(subgraph.name);
          print(subgraph.graph);
        }
      });
    });
  }

private:
  /// Returns true for a getitem without users that FXGraph made for a result of
  /// another node.
  static bool isUnusedItem(const FXNode &node) {
    auto call = dyn_cast_if_present<NodeOpInterface>(node.op);
    return node.kind == FXNode::CallFunction && !node.numUsers && call &&
           node.target == "_operator.getitem" &&
           call.getTargetName() != "_operator.getitem";
  }

  void printTagged(StringRef tag, StringRef text) {
    json.object([&] {
      json.key(tag);
      json.string(text);
    });
  }

  void printLeaf(Attribute leaf) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printPythonLeaf(os, leaf, LeafStyle::Str);
    if (isa<fx::NoneAttr>(leaf))
      json.null();
    else if (auto boolean = dyn_cast<BoolAttr>(leaf))
      json.boolean(boolean.getValue());
    else if (auto integer = dyn_cast<IntegerAttr>(leaf))
      json.integer(integer.getValue().getSExtValue());
    else if (isa<StringAttr>(leaf))
      json.string(text);
    else if (isa<FloatAttr>(leaf))
      printTagged("float", text);
    else if (isa<fx::ComplexAttr>(leaf))
      printTagged("complex", text);
    else if (isa<DeviceAttr>(leaf))
      printTagged("device", text);
    else if (auto op = dyn_cast<OperatorAttr>(leaf))
      printTagged("operator", op.getTarget());
    else if (isa<TypeAttr, MemoryFormatAttr, LayoutAttr>(leaf))
      printTagged("torch", StringRef(text).rsplit('.').second);
    else
      printTagged("unknown", text);
  }

  void printArgument(const FXGraph &graph, const FXArgument &argument) {
    auto elements = [&] {
      json.array([&] {
        for (const FXArgument &element : argument.elements)
          printArgument(graph, element);
      });
    };
    switch (argument.kind) {
    case FXArgument::Node:
      return printTagged("node", graph.getNodes()[argument.node].name);
    case FXArgument::Leaf:
      return printLeaf(argument.leaf);
    case FXArgument::List:
      return elements();
    case FXArgument::Tuple:
      return json.object([&] {
        json.key("tuple");
        elements();
      });
    case FXArgument::Dict:
      return json.object([&] {
        json.key("dict");
        json.object([&] {
          for (auto [key, element] :
               llvm::zip(argument.keys, argument.elements)) {
            json.key(key);
            printArgument(graph, element);
          }
        });
      });
    }
  }

  void printNode(const FXGraph &graph, const FXNode &node) {
    auto string = [&](StringRef key, StringRef value) {
      json.key(key);
      json.string(value);
    };
    json.object([&] {
      string("op", getOpName(node.kind));
      string("name", node.name);
      string("target", node.target);
      if (auto input = dyn_cast_if_present<PlaceholderOp>(node.op);
          input && input.getTarget())
        string("state", *input.getTarget());
      json.key("args");
      json.array([&] {
        for (const FXArgument &argument : node.args)
          printArgument(graph, argument);
      });
      json.key("kwargs");
      json.object([&] {
        for (auto &[name, argument] : node.kwargs) {
          json.key(name);
          printArgument(graph, argument);
        }
      });
      if (!node.op)
        return;
      if (DictionaryAttr metadata = getMetadata(node.op->getLoc()))
        if (auto stack = metadata.getAs<StringAttr>("stack_trace"))
          string("stack_trace", stack);
    });
  }

  JsonWriter &json;
  const SymbolTable &symbols;
};
} // namespace

LogicalResult fx::printNodes(ModuleOp module, raw_ostream &os) {
  SymbolTable symbols(module);
  GraphOp graph = findGraph(module, symbols, "");
  if (!graph || failed(checkSubgraphs(graph, symbols)))
    return failure();
  JsonWriter json(os);
  NodesPrinter(json, symbols).print(graph);
  os << '\n';
  return success();
}
