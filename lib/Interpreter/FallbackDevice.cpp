//===- FallbackDevice.cpp - ATen on a GPU, where it has one ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file needs neither CUDA's headers nor a LibTorch that is built for CUDA:
// it accesses devices through c10's table of device guards.
//
//===----------------------------------------------------------------------===//

#include "FallbackDevice.h"
#include "fx/Runtime/fallback.h"
#include <dlfcn.h>

using c10::DeviceType;

namespace fx::interp {

bool hasCUDADevice(int index) {
  // We link only libraries that every LibTorch has. libtorch_cuda.so registers
  // CUDA when it is loaded; in a Python process, `import torch` has loaded it.
  static const bool isLoaded = [] {
    if (!c10::impl::hasDeviceGuardImpl(DeviceType::CUDA))
      ::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return c10::impl::hasDeviceGuardImpl(DeviceType::CUDA);
  }();
  return isLoaded && index >= 0 &&
         index < c10::impl::getDeviceGuardImpl(DeviceType::CUDA)->deviceCount();
}

std::optional<c10::Device> getDevice(c10::ArrayRef<at::Tensor> tensors) {
  for (const at::Tensor &t : tensors)
    if (!t.is_cpu())
      return t.device();
  return std::nullopt;
}

void DeviceScope::wait() {
  if (!device)
    return;
  c10::Device which = *device;
  device.reset();
  c10::impl::getDeviceGuardImpl(which.type())->getStream(which).synchronize();
}

DeviceScope::~DeviceScope() {
  // During stack unwinding, the exception in flight tells more than an error of
  // wait().
  try {
    wait();
  } catch (const std::exception &) {
  }
}

} // namespace fx::interp

extern "C" __attribute__((visibility("default"))) int
fx_torch_fallback_on_cuda(int device) {
  try {
    return fx::interp::hasCUDADevice(device);
  } catch (const std::exception &) {
    return 0;
  }
}
