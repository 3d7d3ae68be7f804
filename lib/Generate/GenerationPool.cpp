//===- GenerationPool.cpp - several generations at a time -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Generate/GenerationPool.h"
#include "Generation.h"
#include "SlotBatch.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <optional>

using namespace fx;

GenerationOptions GenerationRequest::getOptions() const {
  GenerationOptions options;
  options.maxNewTokens = maxNewTokens;
  options.sampling = sampling;
  options.stopTokens = stopTokens;
  options.stopStrings = stopStrings;
  if (getBytes)
    options.getBytes = getBytes;
  if (onToken)
    options.onToken = onToken;
  options.lookup = lookup;
  return options;
}

struct GenerationPool::Request {
  uint64_t id = 0;
  GenerationRequest request;
  /// Refers to `request`.
  GenerationOptions options;
  std::atomic<bool> isCancelled = false;

  void finish(llvm::Expected<GenerationResult> result) {
    if (request.onFinish)
      request.onFinish(std::move(result));
    else
      llvm::consumeError(result.takeError());
  }
};

struct GenerationPool::Slot {
  std::unique_ptr<CompiledModel> model;
  std::unique_ptr<TextGenerator> generator;
  std::unique_ptr<Request> request;
  std::optional<Generation> generation;
  /// With a batch: the slot has the caches of its sequence.
  bool isJoined = false;
  /// The result of the last step.
  bool goesOn = false;
  std::string error;
};

GenerationPool::GenerationPool(unsigned numThreads)
    : threads(llvm::hardware_concurrency(numThreads)) {}

GenerationPool::~GenerationPool() = default;

llvm::Expected<std::unique_ptr<GenerationPool>>
GenerationPool::create(const CompiledModel &model, size_t numSlots,
                       const TextGeneratorOptions &options,
                       unsigned numThreads) {
  if (numSlots == 0)
    return llvm::createStringError("slots: expected at least 1, got 0");
  std::unique_ptr<GenerationPool> pool(new GenerationPool(numThreads));
  if (llvm::Error e =
          SlotBatch::create(model, numSlots, options).moveInto(pool->batch))
    return e;
  for (size_t i = 0; i < numSlots; ++i) {
    auto slot = std::make_unique<Slot>();
    if (!pool->batch)
      if (llvm::Error e = model.createInstance().moveInto(slot->model))
        return e;
    CompiledModel &own = pool->batch ? pool->batch->getModel() : *slot->model;
    if (llvm::Error e =
            TextGenerator::create(own, options).moveInto(slot->generator))
      return e;
    pool->slots.push_back(std::move(slot));
  }
  pool->running.resize(numSlots);
  return pool;
}

llvm::Expected<uint64_t> GenerationPool::submit(GenerationRequest given) {
  auto request = std::make_unique<Request>();
  request->request = std::move(given);
  request->options = request->request.getOptions();
  // All generators accept the same requests.
  if (llvm::Error e = slots[0]->generator->checkRequest(request->request.prompt,
                                                        request->options))
    return e;
  std::lock_guard<std::mutex> guard(lock);
  request->id = numSubmitted++;
  waiting.push_back(std::move(request));
  return numSubmitted - 1;
}

bool GenerationPool::cancel(uint64_t id) {
  std::lock_guard<std::mutex> guard(lock);
  auto cancelIn = [&](Request *request) {
    if (!request || request->id != id)
      return false;
    request->isCancelled = true;
    return true;
  };
  return llvm::any_of(running, cancelIn) ||
         llvm::any_of(waiting, [&](const std::unique_ptr<Request> &request) {
           return cancelIn(request.get());
         });
}

void GenerationPool::start(Slot &slot, std::unique_ptr<Request> request) {
  // Checked by `submit`.
  llvm::cantFail(slot.generator->setTokens(request->request.prompt));
  slot.request = std::move(request);
  slot.generation.emplace(*slot.generator, slot.request->options);
  slot.goesOn = true;
}

/// Ends the request of a slot.
void GenerationPool::finish(Slot &slot) {
  llvm::Expected<GenerationResult> result = slot.generation->takeResult();
  if (!slot.error.empty()) {
    result = llvm::createStringError(slot.error);
    // The caches may have NaN.
    if (!batch)
      slot.generator->reset();
    slot.error.clear();
  } else if (slot.goesOn) {
    result->reason = FinishReason::Stopped;
  }
  slot.generation.reset();
  slot.isJoined = false;
  slot.request->finish(std::move(result));
  slot.request.reset();
}

/// Starts waiting requests in free slots: each in the slot whose sequence
/// begins as its prompt does, so that fewer tokens are run.
void GenerationPool::startWaiting() {
  while (true) {
    std::unique_ptr<Request> request;
    Slot *best = nullptr;
    {
      std::lock_guard<std::mutex> guard(lock);
      if (waiting.empty())
        return;
      llvm::ArrayRef<int64_t> prompt = waiting.front()->request.prompt;
      size_t longest = 0, index = 0;
      for (auto [i, slot] : llvm::enumerate(slots)) {
        if (slot->request)
          continue;
        size_t common = slot->generator->countCommon(prompt);
        if (best && common <= longest)
          continue;
        best = slot.get();
        longest = common;
        index = i;
      }
      // Requests that were cancelled need no slot.
      if (!best && !waiting.front()->isCancelled)
        return;
      request = std::move(waiting.front());
      waiting.pop_front();
      if (!request->isCancelled)
        running[index] = request.get();
    }
    if (!request->isCancelled) {
      start(*best, std::move(request));
      continue;
    }
    GenerationResult result;
    result.reason = FinishReason::Stopped;
    request->finish(std::move(result));
  }
}

/// Makes a call for each slot.
void GenerationPool::runSlots() {
  auto runSlot = [](Slot &slot) {
    if (slot.request->isCancelled)
      return;
    llvm::Expected<bool> goesOn = slot.generation->step();
    slot.goesOn = goesOn && *goesOn;
    if (!goesOn)
      slot.error = llvm::toString(goesOn.takeError());
  };
  llvm::SmallVector<Slot *> active;
  for (std::unique_ptr<Slot> &slot : slots)
    if (slot->request)
      active.push_back(slot.get());
  if (threads.getMaxConcurrency() > 1 && active.size() > 1) {
    for (Slot *slot : active)
      threads.async([&runSlot, slot] { runSlot(*slot); });
    threads.wait();
  } else {
    llvm::for_each(active, [&](Slot *slot) { runSlot(*slot); });
  }
}

/// Notes what the caches of a single sequence have.
void GenerationPool::endFilling(Slot &slot) {
  llvm::ArrayRef<int64_t> tokens = slot.generator->getTokens();
  filled = tokens.take_front(slot.generator->numCached).vec();
  filling = nullptr;
}

/// Runs the next part of a prompt. When it has been run, its first token is
/// chosen and its caches are copied to the slot.
void GenerationPool::fill() {
  if (filling && filling->request->isCancelled)
    endFilling(*filling);
  bool isIdle = llvm::none_of(
      slots, [](const std::unique_ptr<Slot> &slot) { return slot->isJoined; });
  if (isSpoiled && isIdle) {
    batch->reset();
    filled.clear();
    isSpoiled = false;
  }
  if (!filling && !isSpoiled)
    for (std::unique_ptr<Slot> &slot : slots)
      if (!filling && slot->request && !slot->isJoined &&
          !slot->request->isCancelled) {
        filling = slot.get();
        slot->generator->numCached = slot->generator->countCommon(filled);
      }
  if (!filling)
    return;
  Slot &slot = *filling;
  llvm::Expected<bool> goesOn = slot.generation->step();
  slot.goesOn = goesOn && *goesOn;
  llvm::Error error = goesOn.takeError();
  if (!error && slot.goesOn && slot.generation->countTokens() == 0)
    return;
  if (!error && slot.goesOn) {
    error = batch->join(llvm::find_if(slots,
                                      [&](const std::unique_ptr<Slot> &other) {
                                        return other.get() == &slot;
                                      }) -
                        slots.begin());
    slot.isJoined = !error;
  }
  endFilling(slot);
  if (!error)
    return;
  slot.error = llvm::toString(std::move(error));
  filled.clear();
  isSpoiled = true;
}

/// Decodes a token of each slot that has its caches.
void GenerationPool::decodeBatch() {
  llvm::SmallVector<Slot *> active;
  for (auto [i, slot] : llvm::enumerate(slots)) {
    if (!slot->isJoined || slot->request->isCancelled)
      continue;
    slot->goesOn = slot->generation->canStep();
    if (!slot->goesOn)
      continue;
    llvm::ArrayRef<int64_t> tokens = slot->generator->getTokens();
    batch->set(i, tokens.back(), tokens.size() - 1);
    active.push_back(slot.get());
  }
  if (active.empty())
    return;
  llvm::Error error = batch->decode();
  std::string text = error ? llvm::toString(std::move(error)) : "";
  for (auto [i, slot] : llvm::enumerate(slots)) {
    if (!llvm::is_contained(active, slot.get()))
      continue;
    slot->error = text;
    if (!text.empty())
      continue;
    llvm::Expected<bool> goesOn =
        slot->generation->takeLogits(batch->getLogits(i));
    slot->goesOn = goesOn && *goesOn;
    if (!goesOn)
      slot->error = llvm::toString(goesOn.takeError());
  }
  isSpoiled |= !text.empty();
}

/// Makes a call for all slots, and one for a prompt.
void GenerationPool::runBatch() {
  batch->clear();
  decodeBatch();
  fill();
}

size_t GenerationPool::step() {
  startWaiting();
  batch ? runBatch() : runSlots();
  for (auto [i, slot] : llvm::enumerate(slots)) {
    bool isRunning = slot->request && slot->goesOn && slot->error.empty() &&
                     !slot->request->isCancelled;
    if (!slot->request || isRunning)
      continue;
    if (slot.get() == filling)
      endFilling(*slot);
    {
      std::lock_guard<std::mutex> guard(lock);
      running[i] = nullptr;
    }
    finish(*slot);
  }
  std::lock_guard<std::mutex> guard(lock);
  return waiting.size() +
         llvm::count_if(running, [](Request *request) { return request; });
}
