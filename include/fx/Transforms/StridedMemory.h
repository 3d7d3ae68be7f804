//===- StridedMemory.h - views of memory that nobody knows ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_STRIDEDMEMORY_H
#define FX_TRANSFORMS_STRIDEDMEMORY_H

#include "fx/IR/FXDialect.h"

#include <string>

namespace fx {

/// Returns true for operators that address the memory of their operand instead
/// of its elements, such as as_strided and resize_.
bool addressesMemory(llvm::StringRef target);

/// Returns the addresses of the elements of a tensor, in order, in elements
/// from the begin of the storage. A null `offset` is 0. Returns nullopt if a
/// size, a stride or the offset is not an integer, or if there are more than
/// 2^20 elements.
std::optional<llvm::SmallVector<int64_t>>
getAddresses(llvm::ArrayRef<ExprAttr> sizes, llvm::ArrayRef<ExprAttr> strides,
             ExprAttr offset);

/// Returns the addresses of the elements of `type`. Returns nullopt if its
/// strides are not recorded, if `getAddresses` fails, or if two elements have
/// the same address.
std::optional<llvm::SmallVector<int64_t>>
getElementAddresses(FakeTensorType type);

/// Returns true if `call`, an as_strided, addresses only elements of `owner`,
/// the type of the tensor whose storage its operand views, and the two have the
/// same dtype.
bool showsElements(CallFunctionOp call, FakeTensorType owner);

/// Returns an error message if `call` addresses memory of an input that is not
/// one of the input's elements, else an empty string. The compiler and the
/// interpreter get only the elements of an input, so both refuse such a
/// program. Expects a graph as it was traced.
std::string getUnknownMemory(CallFunctionOp call);

} // namespace fx

#endif // FX_TRANSFORMS_STRIDEDMEMORY_H
