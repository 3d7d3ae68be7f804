/*===- Profile.c - times of kernels ---------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code calls these functions around each call of a kernel if the model
// was compiled with --profile.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* i64 fx_rt_profile_begin(): called before a kernel. */
int64_t fx_rt_profile_begin(void) { return now(); }

/* Returns 1 if there is room for another call. */
static int has_room(FXrtProfile *p) {
  if (p->n < p->capacity)
    return 1;
  if (p->n >= FX_MAX_KERNEL_RUNS)
    return 0;
  int64_t capacity = p->capacity ? 2 * p->capacity : 1024;
  FXKernelRun *calls = realloc(p->calls, (size_t)capacity * sizeof *calls);
  if (!calls)
    return 0;
  p->calls = calls;
  p->capacity = capacity;
  return 1;
}

/* fx_rt_profile_end(i64 start, index kernel, index bytes, index flops): called
 * after a kernel. */
void fx_rt_profile_end(int64_t start, int64_t kernel, int64_t bytes,
                       int64_t flops) {
  int64_t end = now();
  FXInstance *i = fx_rt_thread.run->instance;
  pthread_mutex_lock(&i->common->lock);
  if (has_room(&i->profile))
    i->profile.calls[i->profile.n++] =
        (FXKernelRun){kernel, start, end, bytes, flops};
  pthread_mutex_unlock(&i->common->lock);
}

int64_t fx_rt_take_profile(FXInstance *i, FXKernelRun *out, int64_t capacity) {
  FXrtProfile *p = &i->profile;
  pthread_mutex_lock(&i->common->lock);
  int64_t n = p->n - p->first < capacity ? p->n - p->first : capacity;
  if (n > 0)
    memcpy(out, p->calls + p->first, (size_t)n * sizeof *out);
  p->first += n;
  if (p->first == p->n)
    p->first = p->n = 0;
  pthread_mutex_unlock(&i->common->lock);
  return n;
}
