//===- fx-opt.cpp - runs passes over modules ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/ExternalPaths.h"
#include "fx/Import/Archive.h"
#include "fx/Import/ModuleFile.h"
#include "fx/InitAll.h"
#include "fx/Operators/Plugin.h"
#include "fx/Operators/Version.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/Options.h"
#include "fx/Support/PassStatistic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
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
// Plug-ins
//===----------------------------------------------------------------------===//

static std::string getLoadError(StringRef option, const std::string &path) {
  if (option == "load-pass-plugin")
    return llvm::toString(PassPlugin::load(path).takeError());
  if (option == "load-dialect-plugin")
    return llvm::toString(DialectPlugin::load(path).takeError());
  return "";
}

/// Returns what is wrong with the plug-ins that the command line names; empty
/// if nothing is. MLIR's own options ignore a plug-in that cannot be loaded.
static std::string findPluginError(llvm::ArrayRef<char *> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--")
      break;
    auto [option, path] = argument.ltrim('-').split('=');
    if (!argument.starts_with("-"))
      continue;
    if (!argument.contains('=') && i + 1 < arguments.size())
      path = arguments[i + 1];
    std::string why = getLoadError(option, path.str());
    if (why.empty())
      continue;
    // The option's value is named once, in the form of the other errors.
    StringRef text = why;
    text.consume_front(("Could not load library '" + path + "': ").str());
    text.consume_front((path + ": ").str());
    why = llvm::toLower(text[0]) + text.drop_front().str();
    // The loader searches the system's folders for a name without a slash.
    if (!path.contains('/') && llvm::sys::fs::exists(path))
      why = "expected a path with a slash: './" + path.str() + "'";
    return ("option '--" + option + "' expects a plug-in, got '" + path +
            "': " + fx::toOneLine(why))
        .str();
  }
  return "";
}

//===----------------------------------------------------------------------===//
// The tool
//===----------------------------------------------------------------------===//

static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional,
                                            llvm::cl::desc("<input file>"),
                                            llvm::cl::init("-"));
static llvm::cl::opt<std::string> outputFile("o",
                                             llvm::cl::desc("Output filename"),
                                             llvm::cl::value_desc("filename"),
                                             llvm::cl::init("-"));

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
  if (fx::isArchive(file->getBuffer())) {
    llvm::errs() << "error: " << input << ": " << fx::kArchiveText << "\n";
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
  std::string overview =
      registerCLIOptions("fx-mlir's optimizer driver\n", registry);
  if (std::string error = findPluginError({argv + 1, argv + argc});
      !error.empty()) {
    llvm::errs() << "error: fx-opt: " << error << "\n";
    return 1;
  }
  fx::parseOptions(argc, argv, overview,
                   "a pass of a plug-in needs --load-pass-plugin=FILE and its "
                   "name in --pass-pipeline");
  std::string input = inputFile, output = outputFile;
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
