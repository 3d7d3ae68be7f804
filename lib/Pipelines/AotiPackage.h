//===- AotiPackage.h - packages that PyTorch loads --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package of AOTInductor is a `.pt2` archive with a shared object below
// `data/aotinductor/NAME`. torch._inductor.aoti_load_package and
// AOTIModelPackageLoader extract the shared object and load it. Its interface
// is in lib/Runtime/Aoti. A JSON file beside it has the operators that ATen
// runs.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_AOTIPACKAGE_H
#define FX_LIB_PIPELINES_AOTIPACKAGE_H

#include "fx/CodeGen/CPU/Description.h"

namespace fx {

/// What a package has besides the compiled code.
struct AotiParts {
  cpu::CallSpec callSpec;
  /// The text of `ExternNodes`; empty if ATen runs no operator.
  std::string externNodes;
};

/// Returns the structures of arguments and results of `@main`; nullopt if it is
/// not an imported program.
std::optional<cpu::CallSpec> getCallSpec(mlir::ModuleOp module);

/// Makes ATen run the operators that draw random numbers: only ATen has access
/// to PyTorch's generator.
void drawByATen(mlir::ModuleOp module);

/// Sets `fx.proxy` of all operators that ATen runs. Returns the text of
/// `ExternNodes`, or an error that names the operators that the loaders cannot
/// call.
llvm::Expected<std::string> planExternCalls(mlir::ModuleOp module);

/// Writes the shared object at `library` to a package at `path`.
llvm::Error writeAotiPackage(const AotiParts &parts, llvm::StringRef library,
                             llvm::StringRef path);

} // namespace fx

#endif // FX_LIB_PIPELINES_AOTIPACKAGE_H
