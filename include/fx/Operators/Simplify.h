//===- Simplify.h - identities of operators ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What canonicalization knows of an operator: a free function on its view that
// replaces the call by something simpler with the same value, bit for bit but
// for the payload of NaNs. The rules are in lib/Operators/Simplify:
//
//   static LogicalResult simplifyDropout(const OperatorView &call,
//                                        Simplifier &s) {
//     return call.getArg("train").getBool() == false
//                ? s.replaceByAlias(call.getArg("input").getValue())
//                : failure();
//   }
//   FX_REGISTER_SIMPLIFICATIONS(simplifyDropout, "aten.dropout.default")
//
// They are asked in functional graphs only: elsewhere a copy and what was
// copied may be written to. On symbolic numbers they are asked everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_SIMPLIFY_H
#define FX_OPERATORS_SIMPLIFY_H

#include "fx/Operators/Hooks.h"
#include "mlir/IR/PatternMatch.h"

namespace fx {

/// Replaces one call. Each function fails, and changes nothing, where the
/// replacement could be told from the call.
class Simplifier {
public:
  Simplifier(const OperatorView &call, mlir::PatternRewriter &rewriter)
      : call(call), rewriter(rewriter) {}

  /// For a view that shows all of `value` as it is. Sizes, dtype and device
  /// must be equal; where the result leaves the graph, `value` must not be one
  /// of its inputs, which may be written back to after the graph has run.
  mlir::LogicalResult replaceByAlias(mlir::Value value);
  /// For a new tensor with `value`'s elements. The recorded strides must be
  /// equal as well, and the result must not leave the graph, where it would
  /// share memory with `value`. Only result 0 may be in use.
  mlir::LogicalResult replaceByEqual(mlir::Value value);
  /// For a symbolic int that is `value` in all runs.
  mlir::LogicalResult replaceByInt(int64_t value);
  /// By a call of View's operator with the result types of this one.
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
  using Function = mlir::LogicalResult (*)(const OperatorView &, Simplifier &);
  static void registerAll(HookTable<Simplification> &hooks);
};

/// Applies the rule of the call's operator, if it has one.
mlir::LogicalResult simplifyCall(const OperatorView &call,
                                 mlir::PatternRewriter &rewriter);

/// The call that makes `value`, if its operator is one of `targets`.
OperatorView getProducer(mlir::Value value,
                         llvm::ArrayRef<llvm::StringLiteral> targets);

} // namespace fx

#endif // FX_OPERATORS_SIMPLIFY_H
