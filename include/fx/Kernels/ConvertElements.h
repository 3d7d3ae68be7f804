//===- ConvertElements.h - tensors of another element type ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_CONVERTELEMENTS_H
#define FX_KERNELS_CONVERTELEMENTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"

namespace fx::kernel {

/// Creates a pointwise op that applies `fn` to `x` and gives a tensor of
/// `element`.
mlir::Value
mapElements(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
            mlir::Type element,
            llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                           mlir::Value)>
                fn);

/// Converts tensors of floats to another float type, each once, directly after
/// its definition. If a tensor is the result of a `tensor.pad` with a constant,
/// the source of the pad is converted instead, so that the kernel that computes
/// the source can do it.
class ElementConverter {
public:
  explicit ElementConverter(mlir::FloatType type) : type(type) {}

  /// Returns the tensor `value` with elements of the type.
  mlir::Value get(mlir::Value value);

private:
  mlir::FloatType type;
  llvm::DenseMap<mlir::Value, mlir::Value> converted;
};

} // namespace fx::kernel

#endif // FX_KERNELS_CONVERTELEMENTS_H
