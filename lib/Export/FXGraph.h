//===- FXGraph.h - a graph as torch.fx has it -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list of nodes that torch.export.load makes of a graph, for the printers
// of graphs. Every value is a node, `getitem` nodes extract the results of an
// operation, and a `get_attr` node precedes each use of a sub-graph.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_FXGRAPH_H
#define FX_LIB_EXPORT_FXGRAPH_H

#include "fx/IR/FXDialect.h"
#include "mlir/IR/SymbolTable.h"

#include <string>
#include <vector>

namespace fx {

/// An argument: a node, an immediate, or a container.
struct FXArgument {
  enum Kind { Node, Leaf, List, Tuple, Dict };
  Kind kind = Leaf;
  unsigned node = 0;    ///< the index of the node
  mlir::Attribute leaf; ///< the immediate
  std::vector<FXArgument> elements;
  std::vector<std::string> keys; ///< of a dict, one for each element
};

struct FXNode {
  enum Kind {
    Placeholder,
    GetAttr,
    CallFunction,
    CallMethod,
    CallModule,
    Output
  };
  Kind kind;
  std::string name;
  /// The target. A function has its qualified name in Python, such as
  /// `torch.ops.aten.add.Tensor` or `_operator.mul`.
  std::string target;
  std::vector<FXArgument> args;
  std::vector<std::pair<std::string, FXArgument>> kwargs;
  /// The operation of the node. A getitem node has the operation of its tuple.
  mlir::Operation *op = nullptr;
  /// The value of the graph that the node represents, or null.
  mlir::Value value;
  /// The nodes that this node uses, each once, in the order of its arguments,
  /// and the number of nodes that use this node.
  std::vector<unsigned> inputs;
  unsigned numUsers = 0;
};

class FXGraph {
public:
  FXGraph(GraphOp graph, const mlir::SymbolTable &symbols);

  const std::vector<FXNode> &getNodes() const { return nodes; }
  std::vector<FXNode> &getNodes() { return nodes; }
  GraphOp getGraph() const { return graph; }

  /// A sub-graph of this one and its name as an attribute of the module.
  struct Subgraph {
    std::string name;
    GraphOp graph;
  };
  const std::vector<Subgraph> &getSubgraphs() const { return subgraphs; }

private:
  class Builder;

  GraphOp graph;
  std::vector<FXNode> nodes;
  std::vector<Subgraph> subgraphs;
};

/// Returns the name of a sub-graph as an attribute of the module of `parent`.
llvm::StringRef getSubgraphName(GraphOp subgraph, GraphOp parent);

/// Checks that no graph reached from `graph` contains itself. Also bounds the
/// nesting and the number of graphs when each use of a sub-graph is written
/// out. Emits an error otherwise.
mlir::LogicalResult checkSubgraphs(GraphOp graph,
                                   const mlir::SymbolTable &symbols);

} // namespace fx

#endif // FX_LIB_EXPORT_FXGRAPH_H
