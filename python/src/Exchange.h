//===- Exchange.h - DLPack's C exchange of Python tensors -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of tensors of some frameworks (PyTorch from 2.10 on) have a table
// of C functions, `__dlpack_c_exchange_api__`, that describe a tensor and make
// one without a capsule (https://dmlc.github.io/dlpack/latest/c_api.html). The
// declarations here are those of DLPack 1.2.
//
//===----------------------------------------------------------------------===//

#ifndef FX_PYTHON_EXCHANGE_H
#define FX_PYTHON_EXCHANGE_H

#include "Bindings.h"

#include <optional>

namespace fx::python {

/// DLManagedTensorVersioned of DLPack 1.x.
struct VersionedTensor {
  struct {
    uint32_t major, minor;
  } version;
  void *manager_ctx;
  void (*deleter)(VersionedTensor *self);
  uint64_t flags;
  DLTensor dl_tensor;
};

/// DLPackExchangeAPI of DLPack 1.2 and later 1.x.
struct ExchangeTable {
  struct {
    uint32_t major, minor;
  } version;
  const void *previous;
  void *allocate, *fromObject;
  int (*toObject)(VersionedTensor *tensor, void **object);
  int (*describe)(void *object, DLTensor *tensor);
  void *currentStream;
};

/// The exchange with the tensors of one type.
class Exchange {
public:
  /// Returns the exchange for `object` if its type itself has the table: a type
  /// that inherits it may be more than a plain tensor. Otherwise nullopt.
  static std::optional<Exchange> find(nb::handle object);
  bool isOf(nb::handle object) const {
    return object.type().ptr() == type.ptr();
  }
  /// Describes a tensor in the CPU's memory, for as long as it exists and its
  /// sizes are not changed. Returns false for all others, also for views that
  /// PyTorch conjugates or negates lazily.
  bool describe(nb::handle object, DLTensor &tensor) const;
  /// Makes a tensor that owns `tensor`; None for null.
  nb::object take(DLManagedTensor *tensor) const;

private:
  Exchange(nb::handle type, const ExchangeTable *table)
      : type(type), table(table) {}
  nb::handle type;
  const ExchangeTable *table;
};

} // namespace fx::python

#endif // FX_PYTHON_EXCHANGE_H
