//===- Export.cpp - export through the C interface ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Export.h"
#include "Handles.h"
#include "fx/Export/Formats.h"

using namespace fx;
using namespace fx::capi;

/// Null for a number that is no format.
static const ExportFormat *getFormat(FXExportKind kind) {
  llvm::ArrayRef<ExportFormat> formats = getExportFormats();
  return size_t(kind) < formats.size() ? &formats[kind] : nullptr;
}

const char *fxExportKindName(FXExportKind kind) {
  const ExportFormat *format = getFormat(kind);
  return format ? format->name.data() : nullptr;
}

int fxModuleExport(const FXModule *module, FXExportKind kind, FXTextFn fn,
                   void *userData, FXError **error) {
  if (!module || !fn)
    return failNull(error, "fxModuleExport", module ? "write" : "module");
  const ExportFormat *format = getFormat(kind);
  if (!format)
    return fail(error, "fxModuleExport: expected an FXExportKind, got " +
                           llvm::Twine(int(kind)));
  std::string text;
  if (protect(error, module->state.get(), [&](FXError &) -> llvm::Error {
        llvm::raw_string_ostream os(text);
        ExportOptions options;
        options.irFolder = module->folder;
        if (failed(format->write(*module->module, os, options)))
          return llvm::createStringError("the module cannot be exported");
        return llvm::Error::success();
      }))
    return 1;
  fn(text.data(), text.size(), userData);
  return 0;
}
