//===- LayoutPasses.h - passes that choose layouts --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_LAYOUTPASSES_H
#define FX_CODEGEN_CPU_LAYOUTPASSES_H

#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace arith {
class ArithDialect;
} // namespace arith
namespace linalg {
class LinalgDialect;
} // namespace linalg
namespace tensor {
class TensorDialect;
} // namespace tensor
} // namespace mlir

namespace fx::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fx/CodeGen/CPU/LayoutPasses.h.inc"

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_LAYOUTPASSES_H
