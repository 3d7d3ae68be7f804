//===- KernelTimes.h - expected times in the report -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_KERNELTIMES_H
#define FX_LIB_PIPELINES_KERNELTIMES_H

#include "fx/CodeGen/GPU/TimeModel.h"

#include "llvm/Support/JSON.h"

namespace fx {

/// Adds `work` and `expected` to the report's entries for kernels, which
/// already have the registers and the shared memory that ptxas reports.
void addKernelTimes(llvm::json::Array &kernels,
                    llvm::ArrayRef<gpu::KernelWork> work);

} // namespace fx

#endif // FX_LIB_PIPELINES_KERNELTIMES_H
