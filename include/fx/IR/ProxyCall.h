//===- ProxyCall.h - how a proxy executor calls an operator -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_PROXYCALL_H
#define FX_IR_PROXYCALL_H

#include "fx/IR/FXDialect.h"

#include <optional>

namespace fx {

/// The attribute `fx.proxy` of an `fx.eager` in a package for PyTorch's
/// loaders: how their proxy executor calls the operator.
struct ProxyCall {
  /// Special entries of `outputs`.
  static constexpr int64_t kResult = -1, kNone = -2;

  /// Returns the attribute of `op`, which has been verified; nullopt if there
  /// is none.
  static std::optional<ProxyCall> get(EagerOp op);
  static mlir::LogicalResult verify(EagerOp op);
  void set(EagerOp op) const;

  /// The number of the operator among those of the package.
  int64_t node = 0;
  /// The executor takes all integers of the call from the model, in the order
  /// of the arguments: immediates (i64), and `#fx.operand` for the next scalar
  /// operand.
  mlir::ArrayAttr integers;
  /// What each flattened output is: `kResult`, the next result of the executor;
  /// `kNone`; or k, a copy of tensor operand k, which the operator writes. If
  /// it is null, all are results.
  mlir::DenseI64ArrayAttr outputs;
  /// Results may be views of operands, or tensors that are conjugated or
  /// negated lazily.
  bool mayAlias = false;
};

} // namespace fx

#endif // FX_IR_PROXYCALL_H
