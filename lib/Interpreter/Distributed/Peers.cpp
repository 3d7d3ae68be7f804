//===- Peers.cpp - the other processes of a session -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peers.h"
#include "../TorchBoundary.h"
#include "fx/Support/LocatedError.h"
#include <sstream>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace fx::interp {

/// How often a process adds to its number, and after which time without a
/// change it is taken to be gone.
static constexpr auto kBeat = 250ms, kSilence = 3000ms;
static constexpr auto kPoll = 20ms;

static std::chrono::milliseconds toDuration(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

/// Returns "60 s".
static std::string toText(double seconds) {
  std::ostringstream os;
  os << seconds << " s";
  return os.str();
}

std::string Peers::describeStore() const {
  return options.address + ":" + std::to_string(options.port);
}

bool Peers::isLocal() const {
  return options.address == "localhost" || options.address == "::1" ||
         options.address.rfind("127.", 0) == 0;
}

c10::intrusive_ptr<c10d::Store> Peers::connect(bool isServer) {
  c10d::TCPStoreOptions store;
  store.port = static_cast<uint16_t>(options.port);
  store.isServer = isServer;
  store.waitWorkers = false;
  store.timeout = toDuration(options.timeout);
  std::string late = "cannot reach the store of rank 0 at " + describeStore() +
                     " in " + toText(options.timeout);
  try {
    // What answers at the port may be another program.
    auto tcp = callWithin(
        store.timeout,
        [address = options.address, store] {
          return c10::make_intrusive<c10d::TCPStore>(address, store);
        },
        late);
    return c10::make_intrusive<c10d::PrefixStore>(options.prefix, tcp);
  } catch (const std::exception &e) {
    std::string why = toOneLine(getMessage(e));
    if (why.find("EADDRINUSE") != std::string::npos)
      throw std::runtime_error("port " + std::to_string(options.port) +
                               " (MASTER_PORT) is in use by another process");
    if (isServer)
      throw std::runtime_error("cannot open the store at " + describeStore() +
                               ": " + why);
    throw std::runtime_error(late);
  }
}

Peers::Peers(const DistributedOptions &given) : options(given) {
  bool isServer = options.rank == 0 && !options.hasStore;
  store = std::make_unique<LimitedStore>(
      connect(isServer),
      (options.hasStore ? "the launcher" : "rank 0") +
          (", which has the store at " + describeStore() + ", is gone"));
  // A connection of its own: the other one is blocked while it waits.
  c10::intrusive_ptr<c10d::Store> beats = connect(false);
  std::string key = "beat/" + std::to_string(options.rank);
  std::thread([stops = stops, beats, key] {
    try {
      while (!*stops) {
        beats->add(key, 1);
        for (auto end = Clock::now() + kBeat; !*stops && Clock::now() < end;)
          std::this_thread::sleep_for(kPoll);
      }
    } catch (const std::exception &) {
      // The store is gone; the main thread notices when it uses it.
    }
  }).detach();
  try {
    set("joined/" + std::to_string(options.rank), "1");
    waitForAll("joined", /*hasLimit=*/true, "has not joined");
  } catch (...) {
    linger();
    *stops = true;
    throw;
  }
}

std::string Peers::getFailure() {
  return store->has("failure") ? get("failure") : "";
}

std::string Peers::setFailure(const std::string &text) {
  return store->setFirst("failure", text);
}

void Peers::trySetFailure(const std::string &text) {
  try {
    setFailure(text);
  } catch (const std::exception &) {
    // Nobody reads it.
  }
}

std::vector<int64_t> Peers::getBeats() {
  std::vector<int64_t> beats;
  for (int rank = 0; rank < options.worldSize; ++rank)
    beats.push_back(store->add("beat/" + std::to_string(rank), 0));
  return beats;
}

void Peers::waitForAll(const std::string &key, bool hasLimit,
                       const std::string &what) {
  auto start = Clock::now(), since = start;
  std::vector<int64_t> beats;
  int missing = 0;
  while (true) {
    while (missing < options.worldSize &&
           store->has(key + "/" + std::to_string(missing)))
      ++missing;
    if (missing == options.worldSize)
      return;
    if (std::string failure = getFailure(); !failure.empty())
      throw std::runtime_error(failure);
    auto now = Clock::now();
    if (hasLimit && now - start > toDuration(options.timeout))
      throw std::runtime_error(setFailure("rank " + std::to_string(missing) +
                                          " " + what + " in " +
                                          toText(options.timeout)));
    // A rank that has never been there may still start.
    if (!hasLimit && (beats.empty() || now - since > kSilence)) {
      std::vector<int64_t> next = getBeats();
      if (!beats.empty() && next[missing] == beats[missing])
        throw std::runtime_error(
            setFailure("rank " + std::to_string(missing) + " is gone"));
      beats = std::move(next);
      since = now;
    }
    std::this_thread::sleep_for(kPoll);
  }
}

std::string Peers::reportFailure(const std::string &own) {
  try {
    if (std::string failure = getFailure(); !failure.empty())
      return failure;
    std::vector<int64_t> beats = getBeats();
    for (auto end = Clock::now() + kSilence; Clock::now() < end;) {
      std::this_thread::sleep_for(kPoll);
      if (std::string failure = getFailure(); !failure.empty())
        return failure;
    }
    std::vector<int64_t> next = getBeats();
    for (int rank = 0; rank < options.worldSize; ++rank)
      if (rank != options.rank && beats[rank] == next[rank])
        return setFailure("rank " + std::to_string(rank) + " is gone");
    return setFailure(own);
  } catch (const std::exception &e) {
    return options.rank == 0 && !options.hasStore ? own : e.what();
  }
}

void Peers::linger() {
  try {
    set("seen/" + std::to_string(options.rank), "1");
    if (options.rank != 0 || options.hasStore)
      return;
    for (auto end = Clock::now() + kSilence; Clock::now() < end;) {
      bool allSeen = true;
      for (int rank = 0; allSeen && rank < options.worldSize; ++rank)
        allSeen = store->has("seen/" + std::to_string(rank));
      if (allSeen)
        return;
      std::this_thread::sleep_for(kPoll);
    }
  } catch (const std::exception &) {
    // There is nobody to wait for.
  }
}

} // namespace fx::interp
