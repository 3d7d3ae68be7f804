/*===- model.h - the C interface of a compiled model --------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `fx-compile m.pt2 -o m.so` writes a shared object that depends only on libc
// and libm and exports one function, `fx_model_api`. Of fx-mlir, a caller needs
// only this header:
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
// may run one instance at the same time. If a model mutates its own state, such
// as a KV cache, the runs of one instance wait for each other.
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
/* Increased when a structure below changes incompatibly. */
#define FX_MODEL_ABI_VERSION 4u
/* The seed of the random generator of a new instance. It is the seed of a new
 * PyTorch process. */
#define FX_DEFAULT_SEED 67280421310721u
/* The first word of FXModelApi: the bytes "FXM1". */
#define FX_MODEL_MAGIC 0x314d5846u

/* The kind of an input or output in Python. */
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
  /* Inputs: the index among the flattened (args, kwargs) leaves, which include
   * the None and str leaves that are not passed. Outputs: the index among the
   * flattened outputs. */
  int32_t leaf;
  DLDataType dtype;
  int32_t rank;
  /* Not 0: run() writes the elements of this input. It is an error if they
   * overlap those of another input, or each other (stride 0). */
  int32_t mutated;
  /* `rank` sizes; -1 for a symbolic size. */
  const int64_t *sizes;
  /* `rank` texts: "8", "s17", "2*s17 + 1". */
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
  /* Not 0: set_states can set it. A weight that the compiler folded or packed
   * can only be set if the model was compiled with `--swappable-weights`. */
  int32_t is_settable;
  const int64_t *sizes;
} FXStateInfo;

typedef struct {
  const char *name;     /* the name of the model */
  const char *producer; /* "fx-mlir 0.1.0" */
  const char *cpu;      /* the CPU that it was compiled for: "znver5" */
  int32_t n_inputs;     /* without the leaves that are not passed */
  int32_t n_outputs;
  const FXValueInfo *inputs;
  const FXValueInfo *outputs;
  /* The number of input leaves, including those that are not passed (None,
   * str). */
  int32_t n_input_leaves;
  int32_t n_conditions;
  const FXConditionInfo *conditions;
  int32_t n_states;
  /* The number of operators that call the fallback; 0: none is needed. */
  int32_t n_fallbacks;
  const FXStateInfo *states;
  const char *const *fallbacks; /* their JSON texts, see fallback.h */
  /* The bytes of temporary memory of a run if all sizes are static, else -1. */
  int64_t arena_bytes;
  uint64_t weight_bytes;
  /* The compiler's report, JSON in one line (docs/Report.md). */
  const char *report;
  /* The target of the kernels: "cuda:sm_90a", "rocm:gfx942", "vulkan"; null:
   * the CPU. */
  const char *target;
  /* Not 0: a run may draw from the instance's random generator. */
  int32_t draws_random;
  /* The members below exist if FXModelApi has `share_states`. */
  /* The states of the program that the model does not use, by name. */
  int32_t n_unused_states;
  /* For each state, not 0 if the state_dict has it: a parameter or a persistent
   * buffer. */
  const int32_t *persistent_states;
  const char *const *unused_states;
} FXModelInfo;

/* A method of a model. */
typedef struct {
  const char *name; /* "forward" if the model has one method without a name */
  const FXModelInfo *info;
} FXMethod;

/* One copy of the model's mutable state. */
typedef struct FXInstance FXInstance;

/* Returns null, or why LibTorch cannot be used: a text that stays valid. May be
 * called on any thread. */
typedef const char *(*FXPrepareTorchFn)(void);

/* Services of the caller. Every pointer may be null; then the model uses its
 * own implementation. The structure must stay valid while the instance and its
 * outputs live. */
typedef struct {
  uint32_t struct_size; /* sizeof(FXCallbacks) */
  void *context;        /* the first argument of the functions below */
  /* Calls fn(arg, begin, end) for disjoint ranges that cover [0, n), on any
   * threads. Each range but the last has at least `grain` items. Returns when
   * all calls have returned. Null: the instance's own threads. */
  void (*parallel_for)(void *context, int64_t n, int64_t grain,
                       void (*fn)(void *arg, int64_t begin, int64_t end),
                       void *arg);
  /* Allocates memory for outputs and temporaries; returns null if out of
   * memory. For a model for a GPU it allocates memory of the device, which is
   * used and freed in the order of the run's stream: memory that is freed must
   * not be given to other streams before the stream reaches this point. */
  void *(*alloc)(void *context, size_t bytes, size_t alignment);
  void (*free)(void *context, void *ptr, size_t bytes);
  /* Operators without native code. */
  FXFallbackFn fallback;
  void *fallback_context;
  /* For a model for a GPU: the number of the instance's device. */
  int32_t device;
  /* For a model for a GPU: nonzero if the fallback accepts tensors of this
   * device; else it gets copies on the host. See fallback.h. */
  int32_t fallback_on_device;
  /* Exchanges the generator with the fallback; its first argument is
   * fallback_context. Null: the fallback draws from a generator of its own. */
  FXExchangeGeneratorFn exchange_generator;
  /* Loads the LibTorch that the program uses. The loader calls it before it
   * loads libFXTorch.so for the model, which would load another one. */
  FXPrepareTorchFn prepare_torch;
} FXCallbacks;

/* The number of calls of kernels that an instance records. */
#define FX_MAX_KERNEL_RUNS (1 << 20)

/* One call of a kernel in a run. */
typedef struct {
  /* The N of `kernel_N`, the kernel's name in the report; or -1 - I for the
   * operator with index I in the report's list, which ATen runs. */
  int64_t kernel;
  int64_t start, end; /* in ns, of the system's monotonic clock */
  int64_t bytes;      /* of all operands and results, each counted once */
  int64_t flops;      /* floating-point operations; 0: not known */
} FXKernelRun;

/* Flags of runs of a model for a GPU. */
typedef enum {
  /* Return when all work is enqueued on the stream. Outputs are valid in the
   * order of the stream, and inputs must stay until the work is done. Another
   * stream must wait for an event after the run before it uses an output. An
   * output is freed in the order of the run's stream, so this stream must wait
   * for all uses on other streams before the output is freed. */
  FX_RUN_ASYNC = 1,
  /* Return outputs in memory of the host. The call waits for them. */
  FX_RUN_HOST_OUTPUTS = 2,
  /* Launch each kernel separately instead of using CUDA graphs. */
  FX_RUN_NO_GRAPHS = 4
} FXRunFlag;

typedef struct {
  uint32_t struct_size; /* sizeof(FXRunOptions) */
  /* The number of threads of this call: 1 uses the caller's thread only, 0 uses
   * all CPUs that it may use. Ignored if the caller provides parallel_for. */
  int32_t threads;
  /* For a model for a GPU: the CUstream or hipStream_t of all work; null: the
   * default stream. Vulkan has one queue for all streams.
   * It must exist as long as the outputs. While the caller captures the stream,
   * runs must be FX_RUN_ASYNC and all tensors must be on the device. */
  void *stream;
  uint32_t flags; /* FXRunFlag */
} FXRunOptions;

typedef struct {
  uint32_t magic;       /* FX_MODEL_MAGIC */
  uint32_t abi_version; /* FX_MODEL_ABI_VERSION */
  /* sizeof(FXModelApi): newer versions may have more members at the end. */
  uint64_t struct_size;
  const FXModelInfo *info;
  /* Returns a new instance, or null with a message in err. callbacks may be
   * null. */
  FXInstance *(*create)(const FXCallbacks *callbacks, char *err,
                        size_t err_size);
  /* Destroys an instance. Outputs of earlier runs stay valid. */
  void (*destroy)(FXInstance *instance);
  /* Runs the model. The inputs are n_inputs host tensors, possibly strided, in
   * the order of info->inputs. Sets n_outputs outputs to new contiguous
   * tensors, which the caller frees by their deleter. No output shares memory
   * with another output, with an input or with the model. options may be null
   * (threads = 1). The instance keeps the memory of large outputs that are
   * freed for later runs.
   *
   * A model for a GPU accepts tensors of the host and, except for Vulkan, of
   * its device. The latter are not copied unless they are strided. Numbers are
   * always on the host, as inputs and as outputs.
   *
   * Checks counts, dtypes, ranks, sizes, equal symbols across inputs, ranges
   * and guards before anything runs.
   *
   * Returns 0, or 1 with one line in err that names the input, the dimension
   * and the expression, and the expected and the actual value; outputs are then
   * null. */
  int (*run)(FXInstance *instance, const DLTensor *const *inputs, int n_inputs,
             DLManagedTensor **outputs, int n_outputs,
             const FXRunOptions *options, char *err, size_t err_size);
  /* Sets out to a view of the current value of info->states[index]. It is valid
   * until the instance is destroyed or the state is set. For Vulkan it is a
   * copy on the host, valid until the next call for the state. Must not be
   * called during a run. Returns 0, or 1 if the model does not contain the
   * value because it was folded or packed. */
  int (*get_state)(FXInstance *instance, int index, DLTensor *out);
  /* Resets all mutable states to their values in the file. If this fails on a
   * GPU, runs fail until a reset succeeds. */
  void (*reset)(FXInstance *instance);
  /* Replaces n states of this instance by copies of host tensors of the same
   * dtypes and shapes, possibly strided. Each call folds and packs the weights
   * again, so set all states in one call. Waits for running calls. States that
   * are tied in PyTorch must be set separately.
   *
   * Returns 0, or 1 with one line in err that names the state; then no state is
   * changed. */
  int (*set_states)(FXInstance *instance, int n, const char *const *names,
                    const DLTensor *const *values, char *err, size_t err_size);
  /* Seeds the instance's random generator, like torch.manual_seed: random
   * operators then return the values of eager PyTorch on the CPU. The generator
   * continues from run to run. Its initial seed is FX_DEFAULT_SEED. */
  void (*seed)(FXInstance *instance, uint64_t seed);
  /* Get and set the state of the generator. Must not be called during a run. */
  void (*get_generator)(FXInstance *instance, FXGenerator *out);
  void (*set_generator)(FXInstance *instance, const FXGenerator *generator);
  /* Runs the model as `run` does, but writes the outputs to the caller's
   * tensors, which must have the dtypes and shapes of the outputs. The model
   * writes directly to a tensor that is contiguous and aligned to 64 bytes, and
   * that overlaps no input and no state; to others it copies. Two outputs must
   * not overlap. An output whose tensor is null is dropped; that of a None
   * output is ignored. Models for GPUs are an error.
   *
   * Returns 0, or 1 with one line in err. If a size that is only known during
   * the run is wrong, the outputs are undefined then. */
  int (*run_into)(FXInstance *instance, const DLTensor *const *inputs,
                  int n_inputs, const DLTensor *const *outputs, int n_outputs,
                  const FXRunOptions *options, char *err, size_t err_size);
  /* Copies up to `capacity` calls of kernels, the first ones of those that were
   * not taken before, and removes them. Returns their number. Only models that
   * were compiled with `--profile` record calls, and at most
   * FX_MAX_KERNEL_RUNS; others are not recorded. */
  int64_t (*take_profile)(FXInstance *instance, FXKernelRun *out,
                          int64_t capacity);
  /* The methods of the model, such as "prefill" and "decode" of a language
   * model. They share the weights, and the mutable states of the same names.
   * `info` is that of the first one. */
  int32_t n_methods;
  const FXMethod *methods;
  /* Returns the instance as one of its methods; null if there is no such
   * method. The functions above run that method then, and count its inputs,
   * outputs and states. The result belongs to the instance and is valid until
   * the instance is destroyed. `create` returns method 0.
   *
   * Mutable states, `reset`, the random generator and the memory of runs belong
   * to all methods. `set_states` changes a weight for all methods that have it,
   * and profiles are taken by method. */
  FXInstance *(*get_method)(FXInstance *instance, int method);
  /* As set_states, but takes the tensors over if it succeeds. A contiguous
   * tensor whose address is a multiple of the size of its element becomes the
   * state without a copy: its memory must not change until the model calls its
   * deleter, which happens when the state is set again or the instance is
   * destroyed. Other tensors, those of mutable states, and those of a model for
   * a GPU are copied and deleted. */
  int (*share_states)(FXInstance *instance, int n, const char *const *names,
                      DLManagedTensor *const *values, char *err,
                      size_t err_size);
} FXModelApi;

/* The only symbol that a compiled model exports. */
const FXModelApi *fx_model_api(void);

#ifdef __cplusplus
}
#endif

#endif /* FX_RUNTIME_MODEL_H */
