//===- Target.h - the machine that code is made for -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_EMIT_TARGET_H
#define FX_LIB_CODEGEN_CPU_EMIT_TARGET_H

#include "fx/CodeGen/CPU/Backend.h"

#include "llvm/Target/TargetMachine.h"

namespace fx::cpu {
/// Creates a target machine that emits position-independent code for `options`
/// and contracts multiplications and additions to FMA. Fails if LLVM has no
/// code generator for the CPU.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CPUOptions &options);
} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_EMIT_TARGET_H
