//===- EmitListener.h - object code, function by function -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_EMITLISTENER_H
#define FX_CODEGEN_CPU_EMITLISTENER_H

#include "fx/CodeGen/CPU/Backend.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <string>

namespace llvm {
class Function;
} // namespace llvm

namespace fx::cpu {

/// A callback that is called with each function after its code is emitted.
using FunctionListener = std::function<void(const llvm::Function &)>;

/// As `emitCode` of Backend.h, with a listener, which may be null.
llvm::Expected<std::string> emitCode(llvm::Module &module,
                                     const CPUOptions &options, CodeKind kind,
                                     const FunctionListener &listener);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_EMITLISTENER_H
