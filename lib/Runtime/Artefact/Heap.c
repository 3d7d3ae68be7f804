/*===- Heap.c - memory blocks of an instance and its outputs --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates outputs and buffers whose size is only known during the run. The
// system clears new pages when they are first written, which takes as long as
// the kernel that writes them. So large blocks are kept when they are freed,
// and consist of huge pages. Kept and used blocks together never exceed the
// largest amount that was in use at one time.
//
// Outputs may outlive the instance, so the heap lives until all of its blocks
// are freed.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, PAGE = 4096, HUGE_PAGE = 2 << 20, KEPT_MIN = 128 << 10 };

struct FXrtHeap {
  FXCallbacks callbacks; /* alloc and free only; null for malloc and mmap */
  pthread_mutex_t lock;
  size_t n_used;     /* blocks that are not freed yet */
  int is_closed;     /* the instance was destroyed */
  FXrtBlock *kept;   /* freed blocks, the last one first */
  size_t used_bytes; /* of blocks that may be kept */
  size_t kept_bytes, max_bytes;
};

/* lib/Runtime/Aoti relies on the size of the header, ALIGNMENT. */
_Static_assert(sizeof(FXrtBlock) <= ALIGNMENT,
               "the header must fit before the data");

FXrtHeap *fx_rt_heap_new(const FXCallbacks *callbacks, int on_device) {
  FXrtHeap *h = calloc(1, sizeof *h);
  if (!h)
    return 0;
  /* The call-back of a model for a GPU allocates device memory. */
  if (!on_device)
    h->callbacks = *callbacks;
  pthread_mutex_init(&h->lock, 0);
  return h;
}

void *fx_rt_map_pages(size_t *bytes) {
  size_t size = (*bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
  /* A mapping that begins at a huge page can consist of huge pages. */
  size_t slack = size >= HUGE_PAGE ? HUGE_PAGE : 0;
  if (size > SIZE_MAX / 2)
    return 0;
  char *p = mmap(0, size + slack, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return 0;
  if (slack) {
    size_t head = -(uintptr_t)p & (HUGE_PAGE - 1);
    if (head)
      munmap(p, head);
    munmap(p + head + size, slack - head);
    p += head;
    madvise(p, size, MADV_HUGEPAGE);
  }
  *bytes = size;
  return p;
}

static int is_kept(const FXrtHeap *h, size_t bytes) {
  return !h->callbacks.alloc && bytes >= KEPT_MIN;
}

/* Takes the smallest kept block of `bytes` or up to a quarter more. */
static FXrtBlock *take_kept(FXrtHeap *h, size_t bytes) {
  FXrtBlock **best = 0;
  for (FXrtBlock **at = &h->kept; *at; at = &(*at)->next)
    if ((*at)->bytes >= bytes && (*at)->bytes - bytes <= bytes / 4 &&
        (!best || (*at)->bytes < (*best)->bytes))
      best = at;
  if (!best)
    return 0;
  FXrtBlock *b = *best;
  *best = b->next;
  h->kept_bytes -= b->bytes;
  return b;
}

/* Returns kept blocks to the system, those that were freed first before others,
 * until `limit` is not exceeded. */
static void trim(FXrtHeap *h, size_t limit) {
  while (h->kept && h->used_bytes + h->kept_bytes > limit) {
    FXrtBlock **last = &h->kept;
    while ((*last)->next)
      last = &(*last)->next;
    FXrtBlock *b = *last;
    *last = 0;
    h->kept_bytes -= b->bytes;
    munmap(b, b->bytes);
  }
}

static FXrtBlock *alloc_large(FXrtHeap *h, size_t bytes) {
  FXrtBlock *b = take_kept(h, bytes);
  if (b) {
    h->used_bytes += b->bytes;
    return b;
  }
  h->used_bytes += bytes;
  if (h->max_bytes < h->used_bytes)
    h->max_bytes = h->used_bytes;
  trim(h, h->max_bytes);
  h->used_bytes -= bytes;
  b = fx_rt_map_pages(&bytes);
  if (b) {
    b->bytes = bytes;
    h->used_bytes += bytes;
  }
  return b;
}

FXrtBlock *fx_rt_heap_alloc(FXrtHeap *h, size_t bytes) {
  if (bytes > (size_t)INT64_MAX - 2 * ALIGNMENT)
    return 0;
  bytes += ALIGNMENT;
  int is_large = is_kept(h, bytes);
  void *p = 0;
  if (h->callbacks.alloc)
    p = h->callbacks.alloc(h->callbacks.context, bytes, ALIGNMENT);
  else if (!is_large && posix_memalign(&p, ALIGNMENT, bytes))
    p = 0;
  pthread_mutex_lock(&h->lock);
  FXrtBlock *b = is_large ? alloc_large(h, bytes) : p;
  if (b) {
    ++h->n_used;
    b->heap = h;
    if (!is_large)
      b->bytes = bytes;
  }
  pthread_mutex_unlock(&h->lock);
  return b;
}

/* Unlocks the heap, and deletes it if nobody uses it. */
static void unlock(FXrtHeap *h) {
  int is_unused = h->is_closed && !h->n_used;
  pthread_mutex_unlock(&h->lock);
  if (!is_unused)
    return;
  pthread_mutex_destroy(&h->lock);
  free(h);
}

void fx_rt_heap_free(FXrtBlock *b) {
  FXrtHeap *h = b->heap;
  int is_large = is_kept(h, b->bytes);
  if (h->callbacks.free)
    h->callbacks.free(h->callbacks.context, b, b->bytes);
  else if (!is_large)
    free(b);
  pthread_mutex_lock(&h->lock);
  --h->n_used;
  if (is_large) {
    h->used_bytes -= b->bytes;
    h->kept_bytes += b->bytes;
    b->next = h->kept;
    h->kept = b;
    if (h->is_closed)
      trim(h, 0);
  }
  unlock(h);
}

void fx_rt_heap_close(FXrtHeap *h) {
  if (!h)
    return;
  pthread_mutex_lock(&h->lock);
  trim(h, 0);
  h->is_closed = 1;
  unlock(h);
}
