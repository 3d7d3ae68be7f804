/*===- Threads.c - parallel loops -----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instance owns its threads, which are started by parallel loops that need
// them and joined when the instance is destroyed. One loop at a time uses the
// threads; a loop that finds them busy runs in its caller's thread. An idle
// worker spins for a moment, then sleeps.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <unistd.h>

enum { SPINS = 4000, MAX_THREADS = 1024 };

typedef void (*Body)(void *, int64_t, int64_t);

struct FXrtPool {
  pthread_mutex_t lock; /* guards generation and stop for sleepers */
  pthread_cond_t wake;
  pthread_mutex_t busy; /* held by the loop that uses the pool */
  pthread_t threads[MAX_THREADS];
  int n_threads;
  atomic_int stop;
  atomic_uint generation;
  atomic_int sleepers;
  /* The loop under way. A worker increments `running`, works if the loop is
   * open and a seat is free, and decrements `running`. The owner clears `open`,
   * then waits until `running` is 0. */
  atomic_int open, running, seats;
  Body fn;
  void *arg;
  int64_t n, chunk;
  _Atomic int64_t next;
};

static void pause_cpu(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Takes parts of the loop until none is left. The code may end with
 * non-temporal stores. On x86 the locked instruction by which a worker then
 * leaves the loop orders them before the accesses of other threads. */
static void work(FXrtPool *p) {
  for (;;) {
    int64_t begin =
        atomic_fetch_add_explicit(&p->next, p->chunk, memory_order_relaxed);
    if (begin >= p->n)
      return;
    int64_t end = p->n - begin < p->chunk ? p->n : begin + p->chunk;
    p->fn(p->arg, begin, end);
  }
}

static void *worker(void *arg) {
  FXrtPool *p = arg;
  unsigned seen = 0;
  for (;;) {
    int spins = 0;
    while (atomic_load(&p->generation) == seen && !atomic_load(&p->stop)) {
      if (++spins < SPINS) {
        pause_cpu();
        continue;
      }
      pthread_mutex_lock(&p->lock);
      atomic_fetch_add(&p->sleepers, 1);
      while (atomic_load(&p->generation) == seen && !atomic_load(&p->stop))
        pthread_cond_wait(&p->wake, &p->lock);
      atomic_fetch_sub(&p->sleepers, 1);
      pthread_mutex_unlock(&p->lock);
    }
    if (atomic_load(&p->stop))
      return 0;
    seen = atomic_load(&p->generation);
    atomic_fetch_add(&p->running, 1);
    if (atomic_load(&p->open) && atomic_fetch_sub(&p->seats, 1) > 0)
      work(p);
    atomic_fetch_sub(&p->running, 1);
  }
}

/* Returns the pool of the instance, or null if out of memory. A new pool has no
 * threads. */
static FXrtPool *get_pool(FXInstance *i) {
  pthread_mutex_lock(&i->common->lock);
  FXrtPool *p = i->common->pool;
  if (!p && (p = calloc(1, sizeof *p))) {
    pthread_mutex_init(&p->lock, 0);
    pthread_cond_init(&p->wake, 0);
    pthread_mutex_init(&p->busy, 0);
    i->common->pool = p;
  }
  pthread_mutex_unlock(&i->common->lock);
  return p;
}

/* Runs `fn` on [0, n) with at most `threads` threads (0: all CPUs), the
 * caller's included, in chunks of at least `grain` iterations. */
void fx_rt_pool_run(FXInstance *i, int threads, int64_t n, int64_t grain,
                    Body fn, void *arg) {
  if (grain < 1)
    grain = 1;
  if (threads <= 0)
    threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  int64_t most = n / grain + (n % grain != 0);
  if (threads > most)
    threads = (int)most;
  FXrtPool *p = threads > 1 ? get_pool(i) : 0;
  if (!p || pthread_mutex_trylock(&p->busy)) {
    fn(arg, 0, n);
    return;
  }
  while (p->n_threads < threads - 1 &&
         !pthread_create(&p->threads[p->n_threads], 0, worker, p))
    ++p->n_threads;
  /* Four chunks per thread balance the load if a thread is preempted. */
  int64_t chunk = n / (4 * (int64_t)threads);
  p->chunk = chunk > grain ? chunk : grain;
  p->fn = fn;
  p->arg = arg;
  p->n = n;
  atomic_store(&p->next, 0);
  atomic_store(&p->seats, threads - 1);
  atomic_store(&p->open, 1);
  atomic_fetch_add(&p->generation, 1);
  if (atomic_load(&p->sleepers) > 0) {
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
  }
  work(p);
  atomic_store(&p->open, 0);
  for (int spins = 0; atomic_load(&p->running) > 0;)
    if (++spins < SPINS)
      pause_cpu();
    else
      usleep(20);
  pthread_mutex_unlock(&p->busy);
}

void fx_rt_pool_destroy(FXInstance *i) {
  FXrtPool *p = i->common->pool;
  if (!p)
    return;
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->stop, 1);
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
  for (int t = 0; t < p->n_threads; ++t)
    pthread_join(p->threads[t], 0);
  pthread_mutex_destroy(&p->lock);
  pthread_mutex_destroy(&p->busy);
  pthread_cond_destroy(&p->wake);
  free(p);
  i->common->pool = 0;
}

//===----------------------------------------------------------------------===//
// Functions that compiled code calls
//===----------------------------------------------------------------------===//

typedef struct {
  FXrtRun *run;
  Body fn;
  void *arg;
} Loop;

/* Runs a range of the loop in any thread. An error ends this range only; the
 * caller of the loop fails the run. */
static void run_range(void *arg, int64_t begin, int64_t end) {
  Loop *loop = arg;
  if (atomic_load_explicit(&loop->run->failed, memory_order_relaxed))
    return;
  FXrtThread saved = fx_rt_thread;
  jmp_buf on_error;
  if (!_setjmp(on_error)) {
    fx_rt_thread = (FXrtThread){loop->run, &on_error, 1};
    loop->fn(loop->arg, begin, end);
  }
  fx_rt_thread = saved;
}

void fx_rt_parallel_for(int64_t n, int64_t grain, Body fn, void *arg) {
  FXrtRun *run = fx_rt_thread.run;
  if (n <= 0)
    return;
  if (fx_rt_thread.nested ||
      (run->threads == 1 && !run->instance->common->has_parallel_for)) {
    fn(arg, 0, n);
    return;
  }
  Loop loop = {run, fn, arg};
  if (run->instance->common->has_parallel_for)
    run->instance->common->callbacks.parallel_for(
        run->instance->common->callbacks.context, n, grain, run_range, &loop);
  else
    fx_rt_pool_run(run->instance, run->threads, n, grain, run_range, &loop);
  if (atomic_load(&run->failed))
    _longjmp(*fx_rt_thread.on_error, 1);
}
