//===- Formats.h - what can be written for which target ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_FORMATS_H
#define FX_LIB_PIPELINES_FORMATS_H

#include "fx/CodeGen/GPU/Device.h"
#include "fx/Pipelines/Compile.h"

namespace fx {

/// Returns the platforms of Formats.def.
llvm::ArrayRef<const fx::gpu::Platform *> getPlatforms();

/// Returns the name of the format in `--emit`.
llvm::StringRef getName(EmitKind emit);

/// Returns an error if `emit` is not available for the target `gpu` (null: the
/// CPU).
llvm::Error checkFormat(EmitKind emit, const fx::gpu::Target *gpu);

} // namespace fx

#endif // FX_LIB_PIPELINES_FORMATS_H
