//===- EagerBufferization.h - bufferization of fx.eager ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_EAGERBUFFERIZATION_H
#define FX_CODEGEN_CPU_EAGERBUFFERIZATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fx::cpu {
/// Attaches BufferizableOpInterface to fx.eager.
void registerEagerBufferization(mlir::DialectRegistry &registry);
} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_EAGERBUFFERIZATION_H
