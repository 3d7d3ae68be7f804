//===- KeyBounds.h - the keys that a mask leaves visible --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_KEYBOUNDS_H
#define FX_KERNELS_KEYBOUNDS_H

#include "fx/Kernels/Attention.h"

namespace fx::kernel {

/// A bound of the keys that a row sees: `value` + `offset`. `value` is an
/// integer of the body of `op`, and is the same for all keys.
struct KeyBound {
  mlir::linalg::GenericOp op;
  mlir::Value value;
  int64_t offset = 0;
  /// The program subtracts the key from the value, or the value from the key.
  /// The difference is another one if it wraps around.
  bool isSubtracted = false;
  /// The bound differs between the rows of the attention.
  bool dependsOnRows = false;
  /// The value is computed from elements of tensors.
  bool readsMemory = false;
};

/// x is -inf for keys before one of the bounds `first`, and after one of
/// `last`. Sequences of a padded batch, positions of a cache that are not
/// filled yet and sliding windows have such bounds.
struct KeyBounds {
  llvm::SmallVector<KeyBound, 1> first, last;
};

/// Finds the bounds in the mask of an attention, which the ops that are labeled
/// compute from comparisons of the key with other integers.
KeyBounds matchKeyBounds(const Attention &attention, const LoopLabels &labels);

} // namespace fx::kernel

#endif // FX_KERNELS_KEYBOUNDS_H
