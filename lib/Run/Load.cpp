//===- Load.cpp - loading what fx-run runs ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"
#include "fx/Import/Import.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Run/Signature.h"
#include "fx/Support/LocatedError.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace fx {

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
/// A module and the context it lives in.
struct LoadedModule {
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
};

/// Keeps the first error that a context reports.
class ErrorCollector {
public:
  ErrorCollector(MLIRContext *context, llvm::StringRef file)
      : file(file), handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !error)
            error = {getPlace(diagnostic.getLocation()), diagnostic.str()};
          return success();
        }) {}

  llvm::Error take(const char *otherwise) {
    if (!error)
      return makeLocatedError("", otherwise);
    auto [place, message] = *error;
    // The importer names the file, and the record, in the text.
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
  /// The node, or the line of the file.
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
  registry.insert<FXDialect>();
  loaded.context = std::make_unique<MLIRContext>(
      registry, MLIRContext::Threading::DISABLED);
  loaded.context->loadAllAvailableDialects();
  return loaded;
}

static llvm::Expected<LoadedModule> parseText(const RunOptions &options) {
  LoadedModule loaded = makeContext();
  ErrorCollector errors(loaded.context.get(), options.model);
  ParserConfig config(loaded.context.get());
  loaded.module = parseSourceFile<ModuleOp>(options.model, config);
  if (!loaded.module)
    return errors.take("cannot be parsed");
  return loaded;
}

static llvm::Expected<LoadedModule> import(const RunOptions &options) {
  LoadedModule loaded = makeContext();
  ErrorCollector errors(loaded.context.get(), options.model);
  ImportOptions importOptions;
  importOptions.model = options.modelName;
  auto module = importPt2(options.model, *loaded.context, importOptions);
  if (failed(module))
    return errors.take("cannot be imported");
  loaded.module = std::move(*module);
  return loaded;
}

//===----------------------------------------------------------------------===//
// Interpreted
//===----------------------------------------------------------------------===//

static llvm::SmallVector<LeafFile> getLeafFiles(const GraphSignature &signature) {
  llvm::SmallVector<LeafFile> leaves;
  for (const InputLeaf &input : signature.getInputs())
    leaves.push_back({input.name, input.isPassed(),
                      input.getDType().value_or(DType::F32)});
  return leaves;
}

namespace {
class InterpretedModel final : public RunnableModel {
public:
  InterpretedModel(LoadedModule loaded, std::unique_ptr<Interpreter> interpreter,
                   llvm::SmallVector<LeafFile> leaves)
      : loaded(std::move(loaded)), interpreter(std::move(interpreter)),
        leaves(std::move(leaves)) {}

  llvm::ArrayRef<LeafFile> getInputs() const override { return leaves; }
  llvm::Error run(llvm::ArrayRef<HostValue> inputs,
                  llvm::SmallVectorImpl<HostValue> &outputs) override {
    return interpreter->run(inputs, outputs);
  }
  llvm::json::Object getReport() const override;

private:
  LoadedModule loaded;
  std::unique_ptr<Interpreter> interpreter;
  llvm::SmallVector<LeafFile> leaves;
};
} // namespace

/// The user's Python frames, innermost first: "model.py:12".
static llvm::json::Array getStack(Location location) {
  llvm::json::Array stack;
  location->walk([&](Location inner) {
    if (auto frame = dyn_cast<FileLineColLoc>(inner))
      stack.push_back(frame.getFilename().str() + ":" +
                      std::to_string(frame.getLine()));
    return WalkResult::advance();
  });
  return stack;
}

llvm::json::Object InterpretedModel::getReport() const {
  llvm::json::Array operators;
  ModuleOp module = *loaded.module;
  module.walk([&](NodeOpInterface node) {
    operators.push_back(llvm::json::Object{
        {"node", getNodeName(node).value_or("").str()},
        {"target", node.getTargetName().str()},
        {"native", false},
        {"reason", "interpreted"},
        {"stack", getStack(node->getLoc())}});
  });
  return llvm::json::Object{{"mode", "interpret"},
                            {"operators", std::move(operators)},
                            {"kernels", 0},
                            {"arena_bytes", 0},
                            {"compile_seconds", llvm::json::Object()}};
}

static llvm::Expected<std::unique_ptr<RunnableModel>>
makeInterpreted(LoadedModule loaded, const RunOptions &options) {
  llvm::Expected<GraphSignature> signature =
      GraphSignature::get(*loaded.module);
  if (!signature)
    return signature.takeError();
  InterpreterOptions interpreterOptions;
  // An imported module names the archive as it was given.
  if (llvm::sys::path::extension(options.model) != ".pt2")
    interpreterOptions.baseDir =
        llvm::sys::path::parent_path(options.model).str();
  interpreterOptions.threads = options.threads;
  llvm::Expected<std::unique_ptr<Interpreter>> interpreter =
      loadInterpreter(*loaded.module, interpreterOptions);
  if (!interpreter)
    return interpreter.takeError();
  return std::make_unique<InterpretedModel>(std::move(loaded),
                                            std::move(*interpreter),
                                            getLeafFiles(*signature));
}

//===----------------------------------------------------------------------===//
// Which it is
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<RunnableModel>>
loadModel(const RunOptions &options) {
  llvm::sys::fs::file_status status;
  if (std::error_code ec = llvm::sys::fs::status(options.model, status))
    return makeLocatedError("", ec.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return makeLocatedError("", "not a regular file");
  llvm::StringRef extension = llvm::sys::path::extension(options.model);
  if (extension != ".pt2" && extension != ".mlir" && extension != ".mlirbc")
    return makeLocatedError("", "expected a .pt2, .mlir or .so file");
  llvm::Expected<LoadedModule> loaded =
      extension == ".pt2" ? import(options) : parseText(options);
  if (!loaded)
    return loaded.takeError();
  return makeInterpreted(std::move(*loaded), options);
}

} // namespace fx
