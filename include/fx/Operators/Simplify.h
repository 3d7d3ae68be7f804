//===- Simplify.h - identities of operators ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonicalization rules of operators. A rule is a free function on the view of
// a call that replaces the call by something simpler with the same value, bit
// for bit except for the payload of NaNs. The rules are in
// lib/Operators/Simplify:
//
//   static LogicalResult simplifyDropout(const OperatorView &call,
//                                        Simplifier &s) {
//     return call.getArg("train").getBool() == false
//                ? s.replaceByAlias(call.getArg("input").getValue())
//                : failure();
//   }
//   FX_REGISTER_SIMPLIFICATIONS(simplifyDropout, "aten.dropout.default")
//
// Rules on tensors apply in functional graphs only: in other graphs a copy or
// its original may be written. Rules on symbolic numbers apply in all graphs.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_SIMPLIFY_H
#define FX_OPERATORS_SIMPLIFY_H

#include "fx/Operators/Hooks.h"
#include "mlir/IR/PatternMatch.h"

namespace fx {

/// Replaces one call. Each function fails and changes nothing if a user of the
/// call or the caller of the graph could notice the replacement.
class Simplifier {
public:
  Simplifier(const OperatorView &call, mlir::PatternRewriter &rewriter)
      : call(call), rewriter(rewriter) {}

  /// Replaces a view of all elements of `value` by `value`. Sizes, dtype and
  /// device must be equal. If the graph returns the result, `value` must not be
  /// an input, since a mutation could be written back to the input after the
  /// graph has run.
  mlir::LogicalResult replaceByAlias(mlir::Value value);
  /// Replaces a new tensor with the elements of `value` by `value`. The
  /// recorded strides must be equal, too. The graph must not return the result,
  /// which would share memory with `value`. Only result 0 may have uses.
  mlir::LogicalResult replaceByEqual(mlir::Value value);
  /// Replaces a symbolic int that is `value` in all runs.
  mlir::LogicalResult replaceByInt(int64_t value);
  /// Replaces the call by a call of View's operator with the type of result 0.
  template <class View, class... Args>
  mlir::LogicalResult replaceByCall(const Args &...args) {
    CallFunctionOp made =
        View::create(rewriter, call.getLoc(),
                     call.getOperation()->getResult(0).getType(), args...);
    rewriter.replaceOp(call.getOperation(), made);
    return mlir::success();
  }
  mlir::PatternRewriter &getRewriter() { return rewriter; }

private:
  const OperatorView &call;
  mlir::PatternRewriter &rewriter;
};

struct Simplification {
  using Fn = mlir::LogicalResult (*)(const OperatorView &, Simplifier &);
  static void registerAll(HookTable<Simplification> &hooks);
};

/// Applies the rule of the call's operator, if it has one.
mlir::LogicalResult simplifyCall(const OperatorView &call,
                                 mlir::PatternRewriter &rewriter);

/// Returns the call that defines `value` if its target is one of `targets`,
/// else null.
OperatorView getProducer(mlir::Value value,
                         llvm::ArrayRef<llvm::StringLiteral> targets);

} // namespace fx

#endif // FX_OPERATORS_SIMPLIFY_H
