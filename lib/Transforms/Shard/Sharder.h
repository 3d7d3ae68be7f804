//===- Sharder.h - the program of one rank ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the graph of one rank beside the whole graph, node by node. Each value
// of the whole graph has a placement and a value in the graph of the rank. A
// node is rewritten by its rule; operands that have another placement than the
// rule needs are redistributed, by collectives or by a slice. A node without a
// rule gets whole operands.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_SHARD_SHARDER_H
#define FX_LIB_TRANSFORMS_SHARD_SHARDER_H

#include "Plan.h"
#include "Rule.h"
#include "fx/IR/Arguments.h"
#include "fx/Transforms/NodeNamer.h"

#include "llvm/ADT/MapVector.h"

namespace fx::shard {

struct RankOptions {
  unsigned rank = 0, ranks = 1;
  /// The name of the process group.
  std::string group = "0";
};

/// An operand that a node without a rule needs whole.
struct GatherNote {
  mlir::Operation *node;
  std::string text;
};

/// The number and bytes of the collectives, for the cost model.
struct Communication {
  unsigned numReductions = 0, numGathers = 0;
};

class Sharder {
public:
  Sharder(GraphOp whole, const PlacementMap &placements,
          const RankOptions &options);

  /// Builds the graph of the rank in front of the whole graph. Fails with an
  /// error at a node that no rank can compute.
  mlir::LogicalResult build();
  GraphOp getGraph() const { return graph; }

  /// Returns placements for states that were whole and of which each use needs
  /// the same part: caches and biases.
  PlacementMap getBetterPlacements() const;
  /// Returns the keys of the divided states that a use needs whole.
  llvm::ArrayRef<GatherNote> getNotes() const { return notes; }
  const Communication &getCommunication() const { return communication; }

private:
  struct Shared {
    Placement placement;
    mlir::Value value;
    /// The same value with other placements.
    llvm::SmallVector<std::pair<Placement, mlir::Value>, 1> others;
  };
  /// How the uses of a whole state take it.
  struct StateUse {
    PlaceholderOp op;
    bool isUsedWhole = false;
    llvm::SmallVector<Placement, 1> parts;
    /// The placement of its new value, if the program writes it.
    std::optional<Placement> written;
  };

  // Sharder.cpp
  void visitPlaceholder(PlaceholderOp op);
  mlir::LogicalResult visitNode(mlir::Operation *op);
  void visitOutput(OutputOp op);
  void copyWhole(mlir::Operation *op);
  mlir::LogicalResult gatherAndCopy(mlir::Operation *op);
  bool applyRule(const OperatorView &call);
  bool applyFactor(const OperatorView &call, const Rule &rule,
                   const Factor &factor, llvm::ArrayRef<int64_t> sections);
  bool setSizes(mlir::Operation *op, const OperatorView &call,
                const Factor &factor);
  void setResult(mlir::Value whole, mlir::Value local, Placement placement);

  // SpecialNodes.cpp: nodes whose division is no factor.
  bool visitSpecial(const OperatorView &call);
  bool visitLinear(const OperatorView &call);
  bool visitEmbedding(const OperatorView &call);
  bool visitParts(const OperatorView &call);
  bool visitCat(const OperatorView &call);
  bool visitStackedView(const OperatorView &call);
  bool visitMerge(const OperatorView &call);
  bool visitCheck(const OperatorView &call);
  bool visitBiasedSum(const OperatorView &call, const Factor &factor,
                      llvm::ArrayRef<int64_t> sections);

  // Redistribute.cpp
  Shared &lookup(mlir::Value whole) { return values.find(whole)->second; }
  const Placement &getPlacement(mlir::Value whole) {
    return lookup(whole).placement;
  }
  /// Returns the value with the placement.
  mlir::Value get(mlir::Value whole, const Placement &placement);
  mlir::Value reduce(mlir::Value local, mlir::Location loc,
                     llvm::StringRef what = "sum");
  mlir::Value gather(mlir::Value local, FakeTensorType whole,
                     const Placement &placement, mlir::Location loc);
  mlir::Value take(mlir::Value value, FakeTensorType whole,
                   const Placement &placement, mlir::Location loc);
  mlir::Value slice(mlir::Value value, unsigned dim, int64_t from, int64_t to,
                    mlir::Location loc);
  mlir::Value concatenate(llvm::ArrayRef<mlir::Value> parts, unsigned dim,
                          mlir::Location loc);
  /// Creates a call and names it after its operator.
  mlir::Value call(mlir::Location loc, llvm::StringRef target, mlir::Type type,
                   llvm::ArrayRef<ArgumentTree> args,
                   llvm::ArrayRef<llvm::StringRef> keywords = {});
  ArgumentTree integer(int64_t value);
  ArgumentTree number(double value);
  ArgumentTree integers(llvm::ArrayRef<int64_t> values);

  GraphOp whole, graph;
  const PlacementMap &placements;
  const RankOptions &options;
  NodeNamer namer;
  mlir::OpBuilder b;
  llvm::MapVector<mlir::Value, Shared> values;
  llvm::MapVector<mlir::Value, StateUse> uses;
  llvm::SmallVector<GatherNote> notes;
  Communication communication;
};

/// Builds the graph of the rank. A state of which each use needs the same part
/// is divided, too, which `placements` then tells. Returns null after an error.
std::unique_ptr<Sharder> buildRank(GraphOp whole, PlacementMap &placements,
                                   const RankOptions &options);

} // namespace fx::shard

#endif // FX_LIB_TRANSFORMS_SHARD_SHARDER_H
