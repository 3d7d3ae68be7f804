//===- FastOptimize.h - optimization level 1 --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_EMIT_FASTOPTIMIZE_H
#define FX_LIB_CODEGEN_CPU_EMIT_FASTOPTIMIZE_H

#include "llvm/Target/TargetMachine.h"

namespace fx::cpu {

/// Runs the passes of level 1: those that pay for generated code, once each.
/// LLVM's own level 1 takes almost as long as level 3.
void optimizeFast(llvm::TargetMachine &machine, llvm::Module &module);

/// Makes the code generator skip passes that cost more time than level 1 may
/// take.
void skipSlowPasses(llvm::LLVMContext &context);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_EMIT_FASTOPTIMIZE_H
