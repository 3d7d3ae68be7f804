//===- NodeNamer.h - unique node names --------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_NODENAMER_H
#define FX_TRANSFORMS_NODENAMER_H

#include "fx/IR/FXDialect.h"

#include "llvm/ADT/StringSet.h"

namespace fx {

/// Names the nodes that a pass adds, in the way of FX: `add`, `add_1`, ….
class NodeNamer {
public:
  explicit NodeNamer(GraphOp graph);

  /// Returns the first free name of `base`, `base_1`, `base_2`, … and marks it
  /// as taken.
  std::string getUnique(llvm::StringRef base);
  /// Returns `loc` with a new name that is made from `base`.
  mlir::Location rename(mlir::Location loc, llvm::StringRef base);
  /// Renames `op` if one of its results has a name that is already taken.
  void makeUnique(mlir::Operation *op);
  /// Frees the names of a node that will be erased.
  void release(mlir::Operation *op);

private:
  llvm::StringSet<> taken;
};

} // namespace fx

#endif // FX_TRANSFORMS_NODENAMER_H
