/*===- Async.c - operators that ATen runs beside compiled code ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call that compiled code starts goes into a queue of its instance, whose
// threads run it; whoever awaits a call that no thread has taken runs it. So a
// run on one thread, or a system that gives no more, computes the same.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>

enum { MAX_ASYNC_THREADS = 8 };

struct FXrtAsync {
  pthread_mutex_t lock; /* guards all below, and the state of calls */
  pthread_cond_t changed;
  FXrtCall *first, *last; /* the queue */
  pthread_t threads[MAX_ASYNC_THREADS];
  int n_threads, n_idle, n_queued, stop;
};

static FXrtCall *take_first(FXrtAsync *a) {
  FXrtCall *call = a->first;
  a->first = call->next_queued;
  if (!a->first)
    a->last = 0;
  --a->n_queued;
  call->state = FX_CALL_RUNNING;
  return call;
}

/* Takes a call out of the middle of the queue. */
static void take(FXrtAsync *a, FXrtCall *call) {
  FXrtCall *before = 0;
  for (FXrtCall *c = a->first; c != call; c = c->next_queued)
    before = c;
  if (before)
    before->next_queued = call->next_queued;
  else
    a->first = call->next_queued;
  if (a->last == call)
    a->last = before;
  --a->n_queued;
  call->state = FX_CALL_NEW;
}

static void *async_worker(void *arg) {
  FXrtAsync *a = arg;
  pthread_mutex_lock(&a->lock);
  for (;;) {
    ++a->n_idle;
    while (!a->first && !a->stop)
      pthread_cond_wait(&a->changed, &a->lock);
    --a->n_idle;
    if (a->stop)
      break;
    FXrtCall *call = take_first(a);
    pthread_mutex_unlock(&a->lock);
    fx_rt_call_run(call);
    pthread_mutex_lock(&a->lock);
    call->state = FX_CALL_DONE;
    pthread_cond_broadcast(&a->changed);
  }
  pthread_mutex_unlock(&a->lock);
  return 0;
}

static FXrtAsync *get_async(FXInstance *i) {
  pthread_mutex_lock(&i->lock);
  FXrtAsync *a = i->async;
  if (!a && (a = calloc(1, sizeof *a))) {
    pthread_mutex_init(&a->lock, 0);
    pthread_cond_init(&a->changed, 0);
    i->async = a;
  }
  pthread_mutex_unlock(&i->lock);
  return a;
}

/* Leaves the call to whoever comes first: a thread, or its await. */
static void enqueue(FXrtAsync *a, FXrtCall *call) {
  pthread_mutex_lock(&a->lock);
  call->state = FX_CALL_QUEUED;
  if (a->last)
    a->last->next_queued = call;
  else
    a->first = call;
  a->last = call;
  ++a->n_queued;
  if (a->n_idle < a->n_queued && a->n_threads < MAX_ASYNC_THREADS &&
      !pthread_create(&a->threads[a->n_threads], 0, async_worker, a))
    ++a->n_threads;
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
}

/* The call is no thread's any more: it is done, or nobody has begun it. */
static void settle(FXrtCall *call) {
  /* Started by this thread, which has seen the queue if there is one. */
  FXrtAsync *a = call->run->threads == 1 ? 0 : call->run->instance->async;
  if (!a)
    return;
  pthread_mutex_lock(&a->lock);
  if (call->state == FX_CALL_QUEUED)
    take(a, call);
  while (call->state == FX_CALL_RUNNING)
    pthread_cond_wait(&a->changed, &a->lock);
  pthread_mutex_unlock(&a->lock);
}

void fx_rt_async_end(FXrtRun *run) {
  for (FXrtCall *call = run->started, *next; call; call = next) {
    next = call->next;
    settle(call);
    fx_rt_call_drop(call);
  }
  run->started = 0;
}

void fx_rt_async_destroy(FXInstance *i) {
  FXrtAsync *a = i->async;
  if (!a)
    return;
  pthread_mutex_lock(&a->lock);
  a->stop = 1;
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
  for (int t = 0; t < a->n_threads; ++t)
    pthread_join(a->threads[t], 0);
  pthread_cond_destroy(&a->changed);
  pthread_mutex_destroy(&a->lock);
  free(a);
  i->async = 0;
}

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

/* Operands stay as they are until the call is awaited, once, by its slot. */
void fx_rt_eager_start(int64_t slot, const char *json, int64_t n_in,
                       const FXrtEagerTensor *in, int64_t n_scalars,
                       const FXScalar *scalars, int64_t n_out) {
  FXrtRun *run = fx_rt_thread.run;
  FXrtCall *call = fx_rt_call_make(json, n_in, in, n_scalars, scalars, n_out);
  call->slot = slot;
  call->next = run->started;
  run->started = call;
  FXrtAsync *a = run->threads == 1 ? 0 : get_async(run->instance);
  if (a)
    enqueue(a, call);
}

void fx_rt_eager_wait(int64_t slot, const FXrtEagerTensor *out) {
  FXrtCall **at = &fx_rt_thread.run->started;
  while ((*at)->slot != slot)
    at = &(*at)->next;
  FXrtCall *call = *at;
  settle(call);
  if (call->state == FX_CALL_NEW)
    fx_rt_call_run(call);
  *at = call->next;
  fx_rt_call_finish(call, out);
}
