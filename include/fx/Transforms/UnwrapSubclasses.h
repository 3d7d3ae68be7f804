//===- UnwrapSubclasses.h - the tensors of tensor subclasses ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exported graph takes a weight that is a tensor subclass as one parameter,
// and its tensors by `export.access_subclass_inner_tensor`. The importer makes a
// state for each tensor of the subclasses that it knows: those of torchao with
// weights of integers. The pass `fx-unwrap-subclasses` replaces each access by a
// placeholder of this state:
//
//   %w = placeholder "w" parameter @w : !fx.tensor<[4, 8], f32>
//   %q = call_function @export.access_subclass_inner_tensor.default(%w, "qdata")
//   // becomes
//   %w_qdata = placeholder "w_qdata" parameter @w.qdata : !fx.tensor<[4, 8], i8>
//
// An access of another class is an error, since reading its pickle could run any
// code.
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_UNWRAPSUBCLASSES_H
#define FX_TRANSFORMS_UNWRAPSUBCLASSES_H

#include "mlir/Pass/Pass.h"

namespace fx {

std::unique_ptr<mlir::Pass> createUnwrapSubclassesPass();

} // namespace fx

#endif // FX_TRANSFORMS_UNWRAPSUBCLASSES_H
