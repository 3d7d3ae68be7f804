//===- Streams.cpp - streams, events and captures -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work is done as late as it may: when somebody waits for its stream, or for a
// stream that waits for it by an event. With FX_FAKE_CUDA_SEED other streams go
// on in between, at random.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <set>

using namespace emulator;

/// Modes of capture.
enum { kGlobal = 0, kOfThread = 1, kRelaxed = 2 };
static thread_local int threadMode = kGlobal;

static std::set<std::shared_ptr<Capture>> captures;
static std::set<Event *> events;

//===----------------------------------------------------------------------===//
// Doing
//===----------------------------------------------------------------------===//

static sigjmp_buf afterFault;

/// Performs an operation; an access of memory that is not there ends it.
static void performGuarded(Operation &operation, Device &device) {
  static char stack[1 << 16];
  stack_t here = {}, before;
  here.ss_sp = stack;
  here.ss_size = sizeof stack;
  struct sigaction action = {}, segv, bus;
  action.sa_handler = [](int signal) { siglongjmp(afterFault, signal); };
  action.sa_flags = SA_ONSTACK;
  sigaltstack(&here, &before);
  sigaction(SIGSEGV, &action, &segv);
  sigaction(SIGBUS, &action, &bus);
  if (int signal = sigsetjmp(afterFault, 1))
    device.sticky = signal == SIGBUS ? kMisalignedAddress : kIllegalAddress;
  else
    perform(operation);
  sigaction(SIGSEGV, &segv, nullptr);
  sigaction(SIGBUS, &bus, nullptr);
  sigaltstack(&before, nullptr);
}

static void doFirst(Stream &stream) {
  ItemRef item = stream.queue.front();
  stream.queue.pop_front();
  Device &device = *stream.device;
  if (!device.sticky && item->operation.kind != Operation::Nothing) {
    openMemory(&device);
    performGuarded(item->operation, device);
  }
  item->isDone = true;
  item->after.clear();
}

static bool isReady(const Stream &stream) {
  return !stream.queue.empty() &&
         std::all_of(stream.queue.front()->after.begin(),
                     stream.queue.front()->after.end(),
                     [](const ItemRef &item) { return item->isDone; });
}

/// A number of the order in which streams go on; 0 where they are late.
static uint32_t drawOrder() {
  static const int seed = getNumber("FX_FAKE_CUDA_SEED", "0");
  static uint64_t state = seed;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return seed ? state >> 33 : 0;
}

/// Does the first item of another stream, now and then.
static void goOnElsewhere() {
  if (drawOrder() % 2 == 0)
    return;
  std::vector<Stream *> ready;
  for (auto &device : getDevices()) {
    if (isReady(device->legacy))
      ready.push_back(&device->legacy);
    for (auto &stream : device->streams)
      if (isReady(*stream))
        ready.push_back(stream.get());
  }
  if (!ready.empty())
    doFirst(*ready[drawOrder() % ready.size()]);
}

/// Does the stream's items, up to `last` where there is one.
static void finishUntil(Stream &stream, const Item *last) {
  while (!stream.queue.empty() && !(last && last->isDone)) {
    ItemRef item = stream.queue.front();
    for (const ItemRef &earlier : std::vector(item->after))
      if (!earlier->isDone)
        finishUntil(*earlier->stream, earlier.get());
    goOnElsewhere();
    if (!stream.queue.empty() && stream.queue.front() == item)
      doFirst(stream);
  }
}

Result emulator::finish(Stream &stream) {
  finishUntil(stream, nullptr);
  openMemory(nullptr);
  return stream.device->sticky;
}

Result emulator::finishAll(Device &device) {
  finishUntil(device.legacy, nullptr);
  for (auto &stream : device.streams)
    finishUntil(*stream, nullptr);
  openMemory(nullptr);
  std::erase_if(device.streams, [](auto &s) { return s->isDestroyed; });
  return device.sticky;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static Stream *makeStream(Device &device, bool isBlocking) {
  auto stream = std::make_unique<Stream>();
  stream->device = &device;
  stream->isBlocking = isBlocking;
  device.streams.push_back(std::move(stream));
  return device.streams.back().get();
}

Stream *emulator::findStream(void *handle) {
  static thread_local std::map<Device *, Stream *> ofThread;
  Device &device = *getCurrent();
  uintptr_t number = (uintptr_t)handle;
  if (number <= 1)
    return &device.legacy;
  if (number == 2) {
    Stream *&stream = ofThread[&device];
    return stream ? stream : stream = makeStream(device, true);
  }
  for (auto &stream : device.streams)
    if (stream.get() == handle && !stream->isDestroyed)
      return stream.get();
  return nullptr;
}

ItemRef emulator::enqueue(Stream &stream, Operation operation) {
  auto item = std::make_shared<Item>();
  item->operation = std::move(operation);
  item->stream = &stream;
  auto follow = [&](const Stream &other) {
    if (other.last && !other.last->isDone)
      item->after.push_back(other.last);
  };
  if (stream.isLegacy) {
    for (auto &other : stream.device->streams)
      if (other->isBlocking)
        follow(*other);
  } else if (stream.isBlocking) {
    follow(stream.device->legacy);
  }
  stream.queue.push_back(item);
  return stream.last = item;
}

/// The error of work on the legacy stream while one that waits for it is
/// captured.
static Result checkImplicit(const Stream &stream) {
  for (auto &other : stream.device->streams)
    if (stream.isLegacy && other->isBlocking && other->capture) {
      other->capture->isInvalid = true;
      return kCaptureImplicit;
    }
  return kSuccess;
}

Result emulator::issue(void *handle, Operation operation) {
  Stream *stream = findStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (Result error = checkImplicit(*stream))
    return error;
  if (Capture *capture = stream->capture.get()) {
    if (capture->isInvalid)
      return kCaptureInvalidated;
    auto node = std::make_unique<Node>();
    if (!capture->graph.nodes.empty())
      node->after.push_back(capture->graph.nodes.size() - 1);
    node->operation = std::move(operation);
    capture->graph.nodes.push_back(std::move(node));
    return kSuccess;
  }
  checkAddresses(operation, *stream->device);
  if (std::string line = describe(operation, *stream); !line.empty())
    log(line);
  if (operation.kind == Operation::ToDevice && hasKernels()) {
    operation.kept.assign((const char *)operation.from, operation.bytes);
    operation.isKept = true;
  }
  enqueue(*stream, std::move(operation));
  return kSuccess;
}

Capture *emulator::getCapture(void *handle) {
  Stream *stream = findStream(handle);
  return stream ? stream->capture.get() : nullptr;
}

Result emulator::checkUnsafe() {
  auto here = std::this_thread::get_id();
  for (auto &capture : captures) {
    bool isMine = capture->thread == here && capture->mode != kRelaxed;
    if (threadMode == kRelaxed ||
        !(isMine || (threadMode == kGlobal && capture->mode == kGlobal)))
      continue;
    capture->isInvalid = true;
    return kCaptureUnsupported;
  }
  return kSuccess;
}

extern "C" {
Result cuStreamCreate(void **stream, unsigned flags) {
  ENTER;
  if (flags > 1)
    return kInvalidValue;
  *stream = makeStream(*getCurrent(), flags == 0);
  return kSuccess;
}
Result cuStreamDestroy_v2(void *handle) {
  ENTER;
  Stream *stream = findStream(handle);
  if (!stream || stream->isLegacy)
    return kInvalidHandle;
  stream->isDestroyed = true;
  return kSuccess;
}

Result cuStreamSynchronize(void *handle) {
  ENTER;
  Stream *stream = findStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return kCaptureUnsupported;
  }
  if (Result error = checkImplicit(*stream))
    return error;
  log("\"call\": \"synchronize\"");
  // What waits for all others is waited for with them.
  if (stream->isLegacy)
    enqueue(*stream, {Operation::Nothing});
  return finish(*stream);
}

Result cuCtxSynchronize() {
  ENTER;
  for (auto &capture : captures)
    if (capture->origin->device == getCurrent()) {
      capture->isInvalid = true;
      return kCaptureUnsupported;
    }
  return finishAll(*getCurrent());
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Result cuEventCreate(Event **event, unsigned) {
  ENTER;
  events.insert(*event = new Event{getCurrent(), nullptr, nullptr});
  return kSuccess;
}
Result cuEventDestroy_v2(Event *event) {
  ENTER;
  if (!events.erase(event))
    return kInvalidHandle;
  delete event;
  return kSuccess;
}

Result cuEventRecord(Event *event, void *handle) {
  ENTER;
  Stream *stream = findStream(handle);
  if (!stream || !events.contains(event) || event->device != stream->device)
    return kInvalidHandle;
  if (Result error = checkImplicit(*stream))
    return error;
  if (stream->capture) {
    event->capture = stream->capture;
    return stream->capture->isInvalid ? kCaptureInvalidated : kSuccess;
  }
  event->capture = nullptr;
  event->recorded = enqueue(*stream, {Operation::Nothing});
  return kSuccess;
}

Result cuStreamWaitEvent(void *handle, Event *event, unsigned) {
  ENTER;
  static const bool forgets = getNumber("FX_FAKE_CUDA_FORGETS_EVENTS", "0");
  Stream *stream = findStream(handle);
  if (!stream || !events.contains(event))
    return kInvalidHandle;
  if (Result error = checkImplicit(*stream))
    return error;
  // What waits for a stream that is captured is captured, too.
  if (event->capture && !stream->capture)
    stream->capture = event->capture;
  if (stream->capture && event->capture != stream->capture) {
    stream->capture->isInvalid = true;
    return kCaptureIsolation;
  }
  if (stream->capture || forgets || !event->recorded)
    return kSuccess;
  ItemRef recorded = event->recorded;
  ItemRef item = enqueue(*stream, {Operation::Nothing});
  if (!recorded->isDone)
    item->after.push_back(recorded);
  return kSuccess;
}

Result cuEventSynchronize(Event *event) {
  ENTER;
  if (!events.contains(event))
    return kInvalidHandle;
  if (event->capture) {
    event->capture->isInvalid = true;
    return kCaptureUnsupported;
  }
  if (event->recorded && !event->recorded->isDone)
    finishUntil(*event->recorded->stream, event->recorded.get());
  openMemory(nullptr);
  return event->device->sticky;
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

Result cuStreamBeginCapture_v2(void *handle, int mode) {
  ENTER;
  Stream *stream = findStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (stream->isLegacy || stream->capture)
    return kCaptureUnsupported;
  stream->capture = std::make_shared<Capture>();
  stream->capture->origin = stream;
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  stream->capture->graph.memory = std::make_shared<GraphMemory>();
  captures.insert(stream->capture);
  return kSuccess;
}

Result cuStreamEndCapture(void *handle, Graph **graph) {
  ENTER;
  Stream *stream = findStream(handle);
  if (!stream || !stream->capture || stream->capture->origin != stream)
    return kCaptureUnmatched;
  std::shared_ptr<Capture> capture = stream->capture;
  for (auto &other : stream->device->streams)
    if (other->capture == capture)
      other->capture = nullptr;
  for (Event *event : events)
    if (event->capture == capture)
      event->capture = nullptr;
  captures.erase(capture);
  *graph = nullptr;
  if (capture->isInvalid)
    return kCaptureInvalidated;
  log("\"call\": \"captured\"" + field("nodes", capture->graph.nodes.size()));
  *graph = new Graph(std::move(capture->graph));
  return kSuccess;
}

Result cuStreamIsCapturing(void *handle, int *status) {
  ENTER;
  Stream *stream = findStream(handle);
  if (!stream)
    return kInvalidHandle;
  // The only call that asks without spoiling the capture.
  for (auto &other : stream->device->streams)
    if (stream->isLegacy && other->isBlocking && other->capture)
      return kCaptureImplicit;
  *status = !stream->capture ? 0 : stream->capture->isInvalid ? 2 : 1;
  return kSuccess;
}

Result cuThreadExchangeStreamCaptureMode(int *mode) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  std::swap(*mode, threadMode);
  return kSuccess;
}

/// For tests: nothing on a stream is left to do.
int fx_fake_cuda_is_idle() {
  std::lock_guard<std::recursive_mutex> guard(lock);
  for (auto &device : getDevices()) {
    if (!device->legacy.queue.empty())
      return 0;
    for (auto &stream : device->streams)
      if (!stream->queue.empty())
        return 0;
  }
  return 1;
}
}
