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

/// Why nobody but the caller of the graph knows what `call` reads: it addresses
/// the memory of an input whose elements are not all of that memory. Such a
/// program is refused, by the compiler and by the interpreter, which both get
/// the elements alone. Empty for all other calls. To be asked of graphs as they
/// were traced.
std::string getUnknownMemory(CallFunctionOp call);

} // namespace fx

#endif // FX_TRANSFORMS_STRIDEDMEMORY_H
