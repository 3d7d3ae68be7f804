//===- fx-opt.cpp - runs passes over modules ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Custom/Plugin.h"
#include "fx/InitAll.h"
#include "fx/Support/PassStatistic.h"
#include "fx/Support/Version.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/ADT/STLExtras.h"

int main(int argc, char **argv) {
  fx::registerVersionPrinter();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  fx::registerAllDialects(registry);
  fx::registerAllPasses();
  if (llvm::Error e = fx::loadPluginsOfEnvironment()) {
    llvm::errs() << "error: " << llvm::toString(std::move(e)) << "\n";
    return 1;
  }
  auto result =
      mlir::MlirOptMain(argc, argv, "fx-mlir's optimizer driver\n", registry);
  // A release of MLIR prints the title alone.
  if (llvm::any_of(llvm::ArrayRef(argv, argc), [](llvm::StringRef argument) {
        return argument.ltrim('-') == "mlir-pass-statistics";
      }))
    fx::printPassStatistics(llvm::errs());
  return mlir::asMainReturnCode(result);
}
