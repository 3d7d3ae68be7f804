//===- Guards.h - guards over the program's inputs --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_GUARDS_H
#define FX_LIB_IMPORT_GUARDS_H

#include "fx/Import/Schema.h"
#include "fx/Import/SymbolicText.h"
#include "llvm/ADT/StringMap.h"

namespace fx {

/// A pytree spec: a leaf, or a container with its children and its keys.
struct PyTree {
  bool isLeaf = false;
  std::vector<std::string> keys; ///< of a dict, one for each child
  std::vector<PyTree> children;

  /// Reads the JSON text of `treespec_dumps`. Returns false if the text does
  /// not have the expected form.
  bool parse(llvm::StringRef json);
  size_t countLeaves() const;
};

/// Parses guards: Python expressions over the dictionary `L` of the program's
/// arguments, such as `L['x']['key'][0].size()[1] > 3`.
class GuardResolver {
public:
  GuardResolver(GraphOp graph, const schema::ExportedProgram &program);

  /// Returns the condition as an expression over the graph's symbols, or null
  /// if the guard cannot be parsed.
  ExprAttr parse(llvm::StringRef code);

private:
  ExprAttr resolve(llvm::StringRef root, llvm::ArrayRef<Access> accesses);
  /// Returns the property of a tensor that `steps` read: a size, a stride, the
  /// storage offset or the rank. Returns null for other steps.
  ExprAttr getProperty(FakeTensorType type, llvm::ArrayRef<Access> steps);
  PlaceholderOp getInput(llvm::ArrayRef<Access> path);
  /// Returns the index of the leaf at a path through the arguments' pytree.
  std::optional<size_t> findLeaf(llvm::ArrayRef<Access> path);

  GraphOp graph;
  PyTree spec; ///< without children if it is unknown
  std::vector<std::string> argumentNames;
  llvm::SmallVector<PlaceholderOp> userInputs; ///< in flattened order
  llvm::StringMap<PlaceholderOp> byName;
};

} // namespace fx

#endif // FX_LIB_IMPORT_GUARDS_H
