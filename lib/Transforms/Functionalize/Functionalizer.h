//===- Functionalizer.h - a graph without mutation --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_FUNCTIONALIZE_FUNCTIONALIZER_H
#define FX_LIB_TRANSFORMS_FUNCTIONALIZE_FUNCTIONALIZER_H

#include "../SubgraphForms.h"
#include "fx/Operators/Schema.h"
#include "fx/Operators/SchemaParser.h"

namespace fx::functionalize {

/// Describes a tensor that shares the storage of `viewed`: it is result
/// `result` of the operator `view`, whose operand `operand` is `viewed`. If
/// `view` is null, the tensor is `viewed` itself under another name.
struct ViewOf {
  mlir::Value viewed;
  CallFunctionOp view;
  unsigned operand = 0, result = 0;
};

/// Makes a graph functional. The values of the original graph are names of
/// tensors. Each tensor is either a view of another tensor or a root, which is
/// a whole storage. The current content of each storage is one value of the new
/// graph. A write through a view creates a new content of the storage by the
/// inverses of the views in between. A read derives the view from the current
/// content again, once for each content. So no value is stale, whatever writes
/// are between a view and its use.
///
/// The graph is modified even if this fails, so callers pass a copy.
class Functionalizer {
public:
  Functionalizer(GraphOp graph, SubgraphForms &forms, bool assumesFunctional)
      : graph(graph), namer(graph), forms(forms),
        assumesFunctional(assumesFunctional) {}

  /// Fails on a mutation without functional form. Sets `problem` to the op and
  /// `reason` to the reason then.
  mlir::LogicalResult run();

  mlir::Operation *problem = nullptr;
  std::string reason;
  unsigned numMutations = 0, numReplayed = 0;

private:
  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &why) {
    problem = op;
    reason = why.str();
    return mlir::failure();
  }

  /// Records which results of `op` are views, and of which tensors. Must be
  /// called before the operands of `op` are replaced, because this depends on
  /// the strides in their types.
  void noteViews(CallFunctionOp op);
  void setView(mlir::Value value, const ViewOf &view) { views[value] = view; }
  /// Returns the root that `value` is a view of.
  mlir::Value getRoot(mlir::Value value) const;
  bool isWritten(mlir::Value root) const { return contents.contains(root); }
  /// Returns the content of `value` before the visited operation.
  mlir::Value getCurrent(mlir::Value value);
  mlir::Value prepareViewed(CallFunctionOp view, mlir::Value base);
  /// Returns the view of `base` that `of` describes. Creates it if necessary.
  mlir::Value derive(const ViewOf &of, mlir::Value base);
  /// Returns `args` with each value replaced by its current content.
  llvm::SmallVector<ArgumentTree> getCurrent(llvm::ArrayRef<Argument> args);
  /// If views between `target` and its root can repeat elements, writes through
  /// the chain of views from `target` up to the last of them in one step (see
  /// `createChainInverse`). Sets `target` to the tensor that the last one views
  /// and `newValue` to the new content of that tensor.
  void writeOverlapping(mlir::Value &target, mlir::Value &newValue);
  /// Records that the content of `target` is `newValue` from here on. Fails if
  /// a view has no inverse.
  mlir::LogicalResult write(mlir::Operation *op, mlir::Value target,
                            mlir::Value newValue);
  void shareStates();
  void takeMutations(OutputOp output);
  mlir::LogicalResult visit(mlir::Operation &op);
  mlir::LogicalResult visitMutation(CallFunctionOp op,
                                    const OperatorSchema &schema);
  mlir::LogicalResult visitCustom(CallFunctionOp op,
                                  const gen::OperatorDeclaration &schema);
  struct CustomCall;
  /// Sets the other fields of `custom` from `custom.named`.
  mlir::LogicalResult addArguments(CallFunctionOp op, CustomCall &custom);
  /// Returns true if more than one operand of `op` aliases `written`.
  bool hasOtherName(CallFunctionOp op, mlir::Value written) const;
  mlir::LogicalResult visitBatchNorm(CallFunctionOp op);
  mlir::LogicalResult visitInstanceNorm(CallFunctionOp op);
  mlir::LogicalResult visitFillDiagonal(CallFunctionOp op);
  mlir::LogicalResult visitWaitTensor(CallFunctionOp op);
  mlir::LogicalResult visitInplaceView(CallFunctionOp op,
                                       llvm::StringRef functional);
  mlir::LogicalResult visitSubgraphs(mlir::Operation *op);
  mlir::Value castTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                     mlir::Type type);
  void addOutputs();

  GraphOp graph;
  NodeNamer namer;
  SubgraphForms &forms;
  bool assumesFunctional;
  llvm::DenseMap<mlir::Value, ViewOf> views;
  /// The contents of the storages that were written, by root.
  llvm::DenseMap<mlir::Value, mlir::Value> contents;
  /// The results of the views derived so far, by view operator and viewed
  /// value.
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Value>,
                 llvm::SmallVector<mlir::Value, 1>>
      derived;
  /// See `addressStorage`.
  llvm::SmallPtrSet<mlir::Operation *, 4> memories;
  /// The visited operation. New operations are created in front of it.
  mlir::Operation *visited = nullptr;
  /// Operations to erase at the end.
  llvm::SmallVector<mlir::Operation *> replaced;
};

/// Returns the operator that computes what the operator `schema` writes:
/// `aten.add.Tensor` for `aten.add_.Tensor` and `aten.add.out`. Returns null if
/// there is none.
const OperatorSchema *getFunctionalOperator(const OperatorSchema &schema);

/// Converts `schema` to the type in which schemas of custom operators are kept.
gen::OperatorDeclaration getParsedSchema(const OperatorSchema &schema);

/// Rewrites views by strides (as_strided) to views of the whole storage, whose
/// dimensions are permuted to memory order. Adds to `memories` the operations
/// that embed elements in memory with gaps: each is a view of its second
/// operand.
void addressStorage(GraphOp graph, NodeNamer &namer,
                    llvm::SmallPtrSetImpl<mlir::Operation *> &memories);

/// Converts the final values of mutated inputs, parameters and buffers to the
/// types of these, where a graph returns them with other dtypes or shapes.
void convertMutations(GraphOp graph, NodeNamer &namer);

/// Clones the operands of views by strides in a functional graph to contiguous
/// memory where necessary, so that their memory is their elements in order.
void isolateStridedViews(GraphOp graph, NodeNamer &namer);

/// Returns true for batch norms that update running statistics in training. The
/// schemas of most of them do not declare this mutation.
bool isBatchNorm(llvm::StringRef target);
/// Returns true for the instance norm, whose schema does not declare this
/// mutation either.
bool isInstanceNorm(llvm::StringRef target);
bool isFillDiagonal(llvm::StringRef target);

} // namespace fx::functionalize

#endif // FX_LIB_TRANSFORMS_FUNCTIONALIZE_FUNCTIONALIZER_H
