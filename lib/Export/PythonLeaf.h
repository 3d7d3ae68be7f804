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
  Code, ///< an expression; as Repr, but an operator by its qualified name
};

/// Prints an immediate of an argument tree.
void printPythonLeaf(llvm::raw_ostream &os, mlir::Attribute leaf,
                     LeafStyle style);

/// `repr(argument)`, in which a node is its name.
void printRepr(llvm::raw_ostream &os, const FXArgument &argument,
               const FXGraph &graph, LeafStyle style);

/// Checks that all names of a graph are what Python takes for names: they must
/// not be able to hold code. Emits an error.
mlir::LogicalResult checkPython(const FXGraph &graph);

/// torch's name of a dtype, `float32`.
llvm::StringRef getDtypeName(mlir::Type type);

/// The graph `@main`, or the sub-graph at a path of attribute names
/// (`true_graph_0.false_graph_0`); null after an error.
GraphOp findGraph(mlir::ModuleOp module, const mlir::SymbolTable &symbols,
                  llvm::StringRef path);

} // namespace fx

#endif // FX_LIB_EXPORT_PYTHONLEAF_H
