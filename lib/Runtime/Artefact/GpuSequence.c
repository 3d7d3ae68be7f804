/*===- GpuSequence.c - operations that are put on the stream later --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sequence holds launches, copies and fills with their parameters, and the
// memory that each of them accesses.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <string.h>

/* An FNV-1a hash of words starts with GPU_HASH and takes one word at a time. */
static const uint64_t GPU_HASH = 14695981039346656037u;

static uint64_t hash_word(uint64_t hash, uint64_t word) {
  return (hash ^ word) * 1099511628211u;
}

/* Returns the bytes of an operation's parameters: tensor maps, then numbers of
 * 8 bytes. */
static size_t param_bytes(const GpuOp *op) {
  return (size_t)op->n_maps * FX_TENSOR_MAP_BYTES +
         (size_t)(op->n - op->n_maps) * 8;
}

/* Fills `list` with the addresses of the parameters of `op` and returns it.
 * `params` holds the parameters of all operations. */
static void **list_params(const GpuOp *op, char *params, void **list) {
  char *at = params + op->params;
  for (int k = 0; k < op->n; ++k) {
    list[k] = at;
    at += k < op->n_maps ? FX_TENSOR_MAP_BYTES : 8;
  }
  return list;
}

/* Moves `bytes` of memory to a new block of `room` bytes, with the alignment of
 * tensor maps. Returns null, and keeps the old block, if out of memory. */
static void *grow(void *data, size_t bytes, size_t room) {
  void *more = 0;
  if (posix_memalign(&more, 64, room))
    return 0;
  if (data)
    memcpy(more, data, bytes);
  free(data);
  return more;
}

/* Empties a sequence and keeps its memory. */
static void clear_sequence(GpuSequence *s) {
  s->n = s->n_ranges = s->n_claimed = 0;
  s->n_bytes = 0;
}

static void drop_sequence(GpuSequence *s) {
  free(s->ops);
  free(s->params);
  free(s->ranges);
  *s = (GpuSequence){0};
}

/* Forgets the ranges of an operation that is not appended. */
static void drop_ranges(GpuSequence *s) { s->n_ranges = s->n_claimed; }

/* Notes that the operation that is appended next accesses `bytes` of memory.
 * Returns 1 if out of memory. */
static int add_range(GpuSequence *s, CUdeviceptr begin, size_t bytes,
                     int writes) {
  if (!bytes)
    return 0;
  if (s->n_ranges == s->ranges_room) {
    int room = s->ranges_room ? 2 * s->ranges_room : 256;
    void *ranges = grow(s->ranges, (size_t)s->n_ranges * sizeof *s->ranges,
                        (size_t)room * sizeof *s->ranges);
    if (!ranges)
      return 1;
    s->ranges = ranges;
    s->ranges_room = room;
  }
  s->ranges[s->n_ranges++] = (GpuRange){begin, begin + bytes, (unsigned)writes};
  return 0;
}

/* Appends an operation and copies its parameters. Returns 1 if out of memory.
 */
static int append(GpuSequence *s, const GpuOp *op, void *const *params) {
  size_t bytes = param_bytes(op), at = (s->n_bytes + 63) / 64 * 64;
  if (s->n == s->room) {
    int room = s->room ? 2 * s->room : 64;
    void *ops =
        grow(s->ops, (size_t)s->n * sizeof *op, (size_t)room * sizeof *op);
    if (!ops)
      return 1;
    s->ops = ops;
    s->room = room;
  }
  if (at + bytes > s->bytes_room) {
    size_t room = 2 * (at + bytes) + 4096;
    char *more = grow(s->params, s->n_bytes, room);
    if (!more)
      return 1;
    s->params = more;
    s->bytes_room = room;
  }
  if (op->kind != GPU_LAUNCH &&
      (add_range(s, op->to, op->bytes, 1) ||
       (op->kind == GPU_COPY && add_range(s, op->from, op->bytes, 0))))
    return 1;
  GpuOp *made = &s->ops[s->n++];
  *made = *op;
  made->ranges = s->n_claimed;
  made->n_ranges = s->n_ranges - s->n_claimed;
  s->n_claimed = s->n_ranges;
  made->params = at;
  s->n_bytes = at + bytes;
  for (int k = 0; k < op->n; ++k) {
    size_t size = k < op->n_maps ? FX_TENSOR_MAP_BYTES : 8;
    memcpy(s->params + at, params[k], size);
    at += size;
  }
  return 0;
}

/* Returns true if a graph node of one operation can be updated to the other. */
static int is_same_kind(const GpuOp *a, const GpuOp *b) {
  int is_same = a->kind == b->kind && a->kernel == b->kernel &&
                a->shared == b->shared && a->n == b->n &&
                a->n_maps == b->n_maps && a->bytes == b->bytes &&
                a->n_ranges == b->n_ranges;
  for (int d = 0; d < 3; ++d)
    is_same &= a->grid[d] == b->grid[d] && a->block[d] == b->block[d];
  return is_same;
}

static uint64_t hash_sequence(const GpuSequence *s) {
  uint64_t hash = GPU_HASH;
  for (const GpuOp *op = s->ops; op < s->ops + s->n; ++op) {
    hash = hash_word(hash, (uint64_t)op->kind << 32 | (uint32_t)op->kernel);
    for (int d = 0; d < 3; ++d)
      hash = hash_word(hash, (uint64_t)op->grid[d] << 32 | op->block[d]);
    hash = hash_word(hash, op->bytes);
  }
  return hash ? hash : 1;
}

static int is_same_sequence(const GpuSequence *a, const GpuSequence *b) {
  if (a->n != b->n)
    return 0;
  for (int k = 0; k < a->n; ++k)
    if (!is_same_kind(&a->ops[k], &b->ops[k]))
      return 0;
  return 1;
}

/* Returns true if addresses or parameters of operation `k` differ. */
static int has_changed(const GpuSequence *was, const GpuSequence *is, int k) {
  const GpuOp *a = &was->ops[k], *b = &is->ops[k];
  const uint64_t *x = (const uint64_t *)(was->params + a->params),
                 *y = (const uint64_t *)(is->params + b->params);
  int has = a->to != b->to || a->from != b->from;
  for (size_t word = 0; word < param_bytes(b) / 8; ++word)
    has |= x[word] != y[word];
  return has;
}
