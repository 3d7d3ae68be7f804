//===- FewRows.cpp - contractions with few rows ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/FewRows.h"

using namespace mlir;
using namespace fx::kernel;

/// The least number of terms of a sum.
static constexpr int64_t kMinTerms = 64;

std::optional<int64_t> fx::kernel::countPoints(linalg::GenericOp op,
                                               ArrayRef<unsigned> loops) {
  int64_t count = 1;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(ranges[loop]))
      return std::nullopt;
    count *= ranges[loop];
  }
  return count;
}

bool fx::kernel::hasFewRows(Contraction c, const TargetInfo &target) {
  std::optional<int64_t> rows = countPoints(c.op, c.m),
                         terms = countPoints(c.op, c.k);
  if (!rows || *rows < 1 || *rows > target.getFewRows(c.kind) || c.k.empty() ||
      c.n.empty() || (terms && *terms < kMinTerms))
    return false;
  AffineMap lhs = c.lhsMap(), rhs = c.rhsMap();
  if (!lhs.isProjectedPermutation() || !rhs.isProjectedPermutation() ||
      rhs.getNumResults() == 0)
    return false;
  unsigned last = rhs.getDimPosition(rhs.getNumResults() - 1);
  if (last == c.lastN())
    return true;
  auto position = [&](unsigned loop) {
    return lhs.getResultPosition(getAffineDimExpr(loop, lhs.getContext()));
  };
  return llvm::is_contained(c.k, last) && llvm::all_of(c.k, [&](unsigned loop) {
           return position(loop) <= position(last);
         });
}
