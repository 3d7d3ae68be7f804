//===- fx-opt.cpp - runs passes over modules ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/ExternalPaths.h"
#include "fx/InitAll.h"
#include "fx/Operators/Plugin.h"
#include "fx/Operators/Version.h"
#include "fx/Support/PassStatistic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Paths of weights
//===----------------------------------------------------------------------===//

namespace {
/// Translates the paths of weights: resolves them relative to the file `from`
/// that was read, or makes them relative to the file `to` that is written. This
/// is a pass, which runs first and last, because MlirOptMain itself reads and
/// writes modules.
struct TranslatePaths : PassWrapper<TranslatePaths, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TranslatePaths)

  TranslatePaths() = default;
  TranslatePaths(const TranslatePaths &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "fx-translate-paths"; }
  StringRef getDescription() const override {
    return "translate the paths of weights between a file and memory";
  }
  void runOnOperation() override {
    if (!from.empty())
      fx::resolveExternalPaths(getOperation(), from);
    if (!to.empty())
      fx::relocateExternalPaths(getOperation(), to);
  }

  /// Copies a pass. Needed because a pass manager does not release the
  /// ownership of its passes, and `clone` is protected.
  static std::unique_ptr<Pass> copy(const Pass &pass) {
    return (pass.*&TranslatePaths::clone)();
  }

  Option<std::string> from{*this, "from",
                           llvm::cl::desc("The file that was read")};
  Option<std::string> to{*this, "to",
                         llvm::cl::desc("The file that is written")};
};
} // namespace

static std::unique_ptr<Pass> translatePaths(StringRef from, StringRef to) {
  auto pass = std::make_unique<TranslatePaths>();
  pass->from = from.str();
  pass->to = to.str();
  return pass;
}

/// Returns true if the module may name files of weights. Always true for
/// bytecode, which is not searched.
static bool mayHavePaths(const llvm::MemoryBuffer &input) {
  StringRef text = input.getBuffer();
  return text.starts_with("ML\xefR") || text.contains("#fx.external<");
}

//===----------------------------------------------------------------------===//
// The tool
//===----------------------------------------------------------------------===//

/// Does the same as MlirOptMain for a command line, and adds passes that
/// translate the paths of weights.
static LogicalResult run(StringRef input, StringRef output,
                         DialectRegistry &registry) {
  if (input == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(reads standard input; ctrl-d ends it)\n";
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &message);
  if (!file) {
    llvm::errs() << "error: " << message << "\n";
    return failure();
  }
  // The diagnostic of the parser would print the bytes of the archive.
  if (file->getBuffer().starts_with("PK\x03\x04")) {
    llvm::errs() << "error: " << input
                 << ": expected MLIR text or bytecode, got an archive; "
                    "fx-translate --pt2-to-mlir imports it\n";
    return failure();
  }
  std::unique_ptr<llvm::ToolOutputFile> out = openOutputFile(output, &message);
  if (!out) {
    llvm::errs() << "error: " << message << "\n";
    return failure();
  }
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  // A reproducer already contains the passes of the run that wrote it.
  if (mayHavePaths(*file) && !config.shouldRunReproducer()) {
    MlirOptMainConfig given = config;
    config.setPassPipelineSetupFn([=](PassManager &pm) -> LogicalResult {
      if (failed(given.setupPassPipeline(pm)))
        return failure();
      if (pm.getOpAnchorName() != ModuleOp::getOperationName() &&
          pm.getOpAnchorName() != OpPassManager::getAnyOpAnchorName())
        return success();
      std::vector<std::unique_ptr<Pass>> passes;
      for (Pass &pass : pm.getPasses())
        passes.push_back(TranslatePaths::copy(pass));
      pm.clear();
      pm.addPass(translatePaths(input, ""));
      for (std::unique_ptr<Pass> &pass : passes)
        pm.addPass(std::move(pass));
      pm.addPass(translatePaths("", output));
      return success();
    });
  }
  if (failed(MlirOptMain(out->os(), std::move(file), registry, config)))
    return failure();
  out->keep();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  fx::registerVersionPrinter();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllPasses();
  fx::registerAllDialects(registry);
  fx::registerAllPasses();
  PassRegistration<TranslatePaths>();
  if (llvm::Error e = fx::loadPluginsOfEnvironment()) {
    llvm::errs() << "error: " << llvm::toString(std::move(e)) << "\n";
    return 1;
  }
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "fx-mlir's optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  bool onlyLists = config.shouldShowDialects() || config.shouldListPasses();
  LogicalResult result = onlyLists
                             ? MlirOptMain(argc, argv, input, output, registry)
                             : run(input, output, registry);
  // Release builds of MLIR print only the title of the statistics.
  if (llvm::any_of(llvm::ArrayRef(argv, argc), [](llvm::StringRef argument) {
        return argument.ltrim('-') == "mlir-pass-statistics";
      }))
    fx::printPassStatistics(llvm::errs());
  return asMainReturnCode(result);
}
