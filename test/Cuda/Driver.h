//===- Driver.h - what the emulated driver is made of -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices, streams and graphs. Work is put on streams and done when somebody
// waits for it, with what it must follow and nothing else: who forgets to wait
// for another stream reads what was there before.
//
//===----------------------------------------------------------------------===//

#ifndef FX_TEST_CUDA_DRIVER_H
#define FX_TEST_CUDA_DRIVER_H

#include "Emulator.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

typedef int Result;
enum : Result {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotFound = 500,
  kIllegalAddress = 700,
  kMisalignedAddress = 716,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureUnmatched = 903,
  kCaptureIsolation = 905,
  kCaptureImplicit = 906
};

namespace emulator {

struct Device;
struct Stream;
struct Capture;

struct Function {
  KernelInfo info;
  const EmulatedKernel *emulated = nullptr;
  Device *device = nullptr;
  unsigned maxShared = 48 * 1024; ///< dynamic
};

struct Module {
  Device *device;
  std::map<std::string, Function> functions;
};

/// Of a kernel: a number, or a tensor map.
struct alignas(64) Parameter {
  uint64_t words[16];
};

/// For each node of a graph, the nodes that are in front of it.
using Order = std::vector<std::vector<bool>>;

/// What a device does, from a stream or from a graph.
struct Operation {
  enum Kind {
    Nothing,
    Launch,
    Copy,
    ToDevice,
    ToHost,
    Fill,
    Free
  } kind = Nothing;
  Function *function = nullptr;
  unsigned grid[3] = {}, block = 0, shared = 0;
  std::vector<Parameter> values = {};
  /// Addresses of the device or of the host.
  uint64_t to = 0, from = 0;
  size_t bytes = 0;
  /// What the driver keeps of memory of the host; a graph reads it when it
  /// runs.
  std::string kept = {};
  bool isKept = false;
  /// Of a fill.
  uint32_t value = 0;
  unsigned element = 0;
  /// Of a graph: its order, and the number of the node and of the launch.
  std::shared_ptr<const Order> order = {};
  size_t node = 0;
  uint16_t graph = 0;
};

/// An operation on a stream, and what it must follow beside the one before it
/// there.
struct Item {
  Operation operation;
  Stream *stream;
  std::vector<std::shared_ptr<Item>> after;
  bool isDone = false;
};
using ItemRef = std::shared_ptr<Item>;

struct Stream {
  Device *device;
  bool isLegacy = false, isBlocking = true, isDestroyed = false;
  std::deque<ItemRef> queue;
  ItemRef last;
  std::shared_ptr<Capture> capture;
};

struct Device {
  int number;
  Stream legacy;
  /// All but the legacy one, also those that were destroyed with work left.
  std::vector<std::unique_ptr<Stream>> streams;
  /// What a kernel left behind: every later call returns it.
  Result sticky = kSuccess;
  size_t memoryInUse = 0;
};

struct Event {
  Device *device;
  ItemRef recorded;
  std::shared_ptr<Capture> capture;
};

/// Memory that a graph took while it was captured.
struct GraphMemory {
  std::vector<uint64_t> addresses;
  ~GraphMemory();
};

struct Node {
  Operation operation;
  std::vector<size_t> after;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  size_t programmatic = 0; ///< edges
  std::shared_ptr<GraphMemory> memory;
};

/// A stream, or several, whose work becomes a graph.
struct Capture {
  Graph graph;
  Stream *origin;
  int mode; ///< 0: global, 1: of the thread, 2: relaxed
  std::thread::id thread;
  bool isInvalid = false;
};

//===----------------------------------------------------------------------===//
// Driver.cpp
//===----------------------------------------------------------------------===//

/// One lock for all: the interface may be called from several threads.
extern std::recursive_mutex lock;
const char *getVariable(const char *name, const char *otherwise);
int getNumber(const char *name, const char *otherwise);
/// Writes a line of JSON to FX_FAKE_CUDA_LOG.
void log(const std::string &line);
std::string field(const char *name, uint64_t value);

/// The device whose context is the thread's; null: none.
Device *getCurrent();
std::vector<std::unique_ptr<Device>> &getDevices();
/// Makes a device the only one of the thread's contexts.
void setCurrent(Device &device);
/// The kernels of an image on the current device, with their code for this CPU.
Module *makeModule(const std::vector<KernelInfo> &kernels, const char *kind);
/// What the call `name` returns before it does anything: an error that a kernel
/// left behind, that no context is current, or that FX_FAKE_CUDA_FAIL plants.
Result begin(const char *name);
/// Whether kernels are executed.
bool hasKernels();

//===----------------------------------------------------------------------===//
// Operations.cpp
//===----------------------------------------------------------------------===//

/// Sets how much memory each device has.
void setLimit(size_t bytes);
/// Whether a kernel can be launched so; parameters are copied to `operation`.
Result makeLaunch(Operation &operation, Function *function,
                  const unsigned grid[3], const unsigned block[3],
                  unsigned shared, void **params);
/// Ends the process where memory is not the device's.
void checkMemory(uint64_t data, size_t bytes, const std::string &what,
                 const Device &device);
void checkAddresses(const Operation &operation, const Device &device);
/// A line of the log, or nothing.
std::string describe(const Operation &operation, const Stream &stream);
void perform(Operation &operation);
/// Memory of the device that is the thread's; null: too much.
uint64_t takeMemory(size_t bytes);
void freeMemory(uint64_t data);
/// Lets the host and other devices out of memory, `device` in; null: all out.
void openMemory(const Device *device);

//===----------------------------------------------------------------------===//
// Streams.cpp
//===----------------------------------------------------------------------===//

/// The stream of a handle; null: it is no stream of the current device.
Stream *findStream(void *handle);
/// Puts an operation on a stream, or into the graph that is captured of it.
Result issue(void *stream, Operation operation);
/// Puts an operation on a stream that is not captured.
ItemRef enqueue(Stream &stream, Operation operation);
/// Does what was put on the stream, or on all streams of the device.
Result finish(Stream &stream);
Result finishAll(Device &device);
/// The error of a call that may not be made while a stream is captured; it
/// spoils the capture.
Result checkUnsafe();
/// The capture that a stream is in, or null.
Capture *getCapture(void *stream);

#define ENTER                                                                  \
  std::lock_guard<std::recursive_mutex> guard(lock);                           \
  if (Result error = begin(__func__))                                          \
  return error

} // namespace emulator

#endif // FX_TEST_CUDA_DRIVER_H
