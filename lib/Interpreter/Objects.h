//===- Objects.h - objects of custom classes --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may hold objects of C++ classes that a library registers with
// torch (`torch.classes.…`). An archive has them as LibTorch's own pickles,
// which LibTorch reads without Python: they can name registered classes and
// nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_OBJECTS_H
#define FX_LIB_INTERPRETER_OBJECTS_H

#include "Arguments.h"
#include <string_view>

namespace fx::interp {

/// The object that `bytes` describe, a new one with each call. Throws where its
/// class is not registered.
c10::IValue loadObject(std::string_view bytes, const std::string &className);

/// The object `name` of a compiled model, which all of its calls share: made
/// with the first that asks. `address` is in the model's memory; models of one
/// library share their objects.
c10::IValue getSharedObject(const void *address, const std::string &name,
                            std::string_view bytes,
                            const std::string &className);

/// Whether the target is the call of a method; as the argument of another
/// operator it has the prefix.
inline bool isCallTorchbind(const std::string &target) {
  return target == "call_torchbind" || target == "higher_order.call_torchbind";
}

/// call_torchbind(object, "method", *args, **kwargs): what the method returns.
Values callTorchbind(const ArgList &args, const Values &values);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_OBJECTS_H
