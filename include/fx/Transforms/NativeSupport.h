//===- NativeSupport.h - which nodes have native code -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interface by which passes find out which nodes have native code, without a
// dependency on the conversions. `registerPipelineDialects` attaches an
// implementation to the fx dialect.
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_NATIVESUPPORT_H
#define FX_TRANSFORMS_NATIVESUPPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace fx {

/// The reasons why nodes of graph @main have no native code. Nodes with native
/// code have no entry.
using FallbackReasons = llvm::DenseMap<mlir::Operation *, std::string>;

class NativeSupportInterface
    : public mlir::DialectInterface::Base<NativeSupportInterface> {
public:
  NativeSupportInterface(mlir::Dialect *dialect) : Base(dialect) {}
  /// Returns the reasons for the nodes of `module`, which is not changed. Fails
  /// with a diagnostic if the module cannot be lowered at all.
  virtual mlir::FailureOr<FallbackReasons>
  findFallbacks(mlir::ModuleOp module) const = 0;
};

} // namespace fx

#endif // FX_TRANSFORMS_NATIVESUPPORT_H
