//===- InitAll.h - registers all of fx-mlir ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiler that embeds fx-mlir calls first:
//
//   mlir::DialectRegistry registry;
//   fx::registerAllDialects(registry);
//   fx::registerAllPasses();
//
//===----------------------------------------------------------------------===//

#ifndef FX_INITALL_H
#define FX_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fx {

/// The dialects of fx-mlir, the upstream ones that its conversions make, and
/// the external interface models (bufferization, tiling, value bounds) that
/// its pipelines need.
void registerAllDialects(mlir::DialectRegistry &registry);

/// The passes and pipelines of fx-mlir under the names that fx-opt knows
/// (`fx-functionalize`, `convert-fx-to-linalg`, …). May be called again.
void registerAllPasses();

/// `registerAllPasses`, and those of upstream MLIR that go with them in a
/// textual pipeline: transforms (`canonicalize`, `cse`, …) and linalg.
void registerAllPassesAndUpstream();

} // namespace fx

#endif // FX_INITALL_H
