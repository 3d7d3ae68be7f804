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

/* What a module of the fx dialect is written as; fx-translate has the same. */
typedef enum FX_CAPI_INT {
  FX_EXPORT_PT2,            /* an archive that torch.export.load opens */
  FX_EXPORT_FX_TEXT,        /* what str(graph) is in torch.fx */
  FX_EXPORT_PYTHON,         /* source that torch.fx would generate */
  FX_EXPORT_DOT,            /* a picture for Graphviz */
  FX_EXPORT_MODEL_EXPLORER, /* a picture for Model Explorer, JSON */
  FX_EXPORT_NODES /* the nodes as torch.fx has them, JSON (fx/Export/Text.h) */
} FXExportKind;

/* Writes the module; nothing is written on failure. */
FX_CAPI int fxModuleExport(const FXModule *module, FXExportKind kind,
                           FXTextFn write, void *user_data, FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_EXPORT_H */
