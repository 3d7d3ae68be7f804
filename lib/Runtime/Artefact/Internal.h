/*===- Internal.h - shared by the parts of the artefact's runtime -*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything here is compiled into each artefact and may use libc and libm
// only. lib/Runtime/Artefact/libc.map lists the functions that may be used.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_RUNTIME_ARTEFACT_INTERNAL_H
#define FX_RUNTIME_ARTEFACT_INTERNAL_H

#include "fx/Runtime/Desc.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

/* The limit of torch and of this runtime. */
enum { FX_MAX_RANK = 64 };

/* CUtensorMap of cuda.h, and how many a kernel takes. */
enum { FX_TENSOR_MAP_BYTES = 128, FX_TENSOR_MAPS = 2 };

/* A memory block of a run; the data follow at the next 64 bytes. */
typedef struct FXrtBlock {
  struct FXrtBlock *prev, *next;
  size_t bytes; /* of the whole allocation, this header included */
  int is_output;
} FXrtBlock;

typedef struct FXrtArena {
  struct FXrtArena *next;
  void *data;
  size_t bytes;
} FXrtArena;

typedef struct FXrtPool FXrtPool;
typedef struct FXrtAsync FXrtAsync;
typedef struct FXrtGpu FXrtGpu;           /* Cuda.c */
typedef struct FXrtGpuBlock FXrtGpuBlock; /* CudaMemory.c */

struct FXInstance {
  FXCallbacks callbacks;
  int has_parallel_for;
  pthread_mutex_t run_lock; /* held by a run of a model with mutable states */
  pthread_mutex_t lock;     /* guards arenas, pool, runs and is_setting */
  pthread_cond_t changed;   /* runs became 0, or is_setting */
  int runs;                 /* under way */
  int is_setting;           /* states are being replaced: no run may begin */
  FXrtArena *arenas;
  FXrtPool *pool;
  FXrtAsync *async;
  const char *weights;
  void **arg_data;        /* where each state and prepared tensor lies */
  FXrtBlock **arg_blocks; /* memory of those that were set; else null */
  pthread_mutex_t generator_lock;
  FXGenerator generator; /* what random operators draw from */
  FXrtGpu *gpu; /* of a model for a GPU, where arg_data are addresses of it */
};

/* One call of run(). */
typedef struct {
  FXInstance *instance;
  int threads;
  pthread_mutex_t lock; /* guards blocks */
  FXrtBlock blocks;     /* list head */
  FXrtArena *arena;
  struct FXrtCall *started; /* calls that were not awaited yet */
  char *err;
  size_t err_size;
  atomic_int failed;
  /* Of a model for a GPU. */
  FXRunOptions options;
  FXrtGpuBlock *gpu_blocks;
  struct FXrtGpuSlot *gpu_slot; /* null: launches go one by one */
  int has_context;              /* the device's context is the thread's */
  int is_captured;              /* the caller makes a graph of the stream */
  char *host_values;            /* numbers among the arguments: 8 bytes each */
  _Alignas(64) char tensor_maps[FX_TENSOR_MAPS][FX_TENSOR_MAP_BYTES];
} FXrtRun;

/* Memory of one call: descriptors of arguments and results. */
typedef struct {
  void **args;
  int64_t *words; /* descriptors of the arguments, then of the results */
  int64_t *results;
} FXrtFrame;

/* What differs where kernels run on a device. Those with a run are called
 * inside of compiled code's protection and may fail, but for `end`. */
struct FXrtDeviceOps {
  /* Finds device, kernels and memory, and places the states; 1: see err. */
  int (*create)(FXInstance *i, char *err, size_t err_size);
  void (*destroy)(FXInstance *i);
  int (*reset)(FXInstance *i);
  int (*set_states)(FXInstance *i, int n, const int *indices,
                    const DLTensor *const *values, char *err, size_t err_size);
  void (*bind_args)(FXrtFrame *f, FXrtRun *run, const DLTensor *const *inputs);
  void (*collect)(const FXrtFrame *f, FXrtRun *run,
                  const DLTensor *const *inputs, DLManagedTensor **outputs);
  /* Memory of a run; null: out of memory. */
  void *(*alloc)(FXrtRun *run, size_t bytes);
  /* The same for the temporaries, asked for once a run. */
  void *(*arena)(FXrtRun *run, size_t bytes);
  void (*free)(FXrtRun *run, void *data);
  /* Of a call of the fallback: waits for operand `t`, and where the fallback
   * works on the host makes it a copy there, to be freed as a block of the run;
   * null: it stays where it is. */
  void *(*fetch_operand)(FXrtRun *run, DLTensor *t);
  /* Copies a result, possibly strided, to memory of `alloc`; it may be freed
   * then. */
  void (*place_result)(FXrtRun *run, const DLTensor *t, void *to);
  /* After the run, also one that failed: frees what is left. */
  void (*end)(FXrtRun *run);
};
extern const FXrtDeviceOps fx_rt_cuda __attribute__((visibility("hidden")));

/* What the current thread works on: set while compiled code runs in it. */
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

/* One tensor operand or result: its memref descriptor and what DLPack needs. */
typedef struct {
  FXrtMemRef *memref;
  int64_t rank;
  int64_t code, bits;
  /* Results: sizes that the compiled code relies on, -1 where it asks. Null: a
   * number, which the host reads. */
  const int64_t *sizes;
} FXrtEagerTensor;

/* A call of the fallback: memory of the run, of the length that it needs. */
typedef struct FXrtCall {
  FXrtRun *run;
  const char *json;
  int n_in, n_scalars, n_out, failed;
  const DLTensor **inputs;
  void **copies; /* of operands that are not on the host, or null */
  FXScalar *scalars;
  DLManagedTensor **outputs;
  char err[512];
  /* Of calls that were started: the run's list, the queue, and where it is. */
  struct FXrtCall *next, *next_queued;
  int64_t slot;
  enum { FX_CALL_NEW, FX_CALL_QUEUED, FX_CALL_RUNNING, FX_CALL_DONE } state;
} FXrtCall;

/* Writes a message once and leaves the compiled code. Does not return. */
_Noreturn void fx_rt_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* The features that the CPU has, of FX_CPU_*. */
int64_t fx_rt_cpu_features(void);

/* Starts a generator again, as torch.manual_seed. */
void fx_rt_seed_generator(FXGenerator *g, uint64_t seed);
/* The functions of FXModelApi. */
void fx_rt_seed(FXInstance *i, uint64_t seed);
void fx_rt_get_generator(FXInstance *i, FXGenerator *out);
void fx_rt_set_generator(FXInstance *i, const FXGenerator *generator);

/* Evaluates an expression. Returns 0; 1 where a symbol is unbound (its index
 * to *unbound if that is the only one, else -1); 2 on overflow or division by
 * zero. */
int fx_rt_eval(const int64_t *code, const int64_t *values, const char *bound,
               int64_t *out, int64_t *unbound);

/* Checks a tensor against dtype, rank, static sizes and device; `what` names
 * its kind in the message. */
int fx_rt_check_tensor(const char *what, const DLTensor *t,
                       const FXValueInfo *v, char *err, size_t err_size);
/* Checks the inputs of a call; on failure writes a message and returns 1. */
int fx_rt_check_inputs(const DLTensor *const *inputs, int n_inputs, char *err,
                       size_t err_size);
/* Writes 1 if the tensor is contiguous in row-major order. */
int fx_rt_is_contiguous(const DLTensor *t);
/* Copies between a strided tensor and a contiguous buffer. */
void fx_rt_copy_strided(const DLTensor *t, char *contiguous, int to_tensor);

/* The elements of a tensor. */
int64_t fx_rt_count(const DLTensor *t);

/* The argument that holds a state, or -1: only @prepare read it. */
int64_t fx_rt_arg_of(int state);

/* Writes the descriptor of a contiguous tensor. */
void fx_rt_fill_memref(FXrtMemRef *m, void *data, int64_t rank,
                       const int64_t *sizes);

/* Around each run: set_states waits for the end of those under way. */
void fx_rt_run_begin(FXInstance *i);
void fx_rt_run_end(FXInstance *i);
/* Around what needs that no run is under way. */
void fx_rt_exclude_runs(FXInstance *i);
void fx_rt_admit_runs(FXInstance *i);
/* Places of the states; 1: out of memory. */
int fx_rt_make_states(FXInstance *i);
void fx_rt_free_states(FXInstance *i);
/* The functions of FXModelApi. */
void fx_rt_reset(FXInstance *i);
int fx_rt_get_state(FXInstance *i, int index, DLTensor *out);
int fx_rt_set_states(FXInstance *i, int n, const char *const *names,
                     const DLTensor *const *values, char *err, size_t size);

void *fx_rt_host_alloc(FXInstance *i, size_t bytes);
void fx_rt_host_free(FXInstance *i, void *ptr, size_t bytes);
/* A block of the run, or null. */
void *fx_rt_block_alloc(FXrtRun *run, size_t bytes, int is_output);
void fx_rt_block_free(FXrtRun *run, void *data);
/* Takes a block out of the run: its owner is now the output. */
FXrtBlock *fx_rt_block_release(FXrtRun *run, void *data);
void fx_rt_free_all(FXrtRun *run);
void fx_rt_arena_return(FXrtRun *run);
void fx_rt_arena_free_all(FXInstance *i);

FXrtCall *fx_rt_call_make(const char *json, int64_t n_in,
                          const FXrtEagerTensor *in, int64_t n_scalars,
                          const FXScalar *scalars, int64_t n_out);
void fx_rt_call_run(FXrtCall *call);
/* Takes the outputs and frees the call, also where it leaves by an error. */
void fx_rt_call_finish(FXrtCall *call, const FXrtEagerTensor *out);
/* Frees the call and outputs that nobody took. */
void fx_rt_call_drop(FXrtCall *call);
/* Waits for the calls of a run that are under way and drops all. */
void fx_rt_async_end(FXrtRun *run);
void fx_rt_async_destroy(FXInstance *i);

void fx_rt_pool_run(FXInstance *i, int threads, int64_t n, int64_t grain,
                    void (*fn)(void *, int64_t, int64_t), void *arg);
void fx_rt_pool_destroy(FXInstance *i);

#endif /* FX_RUNTIME_ARTEFACT_INTERNAL_H */
