//===- Matcher.h - finds a pattern graph in another -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_REWRITE_MATCHER_H
#define FX_LIB_TRANSFORMS_REWRITE_MATCHER_H

#include "fx/IR/Arguments.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace fx {

/// What stands for what in one match. Trees are of immediates and
/// `#fx.operand`s, with the values of these.
struct Match {
  /// A placeholder of the pattern.
  llvm::DenseMap<mlir::Value, ArgumentTree> inputs;
  /// A result of another node of the pattern.
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> nodes;
  /// A symbol of the pattern's types.
  llvm::StringMap<ExprAttr> symbols;
  /// What matched, in the order in which it was found.
  llvm::SmallVector<mlir::Operation *> matched;
};

/// Matches one pattern, with the rules of torch.fx's subgraph_rewriter:
/// a placeholder stands for any value or immediate, the same one each time;
/// what is matched and no output of the pattern has no other use.
class Matcher {
public:
  explicit Matcher(GraphOp pattern) : pattern(pattern) {}

  /// A match in which the pattern's first output is made by `anchor`, of nodes
  /// that are not in `taken`.
  std::optional<Match> match(mlir::Operation *anchor,
                             const llvm::DenseSet<mlir::Operation *> &taken);

private:
  bool matchNode(mlir::Operation *want, mlir::Operation *have, Match &m);
  bool matchArguments(NodeOpInterface want, NodeOpInterface have, Match &m);
  bool matchArgument(const Argument &want, const Argument &have, bool isFloat,
                     Match &m);
  bool matchValue(mlir::Value want, const Argument &have, Match &m);
  bool bindInput(PlaceholderOp input, const Argument &have, Match &m);
  bool matchRest(unsigned output, Match &m,
                 const llvm::DenseSet<mlir::Operation *> &taken);
  bool check(const Match &m, const llvm::DenseSet<mlir::Operation *> &taken);

  GraphOp pattern;
};

} // namespace fx

#endif // FX_LIB_TRANSFORMS_REWRITE_MATCHER_H
