/*===- streams.c - streams, graphs, devices and threads -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a process does that has streams of its own, as PyTorch's is. The
// emulated driver is late: whoever does not wait for an event reads what was
// there before. test_gpu_streams.py compiles the model:
//
//   forward(x f32[4, 8], y f32[4, 8]):
//     ((x @ w + 1) @ w + y) @ w, with w = 2: 8 x + 4 + 2 y
//
// and with `counts`: count += 1, and count is added to the result; with
// `numbers` a third input, an int, which is added.
//
//   streams SCENARIO MODEL.so DRIVER.so
//
//===----------------------------------------------------------------------===*/

#include "fx/Runtime/model.h"
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 32, BYTES = 4 * N };

/* Functions of the driver. */
#define FUNCTIONS(F)                                                           \
  F(cuMemAlloc_v2, (uint64_t *, size_t))                                       \
  F(cuMemFree_v2, (uint64_t))                                                  \
  F(cuMemGetInfo_v2, (size_t *, size_t *))                                     \
  F(cuCtxPushCurrent_v2, (void *))                                             \
  F(cuCtxPopCurrent_v2, (void **))                                             \
  F(cuCtxGetCurrent, (void **))                                                \
  F(cuDevicePrimaryCtxRetain, (void **, int))                                  \
  F(cuStreamCreate, (void **, unsigned))                                       \
  F(cuStreamDestroy_v2, (void *))                                              \
  F(cuStreamSynchronize, (void *))                                             \
  F(cuStreamWaitEvent, (void *, void *, unsigned))                             \
  F(cuEventCreate, (void **, unsigned))                                        \
  F(cuEventRecord, (void *, void *))                                           \
  F(cuEventDestroy_v2, (void *))                                               \
  F(cuMemcpyHtoDAsync_v2, (uint64_t, const void *, size_t, void *))            \
  F(cuMemcpyDtoHAsync_v2, (void *, uint64_t, size_t, void *))                  \
  F(cuMemcpyDtoDAsync_v2, (uint64_t, uint64_t, size_t, void *))                \
  F(cuStreamBeginCapture_v2, (void *, int))                                    \
  F(cuStreamEndCapture, (void *, void **))                                     \
  F(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long))        \
  F(cuGraphLaunch, (void *, void *))                                           \
  F(cuGraphExecDestroy, (void *))                                              \
  F(cuGraphDestroy, (void *))
#define DECLARE(name, params) static int(*name) params;
FUNCTIONS(DECLARE)

#define CHECK(call)                                                            \
  do {                                                                         \
    int code = call;                                                           \
    if (code)                                                                  \
      fprintf(stderr, "%s: error %d\n", #call, code);                          \
    assert(!code);                                                             \
  } while (0)

static const FXModelApi *api;
static int device;
static int64_t number; /* the third input */

static FXInstance *create_with(const FXCallbacks *callbacks) {
  char err[512] = "";
  FXInstance *made = api->create(callbacks, err, sizeof err);
  if (!made)
    fprintf(stderr, "%s\n", err);
  assert(made);
  return made;
}

static FXInstance *create(int number) {
  FXCallbacks callbacks = {.struct_size = sizeof callbacks, .device = number};
  return create_with(&callbacks);
}

static void *make_stream(unsigned flags) {
  void *stream;
  CHECK(cuStreamCreate(&stream, flags));
  return stream;
}

/* Memory of the device with N equal numbers, which the stream writes. */
static uint64_t make(float value, void *stream) {
  float data[N];
  uint64_t made;
  for (int i = 0; i < N; ++i)
    data[i] = value;
  CHECK(cuMemAlloc_v2(&made, BYTES));
  CHECK(cuMemcpyHtoDAsync_v2(made, data, BYTES, stream));
  return made;
}

static void fill(uint64_t to, float value, void *stream) {
  float data[N];
  for (int i = 0; i < N; ++i)
    data[i] = value;
  CHECK(cuMemcpyHtoDAsync_v2(to, data, BYTES, stream));
}

static int try_run(FXInstance *model, uint64_t x, uint64_t y, void *stream,
                   uint32_t flags, DLManagedTensor **out, char *err,
                   size_t size) {
  static int64_t shape[] = {4, 8};
  static const DLDataType kFloat = {kDLFloat, 32, 1};
  DLTensor tx = {(void *)x, {kDLCUDA, device}, 2, kFloat, shape, 0, 0};
  DLTensor ty = {(void *)y, {kDLCUDA, device}, 2, kFloat, shape, 0, 0};
  static const DLDataType kInt = {kDLInt, 64, 1};
  DLTensor tk = {&number, {kDLCPU, 0}, 0, kInt, 0, 0, 0};
  const DLTensor *inputs[] = {&tx, &ty, &tk};
  FXRunOptions options = {sizeof options, 1, stream, flags};
  return api->run(model, inputs, api->info->n_inputs, out, 1, &options, err,
                  size);
}

static DLManagedTensor *run(FXInstance *model, uint64_t x, uint64_t y,
                            void *stream, uint32_t flags) {
  char err[512] = "";
  DLManagedTensor *out = 0;
  if (try_run(model, x, y, stream, flags, &out, err, sizeof err))
    fprintf(stderr, "%s\n", err);
  assert(out);
  return out;
}

/* Whether all numbers of an output are `want`, read on the stream. */
static int has(uint64_t data, float want, void *stream) {
  float got[N];
  CHECK(cuMemcpyDtoHAsync_v2(got, data, BYTES, stream));
  CHECK(cuStreamSynchronize(stream));
  for (int i = 0; i < N; ++i)
    if (got[i] != want)
      return 0;
  return 1;
}

static uint64_t data_of(const DLManagedTensor *t) {
  return (uint64_t)t->dl_tensor.data;
}

static void expect(const DLManagedTensor *t, float want, void *stream) {
  float got;
  int is_right = has(data_of(t), want, stream);
  CHECK(cuMemcpyDtoHAsync_v2(&got, data_of(t), 4, stream));
  CHECK(cuStreamSynchronize(stream));
  if (!is_right)
    fprintf(stderr, "expected %g, got %g first\n", want, got);
  assert(is_right);
}

static void drop(DLManagedTensor *t) { t->deleter(t); }

//===----------------------------------------------------------------------===//
// Scenarios
//===----------------------------------------------------------------------===//

/* Ten runs of one sequence: the first is launched, the second makes a graph,
 * eight replay it. Inputs and outputs change their places. */
static void replays(void) {
  FXInstance *model = create(0);
  void *stream = make_stream(0);
  uint64_t x[3], y = make(1, stream);
  DLManagedTensor *kept[10];
  for (int i = 0; i < 3; ++i)
    x[i] = make(i, stream);
  for (int k = 0; k < 10; ++k)
    kept[k] = run(model, x[k % 3], y, stream, FX_RUN_ASYNC);
  for (int k = 0; k < 10; ++k)
    expect(kept[k], 8 * (k % 3) + 6, stream);
  for (int k = 0; k < 10; ++k)
    drop(kept[k]);
  api->destroy(model);
  for (int i = 0; i < 3; ++i)
    CHECK(cuMemFree_v2(x[i]));
  CHECK(cuMemFree_v2(y));
}

/* As tensors are exchanged through DLPack: an input that another stream makes,
 * which the run's stream waits for, and an output on a third one, which waits
 * for the run. `forgets`: the fault of who leaves one of the waits out. */
static void exchange(const char *forgets) {
  FXInstance *model = create(0);
  void *producer = make_stream(1), *a = make_stream(1), *b = make_stream(1),
       *made, *ran, *seen;
  CHECK(cuEventCreate(&made, 2));
  CHECK(cuEventCreate(&ran, 2));
  CHECK(cuEventCreate(&seen, 2));
  uint64_t x = make(-3, producer), y = make(1, producer), copy = make(-1, b);
  CHECK(cuStreamSynchronize(producer));
  for (int k = 0; k < 4; ++k) {
    fill(x, k, producer);
    CHECK(cuEventRecord(made, producer));
    if (strcmp(forgets, "input"))
      CHECK(cuStreamWaitEvent(a, made, 0));
    DLManagedTensor *out = run(model, x, y, a, FX_RUN_ASYNC);
    CHECK(cuEventRecord(ran, a));
    if (strcmp(forgets, "output"))
      CHECK(cuStreamWaitEvent(b, ran, 0));
    CHECK(cuMemcpyDtoDAsync_v2(copy, data_of(out), BYTES, b));
    assert(has(copy, 8 * k + 6, b) == !*forgets);
    /* The output is freed in the order of the run's stream. */
    CHECK(cuEventRecord(seen, b));
    CHECK(cuStreamWaitEvent(a, seen, 0));
    drop(out);
    CHECK(cuStreamWaitEvent(producer, seen, 0));
  }
  api->destroy(model);
  CHECK(cuEventDestroy_v2(made));
  CHECK(cuEventDestroy_v2(ran));
  CHECK(cuEventDestroy_v2(seen));
}

/* One instance on more streams than it has memory for at a time, none of which
 * waits for another: temporaries must not meet. The last is waited for first.
 */
static void many_streams(void) {
  enum { STREAMS = 6, ROUNDS = 5 };
  FXInstance *model = create(0);
  void *streams[STREAMS];
  uint64_t x[STREAMS], y[STREAMS];
  DLManagedTensor *out[ROUNDS][STREAMS];
  for (int s = 0; s < STREAMS; ++s) {
    streams[s] = make_stream(1);
    x[s] = make(s, streams[s]);
    y[s] = make(10 * s, streams[s]);
  }
  for (int r = 0; r < ROUNDS; ++r)
    for (int s = 0; s < STREAMS; ++s)
      out[r][s] = run(model, x[s], y[s], streams[s], FX_RUN_ASYNC);
  for (int r = 0; r < ROUNDS; ++r)
    for (int s = STREAMS - 1; s >= 0; --s)
      expect(out[r][s], 28 * s + 4, streams[s]);
  for (int r = 0; r < ROUNDS; ++r)
    for (int s = 0; s < STREAMS; ++s)
      drop(out[r][s]);
  for (int s = 0; s < STREAMS; ++s)
    CHECK(cuStreamDestroy_v2(streams[s]));
  api->destroy(model);
}

/* States are written on one stream and on another, in the order of the calls.
 */
static void states(void) {
  FXInstance *model = create(0);
  void *a = make_stream(1), *b = make_stream(1);
  uint64_t x = make(0, a), y = make(0, a);
  CHECK(cuStreamSynchronize(a));
  for (int k = 1; k < 9; ++k) {
    DLManagedTensor *out = run(model, x, y, k % 2 ? a : b, FX_RUN_ASYNC);
    if (k % 4 == 0)
      expect(out, 4 + k, b);
    drop(out);
  }
  api->reset(model);
  DLManagedTensor *out = run(model, x, y, b, FX_RUN_ASYNC);
  expect(out, 5, b);
  drop(out);
  api->destroy(model);
}

/* A device's tensors, while the context of another one is current. */
static void devices(void) {
  void *contexts[2], *current, *popped;
  FXInstance *models[2];
  uint64_t x[2], y[2];
  char err[512] = "";
  DLManagedTensor *out = 0;
  for (int d = 0; d < 2; ++d) {
    CHECK(cuDevicePrimaryCtxRetain(&contexts[d], d));
    models[d] = create(d);
    CHECK(cuCtxPushCurrent_v2(contexts[d]));
    x[d] = make(d + 1, 0);
    y[d] = make(d, 0);
    CHECK(cuStreamSynchronize(0));
    CHECK(cuCtxPopCurrent_v2(&popped));
  }
  for (int k = 0; k < 4; ++k)
    for (int d = 0; d < 2; ++d) {
      device = d;
      CHECK(cuCtxPushCurrent_v2(contexts[1 - d]));
      out = run(models[d], x[d], y[d], 0, 0);
      assert(out->dl_tensor.device.device_id == d);
      CHECK(cuCtxGetCurrent(&current));
      assert(current == contexts[1 - d]);
      CHECK(cuCtxPushCurrent_v2(contexts[d]));
      expect(out, 8 * (d + 1) + 4 + 2 * d, 0);
      CHECK(cuCtxPopCurrent_v2(&popped));
      drop(out);
      CHECK(cuCtxGetCurrent(&current));
      assert(current == contexts[1 - d]);
      CHECK(cuCtxPopCurrent_v2(&popped));
    }
  device = 0;
  assert(try_run(models[1], x[0], y[0], 0, 0, &out, err, sizeof err));
  assert(!strcmp(err,
                 "input 'x': expected a tensor on cuda:1, got one on cuda:0"));
  for (int d = 0; d < 2; ++d)
    api->destroy(models[d]);
}

/* A tensor that is not where it is said to be: the kernel does not reach it. */
static void wrong_device(void) {
  FXInstance *model = create(1);
  uint64_t x = make(1, 0), y = make(1, 0);
  CHECK(cuStreamSynchronize(0));
  device = 1;
  run(model, x, y, 0, 0);
}

/* The caller's memory, of which no address comes twice. */
static int given;

static void *give(void *unused, size_t bytes, size_t alignment) {
  uint64_t data;
  (void)unused;
  (void)alignment;
  ++given;
  return cuMemAlloc_v2(&data, bytes) ? 0 : (void *)data;
}

static void take_back(void *unused, void *data, size_t bytes) {
  (void)unused;
  (void)bytes;
  --given;
  CHECK(cuMemFree_v2((uint64_t)data));
}

static void allocator(void) {
  FXCallbacks callbacks = {
      .struct_size = sizeof callbacks, .alloc = give, .free = take_back};
  FXInstance *model = create_with(&callbacks);
  void *stream = make_stream(0);
  uint64_t x = make(1, stream), y = make(0, stream);
  for (int k = 0; k < 5; ++k) {
    fill(x, k, stream);
    DLManagedTensor *out = run(model, x, y, stream, FX_RUN_ASYNC);
    assert(given == 1); /* the output alone */
    expect(out, 8 * k + 4, stream);
    drop(out);
  }
  assert(given == 0);
  api->destroy(model);
}

/* A host thread on an instance of its own or that of all, and on a stream that
 * it shares with another one. */
typedef struct {
  FXInstance *model;
  void *context, *stream;
  int number;
} Work;

static void *work(void *arg) {
  Work *w = arg;
  void *popped;
  FXInstance *model = w->model ? w->model : create(0);
  CHECK(cuCtxPushCurrent_v2(w->context));
  void *stream = w->stream;
  uint64_t x = make(w->number, stream), y = make(0, stream);
  for (int k = 0; k < 12; ++k) {
    fill(y, k, stream);
    DLManagedTensor *out = run(model, x, y, stream, k % 3 ? FX_RUN_ASYNC : 0);
    expect(out, 8 * w->number + 4 + 2 * k, stream);
    drop(out);
  }
  CHECK(cuCtxPopCurrent_v2(&popped));
  if (!w->model)
    api->destroy(model);
  return 0;
}

static void threads(void *context) {
  enum { THREADS = 10 };
  pthread_t made[THREADS];
  Work works[THREADS];
  FXInstance *shared = create(0);
  for (int t = 0; t < THREADS; ++t) {
    void *stream = t % 2 ? works[t - 1].stream : make_stream(1);
    works[t] = (Work){t < 8 ? shared : 0, context, stream, t};
  }
  for (int t = 0; t < THREADS; ++t)
    assert(!pthread_create(&made[t], 0, work, &works[t]));
  for (int t = 0; t < THREADS; ++t)
    pthread_join(made[t], 0);
  api->destroy(shared);
}

/* The caller makes a graph of runs, as torch.cuda.graph does. */
static void captured(int warm) {
  FXInstance *model = create(0);
  char err[512] = "";
  void *stream = make_stream(1), *graph, *exec;
  uint64_t x = make(1, stream), y = make(1, stream);
  DLManagedTensor *before = 0, *out;
  for (int k = 0; k < warm; ++k) {
    if (before)
      drop(before);
    before = run(model, x, y, stream, FX_RUN_ASYNC);
  }
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuStreamBeginCapture_v2(stream, 0));
  /* This one waits, which is refused before it spoils the graph. */
  assert(try_run(model, x, y, stream, 0, &out, err, sizeof err));
  fprintf(stderr, "%s\n", err);
  assert(strstr(err, "the stream is captured into a graph: expected a run with "
                     "FX_RUN_ASYNC") &&
         !out);
  out = run(model, x, y, stream, FX_RUN_ASYNC);
  if (before) /* memory that the graph did not take */
    drop(before);
  CHECK(cuStreamEndCapture(stream, &graph));
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 1));
  for (int k = 0; k < 3; ++k) {
    fill(x, k, stream);
    CHECK(cuGraphLaunch(exec, stream));
    expect(out, 8 * k + 6, stream);
  }
  drop(out);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  /* And graphs of its own after that. */
  for (int k = 0; k < 4; ++k) {
    fill(x, k, stream);
    out = run(model, x, y, stream, FX_RUN_ASYNC);
    expect(out, 8 * k + 6, stream);
    drop(out);
  }
  api->destroy(model);
}

/* A number is part of the graph, the caller's and the run-time's own. */
static void numbers(void) {
  FXInstance *model = create(0);
  void *stream = make_stream(1), *graph, *exec;
  uint64_t x = make(0, stream), y = make(0, stream);
  CHECK(cuStreamSynchronize(stream));
  for (number = 0; number < 5; ++number) {
    DLManagedTensor *out = run(model, x, y, stream, FX_RUN_ASYNC);
    expect(out, 4 + number, stream);
    drop(out);
  }
  number = 40;
  CHECK(cuStreamBeginCapture_v2(stream, 0));
  DLManagedTensor *out = run(model, x, y, stream, FX_RUN_ASYNC);
  CHECK(cuStreamEndCapture(stream, &graph));
  number = 50;
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 1));
  for (int k = 0; k < 2; ++k) {
    CHECK(cuGraphLaunch(exec, stream));
    expect(out, 44, stream);
  }
  drop(out);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  api->destroy(model);
}

/* The default stream would wait for one that is captured: an error that leaves
 * the capture as it is. */
static void captured_elsewhere(void) {
  FXInstance *model = create(0);
  char err[512] = "";
  void *blocking = make_stream(0), *other = make_stream(1), *graph;
  uint64_t x = make(1, other), y = make(1, other);
  DLManagedTensor *out;
  CHECK(cuStreamSynchronize(other));
  CHECK(cuStreamBeginCapture_v2(blocking, 1));
  assert(try_run(model, x, y, 0, FX_RUN_ASYNC, &out, err, sizeof err));
  if (strncmp(err, "cuda:0: the stream cannot be used: ", 35))
    fprintf(stderr, "%s\n", err);
  assert(!strncmp(err, "cuda:0: the stream cannot be used: ", 35));
  /* Streams that wait for none can be used. */
  for (int k = 0; k < 3; ++k) {
    out = run(model, x, y, other, 0);
    expect(out, 14, other);
    drop(out);
  }
  CHECK(cuStreamEndCapture(blocking, &graph));
  CHECK(cuGraphDestroy(graph));
  api->destroy(model);
}

int main(int argc, char **argv) {
  void *context, *popped;
  assert(argc == 4);
  void *library = dlopen(argv[2], RTLD_NOW),
       *driver = dlopen(argv[3], RTLD_NOW);
  assert(library && driver);
#define FIND(name, params)                                                     \
  *(void **)&name = dlsym(driver, #name);                                      \
  assert(name);
  FUNCTIONS(FIND)
  api = ((const FXModelApi *(*)(void))dlsym(library, FX_MODEL_API_SYMBOL))();
  api->destroy(create(0)); /* starts the driver */
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxPushCurrent_v2(context));
  const char *scenario = argv[1];
  if (!strcmp(scenario, "replays"))
    replays();
  else if (!strcmp(scenario, "exchange"))
    exchange("");
  else if (!strcmp(scenario, "forgotten-input"))
    exchange("input");
  else if (!strcmp(scenario, "forgotten-output"))
    exchange("output");
  else if (!strcmp(scenario, "numbers"))
    numbers();
  else if (!strcmp(scenario, "wrong-device"))
    wrong_device();
  else if (!strcmp(scenario, "many-streams"))
    many_streams();
  else if (!strcmp(scenario, "states"))
    states();
  else if (!strcmp(scenario, "devices"))
    devices();
  else if (!strcmp(scenario, "allocator"))
    allocator();
  else if (!strcmp(scenario, "captured-elsewhere"))
    captured_elsewhere();
  else if (!strcmp(scenario, "threads"))
    threads(context);
  else if (!strcmp(scenario, "captured"))
    captured(2);
  else if (!strcmp(scenario, "captured-first"))
    captured(0);
  else
    assert(!"a scenario");
  if (!strcmp(scenario, "replays")) {
    size_t free, total;
    CHECK(cuMemGetInfo_v2(&free, &total));
    if (free != total)
      fprintf(stderr, "%zu bytes leaked on the device\n", total - free);
    assert(free == total);
  }
  CHECK(cuCtxPopCurrent_v2(&popped));
  puts("passed");
  return 0;
}
