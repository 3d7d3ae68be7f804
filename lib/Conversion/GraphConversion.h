//===- GraphConversion.h - from graphs to functions -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CONVERSION_GRAPHCONVERSION_H
#define FX_LIB_CONVERSION_GRAPHCONVERSION_H

#include "fx/IR/ExternalData.h"
#include "fx/IR/FXDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringSet.h"

namespace fx {

/// Reports at `at`, the graph or a node of it that mutates, that the graph is
/// not functional, with the reason for which fx-functionalize left it.
mlir::LogicalResult emitNotFunctional(GraphOp graph, mlir::Operation *at);

/// Converts a graph to a function, in steps that the class of a target dialect
/// may override: inputs, function, constants, body, results.
class GraphConversion {
public:
  /// `target` is the dialect's name in diagnostics. With `embedStates`, states
  /// that the graph does not mutate become constants; `files` reads their
  /// elements and must not be null then.
  GraphConversion(GraphOp graph, llvm::StringRef target,
                  bool embedStates = false, ExternalData *files = nullptr);
  virtual ~GraphConversion();

  /// Creates the function before the graph. On failure, emits an error and
  /// leaves no function.
  mlir::LogicalResult convert();

protected:
  struct Input {
    PlaceholderOp placeholder;
    mlir::Type type; ///< of the function's argument or of the constant
  };
  /// Returns true for parameters, buffers and tensor constants.
  static bool isState(PlaceholderOp input);
  /// Returns true if an output of the graph is the new value of the state.
  bool isWritten(PlaceholderOp state) const;

  //===--- hooks of the target -------------------------------------------===//
  /// Returns the type of a value in the function; null if the target has none.
  virtual mlir::Type convertType(mlir::Value value) = 0;
  /// Describes the types that `convertType` supports, for diagnostics.
  virtual llvm::StringRef getExpectedType() const {
    return "a tensor or a number";
  }
  /// Creates a constant that holds the elements of a state.
  virtual mlir::Value createConstant(PlaceholderOp state,
                                     mlir::DenseElementsAttr elements) {
    return {};
  }
  /// Converts a call and records the values of its results in `values`.
  virtual mlir::LogicalResult convertCall(CallFunctionOp call) {
    return mlir::failure();
  }

  //===--- the steps -----------------------------------------------------===//
  /// Fills `arguments` with the user inputs and then the states that have uses;
  /// states to embed go to `constants` instead.
  virtual mlir::LogicalResult selectInputs();
  virtual mlir::LogicalResult convertBody();
  virtual mlir::LogicalResult convertResults();

  GraphOp graph;
  mlir::OpBuilder b;
  mlir::func::FuncOp function;
  llvm::SmallVector<Input> arguments, constants;
  /// The values of the function, by values of the graph.
  llvm::DenseMap<mlir::Value, mlir::Value> values;

private:
  void createFunction();
  mlir::LogicalResult createConstants();

  llvm::StringRef target;
  bool embedStates;
  ExternalData *files;
  llvm::StringSet<> written; ///< names of the states that the graph mutates
};

/// Applies `convert` to the public graphs of `module`; stops at a failure.
mlir::LogicalResult
convertGraphs(mlir::ModuleOp module,
              llvm::function_ref<mlir::LogicalResult(GraphOp)> convert);

/// Removes the graphs, the states and the `fx.` attributes of `module`.
void removeGraphs(mlir::ModuleOp module);

} // namespace fx

#endif // FX_LIB_CONVERSION_GRAPHCONVERSION_H
