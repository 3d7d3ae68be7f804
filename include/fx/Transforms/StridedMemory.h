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

/// True for operators that address the memory of their operand instead of its
/// elements: as_strided, resize_.
bool addressesMemory(llvm::StringRef target);

/// Where the elements of a tensor lie, in order: `offset` and multiples of
/// `strides`. Nothing where these are not integers, or very many.
std::optional<llvm::SmallVector<int64_t>>
getAddresses(llvm::ArrayRef<ExprAttr> sizes, llvm::ArrayRef<ExprAttr> strides,
             ExprAttr offset);

/// The addresses of a tensor with gaps in its memory, the strides of which are
/// recorded; nothing where they are not known or two elements lie in one place.
std::optional<llvm::SmallVector<int64_t>>
getElementAddresses(FakeTensorType type);

/// Whether a view by strides shows elements of `owner` only, the tensor of its
/// operand's dtype whose storage the operand shows.
bool showsElements(CallFunctionOp call, FakeTensorType owner);

/// Why nobody but the caller of the graph knows what `call` reads: it addresses
/// the memory of an input whose elements are not all of that memory. Such a
/// program is refused, by the compiler and by the interpreter, which both get
/// the elements alone. Empty for all other calls. To be asked of graphs as they
/// were traced.
std::string getUnknownMemory(CallFunctionOp call);

} // namespace fx

#endif // FX_TRANSFORMS_STRIDEDMEMORY_H
