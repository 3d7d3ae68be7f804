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

void fx_rt_run_begin(FXInstance *i) {
  pthread_mutex_lock(&i->lock);
  while (i->is_setting)
    pthread_cond_wait(&i->changed, &i->lock);
  ++i->runs;
  pthread_mutex_unlock(&i->lock);
}

void fx_rt_run_end(FXInstance *i) {
  pthread_mutex_lock(&i->lock);
  if (--i->runs == 0)
    pthread_cond_broadcast(&i->changed);
  pthread_mutex_unlock(&i->lock);
}

void fx_rt_exclude_runs(FXInstance *i) {
  pthread_mutex_lock(&i->lock);
  while (i->is_setting)
    pthread_cond_wait(&i->changed, &i->lock);
  i->is_setting = 1;
  while (i->runs)
    pthread_cond_wait(&i->changed, &i->lock);
  pthread_mutex_unlock(&i->lock);
}

void fx_rt_admit_runs(FXInstance *i) {
  pthread_mutex_lock(&i->lock);
  i->is_setting = 0;
  pthread_cond_broadcast(&i->changed);
  pthread_mutex_unlock(&i->lock);
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

void fx_rt_reset(FXInstance *i) {
  fx_rt_exclude_runs(i);
  if (fx_rt_model.device)
    fx_rt_model.device->ops->reset(i);
  for (int64_t a = 0; a < fx_rt_model.n_args; ++a) {
    const FXrtArg *arg = &fx_rt_model.args[a];
    if (arg->kind == FX_ARG_MUTABLE && !fx_rt_model.device)
      memcpy(i->arg_data[a], i->weights + arg->offset, (size_t)arg->bytes);
  }
  fx_rt_admit_runs(i);
}

int fx_rt_make_states(FXInstance *i) {
  size_t n = (size_t)fx_rt_model.n_args + 1;
  i->arg_data = calloc(n, sizeof(void *));
  i->arg_blocks = calloc(n, sizeof(FXrtBlock *));
  if (!i->arg_data || !i->arg_blocks)
    return 1;
  for (int64_t a = 0; a < fx_rt_model.n_args; ++a) {
    const FXrtArg *arg = &fx_rt_model.args[a];
    if (arg->kind == FX_ARG_CONSTANT)
      i->arg_data[a] = (char *)i->weights + arg->offset;
    else if (arg->kind == FX_ARG_MUTABLE &&
             posix_memalign(&i->arg_data[a], 64, (size_t)arg->bytes + 64))
      return 1;
  }
  fx_rt_reset(i);
  return 0;
}

static void free_block(FXrtBlock *block) {
  if (block)
    fx_rt_heap_free(block);
}

void fx_rt_free_states(FXInstance *i) {
  for (int64_t a = 0; a < fx_rt_model.n_args; ++a) {
    if (i->arg_data && fx_rt_model.args[a].kind == FX_ARG_MUTABLE)
      free(i->arg_data[a]);
    if (i->arg_blocks)
      free_block(i->arg_blocks[a]);
  }
  free(i->arg_data);
  free(i->arg_blocks);
}

int64_t fx_rt_arg_of(int index) {
  const FXModelInfo *info = fx_rt_model.info;
  return index < 0 || index >= info->n_states ? -1
                                              : fx_rt_model.state_args[index];
}

int fx_rt_get_state(FXInstance *i, int index, DLTensor *out) {
  const FXStateInfo *state = &fx_rt_model.info->states[index];
  int64_t a = fx_rt_arg_of(index);
  if (a < 0)
    return 1;
  *out = (DLTensor){.data = i->arg_data[a],
                    .device = {fx_rt_model.device ? kDLCUDA : kDLCPU,
                               fx_rt_model.device ? i->callbacks.device : 0},
                    .ndim = state->rank,
                    .dtype = state->dtype,
                    .shape = (int64_t *)state->sizes};
  return 0;
}

//===----------------------------------------------------------------------===//
// Setting
//===----------------------------------------------------------------------===//

/* One call of set_states. `data` and `blocks` are the new values of the
 * instance's arg_data and arg_blocks; a block is null if its argument does not
 * change. */
typedef struct {
  FXInstance *instance;
  FXrtRun run;
  void **data;
  FXrtBlock **blocks;
  int is_stale; /* a state that @prepare reads was set */
} Setting;

static int find_state(const char *name) {
  const FXModelInfo *info = fx_rt_model.info;
  for (int s = 0; name && s < info->n_states; ++s)
    if (!strcmp(info->states[s].name, name))
      return s;
  return -1;
}

static int check_state(const char *name, const DLTensor *value, int *index,
                       char *err, size_t size) {
  *index = find_state(name);
  if (*index < 0) {
    snprintf(err, size, "the model has no state '%s'", name ? name : "(null)");
    return 1;
  }
  const FXStateInfo *state = &fx_rt_model.info->states[*index];
  if (!state->is_settable) {
    snprintf(err, size,
             "state '%s' was folded or packed when the model was compiled: "
             "expected a "
             "model compiled with --swappable-weights",
             name);
    return 1;
  }
  FXValueInfo as_input = {.name = name,
                          .dtype = state->dtype,
                          .rank = state->rank,
                          .sizes = state->sizes};
  return fx_rt_check_tensor("state", value, &as_input, err, size);
}

/* Makes a contiguous copy of the new value of argument `a`. Returns 1 if out of
 * memory. */
static int stage(Setting *s, int64_t a, const DLTensor *value) {
  size_t bytes = (size_t)fx_rt_model.args[a].bytes;
  void *data = fx_rt_block_alloc(&s->run, bytes);
  if (!data)
    return 1;
  fx_rt_copy_strided(value, data, 0);
  if (s->blocks[a]) /* set twice in one call: the last value counts */
    free_block(s->blocks[a]);
  s->blocks[a] = fx_rt_block_release(&s->run, data);
  s->data[a] = data;
  for (int64_t p = 0; p < fx_rt_model.n_prepare_args; ++p)
    s->is_stale |= fx_rt_model.prepare_args[p] == a;
  return 0;
}

/* Makes the memory of result `r` of @prepare the data of the arguments that are
 * this result. */
static void take_prepared(Setting *s, int64_t r, void *data) {
  FXrtBlock *block = fx_rt_block_release(&s->run, data);
  int is_used = 0;
  for (int64_t a = 0; a < fx_rt_model.n_args; ++a)
    if (fx_rt_model.args[a].kind == FX_ARG_CONSTANT &&
        fx_rt_model.args[a].prepared == r) {
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
  int64_t n = fx_rt_model.n_prepare_args;
  for (int64_t p = 0; p < n; ++p) {
    const FXrtArg *arg = &fx_rt_model.args[fx_rt_model.prepare_args[p]];
    args[p] = at;
    fx_rt_fill_memref((FXrtMemRef *)at, s->data[fx_rt_model.prepare_args[p]],
                      arg->rank, arg->sizes);
    at += 3 + 2 * arg->rank;
  }
  for (int64_t r = 0; r < fx_rt_model.n_prepared; ++r) {
    const FXrtPrepared *result = &fx_rt_model.prepared[r];
    results[r] = fx_rt_block_alloc(&s->run, (size_t)result->bytes);
    if (!results[r])
      fx_rt_fail("out of memory: %lld bytes for a prepared weight",
                 (long long)result->bytes);
    args[n + r] = at;
    fx_rt_fill_memref((FXrtMemRef *)at, results[r], result->rank,
                      result->sizes);
    at += 3 + 2 * result->rank;
  }
  fx_rt_model.prepare(0, args);
  for (int64_t r = 0; r < fx_rt_model.n_prepared; ++r)
    take_prepared(s, r, results[r]);
}

static int prepare_again(Setting *s, char *err, size_t size) {
  size_t n = (size_t)(fx_rt_model.n_prepare_args + fx_rt_model.n_prepared);
  size_t words = 0;
  for (int64_t p = 0; p < fx_rt_model.n_prepare_args; ++p)
    words += 3 + 2 * (size_t)fx_rt_model.args[fx_rt_model.prepare_args[p]].rank;
  for (int64_t r = 0; r < fx_rt_model.n_prepared; ++r)
    words += 3 + 2 * (size_t)fx_rt_model.prepared[r].rank;
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

/* Makes all new values. Does not change the instance. */
static int stage_all(Setting *s, int n, const int *indices,
                     const DLTensor *const *values, char *err, size_t size) {
  for (int k = 0; k < n; ++k) {
    int64_t a = fx_rt_arg_of(indices[k]);
    if (a < 0 || stage(s, a, values[k])) {
      snprintf(err, size, "out of memory: a copy of state '%s'",
               fx_rt_model.info->states[indices[k]].name);
      return 1;
    }
  }
  return s->is_stale && fx_rt_model.prepare ? prepare_again(s, err, size) : 0;
}

/* Moves the new values to the instance. */
static void commit(Setting *s) {
  FXInstance *i = s->instance;
  for (int64_t a = 0; a < fx_rt_model.n_args; ++a) {
    const FXrtArg *arg = &fx_rt_model.args[a];
    if (arg->kind == FX_ARG_MUTABLE && s->blocks[a]) {
      memcpy(i->arg_data[a], s->data[a], (size_t)arg->bytes);
      free_block(s->blocks[a]);
    } else if (arg->kind == FX_ARG_CONSTANT && s->data[a] != i->arg_data[a]) {
      free_block(i->arg_blocks[a]);
      i->arg_blocks[a] = s->blocks[a];
      i->arg_data[a] = s->data[a];
    }
  }
}

static int set_all(FXInstance *i, int n, const int *indices,
                   const DLTensor *const *values, char *err, size_t size) {
  size_t args = (size_t)fx_rt_model.n_args + 1;
  Setting s = {.instance = i,
               .run = {.instance = i, .err = err, .err_size = size}};
  s.data = calloc(2 * args, sizeof(void *));
  if (!s.data) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  s.blocks = (FXrtBlock **)(s.data + args);
  pthread_mutex_init(&s.run.lock, 0);
  fx_rt_exclude_runs(i);
  memcpy(s.data, i->arg_data, (args - 1) * sizeof(void *));
  int failed = stage_all(&s, n, indices, values, err, size);
  if (!failed)
    commit(&s);
  for (int64_t a = 0; failed && a < fx_rt_model.n_args; ++a)
    free_block(s.blocks[a]);
  fx_rt_admit_runs(i);
  fx_rt_free_all(&s.run);
  pthread_mutex_destroy(&s.run.lock);
  free(s.data);
  return failed;
}

int fx_rt_set_states(FXInstance *i, int n, const char *const *names,
                     const DLTensor *const *values, char *err, size_t size) {
  int *indices = malloc(((size_t)(n > 0 ? n : 0) + 1) * sizeof(int));
  if (!indices) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  int failed = 0;
  for (int k = 0; !failed && k < n; ++k)
    failed = check_state(names[k], values[k], &indices[k], err, size);
  if (!failed)
    failed = (fx_rt_model.device ? fx_rt_model.device->ops->set_states
                                 : set_all)(i, n, indices, values, err, size);
  free(indices);
  return failed;
}
