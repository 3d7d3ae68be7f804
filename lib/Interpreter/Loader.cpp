//===- Loader.cpp - finding libFXTorch.so ----------------------*- C++ -*-===//
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
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>

namespace fx {

Interpreter::~Interpreter() = default;

/// The path of the library: beside the one that holds this function.
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
  std::string path = getLibraryPath();
  // Never closed: LibTorch does not survive being unloaded.
  void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = ::dlerror();
    return llvm::createStringError(std::errc::no_such_file_or_directory,
                                   "cannot load the interpreter: %s",
                                   reason ? reason : path.c_str());
  }
  auto get = reinterpret_cast<const TorchLibrary *(*)()>(
      ::dlsym(handle, "fx_torch_library"));
  const TorchLibrary *library = get ? get() : nullptr;
  if (!library || library->version != TorchLibrary::kVersion)
    return llvm::createStringError(std::errc::invalid_argument,
                                   "'%s' is of another version of fx-mlir",
                                   path.c_str());
  return library;
}

llvm::Expected<const TorchLibrary *> loadTorchLibrary() {
  // The first answer stands: a load that failed once is not tried again.
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

llvm::Expected<std::unique_ptr<Interpreter>>
loadInterpreter(mlir::ModuleOp module, const InterpreterOptions &options) {
  llvm::Expected<const TorchLibrary *> library = loadTorchLibrary();
  if (!library)
    return library.takeError();
  return (*library)->createInterpreter(module, options);
}

} // namespace fx
