//===- SortNetwork.h - networks that sort vectors lane by lane --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_KERNELS_SORT_SORTNETWORK_H
#define FX_LIB_CODEGEN_CPU_KERNELS_SORT_SORTNETWORK_H

#include "../Emitters.h"

namespace fx::cpu {

/// Emits code that sorts an array of vectors of f64 in memory: the elements of
/// each lane, in ascending order. All elements differ, and none is NaN.
class SortNetwork {
public:
  /// The array, at `memory`, has a power of two vectors, at least `kBlock`.
  /// Those from `used` on, a multiple of `kBlock`, are greater than the others.
  SortNetwork(KernelCode &code, mlir::Value memory, mlir::VectorType type,
              int64_t used);

  /// The number of vectors that are sorted in registers.
  static constexpr int64_t kBlock = 8;

  /// Sorts the first `count` vectors, a power of two of at least `kBlock`. The
  /// others have any order afterwards.
  void emit(int64_t count);

private:
  using Value = mlir::Value;
  Value load(const Index &at);
  void store(const Index &at, Value v);
  /// Orders two vectors lane by lane.
  void order(Value &low, Value &high);
  Value least(Value a, Value b);
  /// Emits a loop from 0 to `count` with the step `step`; no loop for one
  /// iteration.
  void loop(int64_t count, int64_t step,
            llvm::function_ref<void(const Index &)> body);

  void sortBlocks();
  void mergeHalves(int64_t size);
  void keepLeast(int64_t size, int64_t distance);
  /// Emits the comparisons at distances `distance`, ... , 1 in each block of
  /// `size` vectors. The blocks are `step` apart, from 0 up to `end`.
  void mergeBitonic(int64_t size, int64_t distance, int64_t step, int64_t end);
  /// Orders `vectors` by the last `steps` steps of a merge of all of them.
  void mergeRegisters(llvm::MutableArrayRef<Value> vectors);

  KernelCode &code;
  Value memory;
  mlir::VectorType type;
  int64_t used;
  Scope scope;
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_KERNELS_SORT_SORTNETWORK_H
