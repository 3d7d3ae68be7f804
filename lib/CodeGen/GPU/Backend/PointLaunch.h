//===- PointLaunch.h - one thread for each point ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_BACKEND_POINTLAUNCH_H
#define FX_LIB_CODEGEN_GPU_BACKEND_POINTLAUNCH_H

#include "mlir/IR/Builders.h"

namespace fx::gpu {

/// Creates a launch with one thread for each point of a space of `sizes`, and
/// sets the insertion point to the code of a thread. Returns its point. The
/// last dimension varies fastest. If `bytes` is known, the launch moves so many
/// bytes, and computes `operations`.
llvm::SmallVector<mlir::Value> launchPoints(mlir::OpBuilder &b,
                                            mlir::Location loc,
                                            llvm::ArrayRef<mlir::Value> sizes,
                                            std::optional<int64_t> bytes,
                                            int64_t operations = 0);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_BACKEND_POINTLAUNCH_H
