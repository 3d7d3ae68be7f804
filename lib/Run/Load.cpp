//===- Load.cpp - loading what fx-run runs --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Interpreted.h"
#include "Native.h"
#include "fx/Pipelines/Compile.h"
#include "fx/Support/LocatedError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace fx {

static llvm::Expected<std::unique_ptr<RunnableModel>>
interpret(const RunOptions &options, llvm::StringRef reason) {
  llvm::Expected<LoadedModule> loaded =
      loadModule(options.model, options.modelName, options.limits);
  if (!loaded)
    return loaded.takeError();
  return loadInterpreted(std::move(*loaded), options.threads, reason);
}

llvm::Expected<std::unique_ptr<RunnableModel>>
loadModel(const RunOptions &options) {
  llvm::sys::fs::file_status status;
  if (std::error_code ec = llvm::sys::fs::status(options.model, status))
    return makeLocatedError("", ec.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return makeLocatedError("", "not a regular file");
  if (llvm::sys::path::extension(options.model) == ".so") {
    if (options.interpret || options.check)
      return makeLocatedError("", "a compiled model has no graph to interpret: "
                                  "expected a .pt2 or .mlir file");
    return loadArtefact(options);
  }
  if (!options.method.empty())
    return makeLocatedError("", "--method: expected a .so file");
  if (!isModuleFile(options.model))
    return makeLocatedError("", "expected a .pt2, .mlir or .so file");
  if (options.interpret)
    return interpret(options, "--interpret");
  llvm::Expected<std::unique_ptr<RunnableModel>> compiled =
      options.check ? loadChecked(options) : compileInProcess(options);
  if (compiled || options.noFallback || options.check ||
      !options.device.empty())
    return compiled;
  // If the compiler fails, interpret the whole model and print a warning. If
  // the model itself is invalid, importing it again reports the error.
  std::string reason = toOneLine(llvm::toString(compiled.takeError()));
  llvm::Expected<std::unique_ptr<RunnableModel>> model =
      interpret(options, reason);
  if (model)
    llvm::errs() << "warning: " << options.model << ": " << reason
                 << "; the whole model is interpreted\n";
  return model;
}

} // namespace fx
