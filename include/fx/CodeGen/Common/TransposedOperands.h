//===- TransposedOperands.h - operands in another order ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_TRANSPOSEDOPERANDS_H
#define FX_CODEGEN_COMMON_TRANSPOSEDOPERANDS_H

#include "fx/CodeGen/Common/KernelCode.h"

namespace fx::codegen {

/// The operands of a pointwise kernel whose last dimension is not the last one
/// of the output. Neighboring elements of the output are far apart in these
/// operands, so they are read in tiles that are transposed on the way.
struct TransposedOperands {
  struct Operand {
    mlir::Value tensor;
    /// The dimension of the output that each dimension of the tensor is; -1 for
    /// a dimension of size 1.
    llvm::SmallVector<int> dims;
    bool operator==(const Operand &o) const {
      return tensor == o.tensor && dims == o.dims;
    }
  };

  /// The dimension of the output that is the last one of all `operands`.
  int64_t rowDim = -1;
  llvm::SmallVector<Operand> operands;
  /// The cost of the bodies of the kernel (kernel::bodyCost).
  int64_t cost = 0;

  /// Finds such operands. The last `merged` dimensions of the output are
  /// adjacent in all operands and merged into one loop. Fails if there are no
  /// such operands, or if `rowDim` or the last dimension is known to be smaller
  /// than `minSize`.
  static std::optional<TransposedOperands>
  find(KernelCode &code, int64_t merged, int64_t minSize);
};

/// Returns the coordinates of a tensor whose dimensions are `dims` of the
/// output, at the place `at` of the output. The lanes walk the dimension `lane`
/// of the output, or none if it is -1.
Coords getCoords(llvm::ArrayRef<int> dims, llvm::ArrayRef<Index> at,
                 int64_t lane = -1);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_TRANSPOSEDOPERANDS_H
