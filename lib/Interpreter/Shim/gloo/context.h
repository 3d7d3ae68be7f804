//===- context.h - what c10d's headers name ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ProcessGroupGloo.hpp includes gloo's headers, which the wheel of torch does
// not bring, for types that it refers to by pointers. These declarations let
// the header compile. Nothing of gloo is called.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_SHIM_GLOO_CONTEXT_H
#define FX_LIB_INTERPRETER_SHIM_GLOO_CONTEXT_H

#include <chrono>

namespace gloo {
class Context {
public:
  void setTimeout(std::chrono::milliseconds timeout);
};
} // namespace gloo

#endif // FX_LIB_INTERPRETER_SHIM_GLOO_CONTEXT_H
