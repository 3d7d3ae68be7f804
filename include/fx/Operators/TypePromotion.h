//===- TypePromotion.h - torch's dtype arithmetic ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dtypes are builtin types as in !fx.tensor: bool `i1`, uint8 `ui8`, int8 `i8`,
// int64 `i64`, `f16`, `bf16`, `f32`, `f64`, `complex<f32>`, the fp8 types.
//
// The rules are those of torch's documentation, "Tensor Attributes". There are
// three categories of operands: tensors with dimensions, 0-d tensors, and
// Python numbers. Operands of a lower category change the dtype of the result
// only if they have a higher kind (bool < int < float < complex) than all
// operands of the higher categories.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_TYPEPROMOTION_H
#define FX_OPERATORS_TYPEPROMOTION_H

#include "fx/IR/Arguments.h"
#include "mlir/IR/BuiltinTypes.h"

namespace fx {

inline bool isBoolDtype(mlir::Type dtype) { return dtype.isInteger(1); }
/// Returns true for uint8 … int64, but not for bool.
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

/// Returns the dtype to which two operands of the same category promote; null
/// if torch has none (two different fp8 types, uint64 and int64).
mlir::Type promoteTypes(mlir::Type a, mlir::Type b);

/// Computes the result dtype of an elementwise operator (`torch.result_type`).
class TypePromotion {
public:
  /// Assumes that `torch.get_default_dtype()` is float32.
  explicit TypePromotion(mlir::MLIRContext *context) : context(context) {}

  /// Adds a tensor of rank `rank`.
  void addTensor(mlir::Type dtype, int64_t rank);
  /// Adds a Python number; `dtype` is i1, i64, any float or any complex type.
  void addNumber(mlir::Type dtype);
  /// Adds a tensor value, a symbolic number or an immediate. Does nothing for
  /// None. Returns false for any other argument.
  bool add(const Argument &argument);

  /// Returns the result dtype; null if nothing was added or torch rejects the
  /// operands.
  mlir::Type getResult() const;

private:
  void merge(mlir::Type &category, mlir::Type dtype);

  mlir::MLIRContext *context;
  mlir::Type dimResult, zeroResult, numberResult;
  bool invalid = false;
};

/// Returns `torch.result_type` of the arguments; null if one is neither a
/// tensor nor a number, or if torch rejects them.
mlir::Type getPromotedDtype(llvm::ArrayRef<Argument> arguments);

/// Returns the result dtype of `sin`, `/`, `mean`, …: float32 for integers and
/// bool, else the dtype itself.
mlir::Type promoteIntToFloat(mlir::Type dtype);

/// Returns the result dtype of `sum` and `prod`: int64 for integers and bool,
/// else the dtype itself.
mlir::Type promoteIntToLong(mlir::Type dtype);

/// Returns the dtype of `abs` or `real` of a complex number, else the dtype
/// itself.
mlir::Type toRealDtype(mlir::Type dtype);

/// Returns the dtype in which torch computes and accumulates on a CPU: float32
/// for f16, bf16 and the fp8 types, complex<f32> for complex<f16>, else the
/// dtype itself.
mlir::Type getComputeDtype(mlir::Type dtype);

/// Returns the dtype of `torch.tensor(x)` for a symbolic number or an immediate
/// x; null if the argument is no number.
mlir::Type getNumberDtype(const Argument &argument);

} // namespace fx

#endif // FX_OPERATORS_TYPEPROMOTION_H
