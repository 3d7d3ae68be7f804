//===- KernelClasses.cpp - the classes of kernels on CPUs -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"

using namespace fx::cpu;

namespace fx::cpu {
const KernelClass &getContractionClass();
const KernelClass &getRowsClass();
const KernelClass &getWindowClass();
const KernelClass &getPackClass();
const KernelClass &getPointwiseClass();
} // namespace fx::cpu

llvm::ArrayRef<const KernelClass *> fx::cpu::getKernelClasses() {
  static const KernelClass *const classes[] = {
      &getContractionClass(), &getRowsClass(), &getWindowClass(),
      &getPackClass(), &getPointwiseClass()};
  return classes;
}
