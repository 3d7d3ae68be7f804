//===- Optimize.h - LLVM's optimizations ------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_OPTIMIZE_H
#define FX_CODEGEN_COMMON_OPTIMIZE_H

#include "llvm/Target/TargetMachine.h"

namespace fx::codegen {

/// Runs LLVM's optimization pipeline of level `level` (1 to 3) for `machine`.
void optimizeFor(llvm::TargetMachine &machine, llvm::Module &module, int level);

/// Runs the passes that pay for generated code, once each. LLVM's own level 1
/// takes almost as long as level 3.
void optimizeFast(llvm::TargetMachine &machine, llvm::Module &module);

/// Makes the code generator skip passes that take longer than fast compilation
/// may take.
void skipSlowPasses(llvm::LLVMContext &context);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_OPTIMIZE_H
