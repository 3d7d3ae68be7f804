//===- fx-opt.cpp - runs passes over modules -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/CPU/FXCPU.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/CPU/LayoutPasses.h"
#include "fx/Conversion/Passes.h"
#include "fx/IR/FXDialect.h"
#include "fx/Support/Version.h"
#include "fx/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  fx::registerVersionPrinter();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  fx::registerFXTransformsPasses();
  fx::cpu::registerFXCPULayoutPasses();
  fx::cpu::registerFXCPUBackendPasses();
  fx::cpu::registerCPUBackendPipelines();
  fx::registerFXConversionPasses();
  fx::cpu::registerKernelPasses();
  registry.insert<fx::FXDialect, fx::cpu::FXCPUDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "fx-mlir's optimizer driver\n", registry));
}
