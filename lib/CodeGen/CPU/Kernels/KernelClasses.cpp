//===- KernelClasses.cpp - the classes of kernels on CPUs -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"

using namespace fx::cpu;

namespace fx::cpu {
KernelClass getAttentionClass();
KernelClass getContractionClass();
KernelClass getWinogradClass();
KernelClass getRowsClass();
KernelClass getWindowClass();
KernelClass getPackClass();
KernelClass getPointwiseClass();
KernelClass getScanClass();
KernelClass getSortClass();
} // namespace fx::cpu

llvm::ArrayRef<KernelClass> fx::cpu::getKernelClasses() {
  static const KernelClass classes[] = {
      getAttentionClass(), getContractionClass(), getWinogradClass(),
      getRowsClass(),      getWindowClass(),      getPackClass(),
      getPointwiseClass(), getScanClass(),        getSortClass()};
  return classes;
}
