//===- HostTensor.cpp - a tensor in host memory ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/HostTensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;

namespace fx {

namespace {
struct DTypeInfo {
  unsigned bytes;
  const char *name;
};
} // namespace

/// Indexed by DType.
static constexpr DTypeInfo kInfo[] = {{1, "bool"},
                                      {1, "uint8"},
                                      {1, "int8"},
                                      {2, "int16"},
                                      {4, "int32"},
                                      {8, "int64"},
                                      {2, "uint16"},
                                      {4, "uint32"},
                                      {8, "uint64"},
                                      {2, "float16"},
                                      {2, "bfloat16"},
                                      {4, "float32"},
                                      {8, "float64"},
                                      {4, "complex32"},
                                      {8, "complex64"},
                                      {16, "complex128"},
                                      {1, "float8_e4m3fn"},
                                      {1, "float8_e5m2"},
                                      {1, "float8_e4m3fnuz"},
                                      {1, "float8_e5m2fnuz"},
                                      {1, "float8_e8m0fnu"}};

unsigned getByteSize(DType dtype) {
  return kInfo[static_cast<unsigned>(dtype)].bytes;
}

llvm::StringRef getName(DType dtype) {
  return kInfo[static_cast<unsigned>(dtype)].name;
}

static std::optional<DType> getIntDType(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return DType::Bool;
  case 8:
    return isUnsigned ? DType::U8 : DType::I8;
  case 16:
    return isUnsigned ? DType::U16 : DType::I16;
  case 32:
    return isUnsigned ? DType::U32 : DType::I32;
  case 64:
    return isUnsigned ? DType::U64 : DType::I64;
  default:
    return std::nullopt;
  }
}

std::optional<DType> getDType(Type type) {
  using Result = std::optional<DType>;
  return llvm::TypeSwitch<Type, Result>(type)
      .Case([](IntegerType t) { return getIntDType(t); })
      .Case([](Float16Type) { return DType::F16; })
      .Case([](BFloat16Type) { return DType::BF16; })
      .Case([](Float32Type) { return DType::F32; })
      .Case([](Float64Type) { return DType::F64; })
      .Case([](Float8E4M3FNType) { return DType::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return DType::F8E5M2; })
      .Case([](Float8E4M3FNUZType) { return DType::F8E4M3FNUZ; })
      .Case([](Float8E5M2FNUZType) { return DType::F8E5M2FNUZ; })
      .Case([](Float8E8M0FNUType) { return DType::F8E8M0FNU; })
      .Case([](ComplexType t) -> Result {
        if (t.getElementType().isF16())
          return DType::C32;
        if (t.getElementType().isF32())
          return DType::C64;
        if (t.getElementType().isF64())
          return DType::C128;
        return std::nullopt;
      })
      .Default([](Type) { return std::nullopt; });
}

std::optional<int64_t> getCheckedBytes(unsigned elementBytes,
                                       llvm::ArrayRef<int64_t> sizes) {
  int64_t product = elementBytes;
  bool empty = false;
  for (int64_t size : sizes) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
    if (llvm::MulOverflow(product, std::max<int64_t>(size, 1), product))
      return std::nullopt;
  }
  return empty ? 0 : product;
}

int64_t HostTensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

std::string HostTensor::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getName(dtype) << "[";
  llvm::interleaveComma(sizes, os);
  os << "]";
  return text;
}

HostTensor HostTensor::allocate(DType dtype, llvm::ArrayRef<int64_t> sizes) {
  HostTensor t;
  t.dtype = dtype;
  t.sizes.assign(sizes.begin(), sizes.end());
  size_t bytes = llvm::alignTo(std::max<size_t>(t.getNumBytes(), 1), 64);
  t.data.reset(static_cast<char *>(std::aligned_alloc(64, bytes)), std::free);
  return t;
}

template <typename T>
static HostTensor makeScalar(DType dtype, T value) {
  HostTensor t = HostTensor::allocate(dtype, {});
  if (!t.data)
    llvm::report_bad_alloc_error("no memory for a scalar");
  *reinterpret_cast<T *>(t.data.get()) = value;
  return t;
}

HostTensor HostTensor::fromInt(int64_t value) {
  return makeScalar(DType::I64, value);
}
HostTensor HostTensor::fromFloat(double value) {
  return makeScalar(DType::F64, value);
}
HostTensor HostTensor::fromBool(bool value) {
  return makeScalar(DType::Bool, value);
}

} // namespace fx
