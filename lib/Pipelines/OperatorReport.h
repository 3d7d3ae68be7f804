//===- OperatorReport.h - what became of each operator ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_OPERATORREPORT_H
#define FX_LIB_PIPELINES_OPERATORREPORT_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/JSON.h"

namespace fx {

/// Tracks the operators of a model through the compiler. Marks the location of
/// each node with its graph and name. Passes propagate locations to the ops
/// that they create, so the marks survive even if passes rename nodes.
class OperatorReport {
public:
  /// Marks the nodes of all graphs. Call this right after the import.
  void mark(mlir::ModuleOp module);
  /// Records the operators that ATen will run (`fx.eager`). Call this after the
  /// conversion to linalg.
  void noteFallbacks(mlir::ModuleOp module);
  /// Sets `fx.report_index` of each fallback to the index of its operator in
  /// `getOperators()`. Call this after `noteFallbacks`.
  void numberFallbacks(mlir::ModuleOp module);
  /// Records that LibTorch runs all operators, for the given reason.
  void noteInterpreted(llvm::StringRef reason);
  /// Records the kernels and the nodes that they compute. Call this after
  /// scheduling.
  void noteKernels(mlir::ModuleOp module);

  /// Attaches to each kernel's function a text that names the nodes that it
  /// computes (`fx.nodes`).
  void nameKernels(mlir::ModuleOp module);

  llvm::json::Array getOperators() const;
  llvm::json::Array getKernels() const;

private:
  struct Operator {
    std::string graph, node, target, module;
    llvm::SmallVector<std::string> stack;
    bool isFallback = false, isKept = false;
    std::string reason;
    llvm::SetVector<llvm::StringRef> kernels;
    /// Targets of the operators that ATen runs for this one.
    llvm::SetVector<mlir::StringAttr> fallbacks;
  };
  struct Kernel {
    llvm::json::Object schedule;
    bool isPrepared = false;
    bool isTuned = false;
    int64_t calls = 0;
    llvm::SetVector<llvm::StringRef> nodes;
  };

  void addKernel(llvm::StringRef name, llvm::json::Object schedule,
                 mlir::Operation *call, bool isTuned);
  Operator &getOperator(mlir::Operation *op);

  /// The operators by their marks, "graph:node".
  llvm::MapVector<mlir::StringAttr, Operator> operators;
  /// The kernels by name; those that @prepare calls have the suffix "@prepare".
  llvm::MapVector<mlir::StringAttr, Kernel> kernels;
};

/// Returns the nodes from which an op at `loc` was created, each with the
/// innermost line of its Python stack: "add (model.py:12), mul (model.py:13)".
std::string describeNodes(mlir::Location loc);

} // namespace fx

#endif // FX_LIB_PIPELINES_OPERATORREPORT_H
