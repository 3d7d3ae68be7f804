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

/// Returns true if LibTorch supports CUDA and has a device of this index.
bool hasCUDADevice(int index);

/// Returns the device of the first tensor that is not on the CPU, or
/// std::nullopt if all are on the CPU.
std::optional<c10::Device> getDevice(c10::ArrayRef<at::Tensor> tensors);

/// Makes a device the current one during the lifetime of the object. The
/// destructor waits for the device, so that the caller may free memory that the
/// device uses.
class DeviceScope {
public:
  explicit DeviceScope(std::optional<c10::Device> device)
      : device(device), guard(device) {}
  ~DeviceScope();
  /// Waits for the current stream of the device. Throws if work on it failed.
  void wait();

private:
  std::optional<c10::Device> device;
  c10::OptionalDeviceGuard guard;
};

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_FALLBACKDEVICE_H
