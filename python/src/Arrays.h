//===- Arrays.h - NumPy arrays without capsules -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NumPy's arrays come by Python's buffer protocol and go by nanobind's arrays,
// which take a fraction of the time of DLPack's capsules.
//
//===----------------------------------------------------------------------===//

#ifndef FX_PYTHON_ARRAYS_H
#define FX_PYTHON_ARRAYS_H

#include "Bindings.h"

namespace fx::python {

/// Returns true if `object` is a plain array of NumPy. Does not import NumPy.
bool isArray(nb::handle object);

/// An array while a model reads it.
class ArrayInput {
public:
  ArrayInput() = default;
  ArrayInput(const ArrayInput &) = delete;
  ~ArrayInput();
  /// Describes the array. Returns false if the buffer protocol or DLPack
  /// cannot, or if `isMutated` and the array is read-only.
  bool set(nb::handle array, bool isMutated);

  DLTensor tensor = {};

private:
  Py_buffer view = {};
  std::vector<int64_t> strides;
};

/// Returns true if NumPy has the dtype.
bool hasArrays(DLDataType dtype);

/// Makes an array that owns `tensor`, whose dtype NumPy has; None for null.
nb::object takeArray(DLManagedTensor *tensor);

} // namespace fx::python

#endif // FX_PYTHON_ARRAYS_H
