//===- Methods.h - the methods of one artefact ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_METHODS_H
#define FX_LIB_PIPELINES_METHODS_H

#include "fx/Pipelines/Compile.h"

#include "mlir/IR/OwningOpRef.h"

namespace fx {

/// A method on its way to the artefact.
struct Method {
  /// Empty if the artefact has one method without a name.
  std::string name;
  /// What error texts begin with.
  std::string input;
  /// The model of an archive with several.
  std::string model;
  /// If null, it is loaded from `input`.
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Returns the methods that `options` ask for, without modules.
llvm::SmallVector<Method> getMethods(const CompileOptions &options);

/// Checks the names of several methods, and the other options.
llvm::Error checkMethods(llvm::ArrayRef<Method> methods,
                         const CompileOptions &options);

/// Marks the states that some method writes as `fx.mutable` in all of them, so
/// that no pass takes their initial values for constants. `makeFunctional` runs
/// `buildFunctionalPipeline` on copies of the modules.
void markWrittenStates(
    llvm::ArrayRef<Method> methods,
    llvm::function_ref<llvm::Error(mlir::ModuleOp)> makeFunctional);

} // namespace fx

#endif // FX_LIB_PIPELINES_METHODS_H
