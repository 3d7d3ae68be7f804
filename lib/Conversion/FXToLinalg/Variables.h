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

/// Scalar code with variables, for algorithms that are no loop nest: every
/// loop and branch carries all variables, so a body simply assigns to them.
/// Variables are builtin tensors, of which single elements are read and
/// written, and scalars. Indices are values of type index.
class Variables {
public:
  using Value = mlir::Value;
  using Body = llvm::function_ref<void()>;
  using LoopBody = llvm::function_ref<void(Value)>;

  explicit Variables(Builder &b) : b(b) {}

  Builder &b;

  /// A new variable; gives its number.
  unsigned add(Value start) {
    values.push_back(start);
    return values.size() - 1;
  }
  /// A new tensor variable that starts as a copy of `t`, one of uninitialized
  /// memory, and one that is `v` everywhere.
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
  Value load(unsigned variable, llvm::ArrayRef<Value> at);
  void store(unsigned variable, llvm::ArrayRef<Value> at, Value v);
  Tensor tensor(unsigned variable, llvm::ArrayRef<ExprAttr> sizes,
                mlir::Type dtype) const {
    return Tensor(values[variable], sizes, dtype);
  }

  /// Runs `body` for each index in [from, to), upwards.
  void loop(Value from, Value to, LoopBody body);
  /// The same downwards.
  void loopDown(Value from, Value to, LoopBody body);
  /// Runs `body` for all indices of `sizes`, the last one innermost.
  void nest(llvm::ArrayRef<ExprAttr> sizes,
            llvm::function_ref<void(llvm::ArrayRef<Value>)> body);
  void when(Value condition, Body body);

private:
  llvm::SmallVector<Value> values;
};

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_VARIABLES_H
