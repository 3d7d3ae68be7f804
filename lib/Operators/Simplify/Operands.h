//===- Operands.h - what simplifications ask of operands --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_OPERATORS_SIMPLIFY_OPERANDS_H
#define FX_LIB_OPERATORS_SIMPLIFY_OPERANDS_H

#include "fx/Operators/Simplify.h"

namespace fx {

/// Each function registers the simplifications of the file with its name.
void registerArithmeticSimplifications(HookTable<Simplification> &hooks);
void registerCopySimplifications(HookTable<Simplification> &hooks);
void registerViewSimplifications(HookTable<Simplification> &hooks);

/// Returns the type of a tensor, or null if `value` is null or not a tensor.
inline FakeTensorType getTensor(mlir::Value value) {
  return value ? mlir::dyn_cast<FakeTensorType>(value.getType())
               : FakeTensorType();
}

/// Returns the first argument, or null if it is not a value.
inline mlir::Value getSelf(const OperatorView &call) {
  return call.getArg(0u).getValue();
}

} // namespace fx

#endif // FX_LIB_OPERATORS_SIMPLIFY_OPERANDS_H
