//===- LimitedStore.h - a store whose calls end -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_DISTRIBUTED_LIMITEDSTORE_H
#define FX_LIB_INTERPRETER_DISTRIBUTED_LIMITEDSTORE_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace fx::interp {

/// Calls `fn` in a thread of its own, and throws `late` if it has not ended in
/// time. The thread goes on then, so `fn` must not refer to the caller's
/// variables.
template <typename Fn>
auto callWithin(std::chrono::milliseconds limit, Fn fn,
                const std::string &late) {
  using Result = decltype(fn());
  struct Call {
    std::packaged_task<Result()> task;
    std::mutex mutex;
    std::condition_variable ended;
    bool hasEnded = false;
  };
  auto call = std::make_shared<Call>();
  call->task = std::packaged_task<Result()>(std::move(fn));
  std::future<Result> result = call->task.get_future();
  std::thread([call] {
    call->task();
    std::lock_guard lock(call->mutex);
    call->hasEnded = true;
    call->ended.notify_one();
  }).detach();
  // std::future::wait_for, and waiting by the steady clock, need a newer
  // libstdc++ and glibc than wheels may expect.
  std::unique_lock lock(call->mutex);
  if (!call->ended.wait_until(lock, std::chrono::system_clock::now() + limit,
                              [&] { return call->hasEnded; }))
    throw std::runtime_error(late);
  return result.get();
}

/// A store of c10d whose calls end if its server does not answer: those of c10d
/// wait for ever. All calls throw `gone` then, and when the server is gone.
class LimitedStore {
public:
  LimitedStore(c10::intrusive_ptr<c10d::Store> store, std::string gone)
      : store(std::move(store)), gone(std::move(gone)) {}

  const c10::intrusive_ptr<c10d::Store> &get() const { return store; }

  bool has(const std::string &key);
  void set(const std::string &key, const std::string &value);
  std::string read(const std::string &key);
  int64_t add(const std::string &key, int64_t value);
  /// Sets the value if the key has none. Returns the value then.
  std::string setFirst(const std::string &key, const std::string &value);

private:
  template <typename Fn>
  auto call(Fn fn);

  c10::intrusive_ptr<c10d::Store> store;
  std::string gone;
  std::atomic<bool> isDead = false;
};

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_DISTRIBUTED_LIMITEDSTORE_H
