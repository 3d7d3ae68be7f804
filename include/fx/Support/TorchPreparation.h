//===- TorchPreparation.h - before libFXTorch is loaded ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_TORCHPREPARATION_H
#define FX_SUPPORT_TORCHPREPARATION_H

#include "llvm/Support/Error.h"

namespace fx {

/// Returns null, or why LibTorch cannot be used. The text must stay valid.
using PrepareTorchFn = const char *(*)();

/// Sets the function that `prepareTorch` calls; null for none. The process has
/// one LibTorch, so it has one such function.
void setTorchPreparation(PrepareTorchFn prepare);

/// Lets the program load its own LibTorch. Must be called before libFXTorch.so
/// is loaded, which would load another one.
llvm::Error prepareTorch();

} // namespace fx

#endif // FX_SUPPORT_TORCHPREPARATION_H
