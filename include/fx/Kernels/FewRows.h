//===- FewRows.h - contractions with few rows -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_FEWROWS_H
#define FX_KERNELS_FEWROWS_H

#include "fx/Kernels/Analysis.h"

namespace fx::kernel {

/// Returns true if a kernel of `target` reads the right operand of `c` once,
/// because there are few rows (`TargetInfo::getFewRows`). The last dimension of
/// the right operand is the last one of K in the left operand, or of N.
bool hasFewRows(Contraction c, const TargetInfo &target);

} // namespace fx::kernel

#endif // FX_KERNELS_FEWROWS_H
