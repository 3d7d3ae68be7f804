//===- File.cpp - quantizes a file ----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Export/Export.h"
#include "fx/IR/Metadata.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Quantize/Passes.h"
#include "fx/Quantize/Quantize.h"
#include "fx/Run/Module.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/OutputFile.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace fx;

namespace {
/// Records the first error that a context reports, with the name of its node.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return success();
          if (text.empty()) {
            if (auto name = getNodeName(diagnostic.getLocation()))
              text = (*name + ": ").str();
            text += diagnostic.str();
          }
          return success();
        }) {}

  llvm::Error take(StringRef file) {
    return makeLocatedError(file, toOneLine(text));
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

llvm::Expected<QuantizationReport>
fx::quantizeFile(const QuantizeFileOptions &options) {
  auto inFile = [&](llvm::Error error) {
    return makeLocatedError(options.input,
                            toOneLine(llvm::toString(std::move(error))));
  };
  if (llvm::sys::path::extension(options.output) != ".pt2")
    return makeLocatedError(options.output, "expected a .pt2 file to write");
  if (!isModuleFile(options.input))
    return makeLocatedError(options.input, "expected a .pt2 or .mlir file");
  llvm::Expected<LoadedModule> loaded =
      loadModule(options.input, options.model);
  if (!loaded)
    return inFile(loaded.takeError());
  DialectRegistry registry;
  registerTorchSchemas(registry);
  registerConstantEvaluator(registry);
  loaded->context->appendDialectRegistry(registry);
  ModuleOp module = *loaded->module;
  FirstError error(loaded->context.get());

  QuantizeOptions settings = options.quantize;
  PassManager before(loaded->context.get()), after(loaded->context.get());
  buildBeforeQuantization(before);
  buildAfterQuantization(after);
  if (failed(before.run(module)))
    return error.take(options.input);
  FailureOr<QuantizationReport> report = quantize(module, settings);
  if (failed(report) || failed(after.run(module)))
    return error.take(options.input);
  eraseUnusedStates(module);

  auto write = [&](raw_ostream &os) -> llvm::Error {
    if (succeeded(exportPt2(ExportModel{module, ""}, os,
                            llvm::sys::path::stem(options.output))))
      return llvm::Error::success();
    return error.take(options.input);
  };
  if (llvm::Error e =
          writeOutputFile(options.output, write, options.handlesSignals))
    return std::move(e);
  if (!options.report.empty()) {
    std::string text =
        llvm::formatv("{0:2}\n", llvm::json::Value(report->toJSON()));
    if (llvm::Error e =
            writeTextFile(options.report, text, options.handlesSignals))
      return std::move(e);
  }
  return std::move(*report);
}
