/*===- model.h - the C interface of a compiled model --------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `fx-compile m.pt2 -o m.so` makes a shared object that needs libc and libm
// only and exports one function, `fx_model_api`. A caller needs this header,
// dlopen and nothing else of fx-mlir:
//
//   const FXModelApi *(*api_fn)(void) =
//       dlsym(dlopen("m.so", RTLD_NOW), FX_MODEL_API_SYMBOL);
//   const FXModelApi *api = api_fn();
//   char err[512];
//   FXInstance *m = api->create(NULL, err, sizeof err);
//   DLManagedTensor *out[1];
//   if (api->run(m, inputs, 1, out, 1, NULL, err, sizeof err)) puts(err);
//   out[0]->deleter(out[0]);
//   api->destroy(m);
//
// There is no global state: instances are independent, and several threads
// may run one instance at the same time (a model that mutates its own state,
// a KV cache say, runs one call at a time in each instance).
//
//===----------------------------------------------------------------------===*/

#ifndef FX_RUNTIME_MODEL_H
#define FX_RUNTIME_MODEL_H

#include "fx/Runtime/dlpack.h"
#include "fx/Runtime/fallback.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FX_MODEL_API_SYMBOL "fx_model_api"
/* Raised when a structure below changes incompatibly. */
#define FX_MODEL_ABI_VERSION 3u
/* The seed of a new instance's random generator: that of a new process of
 * PyTorch. */
#define FX_DEFAULT_SEED 67280421310721u
/* The first word of FXModelApi: the bytes "FXM1". */
#define FX_MODEL_MAGIC 0x314d5846u

/* What an input or output is in Python. */
typedef enum {
  FX_VALUE_TENSOR = 0,
  FX_VALUE_INT = 1,   /* passed as a 0-d int64 tensor */
  FX_VALUE_FLOAT = 2, /* passed as a 0-d float64 tensor */
  FX_VALUE_BOOL = 3,  /* passed as a 0-d bool tensor */
  FX_VALUE_NONE = 4   /* outputs only: a null pointer */
} FXValueKind;

/* One input or output. */
typedef struct {
  const char *name;
  int32_t kind; /* FXValueKind */
  /* Inputs: the place among the flattened (args, kwargs) leaves, where None
   * and str leaves count but are not passed. Outputs: the place among the
   * flattened outputs. */
  int32_t leaf;
  DLDataType dtype;
  int32_t rank;
  /* Not 0: run() writes to this input (contents only). */
  int32_t mutated;
  /* rank sizes; -1 where the size is symbolic. */
  const int64_t *sizes;
  /* rank texts: "8", "s17", "2*s17 + 1". */
  const char *const *size_exprs;
} FXValueInfo;

/* A condition on the sizes, checked on every call. */
typedef struct {
  const char *text; /* "s17 > 3" */
  const char *code; /* the Python text of a guard; null for a range */
} FXConditionInfo;

/* A parameter, buffer or constant of the model. */
typedef struct {
  const char *name; /* as in the state_dict: "layer1.0.conv1.weight" */
  DLDataType dtype;
  int32_t rank;
  int32_t is_mutable;
  /* Not 0: set_states takes it. A weight that was folded or packed when the
   * model was compiled can only be set where the model was compiled with
   * `--swappable-weights`. */
  int32_t is_settable;
  const int64_t *sizes;
} FXStateInfo;

typedef struct {
  const char *name;     /* of the model */
  const char *producer; /* "fx-mlir 0.1.0" */
  const char *cpu;      /* what it was compiled for: "znver5" */
  int32_t n_inputs;     /* passed ones only */
  int32_t n_outputs;
  const FXValueInfo *inputs;
  const FXValueInfo *outputs;
  /* Inputs that are not passed (None, str): the number of leaves in all. */
  int32_t n_input_leaves;
  int32_t n_conditions;
  const FXConditionInfo *conditions;
  int32_t n_states;
  /* Operators that go through the fallback call-back; 0: none is needed. */
  int32_t n_fallbacks;
  const FXStateInfo *states;
  const char *const *fallbacks; /* their JSON texts, see fallback.h */
  /* Bytes of one run's temporary memory where all sizes are static, else -1. */
  int64_t arena_bytes;
  uint64_t weight_bytes;
  /* The compiler's report, JSON in one line (docs/Report.md). */
  const char *report;
  /* What runs the kernels: "cuda:sm_90a"; null: the CPU. */
  const char *target;
  /* Not 0: a run may draw numbers of the instance's random generator. */
  int32_t draws_random;
} FXModelInfo;

/* One copy of the model's mutable state. */
typedef struct FXInstance FXInstance;

/* The caller's services; every pointer may be null (then the model's own are
 * used). Must stay valid while the instance and its outputs live. */
typedef struct {
  uint32_t struct_size; /* sizeof(FXCallbacks) */
  void *context;        /* the first argument of the functions below */
  /* Calls fn(arg, begin, end) for disjoint ranges that cover [0, n), each of
   * at least `grain` items but the last, on any threads; returns when all
   * have. Null: the instance's own threads. */
  void (*parallel_for)(void *context, int64_t n, int64_t grain,
                       void (*fn)(void *arg, int64_t begin, int64_t end),
                       void *arg);
  /* Memory for outputs and temporaries; null result: out of memory. Of a model
   * for a GPU it is memory of the device, used and freed in the order of the
   * run's stream: work on other streams must not get it before. */
  void *(*alloc)(void *context, size_t bytes, size_t alignment);
  void (*free)(void *context, void *ptr, size_t bytes);
  /* Operators without native code. */
  FXFallbackFn fallback;
  void *fallback_context;
  /* Of a model for a GPU: the number of the device that the instance lives on.
   */
  int32_t device;
  /* Of a model for a GPU: nonzero if the fallback takes tensors of this device;
   * else it is passed copies on the host. See fallback.h. */
  int32_t fallback_on_device;
  /* Of the fallback; null: it draws random numbers of its own. It is given
   * fallback_context. */
  FXExchangeGeneratorFn exchange_generator;
} FXCallbacks;

/* How a model for a GPU runs; others know no flags. */
typedef enum {
  /* Return when all work is on the stream: outputs are valid in its order, and
   * inputs must stay until it is done. Another stream waits for an event behind
   * the run before it uses an output; the output is freed in the order of the
   * run's stream, which must be behind that use then. */
  FX_RUN_ASYNC = 1,
  /* Outputs in memory of the host. The call waits for them. */
  FX_RUN_HOST_OUTPUTS = 2,
  /* Launch kernel by kernel, not as CUDA graphs. */
  FX_RUN_NO_GRAPHS = 4
} FXRunFlag;

typedef struct {
  uint32_t struct_size; /* sizeof(FXRunOptions) */
  /* Threads of this call: 1 runs in the caller's thread only, 0 uses all
   * CPUs. Ignored where the caller brings its own parallel_for. */
  int32_t threads;
  /* Of a model for a GPU: the CUstream that everything runs on; null: the
   * default stream. It must exist as long as the outputs. While the caller
   * captures it, runs must be FX_RUN_ASYNC, with all tensors on the device. */
  void *stream;
  uint32_t flags; /* FXRunFlag */
} FXRunOptions;

typedef struct {
  uint32_t magic;       /* FX_MODEL_MAGIC */
  uint32_t abi_version; /* FX_MODEL_ABI_VERSION */
  const FXModelInfo *info;
  /* A new instance, or null with a message in err. callbacks may be null. */
  FXInstance *(*create)(const FXCallbacks *callbacks, char *err,
                        size_t err_size);
  /* Outputs of earlier runs stay valid. */
  void (*destroy)(FXInstance *instance);
  /* Runs the model: n_inputs host tensors (possibly strided) in the order of
   * info->inputs; sets n_outputs new, contiguous tensors, which the caller
   * frees through their deleter. No output shares memory with another, with
   * an input or with the model. options may be null (threads = 1).
   *
   * A model for a GPU takes tensors of its device, which are not copied unless
   * they are strided, and of the host; numbers are always on the host, as
   * inputs and as outputs.
   *
   * Checked before anything runs: counts, dtypes, ranks, sizes, equal symbols
   * across inputs, ranges, guards.
   *
   * Returns 0, or 1 with one line in err that names the input, dimension and
   * expression, what was expected and what it got; outputs are then null. */
  int (*run)(FXInstance *instance, const DLTensor *const *inputs, int n_inputs,
             DLManagedTensor **outputs, int n_outputs,
             const FXRunOptions *options, char *err, size_t err_size);
  /* A view of a state's current value (index in info->states), valid until
   * the instance is destroyed or the state set; not while a run is under way.
   * Returns 0, or 1 where the model does not hold the value any more because
   * it was folded or packed. */
  int (*get_state)(FXInstance *instance, int index, DLTensor *out);
  /* Sets all mutable states back to the values they have in the file. If that
   * fails on a GPU, runs fail until it succeeds. */
  void (*reset)(FXInstance *instance);
  /* Replaces n states of this instance by copies of host tensors of their
   * dtypes and shapes, possibly strided, and makes again what is folded or
   * packed of them: set together what changes together, it is done once. Waits
   * for runs under way. States that are tied in PyTorch are set one by one.
   *
   * Returns 0, or 1 with one line in err that names the state; then nothing
   * has changed. */
  int (*set_states)(FXInstance *instance, int n, const char *const *names,
                    const DLTensor *const *values, char *err, size_t err_size);
  /* Starts the instance's random generator again, as torch.manual_seed: random
   * operators then give the values of eager PyTorch on the CPU. From run to run
   * the generator goes on; it starts from FX_DEFAULT_SEED. */
  void (*seed)(FXInstance *instance, uint64_t seed);
  /* The generator's state; not while a run is under way. */
  void (*get_generator)(FXInstance *instance, FXGenerator *out);
  void (*set_generator)(FXInstance *instance, const FXGenerator *generator);
} FXModelApi;

/* The only symbol that a compiled model exports. */
const FXModelApi *fx_model_api(void);

#ifdef __cplusplus
}
#endif

#endif /* FX_RUNTIME_MODEL_H */
