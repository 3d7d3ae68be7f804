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

/// Formats the string `args[0]` as Python's `format(*args[1:], **kwargs)` does.
/// Fields are `{}`, `{0}` and `{name}`, with `width.precision` and one of
/// `dfFeEgG` for numbers or `s` for text. Tensors are printed as LibTorch does.
/// Throws std::runtime_error for other fields and for fields without an
/// argument.
std::string formatText(const CallArguments &args, const Values &values);

/// Implements `print(format, *args, **kwargs)`: prints the formatted text and a
/// newline to stdout.
void printText(const CallArguments &args, const Values &values);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_PRINT_H
