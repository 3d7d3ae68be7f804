/*===- Internal.h - shared by the parts of the artefact's runtime -*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This runtime is compiled into each artefact and may use libc and libm only.
// lib/Runtime/Artefact/libc.map lists the functions that may be used.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_RUNTIME_ARTEFACT_INTERNAL_H
#define FX_RUNTIME_ARTEFACT_INTERNAL_H

#include "fx/Runtime/Desc.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

/* The maximum rank of tensors, which is also PyTorch's. */
enum { FX_MAX_RANK = 64 };

/* The size of CUtensorMap in cuda.h, and the maximum number of tensor maps of a
 * kernel. */
enum { FX_TENSOR_MAP_BYTES = 128, FX_TENSOR_MAPS = 3 };

/* The header of a memory block of a run. The data begin 64 bytes after it. */
typedef struct FXrtBlock {
  struct FXrtBlock *prev, *next;
  size_t bytes;          /* of the whole allocation, this header included */
  struct FXrtHeap *heap; /* null: a tensor of share_states */
} FXrtBlock;

typedef struct FXrtHeap FXrtHeap; /* Heap.c */

typedef struct FXrtArena {
  struct FXrtArena *next;
  void *data;
  size_t bytes;
} FXrtArena;

/* Calls of kernels that were recorded; guarded by the instance's lock. */
typedef struct {
  FXKernelRun *calls;
  int64_t first, n, capacity; /* those before `first` were taken */
} FXrtProfile;

typedef struct FXrtPool FXrtPool;
typedef struct FXrtAsync FXrtAsync;
typedef struct FXrtGpu FXrtGpu;           /* GpuMemory.c */
typedef struct FXrtGpuBlock FXrtGpuBlock; /* GpuMemory.c */
typedef struct GpuPlatform GpuPlatform;   /* GpuDriver.c */
typedef struct FXrtState FXrtState;       /* States.c */

/* What the methods of an instance share. */
typedef struct {
  FXCallbacks callbacks;
  int has_parallel_for;
  pthread_mutex_t run_lock; /* held by a run of a model with mutable states */
  pthread_mutex_t lock;     /* guards arenas, pool, runs and is_setting */
  pthread_cond_t changed;   /* signals that runs or is_setting became 0 */
  int runs;                 /* number of runs under way */
  int is_setting;           /* states are being replaced: no run may begin */
  FXrtHeap *heap;
  FXrtArena *arenas;
  FXrtPool *pool;
  FXrtAsync *async;
  const char *weights;
  FXrtState *states; /* each mutable state of a model for the CPU */
  pthread_mutex_t generator_lock;
  FXGenerator generator; /* for random operators */
  FXInstance *methods;   /* fx_rt_versions.n_methods */
} FXrtCommon;

/* An instance, as one of its methods. */
struct FXInstance {
  const FXrtModel *model;
  FXrtCommon *common;
  void **arg_data;        /* data of each state and prepared tensor */
  FXrtBlock **arg_blocks; /* memory of constants that were set; else null */
  FXrtProfile profile;
  FXrtGpu *gpu; /* models for a GPU only; arg_data are device addresses then */
};

/* One call of run(). */
typedef struct {
  FXInstance *instance;
  int threads;
  const DLTensor *const *inputs;
  const DLTensor *const *targets; /* of run_into; else null */
  pthread_mutex_t lock;           /* guards blocks */
  FXrtBlock blocks;               /* list head */
  FXrtArena *arena;
  struct FXrtCall *started; /* fallback calls that were not awaited yet */
  char *err;
  size_t err_size;
  atomic_int failed;
  /* Models for a GPU only. */
  FXRunOptions options;
  FXrtGpuBlock *gpu_blocks;
  struct FXrtGpuSlot *gpu_slot; /* null if launches are not delayed */
  int has_context;              /* the device's context was pushed */
  int is_captured;              /* the caller captures the stream */
  char *host_values;            /* int, float, bool inputs: 8 bytes each */
  _Alignas(64) char tensor_maps[FX_TENSOR_MAPS][FX_TENSOR_MAP_BYTES];
} FXrtRun;

/* The memref descriptors of the arguments and results of one run. */
typedef struct {
  void **args;
  int64_t *words; /* descriptors of the arguments, then those of the results */
  int64_t *results;
} FXrtFrame;

/* The functions of the runtime that differ for models whose kernels run on a
 * device. Those that take a run, except `end`, are called while
 * fx_rt_thread.on_error is set, so they may call fx_rt_fail. */
struct FXrtDeviceOps {
  /* The name of the platform, and of its devices: "cuda". */
  const char *name;
  int device_type; /* DLDeviceType */
  /* Inputs and outputs may be in memory of the device. */
  int shares_tensors;
  const GpuPlatform *platform;
  /* Sets up the device, the kernels and the states of an instance, which has
   * one method. Returns 0, or 1 with a message in err. */
  int (*create)(FXInstance *i, char *err, size_t err_size);
  void (*destroy)(FXInstance *i);
  /* Resets the mutable states. If this fails, runs fail until it succeeds. */
  void (*reset)(FXInstance *i);
  /* Sets `data` to the address of the value of argument `a`; see FXModelApi.
   * The address is one of the host if the device does not share its tensors.
   * Returns 1 on failure. */
  int (*get_state)(FXInstance *i, int64_t a, void **data);
  int (*set_states)(FXInstance *i, int n, const int *indices,
                    const DLTensor *const *values, char *err, size_t err_size);
  void (*bind_args)(FXrtFrame *f, FXrtRun *run, const DLTensor *const *inputs);
  void (*collect)(const FXrtFrame *f, FXrtRun *run,
                  const DLTensor *const *inputs, DLManagedTensor **outputs);
  /* Allocates device memory of a run; returns null if out of memory. */
  void *(*alloc)(FXrtRun *run, size_t bytes);
  /* Does the same for the temporary tensors; called once per run. */
  void *(*arena)(FXrtRun *run, size_t bytes);
  void (*free)(FXrtRun *run, void *data);
  /* Makes operand `t` of a fallback call ready. If the fallback works on the
   * host, copies the operand there, changes `t` accordingly and returns the
   * copy, a block of the run that the caller frees. Returns null if `t` needs
   * no copy. */
  void *(*fetch_operand)(FXrtRun *run, DLTensor *t);
  /* Copies a result, possibly strided, to memory of `alloc`. The caller may
   * free the result afterwards. */
  void (*place_result)(FXrtRun *run, const DLTensor *t, void *to);
  /* Frees the device memory of a run; also called after a run that failed. */
  void (*end)(FXrtRun *run);
};
/* EmitDescription.cpp refers to these by the name of the platform. */
extern const FXrtDeviceOps fx_rt_cuda __attribute__((visibility("hidden")));
extern const FXrtDeviceOps fx_rt_rocm __attribute__((visibility("hidden")));
extern const FXrtDeviceOps fx_rt_vulkan __attribute__((visibility("hidden")));

/* The run of the current thread; set while compiled code runs in it. */
typedef struct {
  FXrtRun *run;
  jmp_buf *on_error;
  int nested; /* inside a parallel loop */
} FXrtThread;
extern __thread FXrtThread fx_rt_thread;

/* A memref descriptor as MLIR lays it out: rank sizes, then rank strides. */
typedef struct {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes_and_strides[];
} FXrtMemRef;

/* One tensor operand or result of a fallback call: its memref descriptor and
 * the rank and dtype that DLPack needs. */
typedef struct {
  FXrtMemRef *memref;
  int64_t rank;
  int64_t code, bits;
  /* For results: the sizes that compiled code relies on, -1 for sizes that it
   * reads from the descriptor. Null for a number, which is always on the host.
   */
  const int64_t *sizes;
} FXrtEagerTensor;

/* A call of the fallback. It is a block of the run; its arrays follow it in the
 * same block. */
typedef struct FXrtCall {
  FXrtRun *run;
  const char *json;
  int n_in, n_scalars, n_out, failed;
  const DLTensor **inputs;
  void **copies; /* host copies of operands on the device, or null */
  FXScalar *scalars;
  DLManagedTensor **outputs;
  char err[512];
  /* For calls that were started: links of the run's list and of the queue, the
   * number that compiled code awaits the call by, and its state. */
  struct FXrtCall *next, *next_queued;
  int64_t slot;
  enum { FX_CALL_NEW, FX_CALL_QUEUED, FX_CALL_RUNNING, FX_CALL_DONE } state;
} FXrtCall;

/* Fails the run: leaves the compiled code by a jump. The message of the first
 * failure is kept. Does not return. */
_Noreturn void fx_rt_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Returns the bits of the features, FX_X86_* or FX_AARCH64_*, that the CPU has
 * and the system supports. */
int64_t fx_rt_cpu_features(void);
/* Returns nonzero if version `v` multiplies in tiles. */
int fx_rt_needs_tiles(int64_t v);
/* Returns the methods of version `v`. */
static inline const FXrtModel *const *fx_rt_methods_of(int64_t v) {
  return fx_rt_versions.models + v * fx_rt_versions.n_methods;
}
/* Returns the number of the version that this process uses. The first call
 * chooses it. */
int64_t fx_rt_version(void);
/* Checks that the CPU can run the chosen version; on failure writes a message
 * and returns 1. */
int fx_rt_check_cpu(char *err, size_t err_size);

/* Asks the system for the permission of this process to use tiles (AMX).
 * Returns 0, or writes a message to `err` and returns another value. */
int fx_rt_request_tiles(char *err, size_t size);

/* Seeds a generator like torch.manual_seed. */
void fx_rt_seed_generator(FXGenerator *g, uint64_t seed);
/* The functions of FXModelApi. */
void fx_rt_seed(FXInstance *i, uint64_t seed);
void fx_rt_get_generator(FXInstance *i, FXGenerator *out);
void fx_rt_set_generator(FXInstance *i, const FXGenerator *generator);

/* Evaluates an expression. Returns 0 on success; 1 if a symbol is unbound, and
 * sets *unbound to its index if it is the only one, or else to -1; 2 on
 * overflow or division by zero. */
int fx_rt_eval(const int64_t *code, const int64_t *values, const char *bound,
               int64_t *out, int64_t *unbound);

/* Checks dtype, rank, static sizes and device of a tensor. On failure writes a
 * message, in which `what` names the kind of the tensor, and returns 1. */
int fx_rt_check_tensor(const FXrtModel *model, const char *what,
                       const DLTensor *t, const FXValueInfo *v, char *err,
                       size_t err_size);
/* Checks the inputs of a call; on failure writes a message and returns 1. */
int fx_rt_check_inputs(const FXrtModel *model, const DLTensor *const *inputs,
                       int n_inputs, char *err, size_t err_size);
/* Returns 1 if the tensor is contiguous in row-major order. */
int fx_rt_is_contiguous(const DLTensor *t);
/* Copies between a strided tensor and a contiguous buffer; to the tensor if
 * `to_tensor`. */
void fx_rt_copy_strided(const DLTensor *t, char *contiguous, int to_tensor);

/* Returns the number of elements of a tensor. */
int64_t fx_rt_count(const DLTensor *t);

/* Returns the number of the argument that holds a state, or -1 if there is
 * none. */
int64_t fx_rt_arg_of(const FXrtModel *model, int state);

/* Makes the outputs of a run. */
void fx_rt_collect(const FXrtFrame *f, FXrtRun *run, DLManagedTensor **outputs);
/* Checks the memory that run_into writes to; on failure writes a message and
 * returns 1. */
int fx_rt_check_targets(const FXrtModel *model, const DLTensor *const *targets,
                        char *err, size_t size);
/* Returns the caller's memory for a result of `bytes`, or null if compiled code
 * cannot write there. */
void *fx_rt_target(const FXrtRun *run, int64_t result, size_t bytes);
/* Checks the sizes of the caller's outputs, and copies to them what compiled
 * code did not write there. */
void fx_rt_fill_targets(const FXrtFrame *f, FXrtRun *run);

/* Writes the descriptor of a contiguous tensor. */
void fx_rt_fill_memref(FXrtMemRef *m, void *data, int64_t rank,
                       const int64_t *sizes);

/* Called at the begin and the end of each run. */
void fx_rt_run_begin(FXInstance *i);
void fx_rt_run_end(FXInstance *i);
/* Between these calls no run is under way: the first waits for the end of all
 * runs and blocks new ones, the second admits runs again. */
void fx_rt_exclude_runs(FXInstance *i);
void fx_rt_admit_runs(FXInstance *i);
/* Allocates and initializes the mutable states of an instance for the CPU.
 * Returns 1 if out of memory. */
int fx_rt_make_states(FXrtCommon *c);
void fx_rt_free_states(FXrtCommon *c);
/* Binds the states of a method of the instance. Returns 1 if out of memory. */
int fx_rt_bind_states(FXInstance *i);
void fx_rt_unbind_states(FXInstance *i);
/* The functions of FXModelApi. */
void fx_rt_reset(FXInstance *i);
int fx_rt_get_state(FXInstance *i, int index, DLTensor *out);
int fx_rt_set_states(FXInstance *i, int n, const char *const *names,
                     const DLTensor *const *values, char *err, size_t size);
int fx_rt_share_states(FXInstance *i, int n, const char *const *names,
                       DLManagedTensor *const *values, char *err, size_t size);

/* Makes the heap of an instance; returns null if out of memory. */
FXrtHeap *fx_rt_heap_new(const FXCallbacks *callbacks, int on_device);
/* Ends the use of a heap by its instance. */
void fx_rt_heap_close(FXrtHeap *h);
/* Allocates a block whose data have `bytes`, or returns null. */
FXrtBlock *fx_rt_heap_alloc(FXrtHeap *h, size_t bytes);
void fx_rt_heap_free(FXrtBlock *b);
/* Maps new pages, huge ones if there is room for them, and rounds *bytes up to
 * pages. Returns null if out of memory. */
void *fx_rt_map_pages(size_t *bytes);
/* Allocates a block of the run, or returns null. */
void *fx_rt_block_alloc(FXrtRun *run, size_t bytes);
void fx_rt_block_free(FXrtRun *run, void *data);
/* Takes a block out of the run. The caller owns it. */
FXrtBlock *fx_rt_block_release(FXrtRun *run, void *data);
void fx_rt_free_all(FXrtRun *run);
void fx_rt_arena_return(FXrtRun *run);
void fx_rt_arena_free_all(FXInstance *i);

FXrtCall *fx_rt_call_make(const char *json, int64_t n_in,
                          const FXrtEagerTensor *in, int64_t n_scalars,
                          const FXScalar *scalars, int64_t n_out);
void fx_rt_call_run(FXrtCall *call);
/* Copies the outputs to memory of the run and frees the call. Fails the run if
 * the call failed or an output is not as expected. */
void fx_rt_call_finish(FXrtCall *call, const FXrtEagerTensor *out);
/* Frees the call and its outputs. */
void fx_rt_call_drop(FXrtCall *call);
/* Waits for the started calls of a run that are executing and drops all started
 * calls. */
void fx_rt_async_end(FXrtRun *run);
void fx_rt_async_destroy(FXInstance *i);

/* The function of FXModelApi. */
int64_t fx_rt_take_profile(FXInstance *i, FXKernelRun *out, int64_t capacity);

void fx_rt_pool_run(FXInstance *i, int threads, int64_t n, int64_t grain,
                    void (*fn)(void *, int64_t, int64_t), void *arg);
void fx_rt_pool_destroy(FXInstance *i);

#endif /* FX_RUNTIME_ARTEFACT_INTERNAL_H */
