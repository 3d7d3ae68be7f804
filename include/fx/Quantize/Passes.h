//===- Passes.h - quantization ----------------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_QUANTIZE_PASSES_H
#define FX_QUANTIZE_PASSES_H

#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace fx {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fx/Quantize/Passes.h.inc"

/// Adds the passes that convert a module to the form that fx::quantize expects.
void buildBeforeQuantization(mlir::OpPassManager &pm);
/// Adds the passes that run after fx::quantize.
void buildAfterQuantization(mlir::OpPassManager &pm);

} // namespace fx

#endif // FX_QUANTIZE_PASSES_H
