//===- AutoFunctionalized.h - mutating operators, as functions --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_AUTOFUNCTIONALIZED_H
#define FX_LIB_INTERPRETER_AUTOFUNCTIONALIZED_H

#include "TorchBoundary.h"

namespace fx::interp {

/// Runs auto_functionalized(op, **args). Returns the results of `op`, then the
/// copies that it wrote to. `args` are the arguments after `op`; their value
/// leaves are indices into `values`.
/// Source: torch/_higher_order_ops/auto_functionalize.py.
Values autoFunctionalized(const Operator &op, CallArguments args,
                          Values values);
/// Runs auto_functionalized_v2, whose written arguments are views of
/// `_all_bases`.
Values autoFunctionalizedV2(const Operator &op, CallArguments args,
                            Values values);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_AUTOFUNCTIONALIZED_H
