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
// is in lib/Runtime/Aoti.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_AOTIPACKAGE_H
#define FX_LIB_PIPELINES_AOTIPACKAGE_H

#include "fx/CodeGen/CPU/Description.h"

namespace fx {

/// Returns the call spec of `@main`, an imported program.
llvm::Expected<cpu::CallSpec> getCallSpec(mlir::ModuleOp module);

/// Returns an error if the loaders cannot call the model: they pass tensors
/// only.
llvm::Error checkAotiPackage(const cpu::ModelDescription &model);

/// Writes the shared object at `library` to a package at `path`.
llvm::Error writeAotiPackage(llvm::StringRef library, llvm::StringRef path);

} // namespace fx

#endif // FX_LIB_PIPELINES_AOTIPACKAGE_H
