//===- Text.h - the fx dialect to FX text, Python and pictures --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph has here the nodes that torch.export.load gives it: results are taken
// apart by `getitem` nodes, and a sub-graph is an attribute of the module that
// a `get_attr` node fetches for each use.
//
// All functions fail after an error.
//
//===----------------------------------------------------------------------===//

#ifndef FX_EXPORT_TEXT_H
#define FX_EXPORT_TEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace fx {

/// Prints what `str(graph)` is in torch.fx, and a line feed. `path` names a
/// sub-graph of `@main` by its attributes (`true_graph_0.false_graph_0`);
/// empty: `@main` itself.
mlir::LogicalResult printFXText(mlir::ModuleOp module, llvm::raw_ostream &os,
                                llvm::StringRef path = "");

/// Prints a Python file that defines the graph as `class GraphModule`, an
/// `nn.Module` whose `forward` is what torch.fx's code generation gives: it
/// takes all inputs, those that states feed, too. `STATES` says which state
/// feeds which argument, by its name in the program's `state_dict` or
/// `constants`.
mlir::LogicalResult printPython(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Prints `@main` and its sub-graphs as JSON, for who builds a torch.fx graph:
///   {"nodes": [{"op", "name", "target", "args", "kwargs"}...], "graphs":
///   {...}}
/// A node has "state" where a state feeds it, and "stack_trace" where that is
/// known. A list, number, string, bool or null stands for itself; all else is
/// an object of one key: {"node": name}, {"tuple": [...]}, {"dict": {...}},
/// {"float": repr}, {"complex": repr}, {"device": text}, {"operator": target},
/// {"torch": name of a dtype, memory format or layout}.
mlir::LogicalResult printNodes(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Prints a graph in graphviz's language: a box for each node with its type, a
/// cluster for each sub-graph. `report` is the path of what fx-compile's
/// --report wrote, or empty: it marks fallbacks, with their reasons, and times.
mlir::LogicalResult printDot(mlir::ModuleOp module, llvm::raw_ostream &os,
                             llvm::StringRef report = "");

/// Prints the JSON that Model Explorer opens: nodes by the modules they come
/// from, with types and arguments; `report` as for printDot.
mlir::LogicalResult printModelExplorer(mlir::ModuleOp module,
                                       llvm::raw_ostream &os,
                                       llvm::StringRef report = "");

} // namespace fx

#endif // FX_EXPORT_TEXT_H
