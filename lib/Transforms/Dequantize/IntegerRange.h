//===- IntegerRange.h - bounds of integer constants -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_DEQUANTIZE_INTEGERRANGE_H
#define FX_LIB_TRANSFORMS_DEQUANTIZE_INTEGERRANGE_H

#include "fx/IR/ExternalData.h"
#include "fx/IR/FXDialect.h"

namespace fx {

class OperatorView;

/// The integers from `min` to `max`.
struct IntegerRange {
  int64_t min = 0, max = 0;

  bool contains(const IntegerRange &other) const {
    return min <= other.min && other.max <= max;
  }
  /// Returns the range of an integer dtype.
  static IntegerRange of(mlir::Type dtype);
};

/// Bounds the elements of integer tensors that are computed from states, by
/// the operators that unpack weights: shifts, masks, sums, views and joins.
class RangeAnalysis {
public:
  /// If `readsStates`, the bounds of a state are those of its elements, which
  /// are read. Otherwise they are those of its dtype.
  RangeAnalysis(mlir::ModuleOp module, bool readsStates)
      : symbols(module), readsStates(readsStates) {}

  /// Returns the bounds of `value`, a tensor of an integer dtype.
  IntegerRange get(mlir::Value value);
  /// Returns false if the bounds are those of the dtype because nothing else is
  /// known. The elements may be much smaller then.
  bool isKnown(mlir::Value value) { return find(value).has_value(); }
  /// Returns the elements of `value`, a contiguous state or a conversion of
  /// one to another integer dtype; nullopt if it is none, or if states are not
  /// read.
  std::optional<llvm::SmallVector<int64_t>> getElements(mlir::Value value);

private:
  std::optional<IntegerRange> find(mlir::Value value);
  std::optional<IntegerRange> compute(mlir::Value value);
  std::optional<IntegerRange> join(const OperatorView &call);
  std::optional<IntegerRange> read(PlaceholderOp input, mlir::Type dtype);

  mlir::SymbolTable symbols;
  bool readsStates;
  ExternalData files;
  llvm::DenseMap<mlir::Value, std::optional<IntegerRange>> known;
};

} // namespace fx

#endif // FX_LIB_TRANSFORMS_DEQUANTIZE_INTEGERRANGE_H
