//===- HostTensor.h - a tensor in host memory -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that files, the interpreter and compiled code exchange: a dtype,
// sizes, and contiguous (C order) bytes. Python scalars are tensors of rank 0
// (int: i64, float: f64, bool).
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

/// Returns the number of bytes of an element.
unsigned getByteSize(DType dtype);
/// Returns torch's name of the dtype, "float32".
llvm::StringRef getName(DType dtype);
/// Returns the dtype of an element type of the fx dialect (signless integers
/// are signed, i1 is bool); nullopt for any other type.
std::optional<DType> getDType(mlir::Type type);

struct HostTensor {
  DType dtype = DType::F32;
  llvm::SmallVector<int64_t, 6> sizes;
  /// The elements; null only if there are none.
  std::shared_ptr<char> data;

  int64_t getNumElements() const;
  size_t getNumBytes() const { return getNumElements() * getByteSize(dtype); }
  /// Returns "float32[2, 3]".
  std::string describe() const;
  /// Returns a tensor with uninitialised elements, aligned to 64 bytes.
  /// `getCheckedBytes` must have accepted the sizes.
  static HostTensor allocate(DType dtype, llvm::ArrayRef<int64_t> sizes);
  static HostTensor fromInt(int64_t value);
  static HostTensor fromFloat(double value);
  static HostTensor fromBool(bool value);
  template <typename T>
  T item() const {
    return *reinterpret_cast<const T *>(data.get());
  }
};

/// Returns the number of bytes of a tensor. Returns nullopt if a size is
/// negative, or if the product with sizes of 0 taken as 1 overflows int64.
std::optional<int64_t> getCheckedBytes(unsigned elementBytes,
                                       llvm::ArrayRef<int64_t> sizes);

/// A leaf of the flattened inputs or outputs; absent for None and str.
using HostValue = std::optional<HostTensor>;

} // namespace fx

#endif // FX_SUPPORT_HOSTTENSOR_H
