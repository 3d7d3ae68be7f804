//===- FallbackGenerator.cpp - random numbers of the fallback -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled model has its own random generator, which native code and the
// fallback share. LibTorch's default generator takes over its state for the
// duration of a fallback call.
//
//===----------------------------------------------------------------------===//

#include "fx/Runtime/fallback.h"

#include <ATen/CPUGeneratorImpl.h>
#include <algorithm>
#include <mutex>

namespace {
/// Held from the begin of an exchange to its end, since all threads of the
/// process share LibTorch's generator.
std::mutex exchangeMutex;

FXGenerator get(at::CPUGeneratorImpl &torch) {
  at::mt19937_data_pod data = torch.engine().data();
  FXGenerator g = {};
  std::copy(data.state_.begin(), data.state_.end(), g.state);
  // LibTorch's `left_` is the number of unused words plus 1.
  g.next = FX_GENERATOR_WORDS + 1 - data.left_;
  if (std::optional<double> normal = torch.next_double_normal_sample()) {
    g.has_normal = 1;
    g.normal = *normal;
  }
  return g;
}

void set(at::CPUGeneratorImpl &torch, const FXGenerator &g) {
  at::mt19937_data_pod data = torch.engine().data();
  std::copy(std::begin(g.state), std::end(g.state), data.state_.begin());
  data.left_ = static_cast<int>(FX_GENERATOR_WORDS + 1 - g.next);
  data.next_ = g.next;
  data.seeded_ = true;
  at::mt19937 engine;
  engine.set_data(data);
  torch.set_engine(engine);
  torch.set_next_double_normal_sample(
      g.has_normal ? std::optional<double>(g.normal) : std::nullopt);
}
} // namespace

extern "C" __attribute__((visibility("default"))) void
fx_torch_exchange_generator(void *, FXGenerator *generator, int begin) {
  if (begin)
    exchangeMutex.lock();
  at::Generator torch = at::detail::getDefaultCPUGenerator();
  {
    std::lock_guard<std::mutex> lock(torch.mutex());
    auto *impl = at::check_generator<at::CPUGeneratorImpl>(torch);
    FXGenerator own = get(*impl);
    set(*impl, *generator);
    *generator = own;
  }
  if (!begin)
    exchangeMutex.unlock();
}
