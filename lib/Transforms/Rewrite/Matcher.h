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

/// The bindings of one match, from the pattern to the graph.
struct Match {
  /// Placeholders of the pattern. Each is bound to a tree of immediates and
  /// `#fx.operand`s with the values of the latter.
  llvm::DenseMap<mlir::Value, ArgumentTree> inputs;
  /// Results of other nodes of the pattern.
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> nodes;
  /// Symbols in types of the pattern.
  llvm::StringMap<ExprAttr> symbols;
  /// The matched nodes of the graph, in the order in which they were found.
  llvm::SmallVector<mlir::Operation *> matched;
};

/// Matches one pattern by the rules of torch.fx's subgraph_rewriter: a
/// placeholder matches any value or immediate, but the same one each time, and
/// a matched node that is not an output of the pattern has no other users.
class Matcher {
public:
  explicit Matcher(GraphOp pattern) : pattern(pattern) {}

  /// Returns a match in which `anchor` computes the first output of the pattern
  /// and no node is in `taken`; nullopt if there is none.
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
