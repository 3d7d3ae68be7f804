/* A compiled model by hand: y = 2 * x for two f32 elements. It holds the binary
 * interface of compiled models (fx/Runtime/model.h) at version 4:
 *
 * - The assertions below fail if a member moves. Members may be added at the
 *   end of FXModelApi, FXModelInfo, FXCallbacks and FXRunOptions alone.
 * - ABI_VERSION and STRUCT_SIZE make models of other versions. */

#include "fx/Runtime/model.h"
#include <stdlib.h>
#include <string.h>

#define AT(type, member, offset)                                               \
  _Static_assert(offsetof(type, member) == offset, #type "." #member)
_Static_assert(FX_MODEL_ABI_VERSION == 4, "see docs/Compatibility.md");
AT(FXModelApi, magic, 0);
AT(FXModelApi, abi_version, 4);
AT(FXModelApi, struct_size, 8);
AT(FXModelApi, info, 16);
AT(FXModelApi, create, 24);
AT(FXModelApi, destroy, 32);
AT(FXModelApi, run, 40);
AT(FXModelApi, get_state, 48);
AT(FXModelApi, reset, 56);
AT(FXModelApi, set_states, 64);
AT(FXModelApi, seed, 72);
AT(FXModelApi, get_generator, 80);
AT(FXModelApi, set_generator, 88);
AT(FXModelApi, run_into, 96);
AT(FXModelApi, take_profile, 104);
AT(FXModelApi, n_methods, 112);
AT(FXModelApi, methods, 120);
AT(FXModelApi, get_method, 128);
AT(FXModelApi, share_states, 136);
_Static_assert(sizeof(FXMethod) == 16, "FXMethod");
AT(FXModelInfo, inputs, 32);
AT(FXModelInfo, outputs, 40);
AT(FXModelInfo, conditions, 56);
AT(FXModelInfo, states, 72);
AT(FXModelInfo, fallbacks, 80);
AT(FXModelInfo, arena_bytes, 88);
AT(FXModelInfo, report, 104);
AT(FXModelInfo, target, 112);
AT(FXModelInfo, draws_random, 120);
AT(FXModelInfo, n_unused_states, 124);
AT(FXModelInfo, persistent_states, 128);
AT(FXModelInfo, unused_states, 136);
AT(FXValueInfo, kind, 8);
AT(FXValueInfo, leaf, 12);
AT(FXValueInfo, dtype, 16);
AT(FXValueInfo, rank, 20);
AT(FXValueInfo, mutated, 24);
AT(FXValueInfo, sizes, 32);
AT(FXValueInfo, size_exprs, 40);
AT(FXStateInfo, dtype, 8);
AT(FXStateInfo, is_mutable, 16);
AT(FXStateInfo, is_settable, 20);
AT(FXStateInfo, sizes, 24);
AT(FXConditionInfo, code, 8);
AT(FXCallbacks, context, 8);
AT(FXCallbacks, parallel_for, 16);
AT(FXCallbacks, alloc, 24);
AT(FXCallbacks, free, 32);
AT(FXCallbacks, fallback, 40);
AT(FXCallbacks, fallback_context, 48);
AT(FXCallbacks, device, 56);
AT(FXCallbacks, fallback_on_device, 60);
AT(FXCallbacks, exchange_generator, 64);
AT(FXCallbacks, prepare_torch, 72);
AT(FXRunOptions, threads, 4);
AT(FXRunOptions, stream, 8);
AT(FXRunOptions, flags, 16);
/* Tables of these are in models, so their size is fixed. */
_Static_assert(sizeof(FXValueInfo) == 48, "FXValueInfo");
_Static_assert(sizeof(FXStateInfo) == 32, "FXStateInfo");
_Static_assert(sizeof(FXConditionInfo) == 16, "FXConditionInfo");
_Static_assert(sizeof(FXKernelRun) == 40, "FXKernelRun");

#ifndef ABI_VERSION
#define ABI_VERSION FX_MODEL_ABI_VERSION
#endif
#ifndef STRUCT_SIZE
#define STRUCT_SIZE sizeof(FXModelApi)
#endif

static const int64_t kSizes[] = {2};
static const char *const kExprs[] = {"2"};
static const FXValueInfo kInput = {.name = "x",
                                   .dtype = {kDLFloat, 32, 1},
                                   .rank = 1,
                                   .sizes = kSizes,
                                   .size_exprs = kExprs};
static const FXValueInfo kOutput = {.name = "y",
                                    .dtype = {kDLFloat, 32, 1},
                                    .rank = 1,
                                    .sizes = kSizes,
                                    .size_exprs = kExprs};
static const FXModelInfo kInfo = {.name = "twice",
                                  .producer = "by hand",
                                  .cpu = "any",
                                  .n_inputs = 1,
                                  .n_outputs = 1,
                                  .inputs = &kInput,
                                  .outputs = &kOutput,
                                  .n_input_leaves = 1,
                                  .report = "{}"};

static FXInstance *create(const FXCallbacks *callbacks, char *err,
                          size_t size) {
  (void)callbacks, (void)err, (void)size;
  return (FXInstance *)&kInfo;
}
static void destroy(FXInstance *instance) { (void)instance; }
static void release(DLManagedTensor *tensor) { free(tensor); }

static int run(FXInstance *instance, const DLTensor *const *inputs, int nIn,
               DLManagedTensor **outputs, int nOut, const FXRunOptions *options,
               char *err, size_t size) {
  (void)instance, (void)nIn, (void)nOut, (void)options, (void)err, (void)size;
  struct Result {
    DLManagedTensor tensor;
    int64_t sizes[1], strides[1];
    float data[2];
  } *result = calloc(1, sizeof *result);
  const float *x =
      (const float *)((const char *)inputs[0]->data + inputs[0]->byte_offset);
  for (int i = 0; i < 2; ++i)
    result->data[i] = 2 * x[i];
  result->sizes[0] = 2;
  result->strides[0] = 1;
  result->tensor.dl_tensor = (DLTensor){.data = result->data,
                                        .device = {kDLCPU, 0},
                                        .ndim = 1,
                                        .dtype = {kDLFloat, 32, 1},
                                        .shape = result->sizes,
                                        .strides = result->strides};
  result->tensor.deleter = release;
  outputs[0] = &result->tensor;
  return 0;
}

const FXModelApi *fx_model_api(void) {
  static const FXModelApi api = {.magic = FX_MODEL_MAGIC,
                                 .abi_version = ABI_VERSION,
                                 .struct_size = STRUCT_SIZE,
                                 .info = &kInfo,
                                 .create = create,
                                 .destroy = destroy,
                                 .run = run};
  return &api;
}
