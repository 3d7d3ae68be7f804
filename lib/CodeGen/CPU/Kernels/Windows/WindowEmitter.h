//===- WindowEmitter.h - kernels that reduce columns or windows -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_KERNELS_WINDOWS_WINDOWEMITTER_H
#define FX_LIB_CODEGEN_CPU_KERNELS_WINDOWS_WINDOWEMITTER_H

#include "../Emitters.h"
#include "fx/CodeGen/Common/RowPlan.h"

#include "llvm/ADT/SetVector.h"

namespace fx::cpu {

/// Number of accumulators that hide the latency of an addition.
inline constexpr int64_t kLatency = 4;

/// Emits one kernel. Call `analyse`, then `emit`.
struct WindowEmitter {
  codegen::KernelCode &code;
  mlir::linalg::GenericOp root; ///< the reduction
  llvm::SmallVector<kernel::Combiner> combiners;
  kernel::LoopLabels labels;
  unsigned lane = 0;                      ///< the loop that the lanes walk
  llvm::SmallVector<codegen::Index> at;   ///< the position of each loop
  llvm::SmallVector<mlir::Value> neutral; ///< of each combiner
  /// An input of which rows are prefetched.
  struct Prefetched {
    const codegen::Buffer *buffer;
    llvm::SmallVector<int> loops; ///< those of its dimensions
    int64_t bytes;                ///< of an element
  };
  llvm::SmallVector<Prefetched> prefetched;
  unsigned reduced = 0; ///< the loop over the rows of `prefetched`

  explicit WindowEmitter(codegen::KernelCode &code) : code(code) {}
  /// Reports an error and returns false if the kernel has another form.
  bool analyse();
  /// Returns the current coordinates of a tensor with labels `of`.
  codegen::Coords coords(llvm::ArrayRef<int> of);
  /// Fills `neutral`. Reports an error and returns false if a combiner has no
  /// neutral element.
  bool findNeutral();
  /// Returns the start of vector `u` of those from `base` on.
  codegen::Index lanesAt(const codegen::Index &base, int64_t u) {
    return code.add(base, codegen::Index::of(u * code.lanes));
  }
  /// Chooses the inputs whose rows are prefetched. A block of columns is a part
  /// of each row, so the prefetcher of the CPU does not see one stream.
  void choosePrefetches();
  void choosePrefetch(mlir::linalg::GenericOp op, mlir::OpOperand &operand);
  /// Prefetches the columns `at[lane]` of a later row.
  void emitPrefetches(int64_t vector);
  /// Combines the element of the input in iteration `at` with `sums`, of which
  /// there is one for each combiner. With `numbers`, to which it adds what is
  /// combined, NaN is left out (Extrema.h).
  void combine(codegen::Scope &scope, llvm::MutableArrayRef<mlir::Value> sums,
               llvm::SetVector<mlir::Value> *numbers = nullptr);
  /// Stores the outputs at `at`, where the reduction has the results `sums`.
  void store(codegen::Scope &scope, llvm::ArrayRef<mlir::Value> sums);
  /// Returns the reduced values of `unroll` vectors of columns from `base` on:
  /// for each vector, one value per combiner.
  llvm::SmallVector<mlir::Value> reduceColumns(codegen::Scope &scope,
                                               const codegen::Index &base,
                                               int64_t unroll);
  /// Reduces these columns, and stores the outputs there.
  void emitColumns(codegen::Scope &scope, const codegen::Index &base,
                   int64_t unroll);
  /// Returns the number of elements of a column; an estimate if it is dynamic.
  int64_t columnLength();
  /// Returns the number of vectors of columns that are reduced at the same
  /// time.
  int64_t chooseUnroll();
  /// Emits a loop over the whole blocks of `unroll` vectors of the columns from
  /// `from` to `width`. Returns the first column behind them.
  codegen::Index emitBlocks(codegen::Scope &task, const codegen::Index &from,
                            const codegen::Index &width, int64_t unroll);
  /// As `emitBlocks` for all columns, with blocks that threads share.
  codegen::Index shareColumns(codegen::Scope &top, const codegen::Index &width,
                              int64_t unroll);
  void emit();
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_KERNELS_WINDOWS_WINDOWEMITTER_H
