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

/// Makes a function of a graph, in steps that a target dialect replaces where
/// it differs: its inputs, the function, constants, the body, the results.
class GraphConversion {
public:
  /// `target` is the dialect's name in diagnostics. With `embedStates`, states
  /// that the graph does not write are constants.
  GraphConversion(GraphOp graph, llvm::StringRef target,
                  bool embedStates = false, ExternalData *files = nullptr);
  virtual ~GraphConversion();

  /// Puts the function in front of the graph; it does not stay if that fails.
  mlir::LogicalResult convert();

protected:
  struct Input {
    PlaceholderOp placeholder;
    mlir::Type type; ///< in the function
  };
  static bool isState(PlaceholderOp input);
  bool isWritten(PlaceholderOp state) const;

  //===--- what a target says --------------------------------------------===//
  /// The type of a value in the function; null where the target has none.
  virtual mlir::Type convertType(mlir::Value value) = 0;
  /// What `convertType` asks for, in diagnostics.
  virtual llvm::StringRef getExpectedType() const {
    return "a tensor or a number";
  }
  /// A state as a constant.
  virtual mlir::Value createConstant(PlaceholderOp state,
                                     mlir::DenseElementsAttr elements) {
    return {};
  }
  /// Sets the values of the call's results.
  virtual mlir::LogicalResult convertCall(CallFunctionOp call) {
    return mlir::failure();
  }

  //===--- the steps -----------------------------------------------------===//
  /// Fills `arguments`: the user's inputs, then the states that are used, but
  /// for those that are `constants`.
  virtual mlir::LogicalResult selectInputs();
  virtual mlir::LogicalResult convertBody();
  virtual mlir::LogicalResult convertResults();

  GraphOp graph;
  mlir::OpBuilder b;
  mlir::func::FuncOp function;
  llvm::SmallVector<Input> arguments, constants;
  llvm::DenseMap<mlir::Value, mlir::Value> values;

private:
  void createFunction();
  mlir::LogicalResult createConstants();

  llvm::StringRef target;
  bool embedStates;
  ExternalData *files;
  llvm::StringSet<> written;
};

/// Converts the public graphs of `module` by `convert`.
mlir::LogicalResult
convertGraphs(mlir::ModuleOp module,
              llvm::function_ref<mlir::LogicalResult(GraphOp)> convert);

/// Removes the graphs, the states and the `fx.` attributes of `module`.
void removeGraphs(mlir::ModuleOp module);

} // namespace fx

#endif // FX_LIB_CONVERSION_GRAPHCONVERSION_H
