//===- GraphToTosa.h - conversion of a graph to TOSA ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOTOSA_GRAPHTOTOSA_H
#define FX_CONVERSION_FXTOTOSA_GRAPHTOTOSA_H

#include "../GraphConversion.h"

#include "fx/Operators/Hooks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace fx::to_tosa {

/// The conversion of one graph to a function of TOSA. All sizes are static,
/// since TOSA has no symbolic sizes.
class GraphToTosa : public GraphConversion {
public:
  GraphToTosa(GraphOp graph, bool embed, ExternalData &files)
      : GraphConversion(graph, "TOSA", embed, &files) {}

  //===--- for the operators ---------------------------------------------===//
  mlir::OpBuilder &builder() { return b; }
  mlir::Location loc() { return op.getLoc(); }
  /// Returns the lowered value of an argument; null if it is no value.
  mlir::Value tensor(ArgName name) {
    mlir::Value v = arg(name).getValue();
    return v ? values.lookup(v) : mlir::Value();
  }
  /// Returns an argument; None if the operator has none of this name.
  Argument arg(ArgName name) {
    return view.declares(name) ? view.getArg(name) : Argument();
  }
  mlir::Value lookup(mlir::Value fx) { return values.lookup(fx); }
  /// Returns the type of the first result; null if its sizes are not static.
  mlir::RankedTensorType resultType() {
    return llvm::dyn_cast_if_present<mlir::RankedTensorType>(
        convertType(op->getResult(0)));
  }
  /// Return true if an argument or the result is a tensor of unsigned integers.
  /// It is converted to signless integers, which are signed in TOSA.
  bool isUnsigned(ArgName name) {
    mlir::Value v = arg(name).getValue();
    return v && isUnsigned(v);
  }
  bool hasUnsignedResult() { return isUnsigned(op->getResult(0)); }
  /// Returns an argument, a tensor or a number, as a tensor of `type`'s rank
  /// and element type, for an operator that broadcasts sizes of 1. Returns null
  /// if the argument is neither, or if TOSA has no such cast.
  mlir::Value operand(ArgName name, mlir::RankedTensorType type);
  mlir::Value reshape(mlir::Value v, llvm::ArrayRef<int64_t> sizes);
  mlir::Value transpose(mlir::Value v, llvm::ArrayRef<int32_t> order);
  /// Returns a tensor argument with the element type `element`; null if TOSA
  /// has no such cast.
  mlir::Value cast(ArgName name, mlir::Type element);
  /// Returns a constant of `rank` dimensions of size 1.
  mlir::Value splat(double value, mlir::Type element, unsigned rank);
  /// Returns a zero point of 0 for an operand of a TOSA operation.
  mlir::Value zeroPoint(mlir::Value of);
  /// Returns the batched matmul of rank-3 tensors.
  mlir::Value matmul(mlir::Value x, mlir::Value y);
  /// Sets the result of the call; fails if `v` is null.
  mlir::LogicalResult result(mlir::Value v) {
    if (!v)
      return mlir::failure();
    values[op->getResult(0)] = v;
    return mlir::success();
  }

private:
  static bool isUnsigned(mlir::Value fx) {
    auto type = llvm::dyn_cast<FakeTensorType>(fx.getType());
    return type && type.getDtype().isUnsignedInteger();
  }
  mlir::Type convertType(mlir::Value v) override {
    auto type = llvm::dyn_cast<FakeTensorType>(v.getType());
    auto tensor = type ? llvm::dyn_cast_if_present<mlir::RankedTensorType>(
                             type.toBuiltin())
                       : mlir::RankedTensorType();
    return tensor && tensor.hasStaticShape() ? tensor
                                             : mlir::RankedTensorType();
  }
  llvm::StringRef getExpectedType() const override {
    return "a tensor of static size";
  }
  mlir::Value createConstant(PlaceholderOp state,
                             mlir::DenseElementsAttr elements) override;
  mlir::LogicalResult convertCall(CallFunctionOp call) override;

  /// The call that is being lowered.
  CallFunctionOp op;
  OperatorView view;
};

inline mlir::RankedTensorType typeOf(mlir::Value v) {
  return llvm::cast<mlir::RankedTensorType>(v.getType());
}

/// A hook that lowers the current call of a conversion. Fails, without a
/// diagnostic, if TOSA cannot express the call.
struct Lowering {
  using Fn = mlir::LogicalResult (*)(GraphToTosa &);
  static void registerAll(HookTable<Lowering> &hooks);
};

} // namespace fx::to_tosa

#endif // FX_CONVERSION_FXTOTOSA_GRAPHTOTOSA_H
