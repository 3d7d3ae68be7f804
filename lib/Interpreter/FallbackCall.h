//===- FallbackCall.h - a call of the fallback, parsed ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_FALLBACKCALL_H
#define FX_LIB_INTERPRETER_FALLBACKCALL_H

#include "Arguments.h"
#include "Operators.h"
#include <atomic>
#include <c10/core/ScalarType.h>

namespace fx::interp {

/// What a result must be.
struct Out {
  bool none = false;
  bool scalar = false;
  c10::ScalarType dtype = c10::ScalarType::Float;
  int64_t rank = 0;
};

/// A parsed call.
struct Prepared {
  std::string text;
  /// Where the model has the text.
  const void *address = nullptr;
  std::string target;
  std::string node;
  size_t numInputs = 0;
  ArgList args;
  std::vector<Out> outs;
  std::optional<BoundCall> call;
  ScalarFunction scalar = nullptr;
  /// auto_functionalized: the operator that is called on copies, and how.
  const Operator *written = nullptr;
  Values (*onCopies)(const Operator &, ArgList, Values) = nullptr;
  /// It takes objects of custom classes, which may keep what they are given.
  bool takesObjects = false;
  /// call_torchbind: a method of an object.
  bool isMethod = false;
  /// with_effects: the first result is a token.
  bool hasToken = false;
  /// The higher-order operator that prints.
  bool prints = false;
  /// Its operator has no kernel for the device of its inputs.
  std::atomic<bool> onHost = false;
};

/// Parses the text of a call that passes `numInputs` tensors, as
/// fx/Runtime/fallback.h describes it. Throws where it is malformed or its
/// operator cannot be called; the text's address tells which model it is of.
std::shared_ptr<Prepared> parseCall(const char *text, size_t numInputs);

/// "sort_1: aten.sort.stable: what went wrong"
[[noreturn]] void throwAt(const Prepared &call, const std::exception &e);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_FALLBACKCALL_H
