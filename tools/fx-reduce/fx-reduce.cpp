//===- fx-reduce.cpp - makes a failing program small ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ImportLimitOptions.h"
#include "fx/IR/ExternalPaths.h"
#include "fx/IR/FXDialect.h"
#include "fx/Import/Import.h"
#include "fx/Import/ModuleFile.h"
#include "fx/Operators/Dialect.h"
#include "fx/Operators/Version.h"
#include "fx/Reduce/Reduce.h"
#include "fx/Support/Options.h"
#include "fx/Support/OutputFile.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fx;
namespace cl = llvm::cl;

static cl::OptionCategory category("fx-reduce options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("MODEL (.pt2 or .mlir)"),
                                  cl::cat(category));
static cl::opt<std::string>
    test("test", cl::Required,
         cl::desc("A program that is called with a .mlir file and ends with 0 "
                  "where that still has the property"),
         cl::value_desc("program"), cl::cat(category));
static cl::list<std::string>
    testArgs("test-arg", cl::desc("Arguments of the test before the file"),
             cl::value_desc("argument"), cl::cat(category));
static cl::opt<std::string> output("o", cl::init("-"),
                                   cl::desc("The reduced program (default: "
                                            "standard output)"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    modelName("model", cl::desc("The model of an archive with several"),
              cl::value_desc("name"), cl::cat(category));
static ImportLimitOptions importLimits(category);
static cl::opt<unsigned> timeout("timeout", cl::init(60),
                                 cl::desc("Seconds that a test may take; a "
                                          "longer one counts as failed"),
                                 cl::cat(category));

static int fail(const llvm::Twine &text) {
  llvm::errs() << "error: " << text << "\n";
  return 1;
}

static OwningOpRef<ModuleOp> load(MLIRContext &context) {
  llvm::StringRef extension = llvm::sys::path::extension(input);
  if (extension != ".mlir" && extension != ".mlirbc") {
    ImportOptions options;
    options.model = modelName;
    options.limits = importLimits.get();
    FailureOr<OwningOpRef<ModuleOp>> module =
        importPt2(input, context, options);
    return failed(module) ? OwningOpRef<ModuleOp>() : std::move(*module);
  }
  return parseModuleFile(input, &context);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerVersionPrinter();
  cl::HideUnrelatedOptions(category);
  fx::parseOptions(argc, argv,
                   "makes an exported program small while a test holds\n");
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(test);
  if (!program)
    return fail(test + ": " + program.getError().message());

  DialectRegistry registry;
  registerFXDialect(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = load(context);
  if (!module)
    return 1;
  if (!module->lookupSymbol<GraphOp>("main"))
    return fail(input + ": expected an 'fx.graph @main'");

  llvm::SmallString<128> candidate;
  if (std::error_code ec =
          llvm::sys::fs::createTemporaryFile("fx-reduce", "mlir", candidate))
    return fail("cannot make a temporary file: " + ec.message());
  llvm::sys::RemoveFileOnSignal(candidate);
  std::string problem;
  auto holds = [&](ModuleOp m) {
    // Paths are absolute, because a test may copy the file.
    if (llvm::Error e = writeInPlace(candidate, [&](llvm::raw_ostream &os) {
          printModuleFile(m, "-", os);
          return llvm::Error::success();
        })) {
      problem = llvm::toString(std::move(e));
      return false;
    }
    llvm::SmallVector<llvm::StringRef> args{*program};
    llvm::append_range(args, testArgs);
    args.push_back(candidate);
    // Discard the output of the test.
    std::optional<llvm::StringRef> quiet[] = {"", "", ""};
    std::string error;
    int status = llvm::sys::ExecuteAndWait(*program, args, std::nullopt, quiet,
                                           timeout, 0, &error);
    if (status == -1 && problem.empty())
      problem = error;
    return status == 0;
  };
  int status = 0;
  if (!holds(*module)) {
    status = fail(problem.empty()
                      ? input + ": the test does not hold on the whole program"
                      : test + ": " + problem);
  } else {
    ReduceStatistics done = reduceProgram(module, holds);
    llvm::errs() << "reduced " << done.nodesBefore << " nodes to "
                 << done.nodesAfter << " in " << done.numTests << " tests\n";
    if (llvm::Error e = writeOutputFile(
            output,
            [&](llvm::raw_ostream &os) {
              printModuleFile(*module, output, os);
              return llvm::Error::success();
            },
            /*handlesSignals=*/true))
      status = fail(llvm::toString(std::move(e)));
  }
  llvm::sys::fs::remove(candidate);
  llvm::sys::DontRemoveFileOnSignal(candidate);
  return status;
}
