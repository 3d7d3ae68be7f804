//===- Exchange.cpp - DLPack's C exchange of Python tensors ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"

using namespace fx::python;

static constexpr const char *kTable = "__dlpack_c_exchange_api__";
/// kDLComplex.
static constexpr uint8_t kComplex = 5;

/// Returns the table in the dictionary of a type; null if there is none that
/// this code knows.
static const ExchangeTable *getTable(nb::handle type) {
  nb::object all = nb::getattr(type, "__dict__", nb::none());
  if (all.is_none() || !nb::cast<bool>(all.attr("__contains__")(kTable)))
    return nullptr;
  nb::object capsule = nb::getattr(type, kTable);
  auto *table = static_cast<const ExchangeTable *>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (!table)
    PyErr_Clear();
  if (!table || table->version.major != 1 || !table->describe ||
      !table->toObject)
    return nullptr;
  return table;
}

std::optional<Exchange> Exchange::find(nb::handle object) {
  // A process has few types of tensors. The last one is kept, and never freed:
  // another type could get its address.
  static nb::handle last;
  static const ExchangeTable *table = nullptr;
  nb::handle type = object.type();
  if (!last.is_valid() || type.ptr() != last.ptr()) {
    table = getTable(type);
    last = type;
    last.inc_ref();
  }
  if (!table)
    return std::nullopt;
  return Exchange(type, table);
}

bool Exchange::describe(nb::handle object, DLTensor &tensor) const {
  if (table->describe(object.ptr(), &tensor)) {
    PyErr_Clear(); // the caller finds the reason
    return false;
  }
  if (tensor.device.device_type != kDLCPU || tensor.dtype.code == kComplex)
    return false;
  // PyTorch negates the imaginary part of a conjugate lazily.
  nb::object isNegated = nb::getattr(object, "is_neg", nb::none());
  return isNegated.is_none() || !nb::cast<bool>(isNegated());
}

nb::object Exchange::take(DLManagedTensor *tensor) const {
  if (!tensor)
    return nb::none();
  auto *versioned = new VersionedTensor{
      {1, 0},
      tensor,
      [](VersionedTensor *self) {
        auto *managed = static_cast<DLManagedTensor *>(self->manager_ctx);
        if (managed->deleter)
          managed->deleter(managed);
        delete self;
      },
      /*flags=*/0,
      tensor->dl_tensor};
  void *object = nullptr;
  if (table->toObject(versioned, &object))
    throw nb::python_error();
  return nb::steal(static_cast<PyObject *>(object));
}
