//===- GraphNames.h - FX's names of a graph's values and nodes --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An FX node has one value. An operation with several results becomes a node
// whose value is a tuple, and a `getitem` node for each result. The archive has
// names for all of these nodes.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_GRAPHNAMES_H
#define FX_LIB_EXPORT_GRAPHNAMES_H

#include "fx/IR/FXDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/StringSaver.h"

namespace fx {

/// The form of the FX value that an operation returns.
enum class ResultForm {
  Nothing, ///< it has none, or None
  Single,  ///< the node is the value
  Tuple,   ///< each result is an element of the node's value
};
ResultForm getResultForm(mlir::Operation *op);

/// Names the nodes and values of a graph uniquely. A name comes from the
/// location. If there is none there, or if it is taken, FX's rules make a new
/// name.
class GraphNames {
public:
  /// The names live as long as `strings`.
  GraphNames(GraphOp graph, llvm::StringSaver &strings);

  llvm::StringRef get(mlir::Value value) const { return values.at(value); }
  /// Returns the name of the node itself. It equals the name of the value if
  /// the form is Single.
  llvm::StringRef get(mlir::Operation *op) const { return nodes.at(op); }
  /// Returns `wanted`, with a number appended if the name is taken.
  llvm::StringRef create(llvm::StringRef wanted);

private:
  llvm::StringSaver &strings;
  llvm::StringSet<> taken;
  llvm::DenseMap<mlir::Value, llvm::StringRef> values;
  llvm::DenseMap<mlir::Operation *, llvm::StringRef> nodes;
};

/// Returns the name of the target's Python function: `add.Tensor` for
/// `aten.add.Tensor`, `mul` for `_operator.mul`.
llvm::StringRef getFunctionName(llvm::StringRef target);

} // namespace fx

#endif // FX_LIB_EXPORT_GRAPHNAMES_H
