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
// A loop is divided into chunks. Each thread has a share of adjacent ones, the
// same share of each loop, so it often finds what it reads in its own caches:
// the loop before wrote it. A thread that has finished its share helps others.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPINS = 4000, MAX_THREADS = 1024 };

typedef void (*Body)(void *, int64_t, int64_t);

struct FXrtPool {
  pthread_mutex_t lock; /* guards generation and stop for sleepers */
  pthread_cond_t wake;
  pthread_mutex_t busy; /* held by the loop that uses the pool */
  pthread_t threads[MAX_THREADS];
  int n_threads;
  FXrtAffinity affinity; /* guarded by busy */
  atomic_int stop;
  atomic_uint generation;
  atomic_int sleepers;
  /* The loop under way. A worker increments `running`, works if the loop is
   * open and it has a share, and decrements `running`. The owner clears `open`,
   * then waits until `running` is 0. */
  atomic_int open, running;
  Body fn;
  void *arg;
  int64_t n, chunks;
  int shares; /* of the caller, then of the first workers */
  struct {
    _Alignas(64) _Atomic int64_t next; /* the first chunk that nobody took */
  } share[MAX_THREADS];
};

/* What a worker gets when it starts. */
typedef struct {
  FXrtPool *pool;
  int share;
} Worker;

static void pause_cpu(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Returns the first chunk of a share. */
static int64_t first_chunk(const FXrtPool *p, int share) {
  return p->chunks / p->shares * share +
         (p->chunks % p->shares < share ? p->chunks % p->shares : share);
}

/* Returns the first iteration of a chunk. */
static int64_t first_iteration(const FXrtPool *p, int64_t chunk) {
  return p->n / p->chunks * chunk +
         (p->n % p->chunks < chunk ? p->n % p->chunks : chunk);
}

/* Takes chunks until none is left: those of `own`, then those of the others.
 * The code may end with non-temporal stores. On x86 the locked instruction by
 * which a worker then leaves the loop orders them before the accesses of other
 * threads. */
static void work(FXrtPool *p, int own) {
  for (int k = 0; k < p->shares; ++k) {
    int share = own + k < p->shares ? own + k : own + k - p->shares;
    int64_t end = first_chunk(p, share + 1);
    _Atomic int64_t *next = &p->share[share].next;
    /* Finished shares are only read: their lines stay in all caches. */
    while (atomic_load_explicit(next, memory_order_relaxed) < end) {
      int64_t chunk = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
      if (chunk >= end)
        break;
      p->fn(p->arg, first_iteration(p, chunk), first_iteration(p, chunk + 1));
    }
  }
}

static void *worker(void *arg) {
  FXrtPool *p = ((Worker *)arg)->pool;
  int own = ((Worker *)arg)->share;
  free(arg);
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
    if (atomic_load(&p->open) && own < p->shares)
      work(p, own);
    atomic_fetch_sub(&p->running, 1);
  }
}

/* Starts one more worker. Returns 0 if that fails. */
static int start_worker(FXrtPool *p) {
  Worker *arg = malloc(sizeof *arg);
  if (!arg)
    return 0;
  *arg = (Worker){p, p->n_threads + 1};
  if (!pthread_create(&p->threads[p->n_threads], 0, worker, arg)) {
    ++p->n_threads;
    return 1;
  }
  free(arg);
  return 0;
}

/* Returns the pool of the instance, or null if out of memory. A new pool has no
 * threads. */
static FXrtPool *get_pool(FXInstance *i) {
  pthread_mutex_lock(&i->common->lock);
  FXrtPool *p = i->common->pool;
  void *memory = 0;
  if (!p && !posix_memalign(&memory, _Alignof(FXrtPool), sizeof *p)) {
    p = memset(memory, 0, sizeof *p);
    pthread_mutex_init(&p->lock, 0);
    pthread_cond_init(&p->wake, 0);
    pthread_mutex_init(&p->busy, 0);
    i->common->pool = p;
  }
  pthread_mutex_unlock(&i->common->lock);
  return p;
}

/* Returns the number of chunks into which `threads` threads divide `n`
 * iterations: about `grain` iterations or more in each. Four chunks per thread
 * balance the load if a thread is preempted. Fewer are a multiple of the number
 * of threads, so that all threads end at about the same time. */
static int64_t count_chunks(int64_t n, int64_t grain, int threads) {
  int64_t chunks = n / grain + (n % grain * 2 >= grain);
  if (chunks > 4 * (int64_t)threads)
    chunks = 4 * (int64_t)threads;
  return chunks > threads ? chunks - chunks % threads : chunks;
}

/* Runs `fn` on [0, n) with at most `threads` threads, the caller's included (0:
 * one for each CPU that it may use), in chunks of about `grain` iterations or
 * more. */
void fx_rt_pool_run(FXInstance *i, int threads, int64_t n, int64_t grain,
                    Body fn, void *arg) {
  if (grain < 1)
    grain = 1;
  if (threads <= 0)
    threads = count_cpus();
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  int64_t chunks = count_chunks(n, grain, threads);
  if (threads > chunks)
    threads = (int)chunks;
  FXrtPool *p = threads > 1 ? get_pool(i) : 0;
  if (!p || pthread_mutex_trylock(&p->busy)) {
    fn(arg, 0, n);
    return;
  }
  int before = p->n_threads;
  while (p->n_threads < threads - 1 && start_worker(p))
    ;
  if (threads > p->n_threads + 1)
    threads = p->n_threads + 1;
  if (p->n_threads > before)
    divide_cpus(&p->affinity, p->threads, p->n_threads);
  else
    leave_cpu_of_caller(&p->affinity, p->threads);
  p->fn = fn;
  p->arg = arg;
  p->n = n;
  p->chunks = chunks;
  p->shares = threads;
  for (int share = 0; share < threads; ++share)
    atomic_store_explicit(&p->share[share].next, first_chunk(p, share),
                          memory_order_relaxed);
  atomic_store(&p->open, 1);
  atomic_fetch_add(&p->generation, 1);
  if (atomic_load(&p->sleepers) > 0) {
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
  }
  work(p, 0);
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
