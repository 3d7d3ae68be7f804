//===- FallbackDevice.cpp - ATen on a GPU, where it has one ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here needs CUDA's headers or a LibTorch that was built for it:
// devices are asked through c10's table of them.
//
//===----------------------------------------------------------------------===//

#include "FallbackDevice.h"
#include "fx/Runtime/fallback.h"
#include <dlfcn.h>

using c10::DeviceType;

namespace fx::interp {

bool hasCUDADevice(int index) {
  // We link what every LibTorch has. This one registers CUDA when it is loaded,
  // which Python has done where torch is imported.
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
  // On the way of an exception, which says more than another one.
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
