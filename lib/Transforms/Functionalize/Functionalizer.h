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

/// Memory that values share. A mutation makes a new version of it.
struct Storage {
  mlir::Value base;
  unsigned version = 0;
};

/// A tensor value: which storage it shows, through which view of which other
/// value, and the value that holds its elements at `version`.
struct Tensor {
  Storage *storage;
  CallFunctionOp view;
  unsigned viewResult = 0;
  mlir::Value viewed;
  mlir::Value current;
  unsigned version = 0;
};

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

  Tensor &getTensor(mlir::Value value);
  mlir::Value getCurrent(mlir::Value value);
  /// `args` with what their values are now.
  llvm::SmallVector<ArgumentTree> getCurrent(llvm::ArrayRef<Argument> args);
  mlir::LogicalResult write(mlir::Operation *op, mlir::Value target,
                            mlir::Value newValue);
  mlir::LogicalResult visitMutation(CallFunctionOp op,
                                    const OperatorSchema &schema);
  mlir::LogicalResult visitCustom(CallFunctionOp op,
                                  const gen::Operator &schema);
  mlir::LogicalResult visitBatchNorm(CallFunctionOp op);
  mlir::LogicalResult visitInstanceNorm(CallFunctionOp op);
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
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  llvm::SmallVector<std::unique_ptr<Storage>> storages;
  llvm::SmallVector<mlir::Operation *> replaced;
};

/// Batch norms that update running statistics in training, most of them
/// without saying so in their schema.
bool isBatchNorm(llvm::StringRef target);
/// The same for instance norms, whose schema does not say so either.
bool isInstanceNorm(llvm::StringRef target);

} // namespace fx::functionalize

#endif // FX_LIB_TRANSFORMS_FUNCTIONALIZE_FUNCTIONALIZER_H
