//===- Export.cpp - export through the C interface ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Export.h"
#include "Handles.h"
#include "fx/Export/Export.h"
#include "fx/Export/Text.h"

using namespace mlir;
using namespace fx;
using namespace fx::capi;

static LogicalResult write(ModuleOp module, const std::string &folder,
                           FXExportKind kind, llvm::raw_ostream &os) {
  switch (kind) {
  case FX_EXPORT_PT2:
    return exportPt2(ExportModel{module, folder}, os);
  case FX_EXPORT_FX_TEXT:
    return printFXText(module, os);
  case FX_EXPORT_PYTHON:
    return printPython(module, os);
  case FX_EXPORT_DOT:
    return printDot(module, os);
  case FX_EXPORT_MODEL_EXPLORER:
    return printModelExplorer(module, os);
  case FX_EXPORT_NODES:
    return printNodes(module, os);
  }
  return failure();
}

int fxModuleExport(const FXModule *module, FXExportKind kind, FXTextFn fn,
                   void *userData, FXError **error) {
  if (!module || !fn)
    return failNull(error, "fxModuleExport", module ? "write" : "module");
  if (kind < FX_EXPORT_PT2 || kind > FX_EXPORT_NODES)
    return fail(error, "fxModuleExport: expected an FXExportKind, got " +
                           llvm::Twine(int(kind)));
  std::string text;
  if (protect(error, module->state.get(), [&](FXError &) -> llvm::Error {
        llvm::raw_string_ostream os(text);
        if (failed(write(*module->module, module->folder, kind, os)))
          return llvm::createStringError("the module cannot be exported");
        return llvm::Error::success();
      }))
    return 1;
  fn(text.data(), text.size(), userData);
  return 0;
}
