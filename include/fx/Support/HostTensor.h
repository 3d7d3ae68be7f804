//===- HostTensor.h - a tensor in host memory -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What crosses the boundary between files, the interpreter and compiled code: a
// dtype, sizes, and contiguous (C order) bytes. Python scalars are tensors of
// rank 0 (int: i64, float: f64, bool).
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_HOSTTENSOR_H
#define FX_SUPPORT_HOSTTENSOR_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace fx {

/// The dtypes of torch that a file or an argument can hold.
enum class DType : uint8_t {
  Bool,
  U8,
  I8,
  I16,
  I32,
  I64,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  C32,
  C64,
  C128,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F8E8M0FNU
};

/// Bytes an element takes.
unsigned getByteSize(DType dtype);
/// torch's name, "float32".
llvm::StringRef getName(DType dtype);
/// The dtype that an element type of the fx dialect stands for (signless
/// integers are signed, i1 is bool); nullopt for any other type.
std::optional<DType> getDType(mlir::Type type);

struct HostTensor {
  DType dtype = DType::F32;
  llvm::SmallVector<int64_t, 6> sizes;
  /// The elements; null only where there are none.
  std::shared_ptr<char> data;

  int64_t getNumElements() const;
  size_t getNumBytes() const { return getNumElements() * getByteSize(dtype); }
  /// "float32[2, 3]"
  std::string describe() const;
  /// A tensor with uninitialised elements, aligned to 64 bytes. The sizes must
  /// have passed `getCheckedBytes`.
  static HostTensor allocate(DType dtype, llvm::ArrayRef<int64_t> sizes);
  static HostTensor fromInt(int64_t value);
  static HostTensor fromFloat(double value);
  static HostTensor fromBool(bool value);
  template <typename T>
  T item() const {
    return *reinterpret_cast<const T *>(data.get());
  }
};

/// The bytes of a tensor; nullopt where a size is negative or the product,
/// empty dimensions counted as one, exceeds int64.
std::optional<int64_t> getCheckedBytes(unsigned elementBytes,
                                       llvm::ArrayRef<int64_t> sizes);

/// A leaf at the boundary: absent for None and str.
using HostValue = std::optional<HostTensor>;

} // namespace fx

#endif // FX_SUPPORT_HOSTTENSOR_H
