//===- LimitedStore.cpp - a store whose calls end -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LimitedStore.h"

namespace fx::interp {

/// The server of a store answers in milliseconds, unless its process is stopped
/// or its host is gone.
static constexpr std::chrono::seconds kLimit(15);

static std::vector<uint8_t> toBytes(const std::string &text) {
  return std::vector<uint8_t>(text.begin(), text.end());
}

static std::string toText(const std::vector<uint8_t> &bytes) {
  return std::string(bytes.begin(), bytes.end());
}

template <typename Fn>
auto LimitedStore::call(Fn fn) {
  if (isDead)
    throw std::runtime_error(gone);
  try {
    return callWithin(kLimit, [store = store, fn] { return fn(*store); }, gone);
  } catch (const std::exception &) {
    isDead = true;
    throw std::runtime_error(gone);
  }
}

bool LimitedStore::has(const std::string &key) {
  return call([key](c10d::Store &store) { return store.check({key}); });
}

void LimitedStore::set(const std::string &key, const std::string &value) {
  call([key, value](c10d::Store &store) { store.set(key, toBytes(value)); });
}

std::string LimitedStore::read(const std::string &key) {
  return toText(call([key](c10d::Store &store) { return store.get(key); }));
}

int64_t LimitedStore::add(const std::string &key, int64_t value) {
  return call(
      [key, value](c10d::Store &store) { return store.add(key, value); });
}

std::string LimitedStore::setFirst(const std::string &key,
                                   const std::string &value) {
  return toText(call([key, value](c10d::Store &store) {
    return store.compareSet(key, std::vector<uint8_t>(), toBytes(value));
  }));
}

} // namespace fx::interp
