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

/// How a tensor is made of another one that it shares a storage with. Without
/// a view operator it is the same tensor under another name.
struct ViewOf {
  mlir::Value viewed;
  CallFunctionOp view;
  unsigned operand = 0, result = 0;
};

/// Values of the graph as it was are names of tensors. Each is a view of
/// another one or the whole of a storage, and what a storage holds is one value
/// of the new graph. A write through a view makes a new value of the storage,
/// by the inverses of the views in between. A read derives the view from the
/// storage's value again; what is derived from one value is derived once. So
/// nothing can be stale, whatever writes stand between a view and its use.
///
/// Works on a copy of the graph, so that a graph it cannot handle is kept.
class Functionalizer {
public:
  Functionalizer(GraphOp graph, SubgraphForms &forms, bool assumesFunctional)
      : graph(graph), namer(graph), forms(forms),
        assumesFunctional(assumesFunctional) {}

  /// Fails, with the reason in `problem`, on a mutation without functional
  /// form.
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

  /// Notes of which tensor `result` of `op` is a view. To be called before the
  /// operands of `op` are replaced: strides in their types decide.
  void noteViews(CallFunctionOp op);
  void setView(mlir::Value value, const ViewOf &view) { views[value] = view; }
  /// The name of the whole storage.
  mlir::Value getRoot(mlir::Value value) const;
  bool isWritten(mlir::Value root) const { return contents.contains(root); }
  /// What `value` holds now, in front of the operation that is visited.
  mlir::Value getCurrent(mlir::Value value);
  mlir::Value prepareViewed(CallFunctionOp view, mlir::Value base);
  /// The view of `base` that `of` describes.
  mlir::Value derive(const ViewOf &of, mlir::Value base);
  /// `args` with what their values are now.
  llvm::SmallVector<ArgumentTree> getCurrent(llvm::ArrayRef<Argument> args);
  /// Where views on the way from `target` to the whole show elements twice,
  /// writes through all up to the last of these at once: sets `target` to what
  /// this one views, and `newValue` to what that holds then.
  void writeOverlapping(mlir::Value &target, mlir::Value &newValue);
  /// Records that `target` holds `newValue` from here on.
  mlir::LogicalResult write(mlir::Operation *op, mlir::Value target,
                            mlir::Value newValue);
  void shareStates();
  void takeMutations(OutputOp output);
  mlir::LogicalResult visit(mlir::Operation &op);
  mlir::LogicalResult visitMutation(CallFunctionOp op,
                                    const OperatorSchema &schema);
  mlir::LogicalResult visitCustom(CallFunctionOp op,
                                  const gen::Operator &schema);
  struct CustomCall;
  /// Sets all of `custom` but its named arguments, which it reads.
  mlir::LogicalResult addArguments(CallFunctionOp op, CustomCall &custom);
  /// Whether `op` has `written` as more than one operand, by any name.
  bool hasOtherName(CallFunctionOp op, mlir::Value written) const;
  mlir::LogicalResult visitBatchNorm(CallFunctionOp op);
  mlir::LogicalResult visitInstanceNorm(CallFunctionOp op);
  mlir::LogicalResult visitFillDiagonal(CallFunctionOp op);
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
  /// What storages that were written hold, by the names of their wholes.
  llvm::DenseMap<mlir::Value, mlir::Value> contents;
  /// Views derived so far, by operator, number of the result and viewed value.
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Value>,
                 llvm::SmallVector<mlir::Value, 1>>
      derived;
  llvm::SmallPtrSet<mlir::Operation *, 4> memories;
  /// Where new operations go.
  mlir::Operation *visited = nullptr;
  llvm::SmallVector<mlir::Operation *> replaced;
};

/// The operator that computes what `schema`'s operator writes:
/// `aten.add.Tensor` for `aten.add_.Tensor` and `aten.add.out`. Null if there
/// is none.
const OperatorSchema *getFunctionalOperator(const OperatorSchema &schema);

/// The schema as one of a custom operator is kept.
gen::Operator getParsedSchema(const OperatorSchema &schema);

/// Rewrites views by strides to views of the whole storage, in the order in
/// which it lies in memory.
/// `memories` gets the operations that embed elements in memory with gaps: each
/// is a view of its second operand.
void addressStorage(GraphOp graph, NodeNamer &namer,
                    llvm::SmallPtrSetImpl<mlir::Operation *> &memories);

/// Copies the last values of inputs, parameters and buffers into tensors of
/// their types, where a graph returns them in other dtypes or shapes.
void convertMutations(GraphOp graph, NodeNamer &namer);

/// Gives views by strides, in a functional graph, operands whose memory is what
/// their values are.
void isolateStridedViews(GraphOp graph, NodeNamer &namer);

/// Batch norms that update running statistics in training, most of them
/// without saying so in their schema.
bool isBatchNorm(llvm::StringRef target);
/// The same for instance norms, whose schema does not say so either.
bool isInstanceNorm(llvm::StringRef target);
bool isFillDiagonal(llvm::StringRef target);

} // namespace fx::functionalize

#endif // FX_LIB_TRANSFORMS_FUNCTIONALIZE_FUNCTIONALIZER_H
