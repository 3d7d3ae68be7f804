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

/// Follows the operators of a model through the compiler. Each node's location
/// is marked with its graph and name; passes hand locations on to what they
/// make of a node, whatever they name it.
class OperatorReport {
public:
  /// Marks the nodes of all graphs, as they were imported.
  void mark(mlir::ModuleOp module);
  /// Notes the operators that ATen will run (`fx.eager`), after conversion.
  void noteFallbacks(mlir::ModuleOp module);
  /// Notes that LibTorch runs all of them, and why.
  void noteInterpreted(llvm::StringRef reason);
  /// Notes the kernels and what they compute, after scheduling.
  void noteKernels(mlir::ModuleOp module);

  /// Says on each kernel's function what it computes (`fx.nodes`).
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
    /// Operators that ATen runs for this one, where they have other names.
    llvm::SetVector<mlir::StringAttr> fallbacks;
  };
  struct Kernel {
    llvm::json::Object schedule;
    bool isPrepared = false;
    int64_t calls = 0;
    llvm::SetVector<llvm::StringRef> nodes;
  };

  void addKernel(llvm::StringRef name, llvm::json::Object schedule,
                 mlir::Operation *call);
  Operator &getOperator(mlir::Operation *op);

  /// By "graph:node".
  llvm::MapVector<mlir::StringAttr, Operator> operators;
  llvm::MapVector<mlir::StringAttr, Kernel> kernels;
};

/// The nodes from which something at `loc` was made, each with the innermost
/// line of its Python stack: "add (model.py:12), mul (model.py:13)".
std::string describeNodes(mlir::Location loc);

} // namespace fx

#endif // FX_LIB_PIPELINES_OPERATORREPORT_H
