//===- IR.cpp - modules of the C interface --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "fx/CAPI/Unwrap.h"
#include "fx/IR/BytecodeFile.h"
#include "fx/IR/ExternalPaths.h"
#include "fx/Import/Import.h"
#include "fx/Import/ModuleFile.h"
#include "fx/InitAll.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Operators/Verify.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace fx;
using namespace fx::capi;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

FXContext *fxContextCreate(void) {
  registerAllPassesAndUpstream();
  DialectRegistry registry;
  registerAllDialects(registry);
  auto state = std::make_shared<ContextState>(registry);
  state->context->loadAllAvailableDialects();
  state->context->printOpOnDiagnostic(false); // errors are one line
  return new FXContext{std::move(state)};
}

void fxContextDestroy(FXContext *context) { delete context; }

void fxContextSetTorchPreparation(FXContext *context,
                                  FXPrepareTorchFn prepare) {
  if (!context || !prepare)
    return;
  DialectRegistry registry;
  registerTorchPreparation(registry, prepare);
  context->state->context->appendDialectRegistry(registry);
}

MLIRContext *fx::unwrap(FXContext *context) { return context->state->context; }
ModuleOp fx::unwrap(FXModule *module) { return *module->module; }

//===----------------------------------------------------------------------===//
// Making modules
//===----------------------------------------------------------------------===//

/// Returns a new handle for the module that `make` creates under protection, or
/// null after an error.
static FXModule *
create(const std::shared_ptr<ContextState> &state, StringRef folder,
       FXError **error,
       llvm::function_ref<llvm::Expected<OwningOpRef<ModuleOp>>()> make) {
  auto handle = std::make_unique<FXModule>();
  handle->state = state;
  handle->folder = folder.str();
  if (protect(error, state.get(), [&](FXError &) -> llvm::Error {
        llvm::Expected<OwningOpRef<ModuleOp>> module = make();
        if (!module)
          return module.takeError();
        handle->module = std::move(*module);
        // The current folder may change during the life of the handle, and
        // passes do not know `folder`.
        makeExternalPathsAbsolute(*handle->module, folder);
        return llvm::Error::success();
      }))
    return nullptr;
  return handle.release();
}

/// Copies the caller's options, which may be older or newer than this library.
/// Returns nonzero after an error.
static int getOptions(const char *function, const FXImportOptions *given,
                      FXImportOptions &options, FXError **error) {
  options = {};
  if (!given)
    return 0;
  const size_t least = offsetof(FXImportOptions, name);
  if (given->struct_size < least || given->struct_size > 4096)
    return fail(error, llvm::Twine(function) +
                           ": expected the options' struct_size, got " +
                           llvm::Twine(given->struct_size));
  memcpy(&options, given, std::min(given->struct_size, sizeof options));
  if (!(options.max_seconds >= 0))
    return fail(error,
                llvm::Twine(function) + ": expected max_seconds of 0 or more");
  return 0;
}

static FXModule *import(FXContext *context, StringRef path,
                        const FXImportOptions &given, FXError **error) {
  return create(context->state, "", error,
                [&]() -> llvm::Expected<OwningOpRef<ModuleOp>> {
                  ImportOptions options;
                  options.model = given.model ? given.model : "";
                  options.limits = {given.max_nodes, given.max_text_bytes,
                                    given.max_seconds};
                  auto module =
                      importPt2(path, *context->state->context, options);
                  if (failed(module))
                    return llvm::createStringError(getShownPath(path) +
                                                   ": cannot be imported");
                  return std::move(*module);
                });
}

FXModule *fxModuleImport(FXContext *context, const char *path,
                         const char *model, FXError **error) {
  if (!context || !path) {
    failNull(error, "fxModuleImport", context ? "path" : "context");
    return nullptr;
  }
  FXImportOptions options = {};
  options.model = model;
  return import(context, path, options, error);
}

FXModule *fxModuleImportWith(FXContext *context, const char *path,
                             const FXImportOptions *given, FXError **error) {
  if (!context || !path) {
    failNull(error, "fxModuleImportWith", context ? "path" : "context");
    return nullptr;
  }
  FXImportOptions options;
  if (getOptions("fxModuleImportWith", given, options, error))
    return nullptr;
  return import(context, path, options, error);
}

/// Imports the archive in memory that `make` returns, given its name.
static FXModule *
importMemory(FXContext *context, const FXImportOptions &options,
             FXError **error,
             llvm::function_ref<llvm::Expected<UnlinkedFile>(StringRef)> make) {
  std::shared_ptr<const UnlinkedFile> archive;
  StringRef name = options.name && *options.name ? options.name : "<archive>";
  // Not under the context's lock: the caller's `read` may use the context.
  if (protect(error, nullptr, [&](FXError &) -> llvm::Error {
        llvm::Expected<UnlinkedFile> file = make(name);
        if (!file)
          return file.takeError();
        archive = std::make_shared<const UnlinkedFile>(std::move(*file));
        return llvm::Error::success();
      }))
    return nullptr;
  FXModule *module = import(context, archive->getPath(), options, error);
  if (module)
    module->archive = std::move(archive);
  return module;
}

FXModule *fxModuleImportBuffer(FXContext *context, const void *data,
                               size_t size, const FXImportOptions *given,
                               FXError **error) {
  if (!context || (!data && size)) {
    failNull(error, "fxModuleImportBuffer", context ? "data" : "context");
    return nullptr;
  }
  FXImportOptions options;
  if (getOptions("fxModuleImportBuffer", given, options, error))
    return nullptr;
  StringRef bytes(static_cast<const char *>(data), size);
  return importMemory(context, options, error, [&](StringRef name) {
    return UnlinkedFile::createInMemory(name, bytes);
  });
}

FXModule *fxModuleImportStream(FXContext *context, FXReadFn read,
                               void *userData, const FXImportOptions *given,
                               FXError **error) {
  if (!context || !read) {
    failNull(error, "fxModuleImportStream", context ? "read" : "context");
    return nullptr;
  }
  FXImportOptions options;
  if (getOptions("fxModuleImportStream", given, options, error))
    return nullptr;
  return importMemory(context, options, error, [&](StringRef name) {
    return UnlinkedFile::createInMemory(
        name,
        [&](llvm::MutableArrayRef<char> buffer) -> llvm::Expected<size_t> {
          int64_t size = read(buffer.data(), buffer.size(), userData);
          if (size < 0)
            return llvm::createStringError(name + ": cannot be read");
          if (uint64_t(size) > buffer.size())
            return llvm::createStringError(
                name + ": expected at most " + llvm::Twine(buffer.size()) +
                " bytes of a call, got " + llvm::Twine(size));
          return size_t(size);
        });
  });
}

static llvm::Expected<OwningOpRef<ModuleOp>>
parse(MLIRContext *context, std::unique_ptr<llvm::MemoryBuffer> buffer) {
  std::string name = buffer->getBufferIdentifier().str();
  OwningOpRef<ModuleOp> module = parseModule(std::move(buffer), context);
  if (!module)
    return llvm::createStringError(name + ": cannot be parsed");
  return module;
}

FXModule *fxModuleParse(FXContext *context, const char *data, size_t size,
                        const char *name, const char *folder, FXError **error) {
  if (!context || !data) {
    failNull(error, "fxModuleParse", context ? "data" : "context");
    return nullptr;
  }
  return create(context->state, folder ? folder : "", error, [&] {
    // Copy the text, because the parser requires a zero behind it.
    return parse(context->state->context,
                 llvm::MemoryBuffer::getMemBufferCopy(StringRef(data, size),
                                                      name ? name : "<text>"));
  });
}

FXModule *fxModuleParseFile(FXContext *context, const char *path,
                            FXError **error) {
  if (!context || !path) {
    failNull(error, "fxModuleParseFile", context ? "path" : "context");
    return nullptr;
  }
  return create(context->state, llvm::sys::path::parent_path(path), error,
                [&]() -> llvm::Expected<OwningOpRef<ModuleOp>> {
                  auto buffer = llvm::MemoryBuffer::getFile(path);
                  if (!buffer)
                    return llvm::createStringError(
                        llvm::Twine(path) +
                        ": cannot open: " + buffer.getError().message());
                  return parse(context->state->context, std::move(*buffer));
                });
}

FXModule *fxModuleClone(const FXModule *module, FXError **error) {
  if (!module) {
    failNull(error, "fxModuleClone", "module");
    return nullptr;
  }
  FXModule *copy =
      create(module->state, module->folder, error,
             [&]() -> llvm::Expected<OwningOpRef<ModuleOp>> {
               return OwningOpRef<ModuleOp>(ModuleOp(*module->module).clone());
             });
  if (copy)
    copy->archive = module->archive;
  return copy;
}

void fxModuleDestroy(FXModule *module) {
  if (!module)
    return;
  std::shared_ptr<ContextState> state = module->state;
  std::lock_guard<std::mutex> guard(state->lock);
  delete module;
}

const char *fxModuleGetFolder(const FXModule *module) {
  return module ? module->folder.c_str() : "";
}

//===----------------------------------------------------------------------===//
// Using modules
//===----------------------------------------------------------------------===//

int fxModuleVerify(const FXModule *module, FXError **error) {
  if (!module)
    return failNull(error, "fxModuleVerify", "module");
  return protect(error, module->state.get(), [&](FXError &) -> llvm::Error {
    if (failed(verify(*module->module)) ||
        failed(verifyResultTypes(*module->module)))
      return llvm::createStringError("the module is invalid");
    return llvm::Error::success();
  });
}

/// Adds a textual pipeline, with or without `builtin.module(...)` around it.
static llvm::Error addPasses(PassManager &pm, StringRef pipeline) {
  pipeline = pipeline.trim();
  StringRef inner = pipeline;
  if (inner.consume_front("builtin.module(") && inner.consume_back(")"))
    pipeline = inner;
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(parsePassPipeline(pipeline, pm, os)))
    return llvm::createStringError("bad pipeline '" + pipeline +
                                   "': " + message);
  return llvm::Error::success();
}

int fxModuleRunPasses(FXModule *module, const char *pipeline, FXError **error) {
  if (!module || !pipeline)
    return failNull(error, "fxModuleRunPasses", module ? "pipeline" : "module");
  return protect(error, module->state.get(), [&](FXError &) -> llvm::Error {
    PassManager pm(module->state->context);
    if (llvm::Error e = addPasses(pm, pipeline))
      return e;
    // Run the passes on a copy: a pass that fails leaves its module undefined.
    OwningOpRef<ModuleOp> copy = ModuleOp(*module->module).clone();
    if (failed(pm.run(*copy)))
      return llvm::createStringError("a pass failed");
    module->module = std::move(copy);
    return llvm::Error::success();
  });
}

int fxModulePrint(const FXModule *module, unsigned flags, FXTextFn write,
                  void *userData, FXError **error) {
  if (!module || !write)
    return failNull(error, "fxModulePrint", module ? "write" : "module");
  return protect(error, module->state.get(), [&](FXError &) -> llvm::Error {
    CallbackStream os(write, userData);
    OpPrintingFlags printing;
    printing.enableDebugInfo(flags & FX_PRINT_LOCATIONS);
    ModuleOp(*module->module).print(os, printing);
    return llvm::Error::success();
  });
}

int fxModuleWriteBytecode(const FXModule *module, FXTextFn write,
                          void *userData, FXError **error) {
  if (!module || !write)
    return failNull(error, "fxModuleWriteBytecode",
                    module ? "write" : "module");
  return protect(error, module->state.get(), [&](FXError &) -> llvm::Error {
    CallbackStream os(write, userData);
    return writeBytecode(*module->module, os);
  });
}

int fxModuleGetText(const FXModule *module, const char *symbol,
                    const char *name, FXTextFn write, void *userData,
                    FXError **error) {
  if (!module || !name || !write)
    return failNull(error, "fxModuleGetText",
                    !module ? "module"
                    : !name ? "name"
                            : "write");
  return protect(error, module->state.get(), [&](FXError &) -> llvm::Error {
    Operation *op = ModuleOp(*module->module);
    if (symbol)
      op = SymbolTable::lookupSymbolIn(op, symbol);
    if (!op)
      return llvm::createStringError(llvm::Twine("no symbol '") + symbol + "'");
    if (auto text = op->getAttrOfType<StringAttr>(name))
      write(text.data(), text.size(), userData);
    return llvm::Error::success();
  });
}
