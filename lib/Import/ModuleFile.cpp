//===- ModuleFile.cpp - reads text and bytecode ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Import/ModuleFile.h"
#include "fx/IR/BytecodeFile.h"
#include "fx/IR/ExternalPaths.h"
#include "fx/Import/Archive.h"
#include "fx/Operators/Dialect.h"
#include "fx/Operators/Verify.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace fx;

OwningOpRef<ModuleOp>
fx::parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
                MLIRContext *context) {
  loadFXDialect(*context);
  // The diagnostic of the parser would print the bytes of the archive.
  if (isArchive(buffer->getBuffer())) {
    emitError(UnknownLoc::get(context))
        << buffer->getBufferIdentifier() << ": " << kArchiveText;
    return {};
  }
  if (llvm::Error error = checkBytecode(buffer->getBuffer())) {
    emitError(FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0))
        << llvm::toString(std::move(error));
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (module && failed(verifyResultTypes(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> fx::parseModuleFile(StringRef path,
                                          MLIRContext *context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer) {
    emitError(UnknownLoc::get(context)) << message;
    return {};
  }
  OwningOpRef<ModuleOp> module = parseModule(std::move(buffer), context);
  if (module)
    resolveExternalPaths(*module, path);
  return module;
}
