//===- Text.h - the fx dialect to FX text, Python and pictures --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Printers of graphs with the nodes that torch.export.load creates: `getitem`
// nodes unpack the results of a node, and a sub-graph is an attribute of the
// module that a `get_attr` node reads for each use.
//
// All functions fail after emitting an error.
//
//===----------------------------------------------------------------------===//

#ifndef FX_EXPORT_TEXT_H
#define FX_EXPORT_TEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace fx {

/// Prints `str(graph)` of torch.fx and a newline. `path` is the path of a
/// sub-graph by attribute names (`true_graph_0.false_graph_0`); empty: `@main`
/// itself.
mlir::LogicalResult printFXText(mlir::ModuleOp module, llvm::raw_ostream &os,
                                llvm::StringRef path = "");

/// Prints a Python file that defines the graph as `class GraphModule`, an
/// `nn.Module` with the `forward` that torch.fx generates. `forward` takes all
/// inputs, including states. `STATES` maps each argument that is a state to the
/// name of the state in the program's `state_dict` or `constants`.
mlir::LogicalResult printPython(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Prints `@main` and its sub-graphs as JSON from which a torch.fx graph can be
/// built:
///   {"nodes": [{"op", "name", "target", "args", "kwargs"}...], "graphs":
///   {...}}
/// The node of a state has "state", and a node with a known stack trace has
/// "stack_trace". Lists, numbers, strings, bools and null are JSON values. All
/// other arguments are objects with one key: {"node": name}, {"tuple": [...]},
/// {"dict": {...}},
/// {"float": repr}, {"complex": repr}, {"device": text}, {"operator": target},
/// {"torch": name of a dtype, memory format or layout}.
mlir::LogicalResult printNodes(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Prints a graph in the DOT language of Graphviz: a box for each node with its
/// type, and a cluster for each sub-graph. `report` is the path of a report of
/// `fx-compile --report`, or empty. With a report the picture shows fallbacks
/// with their reasons, and times.
mlir::LogicalResult printDot(mlir::ModuleOp module, llvm::raw_ostream &os,
                             llvm::StringRef report = "");

/// Prints the picture of printDot in the language of Mermaid, which GitHub and
/// GitLab render in Markdown.
mlir::LogicalResult printMermaid(mlir::ModuleOp module, llvm::raw_ostream &os,
                                 llvm::StringRef report = "");

/// Prints JSON for Model Explorer: the nodes, grouped by the modules to which
/// they belong, with types and arguments. For `report` see printDot.
mlir::LogicalResult printModelExplorer(mlir::ModuleOp module,
                                       llvm::raw_ostream &os,
                                       llvm::StringRef report = "");

} // namespace fx

#endif // FX_EXPORT_TEXT_H
