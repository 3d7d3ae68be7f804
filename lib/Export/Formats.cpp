//===- Formats.cpp - the formats of an export -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Export/Formats.h"

#include "fx/Export/Export.h"
#include "fx/Export/Text.h"

using namespace fx;

static constexpr ExportFormat formats[] = {
#define FX_EXPORT_FORMAT(ID, NAME, WRITE, DESCRIPTION)                         \
  {NAME, DESCRIPTION,                                                          \
   []([[maybe_unused]] mlir::ModuleOp module, llvm::raw_ostream &os,           \
      [[maybe_unused]] const ExportOptions &options) { return WRITE; }},
#include "fx/Export/Formats.def"
};

llvm::ArrayRef<ExportFormat> fx::getExportFormats() { return formats; }
