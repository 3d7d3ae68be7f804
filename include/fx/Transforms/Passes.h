//===- Passes.h - fx to fx passes -------------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_PASSES_H
#define FX_TRANSFORMS_PASSES_H

#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace fx {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fx/Transforms/Passes.h.inc"

} // namespace fx

#endif // FX_TRANSFORMS_PASSES_H
