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

/// Parses `s17=16,s3=4`. Emits an error at `op` for anything else.
mlir::FailureOr<SizeMap> parseSizes(mlir::Operation *op, llvm::StringRef text);

/// Evaluates an expression with these sizes. Returns nullopt if `expr` is null
/// or the value is not known.
std::optional<int64_t> evaluate(ExprAttr expr, const SizeMap &sizes);

/// Applies the operation of `expr` to other operands. Returns the canonical
/// form; null if it overflows or divides by zero.
ExprAttr rebuild(ExprAttr expr, llvm::ArrayRef<ExprAttr> operands);

/// Replaces symbols by integers in all types and attributes of the graph, and
/// erases guards that hold. Emits an error if a value is out of range, a guard
/// does not hold, the graph has no such symbol, or a size overflows.
mlir::LogicalResult specialize(GraphOp graph, const SizeMap &sizes);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_SIZES_H
