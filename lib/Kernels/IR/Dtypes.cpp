//===- Dtypes.cpp - dtypes as DLPack and torch name them ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/IR/Dtypes.h"
#include "fx/IR/FXDialect.h"
#include "fx/Runtime/dlpack.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx::kernel;

using Result = std::optional<Dtype>;

static Result getInteger(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return Dtype{kDLBool, 8, "bool"};
  case 8:
    return isUnsigned ? Dtype{kDLUInt, 8, "uint8"} : Dtype{kDLInt, 8, "int8"};
  case 16:
    return isUnsigned ? Dtype{kDLUInt, 16, "uint16"}
                      : Dtype{kDLInt, 16, "int16"};
  case 32:
    return isUnsigned ? Dtype{kDLUInt, 32, "uint32"}
                      : Dtype{kDLInt, 32, "int32"};
  case 64:
    return isUnsigned ? Dtype{kDLUInt, 64, "uint64"}
                      : Dtype{kDLInt, 64, "int64"};
  default:
    return std::nullopt;
  }
}

Result fx::kernel::getDtype(Type type) {
  return llvm::TypeSwitch<Type, Result>(type)
      .Case<IntegerType>([](IntegerType t) { return getInteger(t); })
      .Case<Float16Type>([](Type) { return Dtype{kDLFloat, 16, "float16"}; })
      .Case<BFloat16Type>([](Type) { return Dtype{kDLBfloat, 16, "bfloat16"}; })
      .Case<Float32Type>([](Type) { return Dtype{kDLFloat, 32, "float32"}; })
      .Case<Float64Type>([](Type) { return Dtype{kDLFloat, 64, "float64"}; })
      .Case<Float8E4M3FNType>(
          [](Type) { return Dtype{kDLFloat8_e4m3fn, 8, "float8_e4m3fn"}; })
      .Case<Float8E4M3FNUZType>(
          [](Type) { return Dtype{kDLFloat8_e4m3fnuz, 8, "float8_e4m3fnuz"}; })
      .Case<Float8E5M2Type>(
          [](Type) { return Dtype{kDLFloat8_e5m2, 8, "float8_e5m2"}; })
      .Case<Float8E5M2FNUZType>(
          [](Type) { return Dtype{kDLFloat8_e5m2fnuz, 8, "float8_e5m2fnuz"}; })
      .Case<Float8E8M0FNUType>(
          [](Type) { return Dtype{kDLFloat8_e8m0fnu, 8, "float8_e8m0fnu"}; })
      .Case<ComplexType>([](ComplexType t) -> Result {
        if (t.getElementType().isF16())
          return Dtype{kDLComplex, 32, "complex32"};
        if (t.getElementType().isF32())
          return Dtype{kDLComplex, 64, "complex64"};
        if (t.getElementType().isF64())
          return Dtype{kDLComplex, 128, "complex128"};
        return std::nullopt;
      })
      .Default([](Type) -> Result { return std::nullopt; });
}

bool fx::kernel::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType>(type);
}

Result fx::kernel::getValueDtype(Type type) {
  return llvm::TypeSwitch<Type, Result>(type)
      .Case<fx::FakeTensorType>([](auto t) { return getDtype(t.getDtype()); })
      .Case<ShapedType>([](auto t) { return getDtype(t.getElementType()); })
      .Case<fx::SymIntType>([](Type) { return Dtype{kDLInt, 64, "int64"}; })
      .Case<fx::SymFloatType>(
          [](Type) { return Dtype{kDLFloat, 64, "float64"}; })
      .Case<fx::SymBoolType>([](Type) { return Dtype{kDLBool, 8, "bool"}; })
      .Default([](Type t) { return getDtype(t); });
}
