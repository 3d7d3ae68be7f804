//===- FXGraph.h - a graph as torch.fx has it -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list of nodes that torch.export.load makes of a graph, for what prints
// one: every value is a node, results are taken apart by `getitem` nodes, and
// a sub-graph has a `get_attr` node in front of each of its uses.
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
  /// As Python qualifies it: `torch.ops.aten.add.Tensor`, `_operator.mul`.
  std::string target;
  std::vector<FXArgument> args;
  std::vector<std::pair<std::string, FXArgument>> kwargs;
  /// The operation it comes from; a getitem has that of its tuple.
  mlir::Operation *op = nullptr;
  /// The value it stands for, if it is one of the graph.
  mlir::Value value;
  /// The nodes it uses, each once, in order, and how many nodes use it.
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

/// The name that a sub-graph has in the module of `parent`.
llvm::StringRef getSubgraphName(GraphOp subgraph, GraphOp parent);

/// Checks that no graph reached from `graph` contains itself, and that the
/// whole, each use of a sub-graph written out, stays of a sane size. Emits an
/// error.
mlir::LogicalResult checkSubgraphs(GraphOp graph,
                                   const mlir::SymbolTable &symbols);

} // namespace fx

#endif // FX_LIB_EXPORT_FXGRAPH_H
