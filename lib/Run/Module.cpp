//===- Module.cpp - loading modules of the fx dialect ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Run/Module.h"
#include "fx/IR/Metadata.h"
#include "fx/Import/Import.h"
#include "fx/Import/ModuleFile.h"
#include "fx/Operators/Dialect.h"
#include "fx/Support/LocatedError.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace fx {

namespace {
/// Keeps the first error that a context reports.
class ErrorCollector {
public:
  ErrorCollector(MLIRContext *context, llvm::StringRef file)
      : file(file), handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !error)
            error = {getPlace(diagnostic.getLocation()), diagnostic.str()};
          return success();
        }) {}

  /// Returns the collected error, or one with the message `otherwise`.
  llvm::Error take(const char *otherwise) {
    if (!error)
      return makeLocatedError("", otherwise);
    auto [place, message] = *error;
    // Messages of the importer begin with "FILE: " or "FILE:RECORD: ".
    llvm::StringRef text = message;
    if (text.consume_front(file) && !text.consume_front(": ") &&
        text.consume_front(":")) {
      auto [record, rest] = text.split(": ");
      place = record.str();
      text = rest;
    }
    return makeLocatedError(place, toOneLine(text));
  }

private:
  /// Returns the name of the node, or the line and column of the file.
  std::string getPlace(Location location) {
    if (std::optional<StringRef> name = getNodeName(location))
      return name->str();
    if (auto place = dyn_cast<FileLineColLoc>(location)) {
      std::string lines = std::to_string(place.getLine()) + ":" +
                          std::to_string(place.getColumn());
      return place.getFilename() == file
                 ? lines
                 : (place.getFilename().getValue() + ":" + lines).str();
    }
    return "";
  }

  llvm::StringRef file;
  std::optional<std::pair<std::string, std::string>> error;
  ScopedDiagnosticHandler handler;
};
} // namespace

static LoadedModule makeContext() {
  LoadedModule loaded;
  DialectRegistry registry;
  registerFXDialect(registry);
  loaded.context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  loaded.context->loadAllAvailableDialects();
  return loaded;
}

static llvm::Expected<LoadedModule> parseText(llvm::StringRef path) {
  LoadedModule loaded = makeContext();
  ErrorCollector errors(loaded.context.get(), path);
  loaded.module = parseModuleFile(path, loaded.context.get());
  if (!loaded.module)
    return errors.take("cannot be parsed");
  return loaded;
}

static llvm::Expected<LoadedModule> import(llvm::StringRef path,
                                           llvm::StringRef modelName,
                                           const ImportLimits &limits) {
  LoadedModule loaded = makeContext();
  ErrorCollector errors(loaded.context.get(), path);
  ImportOptions importOptions;
  importOptions.model = modelName.str();
  importOptions.limits = limits;
  // `irFolder` stays empty, so the module names the archive by the given path.
  auto module = importPt2(path, *loaded.context, importOptions);
  if (failed(module))
    return errors.take("cannot be imported");
  loaded.module = std::move(*module);
  return loaded;
}

bool isModuleFile(llvm::StringRef path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  return extension == ".pt2" || extension == ".mlir" || extension == ".mlirbc";
}

llvm::Expected<LoadedModule> loadModule(llvm::StringRef path,
                                        llvm::StringRef modelName,
                                        const ImportLimits &limits) {
  return llvm::sys::path::extension(path) == ".pt2"
             ? import(path, modelName, limits)
             : parseText(path);
}

} // namespace fx
