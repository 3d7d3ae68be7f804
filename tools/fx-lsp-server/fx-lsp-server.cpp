//===- fx-lsp-server.cpp - the language server of fx ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Operators/Dialect.h"
#include "fx/Operators/Version.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  fx::registerVersionPrinter();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  fx::registerFXDialect(registry);
  registry.insert<fx::kernel::FXKernelDialect>();
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
