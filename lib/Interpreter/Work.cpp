//===- Work.cpp - collectives in progress ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Work.h"
#include <ATen/core/dispatch/Dispatcher.h>
#include <mutex>
#include <unordered_map>

namespace fx::interp {

namespace {
struct Kept {
  std::mutex mutex;
  std::unordered_map<int64_t, at::Tensor> tensors;
  int64_t last = 0;
};
} // namespace

/// Never destroyed: tensors of a run that failed may outlive LibTorch's own
/// objects at the end of the process.
static Kept &getKept() {
  static Kept *kept = new Kept;
  return *kept;
}

int64_t keepWork(at::Tensor tensor) {
  Kept &kept = getKept();
  std::lock_guard<std::mutex> lock(kept.mutex);
  kept.tensors.emplace(++kept.last, std::move(tensor));
  return kept.last;
}

at::Tensor waitTensor(const at::Tensor &tensor) {
  static auto op = c10::Dispatcher::singleton()
                       .findSchemaOrThrow("_c10d_functional::wait_tensor", "")
                       .typed<at::Tensor(const at::Tensor &)>();
  return op.call(tensor);
}

at::Tensor takeWork(int64_t number) {
  Kept &kept = getKept();
  at::Tensor tensor;
  {
    std::lock_guard<std::mutex> lock(kept.mutex);
    auto it = kept.tensors.find(number);
    if (it == kept.tensors.end())
      throw std::runtime_error("expected the number of a collective, got " +
                               std::to_string(number));
    tensor = std::move(it->second);
    kept.tensors.erase(it);
  }
  return waitTensor(tensor);
}

} // namespace fx::interp
