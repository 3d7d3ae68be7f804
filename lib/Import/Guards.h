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

  /// From the JSON of `treespec_dumps`; false where it is not understood.
  bool parse(llvm::StringRef json);
  size_t countLeaves() const;
};

/// Understands guards: Python over the dictionary `L` of the program's
/// arguments, `L['x']['key'][0].size()[1] > 3`.
class GuardResolver {
public:
  GuardResolver(GraphOp graph, const schema::ExportedProgram &program);

  /// The condition over the graph's symbols; null where it is not understood.
  ExprAttr parse(llvm::StringRef code);

private:
  ExprAttr resolve(llvm::StringRef root, llvm::ArrayRef<Access> accesses);
  /// What `steps` give of a tensor: a size, stride or offset.
  ExprAttr getProperty(FakeTensorType type, llvm::ArrayRef<Access> steps);
  PlaceholderOp getInput(llvm::ArrayRef<Access> path);
  /// The number of the leaf at a path through the arguments' pytree.
  std::optional<size_t> findLeaf(llvm::ArrayRef<Access> path);

  GraphOp graph;
  PyTree spec; ///< no children where it is not known
  std::vector<std::string> argumentNames;
  llvm::SmallVector<PlaceholderOp> userInputs; ///< in flattened order
  llvm::StringMap<PlaceholderOp> byName;
};

} // namespace fx

#endif // FX_LIB_IMPORT_GUARDS_H
