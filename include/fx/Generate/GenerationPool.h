//===- GenerationPool.h - several generations at a time ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_GENERATE_GENERATIONPOOL_H
#define FX_GENERATE_GENERATIONPOOL_H

#include "fx/Generate/TextGenerator.h"

#include "llvm/Support/ThreadPool.h"

#include <deque>
#include <functional>
#include <mutex>

namespace fx {

/// What a pool generates. The functions are called on a thread of the pool.
struct GenerationRequest {
  std::vector<int64_t> prompt;
  int64_t maxNewTokens = 128;
  SamplingOptions sampling;
  std::vector<int64_t> stopTokens;
  std::vector<std::string> stopStrings;
  std::function<llvm::StringRef(int64_t id)> getBytes;
  std::function<bool(const GeneratedToken &token)> onToken;
  int64_t lookup = 0;
  /// Called in `step` or `cancel` when the request has ended; may be null. A
  /// request that is cancelled has the reason Stopped.
  std::function<void(llvm::Expected<GenerationResult> result)> onFinish;

  /// Returns options that refer to the request.
  GenerationOptions getOptions() const;
};

/// Runs several requests at a time, each in a slot: an instance of the model
/// with its own caches. Instances share the weights. Requests join and leave
/// between steps. The tokens of a request are those of a TextGenerator.
class GenerationPool {
public:
  /// `model` is not used after this call, but must outlive the pool. Up to
  /// `numThreads` slots run at the same time.
  static llvm::Expected<std::unique_ptr<GenerationPool>>
  create(const CompiledModel &model, size_t numSlots,
         const TextGeneratorOptions &options, unsigned numThreads = 1);
  ~GenerationPool();

  /// Adds a request, which starts when a slot is free. Returns its number. May
  /// be called on any thread, also by functions of requests.
  llvm::Expected<uint64_t> submit(GenerationRequest request);
  /// Ends a request at the next step. Returns false if it has ended before. May
  /// be called on any thread.
  bool cancel(uint64_t id);

  /// Lets requests start and end, and makes one call of a method for each one
  /// that runs. Returns the number of requests that have not ended. One thread
  /// at a time may call it.
  size_t step();

private:
  struct Request;
  struct Slot;

  GenerationPool(unsigned numThreads);
  void start(Slot &slot, std::unique_ptr<Request> request);
  void finish(Slot &slot);
  void startWaiting();

  std::vector<std::unique_ptr<Slot>> slots;
  llvm::DefaultThreadPool threads;

  /// Guards the members below.
  std::mutex lock;
  std::deque<std::unique_ptr<Request>> waiting;
  /// The requests in slots, by slot; null: none.
  std::vector<Request *> running;
  uint64_t numSubmitted = 0;
};

} // namespace fx

#endif // FX_GENERATE_GENERATIONPOOL_H
