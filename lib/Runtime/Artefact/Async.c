/*===- Async.c - operators that ATen runs beside compiled code ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call that compiled code starts is put into a queue of its instance. Threads
// of the instance execute the queue. If no thread has taken a call when it is
// awaited, the awaiting thread executes it. A run therefore works the same with
// a single thread, and if no more threads can be created.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>

enum { MAX_ASYNC_THREADS = 8 };

struct FXrtAsync {
  pthread_mutex_t lock; /* guards the fields below, and the state of calls */
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

/* Removes a call from anywhere in the queue. */
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
  pthread_mutex_lock(&i->common->lock);
  FXrtAsync *a = i->common->async;
  if (!a && (a = calloc(1, sizeof *a))) {
    pthread_mutex_init(&a->lock, 0);
    pthread_cond_init(&a->changed, 0);
    i->common->async = a;
  }
  pthread_mutex_unlock(&i->common->lock);
  return a;
}

/* Puts the call at the end of the queue and starts a thread if too few are
 * idle.
 */
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

/* Removes the call from the queue, or waits for the thread that executes it.
 * The state is NEW or DONE then. */
static void settle(FXrtCall *call) {
  /* No lock is needed: this thread started the call and created the queue, or
   * has seen it. */
  FXrtAsync *a =
      call->run->threads == 1 ? 0 : call->run->instance->common->async;
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
  FXrtAsync *a = i->common->async;
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
  i->common->async = 0;
}

//===----------------------------------------------------------------------===//
// Functions that compiled code calls
//===----------------------------------------------------------------------===//

/* Starts a call. Compiled code must not change the operands until it awaits the
 * call, exactly once, by its slot. */
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
