/*===- fx-c/Export.h - export to PyTorch --------------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_EXPORT_H
#define FX_C_EXPORT_H

#include "fx-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The export formats of a module of the fx dialect, from
 * fx/Export/Formats.def. */
typedef enum FX_CAPI_INT {
#define FX_EXPORT_FORMAT(ID, NAME, WRITE, DESCRIPTION) FX_EXPORT_##ID,
#include "fx/Export/Formats.def"
} FXExportKind;

/* Returns the name of a format in Python and in fx-translate --mlir-to-NAME;
 * null if `kind` is no FXExportKind. */
FX_CAPI const char *fxExportKindName(FXExportKind kind);

/* Writes the module. Writes nothing on failure. */
FX_CAPI int fxModuleExport(const FXModule *module, FXExportKind kind,
                           FXTextFn write, void *user_data, FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_EXPORT_H */
