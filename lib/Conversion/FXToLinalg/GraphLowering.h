//===- GraphLowering.h - a graph in the course of lowering ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_GRAPHLOWERING_H
#define FX_CONVERSION_FXTOLINALG_GRAPHLOWERING_H

#include "Symbols.h"
#include "Values.h"

#include "fx/IR/Arguments.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace fx::lin {

class NodeLowering;

/// What the target has kernels for.
struct TargetKernels {
  /// Attention of bf16 and f16, or of f32, with heads of at most this size is
  /// not cut into blocks of queries.
  int64_t wholeHeads = 0, wholeFloatHeads = 0;
  /// The target has kernels for sorts and scans.
  bool rows = false;
  /// The operands of matmuls of f32 will be rounded to bf16, by the kernel
  /// itself for attention in one kernel.
  bool roundsFloats = false;
  /// A rotation of halves, cat([-u, v], -1), is one pointwise op.
  bool rotatesHalves = false;
};

/// Lowers the body of one graph at the insertion point of a builder. A
/// sub-graph that is inlined gets a GraphLowering of its own.
class GraphLowering {
public:
  GraphLowering(mlir::OpBuilder &b, Symbols symbols, mlir::SymbolTable &table)
      : b(b), symbols(std::move(symbols)), table(table) {}

  mlir::OpBuilder &b;
  Symbols symbols;
  mlir::SymbolTable &table;
  /// The number of the next attention, which its operations carry as
  /// `fx.attention`. Null if attention is not numbered.
  int64_t *nextGroup = nullptr;
  TargetKernels kernels;

  void set(mlir::Value fx, Lowered lowered);
  const Lowered *lookup(mlir::Value fx) const;

  /// Lowers every node up to the output. A node without a lowering becomes
  /// `fx.eager`. Fails on internal errors, on mutating operators that are
  /// neither functionalized nor have a lowering, and on results of unknown
  /// dtype or rank.
  mlir::LogicalResult lowerBody(GraphOp graph);

  /// Lowers the body of `callee` on `operands` at the insertion point; returns
  /// the output's leaves in order.
  mlir::FailureOr<llvm::SmallVector<Lowered>>
  inlineGraph(GraphOp callee, llvm::ArrayRef<Lowered> operands);

  /// Returns the leaves of an output's argument tree with their lowered values.
  /// Immediates are numbers or None.
  llvm::SmallVector<std::pair<mlir::Attribute, Lowered>>
  outputLeaves(OutputOp output);

  /// Binds each symbol that is a size of `type` and has no value yet to the
  /// size of `t`.
  void bindSizes(mlir::Location loc, FakeTensorType type, const Tensor &t);

  /// Returns `n` with an expression if it is an integer: binds a value without
  /// expression to a new symbol.
  Number named(mlir::Location loc, Number n);
  /// Returns `value`, of fx type `type`, as a number. Its expression is that of
  /// the type if it can be evaluated. If it cannot and is a symbol, binds the
  /// symbol to `value` (`atEntry`: see Symbols::bind).
  Number named(mlir::Location loc, mlir::Type type, mlir::Value value,
               bool atEntry = false);

  /// Returns `lowered` as a builtin value: the materialized tensor, or a scalar
  /// of i64, f64 or i1. Returns null for None, graphs and objects.
  mlir::Value builtinValue(mlir::Location loc, const Lowered &lowered);
  /// Returns the lowered form of a builtin value of fx type `type`; binds
  /// symbols of the type that have no value yet.
  Lowered fromBuiltin(mlir::Location loc, mlir::Type type, mlir::Value value);

  /// Set while the lowering for real tensors is applied to a part of complex
  /// tensors: operands and results are then the real (0) or imaginary (1) part.
  std::optional<int> part;

  /// Set once an error is reported that no fallback can fix.
  bool fatal = false;

private:
  mlir::LogicalResult lowerNode(NodeOpInterface node);
  mlir::LogicalResult lowerEager(NodeOpInterface node, llvm::StringRef reason);
  /// Lowers a wait_tensor, to an `fx.eager` if its operand is the number of a
  /// collective that has been started.
  mlir::LogicalResult lowerWaitTensor(NodeOpInterface node);

  /// Returns a size over the symbols of an inlined graph, `inner`, as one over
  /// the symbols of this graph. Binds a new symbol to it where a symbol of
  /// `size` has another value here.
  ExprAttr toOuter(Symbols &inner, mlir::Location loc, ExprAttr size);

  /// Converts the complex operands of a node in place: splits them into parts
  /// if there is a lowering for complex tensors, and joins them otherwise.
  /// Returns the lowering for the node; null if there is none.
  mlir::LogicalResult (*convertComplexOperands(NodeOpInterface node))(
      NodeLowering &);
  /// Returns `lowered` with a pair of parts joined to one complex tensor.
  Lowered join(mlir::Location loc, const Lowered &lowered);

  llvm::DenseMap<mlir::Value, Lowered> values;
  unsigned numNames = 0;
};

/// Returns the builtin type of a value of fx type `type`: a tensor, i64, f64 or
/// i1; null for other types.
mlir::Type builtinType(mlir::Type type);

/// Returns an immediate of an argument tree as a number; None if it is not one.
Lowered lowerImmediate(mlir::Attribute immediate);

/// Appends the values of `args`, arguments of a node with sub-graphs, to
/// `result`. Fails, with the reason noted, on an argument that is neither a
/// value nor a number nor None.
mlir::LogicalResult lowerArguments(NodeLowering &n,
                                   llvm::ArrayRef<Argument> args,
                                   llvm::SmallVectorImpl<Lowered> &result);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_GRAPHLOWERING_H
