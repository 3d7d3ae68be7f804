//===- fx-translate.cpp - to and from the fx dialect ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Import/ExternalData.h"
#include "fx/Import/Import.h"
#include "fx/Support/Version.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace llvm;

static cl::OptionCategory category("fx-translate options");
static cl::opt<bool>
    pt2ToMlir("pt2-to-mlir",
              cl::desc("Import an archive of torch.export.save"),
              cl::cat(category));
static cl::opt<std::string> input(cl::Positional, cl::desc("<file>"),
                                  cl::Required, cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Write to this file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static cl::opt<std::string>
    model("model", cl::desc("The model, where an archive holds several"),
          cl::value_desc("name"), cl::cat(category));
static cl::opt<bool> emitBytecode("emit-bytecode",
                                  cl::desc("Write MLIR bytecode"),
                                  cl::cat(category));

static cl::opt<bool>
    verifyWeights("verify-weights",
                  cl::desc("Read every weight and check its CRC, too"),
                  cl::cat(category));

static int fail(const Twine &message) {
  errs() << "error: " << message << '\n';
  return 1;
}

/// Writes beside the output and renames, so that no partial file is left.
static Error write(mlir::ModuleOp module) {
  return writeToOutput(output, [&](raw_ostream &os) -> Error {
    if (!emitBytecode) {
      module.print(os);
      return Error::success();
    }
    if (failed(mlir::writeBytecodeToFile(module, os)))
      return createStringError("cannot write bytecode");
    return Error::success();
  });
}

static int importModel() {
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &diag) {
    if (diag.getSeverity() == mlir::DiagnosticSeverity::Error)
      fail(diag.str());
    return mlir::success();
  });
  fx::ImportOptions options;
  options.model = model;
  if (output != "-") {
    options.irFolder = sys::path::parent_path(output).str();
    if (options.irFolder.empty())
      options.irFolder = ".";
  }
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> module =
      fx::importPt2(input, context, options);
  if (failed(module))
    return 1;
  if (verifyWeights) {
    fx::ExternalData data(options.irFolder);
    for (auto state : (*module)->getOps<fx::StateOp>())
      if (state.getInitAttr())
        if (Error e = data.get(state).takeError())
          return fail(toString(std::move(e)));
  }
  if (Error e = write(**module))
    return fail(toString(std::move(e)));
  return 0;
}

/// A big hostile file can ask for any memory: that is an error of the input.
static void refuseMemory(void *, const char *, bool) {
  constexpr StringLiteral text = "error: out of memory\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  _exit(1);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  install_bad_alloc_error_handler(refuseMemory);
  fx::registerVersionPrinter();
  mlir::registerAsmPrinterCLOptions();
  cl::ParseCommandLineOptions(argc, argv, "fx-mlir's translator\n");
  if (!pt2ToMlir)
    return fail("expected a translation: --pt2-to-mlir");
  return importModel();
}
