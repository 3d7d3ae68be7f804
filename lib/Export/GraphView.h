//===- GraphView.h - what drawings of a graph show --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_GRAPHVIEW_H
#define FX_LIB_EXPORT_GRAPHVIEW_H

#include "FXGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace fx {

/// The entry of an operator in a report of fx-compile or fx-cost.
struct OperatorMark {
  bool isNative = true;
  std::string reason;               ///< why it is a fallback
  std::optional<double> seconds;    ///< its time, if the report has times
  std::vector<std::string> kernels; ///< the kernels that compute it
};
/// The marks of operators by `<graph's symbol>:<node's name>`.
using OperatorMarks = llvm::StringMap<OperatorMark>;

/// What a picture shows: the graph `@main` with its sub-graphs, and marks.
struct MarkedGraph {
  /// Reads the `operators` of a report of fx-compile, or the `nodes` of a
  /// report of fx-cost, at `report`; no marks if the path is empty. The texts
  /// of errors in it are `<path>: <what is wrong>`.
  static mlir::FailureOr<MarkedGraph> get(mlir::ModuleOp module,
                                          llvm::StringRef report);

  mlir::SymbolTable symbols;
  GraphOp graph;
  OperatorMarks marks;
};

/// Returns the mark of a node, or null.
const OperatorMark *findMark(const OperatorMarks &marks, const FXNode &node,
                             const FXGraph &graph);

/// Returns the longest time of an operator; 0 if there are no times.
double getLongestTime(const OperatorMarks &marks);

/// What a node looks like in a picture.
struct NodeDrawing {
  enum Shape { UserInput, State, Output, Operator };
  Shape shape = Operator;
  std::string color;              ///< "#dce9f9"
  std::vector<std::string> lines; ///< the text, which is not escaped
  std::string modulePath;         ///< the path of the module; may be empty
};

/// Returns the drawing of a node. The color of a node with a time darkens with
/// the ratio of the time to `longest`.
NodeDrawing drawNode(const FXNode &node, const FXGraph &graph,
                     const OperatorMarks &marks, double longest);

/// Returns torch.fx's abbreviation of a type: `f32[s77, 8]`, `Sym(s77)`, ….
/// Empty for `!fx.any`.
std::string describeType(mlir::Type type);
/// Returns the type of the node's value, or the types of its tuple's elements.
std::string describeType(const FXNode &node);

/// Returns the text of a node's arguments, such as `x, 1, alpha = 2`. Nodes are
/// printed as their names.
std::string describeArguments(const FXNode &node, const FXGraph &graph);

} // namespace fx

#endif // FX_LIB_EXPORT_GRAPHVIEW_H
