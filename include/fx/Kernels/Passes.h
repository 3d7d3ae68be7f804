//===- Passes.h - what is one kernel ----------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_PASSES_H
#define FX_KERNELS_PASSES_H

#include "fx/Kernels/TargetInfo.h"
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

namespace fx::kernel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fx/Kernels/Passes.h.inc"

} // namespace fx::kernel

#endif // FX_KERNELS_PASSES_H
