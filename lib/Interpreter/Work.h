//===- Work.h - collectives in progress -------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LibTorch finds the work of a collective by the storage of its result.
// Compiled code has no storage for a result that is not there yet, but a
// number.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_WORK_H
#define FX_LIB_INTERPRETER_WORK_H

#include <ATen/core/Tensor.h>

namespace fx::interp {

/// Keeps the result of a collective that has been started, and returns its
/// number.
int64_t keepWork(at::Tensor tensor);

/// Waits for a collective that `keepWork` has kept. Returns its result and
/// keeps it no more. Throws if the communication fails.
at::Tensor takeWork(int64_t number);

/// Waits until the elements of a tensor are there, if it is the result of a
/// collective.
at::Tensor waitTensor(const at::Tensor &tensor);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_WORK_H
