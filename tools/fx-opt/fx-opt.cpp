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
/// Translates the paths of weights: from those of the file `from`, or to those
/// of the file `to`. MlirOptMain reads and writes modules itself, so that these
/// are passes, the first and the last.
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

  /// A copy of any pass: a pass manager gives none of its own away.
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

/// Whether the module may name files of weights: bytecode is not searched.
static bool mayHavePaths(const llvm::MemoryBuffer &input) {
  StringRef text = input.getBuffer();
  return text.starts_with("ML\xefR") || text.contains("#fx.external<");
}

//===----------------------------------------------------------------------===//
// The tool
//===----------------------------------------------------------------------===//

/// What MlirOptMain does for the command line, with the passes around.
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
  // The parser would print the archive as the text that it cannot read.
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
  // A reproducer has the passes of the run that wrote it.
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
  // A release of MLIR prints the title alone.
  if (llvm::any_of(llvm::ArrayRef(argv, argc), [](llvm::StringRef argument) {
        return argument.ltrim('-') == "mlir-pass-statistics";
      }))
    fx::printPassStatistics(llvm::errs());
  return asMainReturnCode(result);
}
