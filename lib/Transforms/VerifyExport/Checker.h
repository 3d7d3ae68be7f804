//===- Checker.h - one program under the export rules -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_VERIFYEXPORT_CHECKER_H
#define FX_LIB_TRANSFORMS_VERIFYEXPORT_CHECKER_H

#include "fx/IR/FXDialect.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/MapVector.h"

namespace fx::verify_export {

/// An exported program, and the reporting of violations of the numbered rules
/// in docs/ExportRules.md.
class Checker {
public:
  Checker(mlir::ModuleOp module, GraphOp main, bool training, bool strict);

  mlir::ModuleOp module;
  GraphOp main;
  /// The program is of the TRAINING dialect, which allows mutating operators.
  bool training;
  /// Also require metadata that torch.export writes but does not need to load a
  /// program.
  bool strict;
  /// All graphs: main and the sub-graphs.
  llvm::SmallVector<GraphOp> graphs;
  /// The inputs of main by name, and its inputs for states by target.
  llvm::StringMap<PlaceholderOp> inputs, states;

  /// Reports that `op` breaks rule `number`.
  mlir::InFlightDiagnostic report(mlir::Operation *op, unsigned number);
  bool failed() const { return numErrors != 0; }
  unsigned numErrors = 0;
};

void checkStructure(Checker &c);
void checkMetadata(Checker &c);
void checkInputs(Checker &c);
void checkOutputs(Checker &c);

} // namespace fx::verify_export

#endif // FX_LIB_TRANSFORMS_VERIFYEXPORT_CHECKER_H
