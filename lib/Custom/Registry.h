//===- Registry.h - shared by the passes over custom operators --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CUSTOM_REGISTRY_H
#define FX_LIB_CUSTOM_REGISTRY_H

#include "fx/Custom/Operators.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fx {

/// The module of a decomposition's text, which holds one graph of calls; else
/// `why` says what is wrong.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
parseDecomposition(mlir::MLIRContext *context, llvm::StringRef text,
                   std::string &why);

} // namespace fx

#endif // FX_LIB_CUSTOM_REGISTRY_H
