//===- PassStatistic.cpp - what passes count ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <mutex>

using namespace fx;

namespace {
struct Counter {
  const char *description = nullptr;
  std::atomic<uint64_t> value = 0;
};

struct Counters {
  std::mutex mutex;
  /// The counters by pass and by name. Entries never move, so that pointers to
  /// them stay valid.
  std::map<std::string, std::map<std::string, Counter>> all;
};
} // namespace

static Counters &getCounters() {
  static Counters counters;
  return counters;
}

PassStatistic &PassStatistic::operator+=(uint64_t more) {
  if (more == 0)
    return *this;
  std::atomic<uint64_t> *counted = value.load(std::memory_order_acquire);
  if (!counted) {
    Counters &counters = getCounters();
    std::lock_guard lock(counters.mutex);
    llvm::StringRef pass = owner->getArgument();
    if (pass.empty())
      pass = owner->getName();
    Counter &counter = counters.all[pass.str()][name];
    counter.description = description;
    counted = &counter.value;
    value.store(counted, std::memory_order_release);
  }
  counted->fetch_add(more, std::memory_order_relaxed);
  return *this;
}

void fx::printPassStatistics(llvm::raw_ostream &os) {
  Counters &counters = getCounters();
  std::lock_guard lock(counters.mutex);
  for (const auto &[pass, statistics] : counters.all) {
    os << pass << "\n";
    for (const auto &[name, counter] : statistics)
      os << llvm::format("  (S) %6llu ",
                         (unsigned long long)counter.value.load())
         << name << " - " << counter.description << "\n";
  }
}
