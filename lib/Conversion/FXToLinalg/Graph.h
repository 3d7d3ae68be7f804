//===- Graph.h - a graph in the course of lowering --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_GRAPH_H
#define FX_CONVERSION_FXTOLINALG_GRAPH_H

#include "Symbols.h"
#include "Values.h"

#include "fx/IR/Arguments.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace fx::lin {

class Node;

/// The lowering of one graph's body, at the insertion point of a builder. A
/// sub-graph that is inlined gets one of its own.
class Graph {
public:
  Graph(mlir::OpBuilder &b, Symbols symbols, mlir::SymbolTable &table)
      : b(b), symbols(std::move(symbols)), table(table) {}

  mlir::OpBuilder &b;
  Symbols symbols;
  mlir::SymbolTable &table;
  /// Number of the next attention; its operations carry it.
  int64_t *nextGroup = nullptr;
  /// Attention of bf16 and f16 whose heads are no larger is not cut into blocks
  /// of queries.
  int64_t wholeHeads = 0;

  void set(mlir::Value fx, Lowered lowered);
  const Lowered *lookup(mlir::Value fx) const;

  /// Lowers every node up to the output. Only internal errors and
  /// non-functional nodes fail: a node without lowering becomes `fx.eager`.
  mlir::LogicalResult lowerBody(GraphOp graph);

  /// Lowers the body of `callee` on `operands`, inlined here; gives the
  /// output's leaves in order.
  mlir::FailureOr<llvm::SmallVector<Lowered>>
  inlineGraph(GraphOp callee, llvm::ArrayRef<Lowered> operands);

  /// The leaves of an output's tree: lowered values, and immediates as numbers
  /// or None.
  llvm::SmallVector<std::pair<mlir::Attribute, Lowered>>
  outputLeaves(OutputOp output);

  /// Binds symbols that are plain sizes of `t` and have no value yet.
  void bindSizes(mlir::Location loc, FakeTensorType type, const Tensor &t);

  /// `n` with an expression where it is an integer: a symbol of our own for one
  /// that only the run knows.
  Number named(mlir::Location loc, Number n);
  /// The same for the number that the value of fx type `type` is; binds the
  /// type's symbol.
  Number named(mlir::Location loc, mlir::Type type, mlir::Value value,
               bool atEntry = false);

  /// A builtin value for what `lowered` is: the materialized tensor or a
  /// scalar. Null for None and graphs.
  mlir::Value builtinValue(mlir::Location loc, const Lowered &lowered);
  /// What a builtin value of fx type `type` is in lowering.
  Lowered fromBuiltin(mlir::Location loc, mlir::Type type, mlir::Value value);

  /// Lowers each part of complex tensors by the operator's lowering for real
  /// ones: then operands and results are the real (0) or imaginary (1) part.
  std::optional<int> part;

  /// Set where an error was reported that no fallback can fix.
  bool fatal = false;

private:
  mlir::LogicalResult lowerNode(NodeOpInterface node);
  mlir::LogicalResult lowerEager(NodeOpInterface node, llvm::StringRef reason);

  /// A size in the terms of an inlined graph, `inner`, in those of this one: a
  /// symbol of our own where they differ.
  ExprAttr toOuter(Symbols &inner, mlir::Location loc, ExprAttr size);

  /// The lowering for complex tensors, null if there is none: what it reads is
  /// in two parts then. Else what it reads is in one.
  mlir::LogicalResult (*lookupComplex(NodeOpInterface node))(Node &);
  /// A tensor of complex numbers in one piece.
  Lowered join(mlir::Location loc, const Lowered &lowered);

  llvm::DenseMap<mlir::Value, Lowered> values;
  unsigned numNames = 0;
};

/// The builtin type of a value of fx type `type`: a tensor, i64, f64 or i1;
/// null for others.
mlir::Type builtinType(mlir::Type type);

/// What an immediate of an argument tree is: a number; None for all others.
Lowered lowerImmediate(mlir::Attribute immediate);

/// The values of arguments of a node that lowers a higher-order operator;
/// fails, with the reason noted, on what is neither value nor number nor None.
mlir::LogicalResult lowerArguments(Node &n, llvm::ArrayRef<Argument> args,
                                   llvm::SmallVectorImpl<Lowered> &result);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_GRAPH_H
