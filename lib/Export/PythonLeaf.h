//===- PythonLeaf.h - immediates as Python prints them ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_PYTHONLEAF_H
#define FX_LIB_EXPORT_PYTHONLEAF_H

#include "FXGraph.h"
#include "PythonText.h"

namespace fx {

enum class LeafStyle {
  Str,  ///< `str(leaf)`: a string as it is
  Repr, ///< `repr(leaf)`: a string in quotes, `device(type='cpu')`
  Code, ///< an expression: as Repr, but an operator is its qualified name
};

/// Prints an immediate of an argument tree.
void printPythonLeaf(llvm::raw_ostream &os, mlir::Attribute leaf,
                     LeafStyle style);

/// Prints `repr(argument)`. Nodes are printed as their names.
void printRepr(llvm::raw_ostream &os, const FXArgument &argument,
               const FXGraph &graph, LeafStyle style);

/// Checks that all names of a graph are Python identifiers, or paths of them,
/// so that no name can contain code. Emits an error otherwise.
mlir::LogicalResult checkPython(const FXGraph &graph);

/// Returns torch's name of a dtype, such as `float32`, or `<unknown>`.
llvm::StringRef getDtypeName(mlir::Type type);

/// Returns the graph `@main`, or the sub-graph at a path of attribute names
/// (`true_graph_0.false_graph_0`). Returns null after an error.
GraphOp findGraph(mlir::ModuleOp module, const mlir::SymbolTable &symbols,
                  llvm::StringRef path);

} // namespace fx

#endif // FX_LIB_EXPORT_PYTHONLEAF_H
