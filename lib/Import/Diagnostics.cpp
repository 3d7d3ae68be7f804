//===- Diagnostics.cpp - the importer's one error -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "fx/IR/Metadata.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

/// Returns the text on one line, with control characters escaped. The names in
/// the text come from the file.
static std::string onOneLine(StringRef text) {
  std::string result;
  for (unsigned char c : text) {
    if (c >= 0x20 && c != 0x7f)
      result.push_back(c);
    else if (c == '\n')
      result += ' ';
    else
      result += "\\x" + llvm::utohexstr(c, /*LowerCase=*/true, 2);
  }
  return result;
}

ErrorCollector::ErrorCollector(MLIRContext *ctx)
    : handler(ctx, [this](Diagnostic &diag) {
        if (diag.getSeverity() != DiagnosticSeverity::Error || found)
          return success();
        found = true;
        if (std::optional<StringRef> where = getNodeName(diag.getLocation());
            where && !where->empty())
          text = where->take_front(200).str() + ": ";
        text = onOneLine(text + diag.str());
        return success();
      }) {}

InFlightDiagnostic fx::emitErrorAt(MLIRContext *ctx, StringRef where) {
  if (where.empty())
    return emitError(UnknownLoc::get(ctx));
  return emitError(NameLoc::get(StringAttr::get(ctx, where)));
}
