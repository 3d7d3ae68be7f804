//===- EvalKeyBound.h - code for a bound of the keys ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_EVALKEYBOUND_H
#define FX_CODEGEN_COMMON_EVALKEYBOUND_H

#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/KeyBounds.h"

namespace fx::codegen {

/// Emits code that computes the end of the keys before a last one (`isLast`),
/// or a first key, of a row of an attention: an index between 0 and `numKeys`.
/// `loops` are the labels of the loops of `bound.op`, and `at` is the index of
/// each label.
mlir::Value evalKeyBound(KernelCode &code, Scope &scope,
                         const kernel::KeyBound &bound,
                         llvm::ArrayRef<int> loops, llvm::ArrayRef<Index> at,
                         const Index &numKeys, bool isLast);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_EVALKEYBOUND_H
