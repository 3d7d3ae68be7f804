//===- InitAll.h - registers all of fx-mlir ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration for compilers that embed fx-mlir:
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

/// Registers the dialects of fx-mlir, the upstream dialects that its
/// conversions create, and the external interface models (bufferization,
/// tiling, value bounds) that its pipelines need.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes and pipelines of fx-mlir under their names in fx-opt
/// (`fx-functionalize`, `convert-fx-to-linalg`, …). May be called several
/// times.
void registerAllPasses();

/// Calls `registerAllPasses` and registers the upstream passes that are used
/// with them in textual pipelines: transforms (`canonicalize`, `cse`, …) and
/// linalg.
void registerAllPassesAndUpstream();

} // namespace fx

#endif // FX_INITALL_H
