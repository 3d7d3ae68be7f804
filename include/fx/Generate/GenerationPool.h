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

class SlotBatch;

/// Runs several requests at a time, each in a slot. Requests join and leave
/// between steps. The tokens of a request are those of a TextGenerator.
///
/// A slot is an instance of the model with its own caches; instances share the
/// weights. If the model has the methods
///
///   decode_slots(input_ids[B, 1], cache_position[B]) -> logits[B, V]
///   join(slot[1])
///
/// then all slots, up to B, belong to one instance, and one call of
/// `decode_slots` decodes a token of each: it reads the weights once. Entry i
/// of `cache_position` is the position in slot i. Prompts run one after the
/// other, by `prefill` and `decode`, and `join` copies their caches to a slot.
/// A prompt begins with what it has in common with the one before. Prompt
/// lookup is not used.
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
  /// that runs, or one call for all and one for a prompt. Returns the number of
  /// requests that have not ended. One thread at a time may call it.
  size_t step();

private:
  struct Request;
  struct Slot;

  GenerationPool(unsigned numThreads);
  void start(Slot &slot, std::unique_ptr<Request> request);
  void finish(Slot &slot);
  void startWaiting();
  void runSlots();
  void runBatch();
  void fill();
  void decodeBatch();
  void endFilling(Slot &slot);

  std::vector<std::unique_ptr<Slot>> slots;
  llvm::DefaultThreadPool threads;

  /// Null if each slot has an instance.
  std::unique_ptr<SlotBatch> batch;
  /// The slot whose prompt is being run, and the tokens that the caches of a
  /// single sequence have. After an error they may have NaN, and are reset when
  /// no slot runs.
  Slot *filling = nullptr;
  std::vector<int64_t> filled;
  bool isSpoiled = false;

  /// Guards the members below.
  std::mutex lock;
  std::deque<std::unique_ptr<Request>> waiting;
  /// The requests in slots, by slot; null: none.
  std::vector<Request *> running;
  uint64_t numSubmitted = 0;
};

} // namespace fx

#endif // FX_GENERATE_GENERATIONPOOL_H
