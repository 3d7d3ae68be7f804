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

/// The expected kind of a result.
struct Out {
  bool none = false;
  bool scalar = false;
  /// The number of a collective that has been started.
  bool work = false;
  c10::ScalarType dtype = c10::ScalarType::Float;
  int64_t rank = 0;
};

/// A parsed call.
struct Prepared {
  std::string text;
  /// The address of the text in the memory of the model.
  const void *address = nullptr;
  std::string target;
  std::string node;
  size_t numInputs = 0;
  CallArguments args;
  std::vector<Out> outs;
  std::optional<BoundCall> call;
  ScalarFunction scalar = nullptr;
  /// For auto_functionalized: the operator, and the function that calls it on
  /// copies.
  const Operator *written = nullptr;
  Values (*onCopies)(const Operator &, CallArguments, Values) = nullptr;
  /// Whether an argument is an object of a custom class. The object may keep
  /// references to the other arguments.
  bool takesObjects = false;
  /// Whether this is call_torchbind, which calls a method of an object.
  bool isMethod = false;
  /// Whether this is with_effects, whose first result is a token.
  bool hasToken = false;
  /// Whether the operator communicates with other processes.
  bool isCollective = false;
  /// For wait_tensor: the scalar that is the number of a collective.
  std::optional<size_t> work;
  /// Whether this is the higher-order operator `print`.
  bool prints = false;
  /// Set once the operator has failed for lack of a kernel on the device of its
  /// inputs. It then runs on the CPU.
  std::atomic<bool> onHost = false;
};

/// Parses the text of a call that passes `numInputs` tensors, as
/// fx/Runtime/fallback.h describes it. Throws if the text is malformed or the
/// operator cannot be called. The address of the text identifies the model.
std::shared_ptr<Prepared> parseCall(const char *text, size_t numInputs);

/// Throws the error `e` of a call as "sort_1: aten.sort.stable: message".
[[noreturn]] void throwAt(const Prepared &call, const std::exception &e);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_FALLBACKCALL_H
