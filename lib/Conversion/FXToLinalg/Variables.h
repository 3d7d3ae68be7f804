//===- Variables.h - scalar code with variables -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_VARIABLES_H
#define FX_CONVERSION_FXTOLINALG_VARIABLES_H

#include "Builder.h"

namespace fx::lin {

/// Builds scalar code with mutable variables, for algorithms that are no simple
/// loop nest. Each scf.for and scf.if carries all variables, so a body simply
/// assigns to them. A body must not add variables. A variable is a scalar, or a
/// builtin tensor whose elements are read and written. Indices are values of
/// type index.
class Variables {
public:
  using Value = mlir::Value;
  using Body = llvm::function_ref<void()>;
  using LoopBody = llvm::function_ref<void(Value)>;

  explicit Variables(Builder &b) : b(b) {}

  Builder &b;

  /// Adds a variable with value `start`; returns its number.
  unsigned add(Value start) {
    values.push_back(start);
    return values.size() - 1;
  }
  /// Add a tensor variable: with the elements of `t`, uninitialized, or with
  /// `v` as every element.
  unsigned add(const Tensor &t) { return add(b.materialize(t)); }
  unsigned addEmpty(llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype) {
    return add(b.empty(sizes, dtype));
  }
  unsigned addFilled(llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype,
                     Value v) {
    return add(b.filled(sizes, dtype, v));
  }

  Value get(unsigned variable) const { return values[variable]; }
  void set(unsigned variable, Value v) { values[variable] = v; }
  /// Reads or writes the element `at` of a tensor variable.
  Value load(unsigned variable, llvm::ArrayRef<Value> at);
  void store(unsigned variable, llvm::ArrayRef<Value> at, Value v);
  /// Returns the current value of a tensor variable.
  Tensor tensor(unsigned variable, llvm::ArrayRef<ExprAttr> sizes,
                mlir::Type dtype) const {
    return Tensor(values[variable], sizes, dtype);
  }

  /// Builds a loop that runs `body` for each index in [from, to), upwards.
  void loop(Value from, Value to, LoopBody body);
  /// Builds a loop that runs `body` for each index in [from, to), downwards.
  void loopDown(Value from, Value to, LoopBody body);
  /// Builds a loop nest over `sizes`; the last dimension is innermost.
  void nest(llvm::ArrayRef<ExprAttr> sizes,
            llvm::function_ref<void(llvm::ArrayRef<Value>)> body);
  /// Builds a branch that runs `body` if `condition`, an i1, is true.
  void when(Value condition, Body body);

private:
  llvm::SmallVector<Value> values;
};

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_VARIABLES_H
