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

/// Gives the nodes that a pass adds names as FX would: `add`, `add_1`, ….
class NodeNamer {
public:
  explicit NodeNamer(GraphOp graph);

  /// `base`, or the first free of `base_1`, `base_2`, ….
  std::string getUnique(llvm::StringRef base);
  /// `loc` under a new name made from `base`.
  mlir::Location rename(mlir::Location loc, llvm::StringRef base);
  /// Renames `op` so that none of its results has a name already taken.
  void makeUnique(mlir::Operation *op);
  /// Frees the names of a node that is about to go.
  void release(mlir::Operation *op);

private:
  llvm::StringSet<> taken;
};

} // namespace fx

#endif // FX_TRANSFORMS_NODENAMER_H
