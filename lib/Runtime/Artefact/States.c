/*===- States.c - the values that an instance holds -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds and replaces the states of an instance. An immutable state is read from
// the mapped file until it is set. The tensors that @prepare computes from
// states are computed again when one of the states is set.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void fx_rt_run_begin(FXInstance *i) {
  pthread_mutex_lock(&i->common->lock);
  while (i->common->is_setting)
    pthread_cond_wait(&i->common->changed, &i->common->lock);
  ++i->common->runs;
  pthread_mutex_unlock(&i->common->lock);
}

void fx_rt_run_end(FXInstance *i) {
  pthread_mutex_lock(&i->common->lock);
  if (--i->common->runs == 0)
    pthread_cond_broadcast(&i->common->changed);
  pthread_mutex_unlock(&i->common->lock);
}

void fx_rt_exclude_runs(FXInstance *i) {
  pthread_mutex_lock(&i->common->lock);
  while (i->common->is_setting)
    pthread_cond_wait(&i->common->changed, &i->common->lock);
  i->common->is_setting = 1;
  while (i->common->runs)
    pthread_cond_wait(&i->common->changed, &i->common->lock);
  pthread_mutex_unlock(&i->common->lock);
}

void fx_rt_admit_runs(FXInstance *i) {
  pthread_mutex_lock(&i->common->lock);
  i->common->is_setting = 0;
  pthread_cond_broadcast(&i->common->changed);
  pthread_mutex_unlock(&i->common->lock);
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

struct FXrtState {
  void *data;
  const FXrtArg *arg; /* of the first method that has the state */
  int is_mapped; /* has pages of its own, which are zero when they are new */
};

/* Below this size new pages cost more than zeros. */
enum { MAPPED_MIN = 1 << 20 };

/* The bytes that are allocated for a state. A kernel may read a vector from any
 * of its elements on. */
static size_t allocated_bytes(const FXrtArg *arg) {
  return (size_t)arg->bytes + 64;
}

/* Makes the memory of a state, uninitialized or zero. Returns 1 if out of
 * memory. Large states of zeros, such as the caches of a language model, are
 * pages that the system makes when they are first used. They are small pages,
 * because a cache is filled at places that are far from each other. */
static int make_state(FXrtState *s, const FXrtArg *arg) {
  s->arg = arg;
  s->is_mapped = arg->offset < 0 && arg->bytes >= MAPPED_MIN;
  if (!s->is_mapped)
    return posix_memalign(&s->data, 64, allocated_bytes(arg));
  s->data = mmap(0, allocated_bytes(arg), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (s->data == MAP_FAILED)
    s->data = 0;
  return !s->data;
}

/* Sets a state to its values in the file. A state of several methods has the
 * same value for each of them. */
static void reset_state(const FXrtCommon *c, const FXrtState *s) {
  size_t bytes = (size_t)s->arg->bytes;
  if (s->arg->offset >= 0)
    memcpy(s->data, c->weights + s->arg->offset, bytes);
  else if (!s->is_mapped || madvise(s->data, bytes, MADV_DONTNEED))
    memset(s->data, 0, bytes);
}

void fx_rt_reset(FXInstance *i) {
  fx_rt_exclude_runs(i);
  if (i->model->device)
    i->model->device->ops->reset(i);
  else
    for (int64_t s = 0; s < fx_rt_versions.n_mutable; ++s)
      if (i->common->states[s].data)
        reset_state(i->common, &i->common->states[s]);
  fx_rt_admit_runs(i);
}

int fx_rt_make_states(FXrtCommon *c) {
  c->states = calloc((size_t)fx_rt_versions.n_mutable + 1, sizeof *c->states);
  if (!c->states)
    return 1;
  for (int64_t m = 0; m < fx_rt_versions.n_methods; ++m) {
    const FXrtModel *model = c->methods[m].model;
    for (int64_t a = 0; a < model->n_args; ++a) {
      const FXrtArg *arg = &model->args[a];
      if (arg->kind != FX_ARG_MUTABLE || c->states[arg->index].data)
        continue;
      FXrtState *s = &c->states[arg->index];
      if (make_state(s, arg))
        return 1;
      if (!s->is_mapped)
        reset_state(c, s);
    }
  }
  return 0;
}

void fx_rt_free_states(FXrtCommon *c) {
  for (int64_t s = 0; c->states && s < fx_rt_versions.n_mutable; ++s)
    if (c->states[s].is_mapped && c->states[s].data)
      munmap(c->states[s].data, allocated_bytes(c->states[s].arg));
    else
      free(c->states[s].data);
  free(c->states);
}

int fx_rt_bind_states(FXInstance *i) {
  size_t n = (size_t)i->model->n_args + 1;
  i->arg_data = calloc(n, sizeof(void *));
  i->arg_blocks = calloc(n, sizeof(FXrtBlock *));
  if (!i->arg_data || !i->arg_blocks)
    return 1;
  for (int64_t a = 0; a < i->model->n_args; ++a) {
    const FXrtArg *arg = &i->model->args[a];
    if (arg->kind == FX_ARG_CONSTANT)
      i->arg_data[a] = (char *)i->common->weights + arg->offset;
    else if (arg->kind == FX_ARG_MUTABLE)
      i->arg_data[a] = i->common->states[arg->index].data;
  }
  return 0;
}

/* A tensor that the caller gave to the model. Arguments of several methods may
 * refer to it, and share_states does while it runs. They are only counted while
 * no run is under way. */
typedef struct {
  FXrtBlock block; /* with a null heap; `block.bytes` counts the references */
  DLManagedTensor *tensor; /* null: it stays the caller's */
} Shared;

static void free_block(FXrtBlock *block) {
  if (!block)
    return;
  if (block->heap) {
    fx_rt_heap_free(block);
    return;
  }
  if (--block->bytes)
    return;
  DLManagedTensor *tensor = ((Shared *)block)->tensor;
  if (tensor && tensor->deleter)
    tensor->deleter(tensor);
  free(block);
}

void fx_rt_unbind_states(FXInstance *i) {
  for (int64_t a = 0; i->arg_blocks && a < i->model->n_args; ++a)
    free_block(i->arg_blocks[a]);
  free(i->arg_data);
  free(i->arg_blocks);
}

int64_t fx_rt_arg_of(const FXrtModel *model, int index) {
  const FXModelInfo *info = model->info;
  return index < 0 || index >= info->n_states ? -1 : model->state_args[index];
}

int fx_rt_get_state(FXInstance *i, int index, DLTensor *out) {
  const FXStateInfo *state = &i->model->info->states[index];
  int64_t a = fx_rt_arg_of(i->model, index);
  if (a < 0)
    return 1;
  const FXrtDeviceOps *ops = i->model->device ? i->model->device->ops : 0;
  int is_host = !ops || !ops->shares_tensors;
  void *data = i->arg_data[a];
  if (ops && ops->get_state(i, a, &data))
    return 1;
  *out = (DLTensor){.data = data,
                    .device = {is_host ? kDLCPU : ops->device_type,
                               is_host ? 0 : i->common->callbacks.device},
                    .ndim = state->rank,
                    .dtype = state->dtype,
                    .shape = (int64_t *)state->sizes};
  return 0;
}

//===----------------------------------------------------------------------===//
// Setting
//===----------------------------------------------------------------------===//

/* The part of a call of set_states that concerns one method. `data` and
 * `blocks` are the new values of the instance's arg_data and arg_blocks; a
 * block is null if its argument does not change. */
typedef struct {
  FXInstance *instance;
  const FXrtModel *model;
  FXrtRun run;
  void **data;
  FXrtBlock **blocks;
  int is_stale; /* a state that @prepare reads was set */
} Setting;

/* The new values of a call of set_states or share_states. */
typedef struct {
  int n;
  const char *const *names;
  const DLTensor *const *tensors;
  Shared *const *shared; /* of share_states; else null */
} Values;

/* Returns the number of a state of the method, or -1. */
static int find_state(const FXrtModel *model, const char *name) {
  for (int s = 0; name && s < model->info->n_states; ++s)
    if (!strcmp(model->info->states[s].name, name))
      return s;
  return -1;
}

/* Checks a new value of state `index` of the method. */
static int check_state(const FXrtModel *model, int index, const DLTensor *value,
                       char *err, size_t size) {
  const FXStateInfo *state = &model->info->states[index];
  if (!state->is_settable) {
    snprintf(err, size,
             "state '%s' was folded or packed when the model was compiled: "
             "expected a "
             "model compiled with --swappable-weights",
             state->name);
    return 1;
  }
  FXValueInfo as_input = {.name = state->name,
                          .dtype = state->dtype,
                          .rank = state->rank,
                          .sizes = state->sizes};
  return fx_rt_check_tensor(model, "state", value, &as_input, err, size);
}

/* Checks a new value of the state `name` in all methods that have it. */
static int check_name(FXInstance *i, const char *name, const DLTensor *value,
                      char *err, size_t size) {
  int is_known = 0;
  for (int64_t m = 0; m < fx_rt_versions.n_methods; ++m) {
    const FXrtModel *model = i->common->methods[m].model;
    int index = find_state(model, name);
    if (index >= 0 && check_state(model, index, value, err, size))
      return 1;
    is_known |= index >= 0;
  }
  if (!is_known)
    snprintf(err, size, "the model has no state '%s'", name ? name : "(null)");
  return !is_known;
}

/* Returns 1 if compiled code can read the tensor where it is. */
static int is_readable(const DLTensor *t) {
  uintptr_t address = (uintptr_t)t->data + t->byte_offset;
  return fx_rt_is_contiguous(t) && t->dtype.bits % 8 == 0 &&
         address % (t->dtype.bits / 8) == 0;
}

/* Makes the new value of argument `a`: the tensor itself, if it is shared, or a
 * contiguous copy. Returns 1 if out of memory. */
static int stage(Setting *s, int64_t a, const DLTensor *value, Shared *shared) {
  FXrtBlock *block;
  void *data;
  if (shared && s->model->args[a].kind == FX_ARG_CONSTANT &&
      is_readable(value)) {
    data = (char *)value->data + value->byte_offset;
    block = &shared->block;
    ++block->bytes;
  } else {
    data = fx_rt_block_alloc(&s->run, (size_t)s->model->args[a].bytes);
    if (!data)
      return 1;
    fx_rt_copy_strided(value, data, 0);
    block = fx_rt_block_release(&s->run, data);
  }
  if (s->blocks[a]) /* set twice in one call: the last value counts */
    free_block(s->blocks[a]);
  s->blocks[a] = block;
  s->data[a] = data;
  for (int64_t p = 0; p < s->model->n_prepare_args; ++p)
    s->is_stale |= s->model->prepare_args[p] == a;
  return 0;
}

/* Makes the memory of result `r` of @prepare the data of the arguments that are
 * this result. */
static void take_prepared(Setting *s, int64_t r, void *data) {
  FXrtBlock *block = fx_rt_block_release(&s->run, data);
  int is_used = 0;
  for (int64_t a = 0; a < s->model->n_args; ++a)
    if (s->model->args[a].kind == FX_ARG_CONSTANT &&
        s->model->args[a].prepared == r) {
      s->data[a] = data;
      if (!is_used)
        s->blocks[a] = block;
      is_used = 1;
    }
  if (!is_used)
    free_block(block);
}

/* Calls @prepare and keeps the tensors that it writes. May fail the run.
 * `args`, `results` and the descriptors at `at` are memory for the call. */
static void call_prepare(Setting *s, void **args, void **results, int64_t *at) {
  int64_t n = s->model->n_prepare_args;
  for (int64_t p = 0; p < n; ++p) {
    const FXrtArg *arg = &s->model->args[s->model->prepare_args[p]];
    args[p] = at;
    fx_rt_fill_memref((FXrtMemRef *)at, s->data[s->model->prepare_args[p]],
                      arg->rank, arg->sizes);
    at += 3 + 2 * arg->rank;
  }
  for (int64_t r = 0; r < s->model->n_prepared; ++r) {
    const FXrtPrepared *result = &s->model->prepared[r];
    results[r] = fx_rt_block_alloc(&s->run, (size_t)result->bytes);
    if (!results[r])
      fx_rt_fail("out of memory: %lld bytes for a prepared weight",
                 (long long)result->bytes);
    args[n + r] = at;
    fx_rt_fill_memref((FXrtMemRef *)at, results[r], result->rank,
                      result->sizes);
    at += 3 + 2 * result->rank;
  }
  s->model->prepare(0, args);
  for (int64_t r = 0; r < s->model->n_prepared; ++r)
    take_prepared(s, r, results[r]);
}

static int prepare_again(Setting *s, char *err, size_t size) {
  size_t n = (size_t)(s->model->n_prepare_args + s->model->n_prepared);
  size_t words = 0;
  for (int64_t p = 0; p < s->model->n_prepare_args; ++p)
    words += 3 + 2 * (size_t)s->model->args[s->model->prepare_args[p]].rank;
  for (int64_t r = 0; r < s->model->n_prepared; ++r)
    words += 3 + 2 * (size_t)s->model->prepared[r].rank;
  void **args = malloc((2 * n + words + 1) * 8);
  if (!args) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  FXrtThread saved = fx_rt_thread;
  jmp_buf on_error;
  if (!_setjmp(on_error)) {
    fx_rt_thread = (FXrtThread){&s->run, &on_error, 0};
    call_prepare(s, args, args + n, (int64_t *)(args + 2 * n));
  }
  fx_rt_thread = saved;
  fx_rt_arena_return(&s->run);
  free(args);
  return atomic_load(&s->run.failed);
}

/* Makes all new values of a method. Does not change the instance. */
static int stage_all(Setting *s, const Values *values) {
  for (int k = 0; k < values->n; ++k) {
    int64_t a = fx_rt_arg_of(s->model, find_state(s->model, values->names[k]));
    Shared *shared = values->shared ? values->shared[k] : 0;
    if (a >= 0 && stage(s, a, values->tensors[k], shared)) {
      snprintf(s->run.err, s->run.err_size,
               "out of memory: a copy of state '%s'", values->names[k]);
      return 1;
    }
  }
  return s->is_stale && s->model->prepare
             ? prepare_again(s, s->run.err, s->run.err_size)
             : 0;
}

/* Moves the new values to the instance. */
static void commit(Setting *s) {
  FXInstance *i = s->instance;
  for (int64_t a = 0; a < s->model->n_args; ++a) {
    const FXrtArg *arg = &s->model->args[a];
    if (arg->kind == FX_ARG_MUTABLE && s->blocks[a]) {
      memcpy(i->arg_data[a], s->data[a], (size_t)arg->bytes);
      free_block(s->blocks[a]);
    } else if (arg->kind == FX_ARG_CONSTANT &&
               (s->blocks[a] || s->data[a] != i->arg_data[a])) {
      free_block(i->arg_blocks[a]);
      i->arg_blocks[a] = s->blocks[a];
      i->arg_data[a] = s->data[a];
    }
    s->blocks[a] = 0;
  }
}

static int begin_setting(Setting *s, FXInstance *i, char *err, size_t size) {
  size_t args = (size_t)i->model->n_args + 1;
  *s = (Setting){.instance = i,
                 .model = i->model,
                 .run = {.instance = i, .err = err, .err_size = size}};
  pthread_mutex_init(&s->run.lock, 0);
  s->data = calloc(2 * args, sizeof(void *));
  if (!s->data) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  s->blocks = (FXrtBlock **)(s->data + args);
  memcpy(s->data, i->arg_data, (args - 1) * sizeof(void *));
  return 0;
}

/* Frees what was made and not moved to the instance. */
static void end_setting(Setting *s) {
  for (int64_t a = 0; s->data && a < s->model->n_args; ++a)
    free_block(s->blocks[a]);
  fx_rt_free_all(&s->run);
  pthread_mutex_destroy(&s->run.lock);
  free(s->data);
}

static int set_all(FXInstance *i, const Values *values, char *err,
                   size_t size) {
  int64_t methods = fx_rt_versions.n_methods, begun = 0;
  Setting *settings = calloc((size_t)methods, sizeof *settings);
  if (!settings) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  fx_rt_exclude_runs(i);
  int failed = 0;
  for (; !failed && begun < methods; ++begun) {
    Setting *s = &settings[begun];
    failed = begin_setting(s, &i->common->methods[begun], err, size) ||
             stage_all(s, values);
  }
  for (int64_t m = 0; m < begun; ++m) {
    if (!failed)
      commit(&settings[m]);
    end_setting(&settings[m]);
  }
  fx_rt_admit_runs(i);
  free(settings);
  return failed;
}

/* The model for a GPU has one method. */
static int set_on_device(FXInstance *i, const Values *values, char *err,
                         size_t size) {
  int *indices = malloc(((size_t)values->n + 1) * sizeof(int));
  if (!indices) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  for (int k = 0; k < values->n; ++k)
    indices[k] = find_state(i->model, values->names[k]);
  int failed = i->model->device->ops->set_states(i, values->n, indices,
                                                 values->tensors, err, size);
  free(indices);
  return failed;
}

int fx_rt_set_states(FXInstance *i, int n, const char *const *names,
                     const DLTensor *const *values, char *err, size_t size) {
  for (int k = 0; k < n; ++k)
    if (check_name(i, names[k], values[k], err, size))
      return 1;
  Values all = {n > 0 ? n : 0, names, values, 0};
  return (i->model->device ? set_on_device : set_all)(i, &all, err, size);
}

/* Calls set_states or share_states with memory for `n` pointers each. */
static int share_all(FXInstance *i, int n, const char *const *names,
                     DLManagedTensor *const *values, const DLTensor **tensors,
                     Shared **shared, char *err, size_t size) {
  int failed = 0, made = 0;
  for (; !failed && made < n; ++made) {
    tensors[made] = values[made] ? &values[made]->dl_tensor : 0;
    failed = check_name(i, names[made], tensors[made], err, size);
    shared[made] = failed ? 0 : calloc(1, sizeof(Shared));
    if (shared[made]) {
      shared[made]->block.bytes = 1;
    } else if (!failed) {
      snprintf(err, size, "out of memory");
      failed = 1;
    }
  }
  Values all = {n, names, tensors, shared};
  failed = failed ||
           (i->model->device ? set_on_device : set_all)(i, &all, err, size);
  /* A tensor that no argument refers to was copied: delete it now. Runs that
   * set states at the same time count, too. */
  fx_rt_exclude_runs(i);
  for (int k = 0; k < made; ++k) {
    if (!shared[k])
      continue;
    shared[k]->tensor = failed ? 0 : values[k];
    free_block(&shared[k]->block);
  }
  fx_rt_admit_runs(i);
  return failed;
}

int fx_rt_share_states(FXInstance *i, int n, const char *const *names,
                       DLManagedTensor *const *values, char *err, size_t size) {
  n = n > 0 ? n : 0;
  const DLTensor **tensors = calloc((size_t)n + 1, sizeof *tensors);
  Shared **shared = calloc((size_t)n + 1, sizeof *shared);
  int failed = !tensors || !shared;
  if (failed)
    snprintf(err, size, "out of memory");
  else
    failed = share_all(i, n, names, values, tensors, shared, err, size);
  free(tensors);
  free(shared);
  return failed;
}
