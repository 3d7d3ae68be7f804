//===- Sizes.h - integers for symbolic sizes --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_SIZES_H
#define FX_LIB_TRANSFORMS_SIZES_H

#include "fx/IR/FXDialect.h"
#include "llvm/ADT/StringMap.h"

namespace fx {

using SizeMap = llvm::StringMap<int64_t>;

/// Reads `s17=16,s3=4`; an error at `op` for anything else.
mlir::FailureOr<SizeMap> parseSizes(mlir::Operation *op, llvm::StringRef text);

/// The integer that an expression is with these sizes, if it is one.
std::optional<int64_t> evaluate(ExprAttr expr, const SizeMap &sizes);

/// The operation that `expr` is on other operands, in canonical form; null
/// where that overflows or divides by zero.
ExprAttr rebuild(ExprAttr expr, llvm::ArrayRef<ExprAttr> operands);

/// Puts integers in the place of symbols, in all types and attributes of the
/// graph. An error where one is outside its range, a guard does not hold, or
/// the graph has no such symbol.
mlir::LogicalResult specialize(GraphOp graph, const SizeMap &sizes);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_SIZES_H
