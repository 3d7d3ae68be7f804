//===- Emitters.h - code of kernels by kind ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_EMITTERS_H
#define FX_LIB_CODEGEN_CPU_EMITTERS_H

#include "fx/CodeGen/Common/KernelCode.h"

namespace fx::cpu {

using namespace codegen;

/// Computes all outputs of a pointwise kernel at `coords`, and stores them.
void storeOutputs(KernelCode &code, Scope &scope, llvm::ArrayRef<Coord> coords);

/// The transpose of as many vectors as each has lanes: rounds of perfect
/// shuffles, each of which rotates the bits of the element numbers by one.
void transposeVectors(KernelCode &code, llvm::SmallVector<mlir::Value> &rows);

// Emission by kind. Each fills code.target or sets code.error.
//===----------------------------------------------------------------------===//

void emitPointwise(KernelCode &code);
/// A pointwise kernel whose operands lie in another order than its outputs, of
/// which `merged` trailing dimensions are walked as one. False, and nothing
/// emitted, if it is none.
bool emitTransposed(KernelCode &code, int64_t merged);
void emitPack(KernelCode &code);
void emitRows(KernelCode &code);
void emitWindow(KernelCode &code);
/// With `vnni` integers are multiplied by vpdpbusd.
void emitContraction(KernelCode &code, bool vnni);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_EMITTERS_H
