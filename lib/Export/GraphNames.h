//===- GraphNames.h - FX's names of a graph's values and nodes --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In FX a node is one value. An operation with several results is a node that
// gives a tuple, and a `getitem` node for each result; the archive names both.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_GRAPHNAMES_H
#define FX_LIB_EXPORT_GRAPHNAMES_H

#include "fx/IR/FXDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/StringSaver.h"

namespace fx {

/// How an operation hands out its results.
enum class ResultForm {
  Nothing, ///< it has none, or None
  Single,  ///< the node is the value
  Tuple,   ///< each result is an element of the node's value
};
ResultForm getResultForm(mlir::Operation *op);

/// Names that are unique within the graph: those of the locations, and where
/// there is none or it is taken, new ones as FX makes them.
class GraphNames {
public:
  /// The names live as long as `strings`.
  GraphNames(GraphOp graph, llvm::StringSaver &strings);

  llvm::StringRef get(mlir::Value value) const { return values.at(value); }
  /// The name of the node itself, which is that of its value if it is single.
  llvm::StringRef get(mlir::Operation *op) const { return nodes.at(op); }
  /// A name like `wanted` that nothing has yet.
  llvm::StringRef create(llvm::StringRef wanted);

private:
  llvm::StringSaver &strings;
  llvm::StringSet<> taken;
  llvm::DenseMap<mlir::Value, llvm::StringRef> values;
  llvm::DenseMap<mlir::Operation *, llvm::StringRef> nodes;
};

/// The name of the target's Python function: `add.Tensor` of
/// `aten.add.Tensor`, `mul` of `_operator.mul`.
llvm::StringRef getFunctionName(llvm::StringRef target);

/// The node's metadata dictionary, wherever in the location it stands; null
/// where there is none.
mlir::DictionaryAttr findMetadata(mlir::Location loc);

} // namespace fx

#endif // FX_LIB_EXPORT_GRAPHNAMES_H
