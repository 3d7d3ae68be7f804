/*===- Memory.c - memory of a run -----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates the arena (one block per run for temporary tensors, kept for the
// next run), outputs, and buffers whose size is only known during the run.
// Compiled code calls the allocation functions of MLIR's memref lowering.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <sys/mman.h>

static FXrtBlock *header_of(void *data) {
  return (FXrtBlock *)((char *)data - ALIGNMENT);
}

void *fx_rt_block_alloc(FXrtRun *run, size_t bytes) {
  FXrtBlock *b = fx_rt_heap_alloc(run->instance->common->heap, bytes);
  if (!b)
    return 0;
  pthread_mutex_lock(&run->lock);
  b->next = run->blocks.next;
  b->prev = &run->blocks;
  if (b->next)
    b->next->prev = b;
  run->blocks.next = b;
  pthread_mutex_unlock(&run->lock);
  return (char *)b + ALIGNMENT;
}

FXrtBlock *fx_rt_block_release(FXrtRun *run, void *data) {
  FXrtBlock *b = header_of(data);
  pthread_mutex_lock(&run->lock);
  b->prev->next = b->next;
  if (b->next)
    b->next->prev = b->prev;
  pthread_mutex_unlock(&run->lock);
  return b;
}

void fx_rt_block_free(FXrtRun *run, void *data) {
  fx_rt_heap_free(fx_rt_block_release(run, data));
}

void fx_rt_free_all(FXrtRun *run) {
  for (FXrtBlock *b = run->blocks.next, *next; b; b = next) {
    next = b->next;
    fx_rt_heap_free(b);
  }
  run->blocks.next = 0;
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

static void arena_delete(FXInstance *i, FXrtArena *a) {
  if (i->common->callbacks.free)
    i->common->callbacks.free(i->common->callbacks.context, a->data, a->bytes);
  else
    munmap(a->data, a->bytes);
  free(a);
}

static FXrtArena *arena_new(FXInstance *i, size_t bytes) {
  FXrtArena *a = malloc(sizeof *a);
  if (!a)
    return 0;
  a->next = 0;
  a->bytes = bytes;
  a->data = i->common->callbacks.alloc
                ? i->common->callbacks.alloc(i->common->callbacks.context,
                                             bytes, ALIGNMENT)
                : fx_rt_map_pages(&a->bytes);
  if (!a->data) {
    free(a);
    return 0;
  }
  return a;
}

static FXrtArena *arena_take(FXInstance *i, size_t bytes) {
  FXrtArena *found = 0, *small = 0;
  pthread_mutex_lock(&i->common->lock);
  for (FXrtArena **at = &i->common->arenas; *at; at = &(*at)->next)
    if ((*at)->bytes >= bytes) {
      found = *at;
      *at = found->next;
      break;
    }
  if (!found && i->common->arenas) { /* replace an arena that is too small */
    small = i->common->arenas;
    i->common->arenas = small->next;
  }
  pthread_mutex_unlock(&i->common->lock);
  if (small)
    arena_delete(i, small);
  return found ? found : arena_new(i, bytes);
}

void fx_rt_arena_return(FXrtRun *run) {
  FXrtArena *a = run->arena;
  if (!a)
    return;
  run->arena = 0;
  pthread_mutex_lock(&run->instance->common->lock);
  a->next = run->instance->common->arenas;
  run->instance->common->arenas = a;
  pthread_mutex_unlock(&run->instance->common->lock);
}

void fx_rt_arena_free_all(FXInstance *i) {
  for (FXrtArena *a = i->common->arenas, *next; a; a = next) {
    next = a->next;
    arena_delete(i, a);
  }
  i->common->arenas = 0;
}

//===----------------------------------------------------------------------===//
// Functions that compiled code calls
//===----------------------------------------------------------------------===//

static void set_bytes(FXrtMemRef *out, void *data, int64_t bytes) {
  out->allocated = out->aligned = data;
  out->offset = 0;
  out->sizes_and_strides[0] = bytes;
  out->sizes_and_strides[1] = 1;
}

/* Allocates device memory, or fails the run. */
static void *device_alloc(int64_t bytes, const char *what, int is_arena) {
  const FXrtDeviceOps *ops = fx_rt_thread.run->instance->model->device->ops;
  void *data = (is_arena ? ops->arena : ops->alloc)(fx_rt_thread.run,
                                                    bytes ? (size_t)bytes : 1);
  if (!data)
    fx_rt_fail("out of memory on the device: %lld bytes for %s",
               (long long)bytes, what);
  return data;
}

/* memref<?xi8> fx_rt_arena(index bytes): called once per run. */
void _mlir_ciface_fx_rt_arena(FXrtMemRef *out, int64_t bytes) {
  FXrtRun *run = fx_rt_thread.run;
  if (bytes < 0)
    fx_rt_fail("temporary tensors exceed the address space");
  if (run->instance->model->device) {
    set_bytes(out, device_alloc(bytes, "temporary tensors", 1), bytes);
    return;
  }
  run->arena = arena_take(run->instance, bytes ? (size_t)bytes : 1);
  if (!run->arena)
    fx_rt_fail("out of memory: %lld bytes for temporary tensors",
               (long long)bytes);
  set_bytes(out, run->arena->data, bytes);
}

/* memref<?xi8> fx_rt_output(index bytes, index result): memory of the output
 * that is the result with this number. */
void _mlir_ciface_fx_rt_output(FXrtMemRef *out, int64_t bytes, int64_t result) {
  if (fx_rt_thread.run->instance->model->device && bytes >= 0) {
    set_bytes(out, device_alloc(bytes, "an output", 0), bytes);
    return;
  }
  void *data =
      bytes < 0 ? 0 : fx_rt_target(fx_rt_thread.run, result, (size_t)bytes);
  if (!data && bytes >= 0)
    data = fx_rt_block_alloc(fx_rt_thread.run, (size_t)bytes);
  if (!data)
    fx_rt_fail("out of memory: %lld bytes for an output", (long long)bytes);
  set_bytes(out, data, bytes);
}

void *_mlir_memref_to_llvm_alloc(int64_t bytes) {
  if (fx_rt_thread.run->instance->model->device && bytes >= 0)
    return device_alloc(bytes, "a temporary tensor", 0);
  void *data =
      bytes < 0 ? 0 : fx_rt_block_alloc(fx_rt_thread.run, (size_t)bytes);
  if (!data)
    fx_rt_fail("out of memory: %lld bytes for a temporary tensor",
               (long long)bytes);
  return data;
}

void *_mlir_memref_to_llvm_aligned_alloc(int64_t alignment, int64_t bytes) {
  (void)alignment; /* at most ALIGNMENT */
  return _mlir_memref_to_llvm_alloc(bytes);
}

void _mlir_memref_to_llvm_free(void *data) {
  if (data && fx_rt_thread.run->instance->model->device)
    fx_rt_thread.run->instance->model->device->ops->free(fx_rt_thread.run,
                                                         data);
  else if (data)
    fx_rt_block_free(fx_rt_thread.run, data);
}
