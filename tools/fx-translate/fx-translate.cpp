//===- fx-translate.cpp - to and from the fx dialect ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ImportLimitOptions.h"
#include "fx/Export/Export.h"
#include "fx/Export/Formats.h"
#include "fx/IR/BytecodeFile.h"
#include "fx/IR/ExternalData.h"
#include "fx/IR/ExternalPaths.h"
#include "fx/Import/Import.h"
#include "fx/Import/ModuleFile.h"
#include "fx/Operators/Version.h"
#include "fx/Pipelines/Pipelines.h"
#include "fx/Support/Options.h"
#include "fx/Support/OutputFile.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <unistd.h>

using namespace llvm;

static cl::OptionCategory category("fx-translate options");
static cl::opt<bool>
    pt2ToMlir("pt2-to-mlir",
              cl::desc("Import an archive of torch.export.save; with one of "
                       "the others, go through fx without a file between"),
              cl::cat(category));
static cl::opt<std::string>
    report("report",
           cl::desc("For pictures: mark fallbacks and times of this report of "
                    "fx-compile"),
           cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    graphPath("graph",
              cl::desc("For --mlir-to-fx-text: a sub-graph, by its path from "
                       "the main graph"),
              cl::value_desc("true_graph_0.…"), cl::cat(category));
static cl::list<std::string> inputs(cl::Positional,
                                    cl::desc("FILE... (.pt2 or .mlir)"),
                                    cl::OneOrMore, cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Write to this file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static cl::opt<std::string>
    model("model", cl::desc("The model, where an archive holds several"),
          cl::value_desc("name"), cl::cat(category));
static fx::ImportLimitOptions importLimits(category);
static cl::opt<bool> emitBytecode("emit-bytecode",
                                  cl::desc("Write MLIR bytecode"),
                                  cl::cat(category));

static cl::opt<bool>
    verifyWeights("verify-weights",
                  cl::desc("Read every weight and check its CRC, too"),
                  cl::cat(category));

static cl::opt<std::string>
    plan("shard",
         cl::desc("Write a program for each of --ranks, with a part of the "
                  "weights by this plan (fx-shard); -o has {rank}"),
         cl::value_desc("file"), cl::cat(category));
static cl::opt<unsigned>
    ranks("ranks", cl::desc("The number of ranks of --shard (default: 2)"),
          cl::init(2), cl::value_desc("n"), cl::cat(category));
static cl::opt<unsigned> stages(
    "stages",
    cl::desc("Write a program for each of n stages of a pipeline (fx-stage)"),
    cl::init(0), cl::value_desc("n"), cl::cat(category));
static cl::opt<std::string>
    sizes("sizes", cl::desc("Integers for symbols in the costs of stages"),
          cl::value_desc("s17=16,..."), cl::cat(category));

/// `--mlir-to-NAME` of each format.
struct FormatOption {
  explicit FormatOption(const fx::ExportFormat &format)
      : format(format), name(("mlir-to-" + format.name).str()),
        option(StringRef(name), cl::desc(format.description),
               cl::cat(category)) {}

  const fx::ExportFormat &format;
  std::string name;
  cl::opt<bool> option;
};

static std::deque<FormatOption> formatOptions;
/// The format that was asked for; null: MLIR.
static const fx::ExportFormat *asked;

static bool isArchive() { return asked && asked->name == "pt2"; }

/// Returns true if a program for each rank is asked for.
static bool isDivided() {
  return plan.getNumOccurrences() > 0 || stages.getNumOccurrences() > 0;
}

static int fail(const Twine &message) {
  errs() << "error: " << message << '\n';
  return 1;
}

/// An error that has been printed already.
class Reported : public ErrorInfo<Reported> {
public:
  static char ID;
  static Error make() { return make_error<Reported>(); }
  void log(raw_ostream &os) const override { os << "reported"; }
  std::error_code convertToErrorCode() const override {
    return inconvertibleErrorCode();
  }
};
char Reported::ID;

/// Of the programs of ranks, the remarks of the first one are printed: those of
/// the others are the same.
static bool printsRemarks = true;

/// Prints a remark as `remark: text`, and an error as `error: text`, or as
/// `error: FILE:LINE:COLUMN: text` if it has a location in an IR file.
/// Suppresses other diagnostics.
static LogicalResult printDiagnostic(mlir::Diagnostic &diag) {
  if (diag.getSeverity() == mlir::DiagnosticSeverity::Remark && printsRemarks)
    errs() << "remark: " << diag.str() << '\n';
  if (diag.getSeverity() != mlir::DiagnosticSeverity::Error)
    return success();
  std::string where;
  auto file = dyn_cast<mlir::FileLineColLoc>(diag.getLocation());
  if (file && file.getLine() != 0)
    where = formatv("{0}:{1}:{2}: ", file.getFilename().getValue(),
                    file.getLine(), file.getColumn());
  fail(where + diag.str());
  return success();
}

//===----------------------------------------------------------------------===//
// Modules in
//===----------------------------------------------------------------------===//

using OwnedModule = mlir::OwningOpRef<mlir::ModuleOp>;

static OwnedModule importModel(StringRef path, mlir::MLIRContext &context) {
  fx::ImportOptions options;
  options.model = model;
  options.limits = importLimits.get();
  // Passes that divide the weights read them.
  if (output != "-" && !isArchive() && !isDivided()) {
    options.irFolder = sys::path::parent_path(output).str();
    if (options.irFolder.empty())
      options.irFolder = ".";
  }
  mlir::FailureOr<OwnedModule> module = fx::importPt2(path, context, options);
  if (failed(module))
    return {};
  if (verifyWeights) {
    fx::ExternalData data(options.irFolder);
    for (auto state : (**module).getOps<fx::StateOp>())
      if (state.getInitAttr())
        if (Error e = data.get(state).takeError())
          return fail(toString(std::move(e))), OwnedModule();
  }
  return std::move(*module);
}

/// Parses text or bytecode. Errors name the location in the file.
static OwnedModule parseModule(StringRef path, mlir::MLIRContext &context) {
  return fx::parseModuleFile(path, &context);
}

static bool readModules(mlir::MLIRContext &context,
                        SmallVectorImpl<OwnedModule> &modules) {
  for (const std::string &path : inputs)
    if (!modules.emplace_back(pt2ToMlir ? importModel(path, context)
                                        : parseModule(path, context)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Modules out
//===----------------------------------------------------------------------===//

static Error printModule(mlir::ModuleOp module, raw_ostream &os) {
  // On standard output the paths of weights are absolute. For an output file
  // the importer has already made them relative to the file, unless passes have
  // read the weights.
  if (output == "-" || isDivided())
    fx::relocateExternalPaths(module, output);
  if (!emitBytecode) {
    module.print(os);
    return Error::success();
  }
  return fx::writeBytecode(module, os);
}

static LogicalResult writeFormat(ArrayRef<OwnedModule> modules,
                                 raw_ostream &os) {
  fx::ExportOptions options;
  if (output != "-")
    options.root = sys::path::stem(output);
  options.graph = graphPath;
  options.report = report;
  if (modules.size() == 1)
    return asked->write(*modules.front(), os, options);
  SmallVector<fx::ExportModel> models;
  for (const OwnedModule &module : modules)
    models.push_back({const_cast<OwnedModule &>(module).get(), ""});
  return fx::exportPt2(models, os, options.root);
}

static int writeModules(ArrayRef<OwnedModule> modules) {
  auto write = [&](raw_ostream &os) -> Error {
    if (!asked)
      return printModule(const_cast<OwnedModule &>(modules.front()).get(), os);
    return failed(writeFormat(modules, os)) ? Reported::make()
                                            : Error::success();
  };
  Error error = fx::writeOutputFile(output, write, /*handlesSignals=*/true);
  if (!error)
    return 0;
  if (error.isA<Reported>())
    return consumeError(std::move(error)), 1;
  return fail(toString(std::move(error)));
}

//===----------------------------------------------------------------------===//
// Programs of ranks
//===----------------------------------------------------------------------===//

/// Writes a program for each rank. The file names have the rank in place of
/// {rank}.
static int writeRanks(mlir::MLIRContext &context, mlir::ModuleOp module) {
  constexpr StringRef place = "{rank}";
  const std::string path = output;
  size_t at = path.find(place);
  if (at == std::string::npos)
    return fail("-o: expected a name with '{rank}', got '" + path + "'");
  fx::DivideOptions options;
  options.planFile = plan;
  options.stages = stages.getNumOccurrences() > 0;
  options.ranks = options.stages ? stages : ranks;
  options.sizes = sizes;
  if (options.ranks == 0)
    return fail(options.stages ? "--stages: expected 1 or more, got 0"
                               : "--ranks: expected 1 or more, got 0");
  for (unsigned rank = 0; rank < options.ranks; ++rank) {
    options.rank = rank;
    printsRemarks = rank == 0;
    SmallVector<OwnedModule> divided;
    divided.push_back(OwnedModule(module.clone()));
    mlir::PassManager pm(&context);
    fx::buildDividePipeline(pm, options);
    if (failed(pm.run(*divided.front())))
      return 1;
    output = path.substr(0, at) + std::to_string(rank) +
             path.substr(at + place.size());
    if (int status = writeModules(divided))
      return status;
  }
  return 0;
}

static int translate() {
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler(&context, printDiagnostic);
  SmallVector<OwnedModule> modules;
  if (!readModules(context, modules))
    return 1;
  return isDivided() ? writeRanks(context, *modules.front())
                     : writeModules(modules);
}

/// Ends the process with an error message if memory cannot be allocated. A
/// malicious file can require any amount of memory.
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
  for (const fx::ExportFormat &known : fx::getExportFormats())
    formatOptions.emplace_back(known);
  fx::parseOptions(argc, argv, "fx-mlir's translator\n");
  std::string names = "--pt2-to-mlir";
  for (const FormatOption &known : formatOptions) {
    names += (&known == &formatOptions.back() ? " or --" : ", --") + known.name;
    if (!known.option)
      continue;
    if (asked)
      return fail("expected one translation from mlir, got several");
    asked = &known.format;
  }
  if (!asked && !pt2ToMlir)
    return fail("expected a translation: " + names);
  if (inputs.size() > 1 && !isArchive())
    return fail("expected one file; only --mlir-to-pt2 takes several");
  if (isDivided() && inputs.size() > 1)
    return fail("expected one file to divide, got " + Twine(inputs.size()));
  if (plan.getNumOccurrences() > 0 && stages.getNumOccurrences() > 0)
    return fail("expected --shard or --stages, got both");
  return translate();
}
