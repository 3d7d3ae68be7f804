//===- TypePromotion.h - torch's dtype arithmetic ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dtypes are builtin types as in !fx.tensor: bool `i1`, uint8 `ui8`, int8 `i8`,
// int64 `i64`, `f16`, `bf16`, `f32`, `f64`, `complex<f32>`, the fp8s.
//
// The rules are those of torch's documentation, "Tensor Attributes":
// operands fall into dimensioned tensors, 0-d tensors and Python numbers; a
// lower category changes the result only if it is of a higher kind (bool, int,
// float, complex) than all operands of the higher ones.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_TYPEPROMOTION_H
#define FX_OPERATORS_TYPEPROMOTION_H

#include "fx/IR/Arguments.h"
#include "mlir/IR/BuiltinTypes.h"

namespace fx {

inline bool isBoolDtype(mlir::Type dtype) { return dtype.isInteger(1); }
/// uint8 … int64, not bool.
inline bool isIntDtype(mlir::Type dtype) {
  return llvm::isa<mlir::IntegerType>(dtype) && !dtype.isInteger(1);
}
inline bool isIntOrBoolDtype(mlir::Type dtype) {
  return llvm::isa<mlir::IntegerType>(dtype);
}
inline bool isFloatDtype(mlir::Type dtype) {
  return llvm::isa<mlir::FloatType>(dtype);
}
inline bool isComplexDtype(mlir::Type dtype) {
  return llvm::isa<mlir::ComplexType>(dtype);
}
inline bool isUnsignedDtype(mlir::Type dtype) {
  return dtype.isUnsignedInteger() || dtype.isInteger(1);
}

/// The dtype that two operands of the same category give; null if torch has
/// none (two different fp8s, uint64 and int64).
mlir::Type promoteTypes(mlir::Type a, mlir::Type b);

/// The result dtype of an elementwise operator (`torch.result_type`).
class TypePromotion {
public:
  /// `torch.get_default_dtype()` is taken as float32.
  explicit TypePromotion(mlir::MLIRContext *context) : context(context) {}

  /// A tensor of that rank.
  void addTensor(mlir::Type dtype, int64_t rank);
  /// A Python number; `dtype` is i1, i64, any float or any complex type.
  void addNumber(mlir::Type dtype);
  /// A tensor value, a symbolic number or an immediate; None adds nothing.
  /// False if it is none of these.
  bool add(const Argument &argument);

  /// The result, or null if nothing was added or torch refuses.
  mlir::Type getResult() const;

private:
  void merge(mlir::Type &category, mlir::Type dtype);

  mlir::MLIRContext *context;
  mlir::Type dimResult, zeroResult, numberResult;
  bool invalid = false;
};

/// `torch.result_type` of the arguments; null if one is neither a tensor nor a
/// number, or torch refuses.
mlir::Type getPromotedDtype(llvm::ArrayRef<Argument> arguments);

/// What `sin`, `/`, `mean` … compute integers in: float32 for integers and
/// bool, else the dtype itself.
mlir::Type promoteIntToFloat(mlir::Type dtype);

/// What `sum` and `prod` give: int64 for integers and bool.
mlir::Type promoteIntToLong(mlir::Type dtype);

/// The dtype of `abs` or `real` of a complex number; else the dtype itself.
mlir::Type toRealDtype(mlir::Type dtype);

/// What torch accumulates and computes in on a CPU: float32 for f16, bf16 and
/// the fp8s, complex<f32> for complex<f16>, else the dtype itself.
mlir::Type getComputeDtype(mlir::Type dtype);

/// The dtype of a symbolic number or immediate as `torch.tensor(x)` has it;
/// null if the argument is no number.
mlir::Type getNumberDtype(const Argument &argument);

} // namespace fx

#endif // FX_OPERATORS_TYPEPROMOTION_H
