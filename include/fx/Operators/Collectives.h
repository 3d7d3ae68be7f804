//===- Collectives.h - operators that processes run together ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operators of `_c10d_functional`. A collective starts a communication in a
// process group. Its results may be read after a wait_tensor only, which
// returns them.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_COLLECTIVES_H
#define FX_OPERATORS_COLLECTIVES_H

#include "llvm/ADT/StringRef.h"

namespace fx {

/// Returns true for operators that communicate in a process group. All
/// processes of the group must run them in the same order, so they must not be
/// erased, merged, added or exchanged. Their schemas do not say this.
bool isCollective(llvm::StringRef target);

/// Returns true for the operator that returns the result of a collective once
/// the collective has ended.
bool isWaitTensor(llvm::StringRef target);

} // namespace fx

#endif // FX_OPERATORS_COLLECTIVES_H
