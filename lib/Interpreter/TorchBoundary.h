//===- TorchBoundary.h - between LibTorch's types and ours ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_TORCHBOUNDARY_H
#define FX_LIB_INTERPRETER_TORCHBOUNDARY_H

#include "Arguments.h"
#include "fx/Support/HostTensor.h"
#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

namespace fx::interp {

/// The exception for an error at a node or an input; `where` may be empty.
struct LocatedException : std::runtime_error {
  LocatedException(std::string where, const std::string &message)
      : std::runtime_error(message), where(std::move(where)) {}
  std::string where;
};

c10::ScalarType toScalarType(DType dtype);
/// Throws on dtypes that fx-mlir does not support.
DType fromScalarType(c10::ScalarType type);

/// Returns a copy of a host tensor, since a run may write to its inputs.
at::Tensor toTensor(const HostTensor &tensor);
/// Returns a contiguous copy on the host. Throws if the tensor is undefined or
/// not strided.
HostTensor fromTensor(const at::Tensor &tensor);
/// Converts tensors and Python numbers. Returns std::nullopt for None, str and
/// all other values.
HostValue fromIValue(const c10::IValue &value);

/// Suppresses LibTorch's warnings on its thread during its lifetime.
class SilenceWarnings {
public:
  SilenceWarnings();
  ~SilenceWarnings();
  SilenceWarnings(const SilenceWarnings &) = delete;
  SilenceWarnings &operator=(const SilenceWarnings &) = delete;

private:
  c10::WarningHandler *previous;
};

/// Returns the message of an exception without LibTorch's C++ stack.
std::string getMessage(const std::exception &e);

/// Converts an argument attribute of the fx dialect. Numbers its values from
/// `nextValue` on and updates it. `getGraph` returns the subgraph of a value,
/// or null.
ArgumentPlan
toArgumentPlan(mlir::Attribute attr, int64_t &nextValue,
               const std::function<const GraphPlan *(int64_t)> &getGraph);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_TORCHBOUNDARY_H
