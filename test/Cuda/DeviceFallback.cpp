//===- DeviceFallback.cpp - a fallback that works on the GPU --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libFXTorch.so is where LibTorch has CUDA, as far as the run-time sees:
// it takes tensors of the emulated device and returns such, with gaps between
// their rows. It computes by the fallback of the host that FX_HOST_FALLBACK
// names, and ends the process where memory is passed that somebody still works
// on, or freed.
//
//===----------------------------------------------------------------------===//

#include "fx/Runtime/fallback.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace {
[[noreturn]] void die(const char *why) {
  fprintf(stderr, "device fallback: %s\n", why);
  _exit(2);
}

/// A function of a library, of the type that it is assigned to.
struct Symbol {
  template <typename Function>
  operator Function *() const {
    return reinterpret_cast<Function *>(address);
  }
  void *address;
};

Symbol find(const char *variable, const char *name) {
  const char *path = getenv(variable);
  void *library = path ? dlopen(path, RTLD_NOW) : nullptr;
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (!symbol)
    die((std::string(variable) + ": no " + name).c_str());
  return {symbol};
}
Symbol ofDriver(const char *name) { return find("FX_LIBCUDA", name); }

/// The emulated driver.
struct Driver {
  int (*isIdle)() = ofDriver("fx_fake_cuda_is_idle");
  int (*retain)(void **, int) = ofDriver("cuDevicePrimaryCtxRetain");
  int (*push)(void *) = ofDriver("cuCtxPushCurrent_v2");
  int (*pop)(void **) = ofDriver("cuCtxPopCurrent_v2");
  int (*allocate)(uint64_t *, size_t) = ofDriver("cuMemAlloc_v2");
  int (*release)(uint64_t) = ofDriver("cuMemFree_v2");
  int (*toDevice)(uint64_t, const void *, size_t,
                  void *) = ofDriver("cuMemcpyHtoDAsync_v2");
  int (*toHost)(void *, uint64_t, size_t,
                void *) = ofDriver("cuMemcpyDtoHAsync_v2");
  int (*wait)(void *) = ofDriver("cuStreamSynchronize");
};

/// Driver calls in the device's context; each must succeed.
class Session {
public:
  Session() {
    void *context;
    check(driver.retain(&context, 0));
    check(driver.push(context));
  }
  ~Session() {
    void *context;
    check(driver.pop(&context));
  }
  void check(int code) {
    if (code)
      die("a call of the driver failed");
  }
  void expectIdle(const char *what) {
    if (!driver.isIdle())
      die(what);
  }
  Driver *operator->() { return &driver; }

private:
  static Driver driver;
};
Driver Session::driver;

int64_t count(const DLTensor &t) {
  int64_t n = 1;
  for (int d = 0; d < t.ndim; ++d)
    n *= t.shape[d];
  return n;
}

/// A tensor of the device, freed with it.
struct Output {
  DLManagedTensor managed = {};
  std::vector<int64_t> shape, strides;
  uint64_t data = 0;
};
} // namespace

/// A copy on the host of all between the first and the last element.
static std::vector<char> fetch(Session &session, DLTensor &t) {
  int64_t size = t.dtype.bits / 8, first = 0, last = 0;
  t.device = {kDLCPU, 0};
  if (count(t) == 0)
    return {};
  for (int d = 0; d < t.ndim; ++d) {
    int64_t reach = (t.shape[d] - 1) * t.strides[d];
    (reach < 0 ? first : last) += reach;
  }
  std::vector<char> copy((last - first + 1) * size);
  session.check(session->toHost(copy.data(), (uint64_t)t.data + first * size,
                                copy.size(), nullptr));
  session.check(session->wait(nullptr));
  t.data = copy.data() - first * size;
  return copy;
}

/// The same tensor on the device, where rows begin 3 elements behind the end of
/// the last.
static DLManagedTensor *place(Session &session, DLManagedTensor *host) {
  const DLTensor &t = host->dl_tensor;
  int64_t size = t.dtype.bits / 8, columns = t.shape[t.ndim - 1];
  int64_t rows = columns ? count(t) / columns : 0, pitch = columns + 3;
  auto output = std::make_unique<Output>();
  output->shape.assign(t.shape, t.shape + t.ndim);
  output->strides.assign(t.ndim, 1);
  for (int d = t.ndim - 2, stride = pitch; d >= 0; stride *= t.shape[d--])
    output->strides[d] = stride;
  session.check(session->allocate(&output->data, rows * pitch * size + 1));
  for (int64_t r = 0; r < rows; ++r)
    session.check(session->toDevice(output->data + r * pitch * size,
                                    (const char *)t.data + t.byte_offset +
                                        r * columns * size,
                                    columns * size, nullptr));
  session.check(session->wait(nullptr));
  output->managed.dl_tensor = t;
  output->managed.dl_tensor.data = (void *)output->data;
  output->managed.dl_tensor.byte_offset = 0;
  output->managed.dl_tensor.device = {kDLCUDA, 0};
  output->managed.dl_tensor.shape = output->shape.data();
  output->managed.dl_tensor.strides = output->strides.data();
  output->managed.manager_ctx = output.get();
  output->managed.deleter = [](DLManagedTensor *self) {
    Session session;
    session.expectIdle("a result is freed that is still read");
    auto *output = static_cast<Output *>(self->manager_ctx);
    session.check(session->release(output->data));
    delete output;
  };
  host->deleter(host);
  return &output.release()->managed;
}

extern "C" int fx_torch_fallback_on_cuda(int device) { return device == 0; }

extern "C" int fx_torch_fallback(void *context, const char *json, int nInputs,
                                 const DLTensor *const *inputs, int nScalars,
                                 const FXScalar *scalars, int nOutputs,
                                 DLManagedTensor **outputs, char *error,
                                 size_t errorSize) {
  static FXFallbackFn onHost =
      find("FX_HOST_FALLBACK", FX_TORCH_FALLBACK_SYMBOL);
  Session session;
  session.expectIdle("an operand is passed that is still written");
  std::vector<DLTensor> tensors;
  std::vector<std::vector<char>> copies;
  for (int i = 0; i < nInputs; ++i) {
    tensors.push_back(*inputs[i]);
    if (inputs[i]->device.device_type != kDLCUDA)
      die("expected an operand on the device");
    copies.push_back(fetch(session, tensors.back()));
  }
  std::vector<const DLTensor *> pointers;
  for (const DLTensor &t : tensors)
    pointers.push_back(&t);
  int code = onHost(context, json, nInputs, pointers.data(), nScalars, scalars,
                    nOutputs, outputs, error, errorSize);
  // Numbers, which are 0-d, stay on the host.
  for (int i = 0; i < nOutputs; ++i)
    if (outputs[i] && outputs[i]->dl_tensor.ndim > 0)
      outputs[i] = place(session, outputs[i]);
  return code;
}
