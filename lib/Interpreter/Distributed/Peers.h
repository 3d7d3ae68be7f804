//===- Peers.h - the other processes of a session ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_DISTRIBUTED_PEERS_H
#define FX_LIB_INTERPRETER_DISTRIBUTED_PEERS_H

#include "LimitedStore.h"
#include "fx/Interpreter/Distributed.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace fx::interp {

/// What this process knows of the others through the store. Each process adds
/// to a number of its own several times a second, and the first failure is a
/// text in the store. So a process that has ended without a word is
/// distinguished from one that computes.
class Peers {
public:
  /// Opens the store, or connects to that of rank 0, and waits for all ranks.
  /// Throws an exception with one line if this fails.
  explicit Peers(const DistributedOptions &options);
  ~Peers() { *stops = true; }

  const c10::intrusive_ptr<c10d::Store> &getStore() const {
    return store->get();
  }
  /// Whether the address of the store is one of the loopback interface.
  bool isLocal() const;

  void set(const std::string &key, const std::string &value) {
    store->set(key, value);
  }
  std::string get(const std::string &key) { return store->read(key); }

  /// Waits until every rank has set KEY/RANK. Throws an exception that names
  /// the rank if one of them has failed or is gone, or, with a limit, if one
  /// has not set it in time: "rank 1 WHAT in 60 s".
  void waitForAll(const std::string &key, bool hasLimit,
                  const std::string &what);

  /// Returns the text of the first failure. If there is none, `own` becomes the
  /// first one, unless a rank is found to be gone.
  std::string reportFailure(const std::string &own);

  /// Makes `text` the first failure if there is none, and returns the first.
  std::string setFailure(const std::string &text);
  /// As above, if the store can be reached.
  void trySetFailure(const std::string &text);

  /// Keeps the store of rank 0 open until the others have read what they need,
  /// or for some seconds.
  void linger();

private:
  c10::intrusive_ptr<c10d::Store> connect(bool isServer);
  /// Returns the first failure; empty if there is none.
  std::string getFailure();
  std::vector<int64_t> getBeats();
  std::string describeStore() const;

  DistributedOptions options;
  std::unique_ptr<LimitedStore> store;
  /// Tells the thread to end. It may be blocked and outlive this object.
  std::shared_ptr<std::atomic<bool>> stops =
      std::make_shared<std::atomic<bool>>(false);
};

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_DISTRIBUTED_PEERS_H
