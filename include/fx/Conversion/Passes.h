//===- Passes.h - conversions out of the fx dialect -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_PASSES_H
#define FX_CONVERSION_PASSES_H

#include "fx/IR/FXDialect.h"
#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace fx {

#define GEN_PASS_DECL
#include "fx/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fx/Conversion/Passes.h.inc"

} // namespace fx

#endif // FX_CONVERSION_PASSES_H
