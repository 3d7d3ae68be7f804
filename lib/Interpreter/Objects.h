//===- Objects.h - objects of custom classes --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may contain objects of C++ classes that a library registers with
// PyTorch (`torch.classes.…`). An archive stores them as pickles of LibTorch's
// own format. LibTorch reads them without Python; they can only refer to
// registered classes.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_OBJECTS_H
#define FX_LIB_INTERPRETER_OBJECTS_H

#include "Arguments.h"
#include <string_view>

namespace fx::interp {

/// Creates a new object from the pickle `bytes`. Throws if its class is not
/// registered.
c10::IValue loadObject(std::string_view bytes, const std::string &className);

/// Returns the object `name` of a compiled model, which all calls of the model
/// share. The first call creates it. `address` is an address in the library of
/// the model; models of one library share their objects.
c10::IValue getSharedObject(const void *address, const std::string &name,
                            std::string_view bytes,
                            const std::string &className);

/// Returns true if the target calls a method of an object. The target has the
/// prefix `higher_order.` if it is the argument of another operator.
inline bool isCallTorchbind(const std::string &target) {
  return target == "call_torchbind" || target == "higher_order.call_torchbind";
}

/// Runs call_torchbind(object, "method", *args, **kwargs). Returns the results
/// of the method.
Values callTorchbind(const CallArguments &args, const Values &values);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_OBJECTS_H
