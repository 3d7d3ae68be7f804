//===- FallbackDevice.h - ATen on a GPU, where it has one -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_FALLBACKDEVICE_H
#define FX_LIB_INTERPRETER_FALLBACKDEVICE_H

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

namespace fx::interp {

/// Whether LibTorch has CUDA, and a device of this number.
bool hasCUDADevice(int index);

/// The device that the tensors of a call are on: of the first that is not on
/// the host, if there is one.
std::optional<c10::Device> getDevice(c10::ArrayRef<at::Tensor> tensors);

/// Makes a device the current one while it lives. What was started on it is
/// over by then: the caller's memory may be freed.
class DeviceScope {
public:
  explicit DeviceScope(std::optional<c10::Device> device)
      : device(device), guard(device) {}
  ~DeviceScope();
  /// Waits for the device. Throws where something failed there.
  void wait();

private:
  std::optional<c10::Device> device;
  c10::OptionalDeviceGuard guard;
};

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_FALLBACKDEVICE_H
