//===- Print.h - the higher-order operator print ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_PRINT_H
#define FX_LIB_INTERPRETER_PRINT_H

#include "Arguments.h"

namespace fx::interp {

/// What Python's `format(*args[1:], **kwargs)` makes of `args[0]`: fields are
/// `{}`, `{0}` and `{name}`, with `width.precision` and one of `dfFeEgG` for
/// numbers, `s` for text. Tensors are written as LibTorch does. Throws
/// std::runtime_error for other fields and for what no argument stands for.
std::string formatText(const ArgList &args, const Values &values);

/// `print(format, *args, **kwargs)`: the text and a newline on stdout.
void printText(const ArgList &args, const Values &values);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_PRINT_H
