//===- Arrays.cpp - NumPy arrays without capsules -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include <nanobind/ndarray.h>

#include <cstring>
#include <optional>

using namespace fx::python;

bool fx::python::isArray(nb::handle object) {
  // The type is kept, and never freed.
  static nb::handle array;
  if (!array.is_valid()) {
    nb::handle numpy =
        PyDict_GetItemString(PyImport_GetModuleDict(), "numpy"); // borrowed
    nb::object type = numpy.is_valid()
                          ? nb::getattr(numpy, "ndarray", nb::none())
                          : nb::none();
    if (type.is_none())
      return false;
    array = type.release();
  }
  return object.type().ptr() == array.ptr();
}

/// Returns the dtype of a format of Python's module struct, in the byte order
/// of this machine.
static std::optional<DLDataType> getDtype(const char *format, size_t size) {
  auto make = [&](int code) {
    return DLDataType{uint8_t(code), uint8_t(8 * size), 1};
  };
  if (*format == '<' || *format == '=' || *format == '@')
    ++format;
  bool isComplex = *format == 'Z';
  char type = format[isComplex];
  if (!type || format[isComplex + 1])
    return std::nullopt;
  if (isComplex)
    return strchr("fd", type) ? std::optional(make(kDLComplex)) : std::nullopt;
  if (type == '?')
    return make(kDLBool);
  if (strchr("efd", type))
    return make(kDLFloat);
  if (strchr("bhilq", type))
    return make(kDLInt);
  if (strchr("BHILQ", type))
    return make(kDLUInt);
  return std::nullopt;
}

ArrayInput::~ArrayInput() {
  if (view.obj)
    PyBuffer_Release(&view);
}

bool ArrayInput::set(nb::handle array, bool isMutated) {
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_RECORDS_RO)) {
    PyErr_Clear(); // the caller finds the reason
    return false;
  }
  std::optional<DLDataType> dtype = getDtype(view.format, view.itemsize);
  if (!dtype || (isMutated && view.readonly))
    return false;
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  for (int d = 0; d < view.ndim; ++d) {
    if (view.strides[d] % view.itemsize)
      return false;
    strides.push_back(view.strides[d] / view.itemsize);
  }
  tensor.data = view.buf;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = view.ndim;
  tensor.dtype = *dtype;
  tensor.shape = reinterpret_cast<int64_t *>(view.shape);
  tensor.strides = strides.data();
  return true;
}

bool fx::python::hasArrays(DLDataType dtype) {
  switch (dtype.code) {
  case kDLBool:
  case kDLInt:
  case kDLUInt:
    return dtype.bits >= 8;
  case kDLFloat:
    return dtype.bits >= 16;
  case kDLComplex:
    return dtype.bits >= 64;
  default:
    return false;
  }
}

nb::object fx::python::takeArray(DLManagedTensor *tensor) {
  if (!tensor)
    return nb::none();
  nb::capsule owner(tensor, [](void *self) noexcept {
    auto *managed = static_cast<DLManagedTensor *>(self);
    if (managed->deleter)
      managed->deleter(managed);
  });
  const DLTensor &t = tensor->dl_tensor;
  std::vector<size_t> sizes(t.shape, t.shape + t.ndim);
  return nb::cast(
      nb::ndarray<nb::numpy>(static_cast<char *>(t.data) + t.byte_offset,
                             t.ndim, sizes.data(), owner, t.strides,
                             nb::dlpack::dtype{t.dtype.code, t.dtype.bits, 1}),
      nb::rv_policy::reference);
}
