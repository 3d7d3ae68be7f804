//===- Runs.h - elements that a thread loads at once ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of a kernel that is limited by memory computes a run of neighbouring
// elements, and loads and stores them in vectors of 16 bytes. The elements are
// evaluated one by one. When the first of them is loaded from memory, all
// elements of the run are, and become known values.
//
// The buffers must be aligned to 16 bytes, and runs must begin at multiples of
// their width. The host checks what the types do not say, and launches a second
// version of the kernel, with runs of one element, if that does not hold.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_RUNS_H
#define FX_LIB_CODEGEN_GPU_RUNS_H

#include "Launch.h"

namespace fx::gpu {

class Runs {
public:
  /// Runs have `width` elements, a power of 2. Without `mayRequire`, vectors
  /// are loaded only where no condition is needed.
  Runs(codegen::KernelCode &code, int64_t width, bool mayRequire = true);
  ~Runs();
  Runs(const Runs &) = delete;

  const int64_t width;

  /// Returns the coordinate of the first element of a new run: `number` times
  /// the width.
  codegen::Index begin(const codegen::Index &number);
  /// Makes `base`, a multiple of the width, the first element of a run.
  void beginAt(const codegen::Index &base);
  /// Returns the values of `tensor` in the run. `coords` gives the coordinates
  /// of its e-th element.
  llvm::SmallVector<mlir::Value>
  eval(codegen::Scope &scope, mlir::Value tensor,
       llvm::function_ref<codegen::Coords(int64_t e)> coords);
  /// Calls `evaluate` for each element of a run.
  llvm::SmallVector<mlir::Value>
  forElements(llvm::function_ref<mlir::Value(int64_t e)> evaluate);
  void store(const codegen::Buffer &buffer,
             llvm::function_ref<codegen::Coords(int64_t e)> coords,
             llvm::ArrayRef<mlir::Value> values);
  /// Adds the condition that `size`, which is computed before the launch, is a
  /// multiple of `of` and not 0.
  void require(const codegen::Index &size, int64_t of);

  /// Emits `emitLaunch` with runs of `width` elements, and behind a check on
  /// the host with runs of one element.
  static void emitVersions(codegen::KernelCode &code, int64_t width,
                           llvm::function_ref<void(Runs &runs)> emitLaunch);
  /// Returns the largest width for which no tensor of the kernel needs vectors
  /// of more than 16 bytes and `size`, unless it is dynamic, has whole runs.
  /// Costly bodies get smaller runs, because their code is repeated.
  static int64_t chooseWidth(codegen::KernelCode &code,
                             const codegen::Index &size);

private:
  /// Returns the dimension of `buffer` along which the run extends if its
  /// elements can be accessed at once, where `coords` are those of the
  /// `element`-th one.
  std::optional<unsigned> findDim(const codegen::Buffer &buffer,
                                  llvm::ArrayRef<codegen::Coord> coords,
                                  int64_t element);
  mlir::Value load(codegen::Scope &home, mlir::Value tensor,
                   const codegen::Buffer &buffer,
                   llvm::ArrayRef<codegen::Coord> coords);
  /// The same for a weight that `unpack` reads from `buffer`. The run is whole
  /// words of eight numbers.
  mlir::Value loadNibbles(codegen::Scope &home, kernel::UnpackOp unpack,
                          const codegen::Buffer &buffer,
                          llvm::ArrayRef<codegen::Coord> coords);
  /// Loads the vector of `count` elements at `offset`, which is aligned.
  mlir::Value loadVector(const codegen::Buffer &buffer, int64_t count,
                         mlir::Value offset);
  /// Returns the offset of an element in `buffer`.
  mlir::Value offset(const codegen::Buffer &buffer,
                     llvm::ArrayRef<codegen::Coord> coords);
  mlir::Value emitCondition();

  codegen::KernelCode &code;
  const bool mayRequire;
  llvm::DenseSet<mlir::Value> bases;
  int64_t current = 0; ///< the element that is being evaluated
  bool usesVectors = false;
  llvm::SmallVector<std::pair<codegen::Index, int64_t>> conditions;
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_RUNS_H
