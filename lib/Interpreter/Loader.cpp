//===- Loader.cpp - finding libFXTorch.so ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is part of libFX: it must not include LibTorch.
//
//===----------------------------------------------------------------------===//

#include "fx/Interpreter/Interpreter.h"
#include "fx/Operators/Custom.h"
#include "fx/Support/LoadError.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/TorchRelease.h"
#include "fx/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>

namespace fx {

Interpreter::~Interpreter() = default;

/// Returns the path of libFXTorch.so: the environment variable
/// FX_TORCH_LIBRARY, or the folder of the library that contains this function.
static std::string getLibraryPath() {
  if (const char *path = std::getenv("FX_TORCH_LIBRARY"))
    return path;
  Dl_info info;
  if (!::dladdr(reinterpret_cast<void *>(&loadTorchLibrary), &info) ||
      !info.dli_fname)
    return "libFXTorch.so";
  llvm::SmallString<256> path(info.dli_fname);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "libFXTorch.so");
  return path.str().str();
}

static llvm::Expected<const TorchLibrary *> load() {
  llvm::Expected<std::string> selected = selectTorchLibrary(getLibraryPath());
  if (!selected)
    return llvm::createStringError("cannot load the interpreter: " +
                                   llvm::toString(selected.takeError()));
  const std::string &path = *selected;
  // The handle is never closed, since LibTorch cannot be unloaded safely.
  void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return llvm::createStringError("cannot load the interpreter: " + path +
                                   ": " + getTorchLoadError(path));
  auto get = reinterpret_cast<const TorchLibrary *(*)()>(
      ::dlsym(handle, "fx_torch_library"));
  const TorchLibrary *library = get ? get() : nullptr;
  if (!library || library->version != TorchLibrary::kVersion)
    return llvm::createStringError(std::errc::invalid_argument,
                                   "'%s' is of another version of fx-mlir",
                                   path.c_str());
  return library;
}

llvm::Error loadOperatorLibrary(llvm::StringRef path) {
  llvm::Expected<const TorchLibrary *> library = loadTorchLibrary();
  if (!library)
    return library.takeError();
  // dlopen would search the system folders for a name without a slash.
  llvm::SmallString<256> full(path);
  llvm::sys::fs::make_absolute(full);
  // The handle is never closed, since the dispatcher refers to its functions.
  if (::dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL))
    return llvm::Error::success();
  return makeLocatedError(path, "cannot be loaded: " + getLoadError(full));
}

llvm::Error TorchPreparationInterface::run() const {
  if (const char *reason = prepare())
    return llvm::createStringError("cannot load the interpreter: " +
                                   llvm::Twine(reason));
  return llvm::Error::success();
}

namespace {
struct TorchPreparation
    : public mlir::DialectExtension<TorchPreparation, FXDialect> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TorchPreparation)
  explicit TorchPreparation(FXPrepareTorchFn prepare) : prepare(prepare) {}
  void apply(mlir::MLIRContext *, FXDialect *dialect) const override {
    dialect->addInterface<TorchPreparationInterface>(prepare);
  }
  FXPrepareTorchFn prepare;
};
} // namespace

void registerTorchPreparation(mlir::DialectRegistry &registry,
                              FXPrepareTorchFn prepare) {
  registry.addExtension(mlir::TypeID::get<TorchPreparation>(),
                        std::make_unique<TorchPreparation>(prepare));
}

/// Runs the TorchPreparationInterface of the context, if it has one.
static llvm::Error prepareTorch(mlir::MLIRContext *context) {
  auto *dialect = context ? context->getLoadedDialect<FXDialect>() : nullptr;
  auto *interface =
      dialect ? dialect->getRegisteredInterface<TorchPreparationInterface>()
              : nullptr;
  return interface ? interface->run() : llvm::Error::success();
}

llvm::Expected<const TorchLibrary *>
loadTorchLibrary(mlir::MLIRContext *context) {
  if (llvm::Error error = prepareTorch(context))
    return std::move(error);
  // The first result is cached: a load that fails is not tried again.
  struct Result {
    const TorchLibrary *library = nullptr;
    std::string error;
  };
  static const Result result = [] {
    Result r;
    llvm::Expected<const TorchLibrary *> library = load();
    if (library)
      r.library = *library;
    else
      r.error = llvm::toString(library.takeError());
    return r;
  }();
  if (!result.library)
    return llvm::createStringError(llvm::Twine(result.error));
  return result.library;
}

/// Returns the schema of a user's operator from LibTorch. Queries LibTorch only
/// if the process has loaded it or FX_OPERATOR_LIBRARIES names libraries, which
/// need it.
static std::optional<std::string> getTorchSchema(mlir::MLIRContext *context,
                                                 llvm::StringRef target) {
  const char *list = std::getenv("FX_OPERATOR_LIBRARIES");
  void *torch = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (torch)
    ::dlclose(torch);
  if (!torch && !(list && *list))
    return std::nullopt;
  llvm::Expected<const TorchLibrary *> library = loadTorchLibrary(context);
  if (!library) {
    llvm::consumeError(library.takeError());
    return std::nullopt;
  }
  return (*library)->getSchema(target);
}

namespace {
struct TorchSchemas : SchemaSourceInterface {
  using SchemaSourceInterface::SchemaSourceInterface;
  std::optional<std::string> getSchema(llvm::StringRef target) const override {
    return getTorchSchema(getDialect()->getContext(), target);
  }
};
} // namespace

void registerTorchSchemas(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *, FXDialect *dialect) {
    dialect->addInterfaces<TorchSchemas>();
  });
}

/// The values of tensor subclasses are pickles, those of their tensors bytes.
static llvm::Error unwrapSubclasses(mlir::ModuleOp module) {
  mlir::WalkResult found = module.walk([](CallFunctionOp call) {
    return call.getTarget() == "export.access_subclass_inner_tensor.default"
               ? mlir::WalkResult::interrupt()
               : mlir::WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return llvm::Error::success();
  mlir::PassManager pm(module.getContext());
  pm.addPass(createUnwrapSubclassesPass());
  std::string text;
  mlir::ScopedDiagnosticHandler quiet(module.getContext(),
                                      [&](mlir::Diagnostic &diagnostic) {
                                        if (text.empty())
                                          text = diagnostic.str();
                                        return mlir::success();
                                      });
  if (mlir::failed(pm.run(module)))
    return llvm::createStringError(text);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Interpreter>>
loadInterpreter(mlir::ModuleOp module, const InterpreterOptions &options) {
  llvm::Expected<const TorchLibrary *> library =
      loadTorchLibrary(module.getContext());
  if (!library)
    return library.takeError();
  if (llvm::Error error = unwrapSubclasses(module))
    return std::move(error);
  return (*library)->createInterpreter(module, options);
}

} // namespace fx
