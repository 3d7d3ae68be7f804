//===- NativeSupport.h - which nodes have native code -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Passes that ask what the compiler has native code for do not depend on the
// conversions: they ask what is attached to the fx dialect, as
// `registerPipelineDialects` does.
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_NATIVESUPPORT_H
#define FX_TRANSFORMS_NATIVESUPPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace fx {

/// Why a node of graph @main has no native code; a node that has is not there.
using FallbackReasons = llvm::DenseMap<mlir::Operation *, std::string>;

class NativeSupportInterface
    : public mlir::DialectInterface::Base<NativeSupportInterface> {
public:
  NativeSupportInterface(mlir::Dialect *dialect) : Base(dialect) {}
  /// Finds these for the module as it is, which is not changed. Fails with a
  /// diagnostic where the module cannot be lowered at all.
  virtual mlir::FailureOr<FallbackReasons>
  findFallbacks(mlir::ModuleOp module) const = 0;
};

} // namespace fx

#endif // FX_TRANSFORMS_NATIVESUPPORT_H
