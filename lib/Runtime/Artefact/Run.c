/*===- Run.c - instances and runs -----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of FXModelApi.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread FXrtThread fx_rt_thread;

void fx_rt_fail(const char *format, ...) {
  FXrtRun *run = fx_rt_thread.run;
  if (!atomic_exchange(&run->failed, 1)) {
    va_list args;
    va_start(args, format);
    vsnprintf(run->err, run->err_size, format, args);
    va_end(args);
  }
  _longjmp(*fx_rt_thread.on_error, 1);
}

/* Compiled code calls this for a cf.assert that fails. */
void fx_rt_assert_fail(const char *message) { fx_rt_fail("%s", message); }

//===----------------------------------------------------------------------===//
// Strided tensors
//===----------------------------------------------------------------------===//

int fx_rt_is_contiguous(const DLTensor *t) {
  int64_t stride = 1;
  if (!t->strides)
    return 1;
  for (int d = 0; d < t->ndim; ++d)
    if (t->shape[d] == 0)
      return 1;
  for (int d = t->ndim - 1; d >= 0; --d) {
    if (t->shape[d] != 1 && t->strides[d] != stride)
      return 0;
    stride *= t->shape[d];
  }
  return 1;
}

int64_t fx_rt_count(const DLTensor *t) {
  int64_t n = 1;
  for (int d = 0; d < t->ndim; ++d)
    n *= t->shape[d];
  return n;
}

void fx_rt_copy_strided(const DLTensor *t, char *flat, int to_tensor) {
  size_t size = (size_t)(t->dtype.bits + 7) / 8;
  char *base = (char *)t->data + t->byte_offset;
  int64_t n = fx_rt_count(t);
  if (n == 0)
    return;
  if (fx_rt_is_contiguous(t)) {
    memcpy(to_tensor ? base : flat, to_tensor ? flat : base, (size_t)n * size);
    return;
  }
  int64_t index[FX_MAX_RANK] = {0};
  int last = t->ndim - 1;
  int64_t row = t->shape[last], step = t->strides[last];
  for (int64_t done = 0; done < n; done += row) {
    char *p = base;
    for (int d = 0; d < last; ++d)
      p += index[d] * t->strides[d] * (int64_t)size;
    for (int64_t k = 0; k < row; ++k, p += step * (int64_t)size, flat += size)
      memcpy(to_tensor ? p : flat, to_tensor ? flat : p, size);
    for (int d = last - 1; d >= 0 && ++index[d] == t->shape[d]; --d)
      index[d] = 0;
  }
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* The weights are the last segment of the file, so the system maps them when
 * it loads the artefact. */
static const char *find_weights(const FXrtModel *model) {
  const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)__ehdr_start;
  const Elf64_Phdr *ph = (const Elf64_Phdr *)(__ehdr_start + ehdr->e_phoff);
  const Elf64_Phdr *last = 0;
  for (int i = 0; i < ehdr->e_phnum; ++i)
    if (ph[i].p_type == PT_LOAD)
      last = &ph[i];
  return last && last->p_memsz >= model->weight_bytes
             ? __ehdr_start + last->p_vaddr
             : 0;
}

static void destroy(FXInstance *i) {
  if (!i)
    return;
  FXrtCommon *c = i->common;
  fx_rt_async_destroy(i);
  fx_rt_pool_destroy(i);
  fx_rt_arena_free_all(i);
  for (int64_t m = 0; m < fx_rt_versions.n_methods; ++m) {
    FXInstance *method = &c->methods[m];
    if (method->model->device)
      method->model->device->ops->destroy(method);
    else
      fx_rt_unbind_states(method);
    free(method->profile.calls);
  }
  fx_rt_free_states(c);
  if (c->heap)
    fx_rt_heap_close(c->heap);
  pthread_cond_destroy(&c->changed);
  pthread_mutex_destroy(&c->generator_lock);
  pthread_mutex_destroy(&c->lock);
  pthread_mutex_destroy(&c->run_lock);
  free(c->methods);
  free(c);
}

/* Returns the first method of a new instance whose states are not made yet. */
static FXInstance *make_methods(const FXCallbacks *cb, int64_t version) {
  size_t n = (size_t)fx_rt_versions.n_methods;
  FXrtCommon *c = calloc(1, sizeof *c);
  FXInstance *methods = calloc(n, sizeof *methods);
  if (!c || !methods) {
    free(c);
    free(methods);
    return 0;
  }
  c->methods = methods;
  for (size_t m = 0; m < n; ++m) {
    methods[m].model = fx_rt_methods_of(version)[m];
    methods[m].common = c;
  }
  pthread_mutex_init(&c->lock, 0);
  pthread_mutex_init(&c->run_lock, 0);
  pthread_cond_init(&c->changed, 0);
  pthread_mutex_init(&c->generator_lock, 0);
  fx_rt_seed_generator(&c->generator, FX_DEFAULT_SEED);
  if (cb)
    memcpy(&c->callbacks, cb,
           cb->struct_size < sizeof c->callbacks ? cb->struct_size
                                                 : sizeof c->callbacks);
  c->has_parallel_for = c->callbacks.parallel_for != 0;
  return methods;
}

/* Returns 1 if out of memory. */
static int bind_methods(FXrtCommon *c) {
  if (fx_rt_make_states(c))
    return 1;
  for (int64_t m = 0; m < fx_rt_versions.n_methods; ++m)
    if (fx_rt_bind_states(&c->methods[m]))
      return 1;
  return 0;
}

static FXInstance *create(const FXCallbacks *cb, char *err, size_t size) {
  if (fx_rt_check_cpu(err, size))
    return 0;
  int64_t version = fx_rt_version();
  if (fx_rt_needs_tiles(version) && fx_rt_request_tiles(err, size))
    return 0;
  FXInstance *i = make_methods(cb, version);
  if (!i) {
    snprintf(err, size, "out of memory");
    return 0;
  }
  FXrtCommon *c = i->common;
  const FXrtDevice *device = i->model->device;
  c->heap = fx_rt_heap_new(&c->callbacks, device != 0);
  c->weights = i->model->weight_bytes ? find_weights(i->model) : "";
  if (!c->heap) {
    snprintf(err, size, "out of memory");
  } else if (!c->weights) {
    snprintf(err, size, "the artefact has lost its weights");
  } else if (!!c->callbacks.alloc != !!c->callbacks.free) {
    snprintf(err, size,
             "call-backs: expected both alloc and free or none, got one");
  } else if (device) {
    if (!device->ops->create(i, err, size))
      return i;
  } else if (bind_methods(c)) {
    snprintf(err, size, "out of memory for the states");
  } else {
    return i;
  }
  destroy(i);
  return 0;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void fx_rt_fill_memref(FXrtMemRef *m, void *data, int64_t rank,
                       const int64_t *sizes) {
  int64_t stride = 1;
  m->allocated = m->aligned = data;
  m->offset = 0;
  for (int64_t d = rank - 1; d >= 0; --d) {
    m->sizes_and_strides[d] = sizes[d];
    m->sizes_and_strides[rank + d] = stride;
    stride *= sizes[d];
  }
}

static int make_frame(const FXrtModel *model, FXrtFrame *f) {
  int64_t n = model->n_args, words = 0;
  for (int64_t a = 0; a < n; ++a)
    words += 3 + 2 * model->args[a].rank;
  int64_t arg_words = words;
  for (int64_t r = 0; r < model->n_results; ++r)
    words += 3 + 2 * model->result_ranks[r];
  f->args = malloc((size_t)(n + words + 1) * 8);
  if (!f->args)
    return 1;
  f->words = (int64_t *)(f->args + n);
  f->results = f->words + arg_words;
  return 0;
}

static void bind_args(FXrtFrame *f, FXrtRun *run,
                      const DLTensor *const *inputs) {
  int64_t *at = f->words;
  for (int64_t a = 0; a < run->instance->model->n_args; ++a) {
    const FXrtArg *arg = &run->instance->model->args[a];
    FXrtMemRef *m = (FXrtMemRef *)at;
    f->args[a] = m;
    at += 3 + 2 * arg->rank;
    if (arg->kind != FX_ARG_INPUT) {
      fx_rt_fill_memref(m, run->instance->arg_data[a], arg->rank, arg->sizes);
      continue;
    }
    const DLTensor *t = inputs[arg->index];
    void *data = (char *)t->data + t->byte_offset;
    if (!fx_rt_is_contiguous(t)) {
      data = fx_rt_block_alloc(
          run, (size_t)(fx_rt_count(t) * ((t->dtype.bits + 7) / 8)));
      if (!data)
        fx_rt_fail("out of memory: a contiguous copy of input '%s'",
                   run->instance->model->info->inputs[arg->index].name);
      fx_rt_copy_strided(t, data, 0);
    }
    fx_rt_fill_memref(m, data, arg->rank, t->shape);
  }
}

/* Copies mutated inputs that were made contiguous back to the caller's tensors.
 */
static void write_back(const FXrtModel *model, const FXrtFrame *f,
                       const DLTensor *const *inputs) {
  for (int64_t a = 0; a < model->n_args; ++a) {
    const FXrtArg *arg = &model->args[a];
    if (arg->kind != FX_ARG_INPUT || !model->info->inputs[arg->index].mutated)
      continue;
    const DLTensor *t = inputs[arg->index];
    if (!fx_rt_is_contiguous(t))
      fx_rt_copy_strided(t, ((FXrtMemRef *)f->args[a])->aligned, 1);
  }
}

static void run_locked(FXrtRun *run, FXrtFrame *frame,
                       const DLTensor *const *inputs,
                       DLManagedTensor **outputs) {
  FXrtThread saved = fx_rt_thread;
  jmp_buf on_error;
  if (!_setjmp(on_error)) {
    fx_rt_thread = (FXrtThread){run, &on_error, 0};
    const FXrtDeviceOps *ops =
        run->instance->model->device ? run->instance->model->device->ops : 0;
    (ops ? ops->bind_args : bind_args)(frame, run, inputs);
    run->instance->model->entry(frame->results, frame->args);
    if (ops) {
      ops->collect(frame, run, inputs, outputs);
    } else {
      write_back(run->instance->model, frame, inputs);
      if (run->targets)
        fx_rt_fill_targets(frame, run);
      else
        fx_rt_collect(frame, run, outputs);
    }
  }
  fx_rt_thread = saved;
  /* If the run failed, started fallback calls may still read memory that is
   * freed below. */
  fx_rt_async_end(run);
  if (run->instance->model->device)
    run->instance->model->device->ops->end(run);
}

/* Runs the model. Sets `outputs`, or writes to the caller's `targets`; the
 * other one is null. */
static int run_checked(FXInstance *i, const DLTensor *const *inputs,
                       DLManagedTensor **outputs,
                       const DLTensor *const *targets,
                       const FXRunOptions *options, char *err, size_t size) {
  FXrtFrame frame = {0};
  if (make_frame(i->model, &frame)) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  FXrtRun run = {.instance = i,
                 .threads = options ? options->threads : 1,
                 .inputs = inputs,
                 .targets = targets,
                 .err = err,
                 .err_size = size};
  if (options)
    memcpy(&run.options, options,
           options->struct_size < sizeof run.options ? options->struct_size
                                                     : sizeof run.options);
  pthread_mutex_init(&run.lock, 0);
  fx_rt_run_begin(i);
  if (i->model->n_mutable)
    pthread_mutex_lock(&i->common->run_lock);
  run_locked(&run, &frame, inputs, outputs);
  if (i->model->n_mutable)
    pthread_mutex_unlock(&i->common->run_lock);
  fx_rt_run_end(i);
  fx_rt_arena_return(&run);
  fx_rt_free_all(&run);
#if defined(__x86_64__)
  /* The caller may pass outputs to other threads by plain stores, which do not
   * order non-temporal ones. */
  __builtin_ia32_sfence();
#endif
  pthread_mutex_destroy(&run.lock);
  free(frame.args);
  return atomic_load(&run.failed);
}

static int check_count(const FXrtModel *model, int n_outputs, char *err,
                       size_t size) {
  if (n_outputs == model->info->n_outputs)
    return 0;
  snprintf(err, size, "expected room for %d outputs, got %d",
           model->info->n_outputs, n_outputs);
  return 1;
}

static int run_model(FXInstance *i, const DLTensor *const *inputs, int n_inputs,
                     DLManagedTensor **outputs, int n_outputs,
                     const FXRunOptions *options, char *err, size_t size) {
  for (int k = 0; k < n_outputs; ++k)
    outputs[k] = 0;
  if (check_count(i->model, n_outputs, err, size) ||
      fx_rt_check_inputs(i->model, inputs, n_inputs, err, size))
    return 1;
  if (!run_checked(i, inputs, outputs, 0, options, err, size))
    return 0;
  for (int k = 0; k < n_outputs; ++k) {
    if (outputs[k])
      outputs[k]->deleter(outputs[k]);
    outputs[k] = 0;
  }
  return 1;
}

static int run_into(FXInstance *i, const DLTensor *const *inputs, int n_inputs,
                    const DLTensor *const *outputs, int n_outputs,
                    const FXRunOptions *options, char *err, size_t size) {
  if (i->model->device) {
    snprintf(err, size,
             "run_into: expected a model for the CPU, got one for "
             "'%s'",
             i->model->info->target);
    return 1;
  }
  return check_count(i->model, n_outputs, err, size) ||
         fx_rt_check_inputs(i->model, inputs, n_inputs, err, size) ||
         fx_rt_check_targets(i->model, outputs, err, size) ||
         run_checked(i, inputs, 0, outputs, options, err, size);
}

static FXInstance *get_method(FXInstance *i, int method) {
  int exists = method >= 0 && method < fx_rt_versions.n_methods;
  return exists ? &i->common->methods[method] : 0;
}

__attribute__((visibility("default"))) const FXModelApi *fx_model_api(void) {
  static FXModelApi api = {.magic = FX_MODEL_MAGIC,
                           .abi_version = FX_MODEL_ABI_VERSION,
                           .struct_size = sizeof(FXModelApi),
                           .create = create,
                           .destroy = destroy,
                           .run = run_model,
                           .run_into = run_into,
                           .take_profile = fx_rt_take_profile,
                           .get_state = fx_rt_get_state,
                           .reset = fx_rt_reset,
                           .set_states = fx_rt_set_states,
                           .share_states = fx_rt_share_states,
                           .seed = fx_rt_seed,
                           .get_generator = fx_rt_get_generator,
                           .set_generator = fx_rt_set_generator,
                           .get_method = get_method};
  int64_t version = fx_rt_version();
  api.info = fx_rt_methods_of(version)[0]->info;
  api.n_methods = (int32_t)fx_rt_versions.n_methods;
  api.methods = fx_rt_versions.methods + version * fx_rt_versions.n_methods;
  return &api;
}
