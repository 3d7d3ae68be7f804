//===- TorchPreparation.cpp - before libFXTorch is loaded -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/TorchPreparation.h"

#include <atomic>

static std::atomic<fx::PrepareTorchFn> preparation{nullptr};

void fx::setTorchPreparation(PrepareTorchFn prepare) { preparation = prepare; }

llvm::Error fx::prepareTorch() {
  PrepareTorchFn prepare = preparation;
  if (const char *reason = prepare ? prepare() : nullptr)
    return llvm::createStringError(reason);
  return llvm::Error::success();
}
