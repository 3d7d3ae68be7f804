//===- Version.h - a model for one CPU --------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_VERSION_H
#define FX_LIB_PIPELINES_VERSION_H

#include "CodeUnit.h"

namespace fx {

/// A method of the model for one of the CPUs of an artefact, on its way from
/// scheduled tensors to object code.
class Version {
public:
  Version(ModelVersion &given, const CompileOptions &options);

  /// Describes the model. This comes first.
  llvm::Error describe(ErrorCatcher &errors);
  /// Copies the states of the module to `states`, unless these have them.
  /// Lowering removes them from the module.
  void keepStates(mlir::ModuleOp states);
  /// Bufferizes @main and, if the artefact needs its results, @prepare. Calls
  /// `after`, if it is given, with the module of the bufferized @main.
  llvm::Error
  bufferize(ErrorCatcher &errors,
            const std::function<llvm::Error(mlir::ModuleOp)> &after);
  /// Splits the module to parts if `splits`. Returns the units to compile.
  llvm::SmallVector<CodeUnit *> getUnits(bool splits);
  /// Adds the parts of @prepare to those of the model, if it is kept.
  void joinParts();
  /// Runs @prepare, which must have been compiled. See `runPrepare`.
  llvm::Error
  prepare(cpu::StateReader &states,
          llvm::function_ref<char *(int64_t result, int64_t bytes)> place) {
    return preparation ? runPrepare(prepareUnit, states, place)
                       : llvm::Error::success();
  }
  /// Writes what the report says of one version.
  void note(CompileReport &report) const;

  CodeUnit unit;

private:
  void markPrepared();
  llvm::Error keepPrepare(ErrorCatcher &errors);

  const CompileOptions &options;
  ModelVersion &given;
  int64_t parts = 1; ///< of @main's module
  /// The module of @prepare; null if there is none.
  mlir::OwningOpRef<mlir::ModuleOp> preparation, kept;
  CodeUnit prepareUnit;
  /// @prepare as part of the artefact, compiled for the artefact's CPU.
  CodeUnit keptUnit;
};

} // namespace fx

#endif // FX_LIB_PIPELINES_VERSION_H
