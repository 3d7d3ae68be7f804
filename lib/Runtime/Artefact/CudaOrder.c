/*===- CudaOrder.c - which operations of a sequence wait for which --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two operations conflict if they access the same memory and one of them writes
// it. Of two operations in conflict, the later one must wait for the earlier
// one; others may run at the same time. The edges of a graph are those of the
// conflicts that do not follow from other edges.
//
// The ranges of a sequence are known when it becomes a graph. When it occurs
// again with other addresses, the new conflicts must follow from the edges that
// the graph has.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <string.h>

/* Longer sequences stay in their order: the sets below would take more than
 * 512 KiB. */
enum { GPU_ORDER_MOST = 2048 };

/* Returns true if one operation must wait for the other. Operations without
 * ranges may access all memory. */
static int is_conflict(const GpuSequence *s, int a, int b) {
  const GpuOp *x = &s->ops[a], *y = &s->ops[b];
  const GpuRange *xs = s->ranges + x->ranges, *ys = s->ranges + y->ranges;
  if (!x->n_ranges || !y->n_ranges)
    return 1;
  for (int i = 0; i < x->n_ranges; ++i)
    for (int j = 0; j < y->n_ranges; ++j)
      if ((xs[i].writes | ys[j].writes) && xs[i].begin < ys[j].end &&
          ys[j].begin < xs[i].end)
        return 1;
  return 0;
}

static int has_bit(const uint64_t *row, int bit) {
  return row[bit / 64] >> bit % 64 & 1;
}

static uint64_t *row_of(const GpuOrder *o, int k) {
  return o->before + (size_t)k * (size_t)o->words;
}

static void drop_order(GpuOrder *o) {
  free(o->before);
  free(o->edges);
  free(o->first);
  *o = (GpuOrder){0};
}

/* Appends an edge from operation `from`. Returns 1 if out of memory. */
static int add_edge(GpuOrder *o, int from) {
  if (o->n_edges == o->room) {
    int room = o->room ? 2 * o->room : 256;
    int *more = realloc(o->edges, (size_t)room * sizeof *more);
    if (!more)
      return 1;
    o->edges = more;
    o->room = room;
  }
  o->edges[o->n_edges++] = from;
  return 0;
}

/* Finds the edges to operation `k`, the nearest ones first. */
static int add_edges_to(GpuOrder *o, const GpuSequence *s, int k) {
  uint64_t *row = row_of(o, k);
  for (int j = k - 1; j >= 0; --j) {
    if (has_bit(row, j) || !is_conflict(s, j, k))
      continue;
    const uint64_t *other = row_of(o, j);
    for (int word = 0; word < o->words; ++word)
      row[word] |= other[word];
    row[j / 64] |= UINT64_C(1) << j % 64;
    if (add_edge(o, j))
      return 1;
  }
  return 0;
}

/* Finds the edges of a sequence: those of its conflicts if it `has_branches`,
 * or else a chain. Returns 1 if out of memory. */
static int make_order(GpuOrder *o, const GpuSequence *s, int has_branches) {
  drop_order(o);
  o->first = calloc((size_t)s->n + 1, sizeof *o->first);
  if (!o->first)
    return 1;
  if (has_branches && s->n <= GPU_ORDER_MOST) {
    o->words = (s->n + 63) / 64;
    o->before = calloc((size_t)s->n * (size_t)o->words, sizeof *o->before);
    if (!o->before)
      return 1;
  }
  for (int k = 0; k < s->n; ++k) {
    if (o->before ? add_edges_to(o, s, k) : k && add_edge(o, k - 1))
      return 1;
    o->first[k + 1] = o->n_edges;
  }
  return 0;
}

/* Returns true if each operation waits for the one in front of it. */
static int is_chain(const GpuOrder *o, int n) {
  int is = o->n_edges == n - 1;
  for (int e = 0; is && e < n - 1; ++e)
    is = o->first && o->first[e + 1] == e && o->edges[e] == e;
  return is;
}

/* Returns the number of operations on the longest path. */
static int count_levels(const GpuOrder *o, int n) {
  int most = 0, *level = calloc((size_t)n, sizeof *level);
  for (int k = 0; level && k < n; ++k) {
    for (int e = o->first[k]; e < o->first[k + 1]; ++e)
      if (level[k] < level[o->edges[e]])
        level[k] = level[o->edges[e]];
    most = most < ++level[k] ? level[k] : most;
  }
  free(level);
  return most;
}

/* Returns true if operation `k` accesses the same memory in both sequences. */
static int has_same_ranges(const GpuSequence *was, const GpuSequence *is,
                           int k) {
  const GpuOp *a = &was->ops[k], *b = &is->ops[k];
  for (int r = 0; r < b->n_ranges; ++r) {
    const GpuRange *x = &was->ranges[a->ranges + r],
                   *y = &is->ranges[b->ranges + r];
    if (x->begin != y->begin || x->end != y->end || x->writes != y->writes)
      return 0;
  }
  return 1;
}

/* Returns true if the order, which is that of the sequence `was`, also orders
 * the conflicts of `is`, which has operations of the same kinds. */
static int is_ordered(const GpuOrder *o, const GpuSequence *was,
                      const GpuSequence *is) {
  if (!o->before)
    return 1;
  for (int k = 0; k < is->n; ++k) {
    if (has_same_ranges(was, is, k))
      continue;
    for (int j = 0; j < is->n; ++j) {
      int early = j < k ? j : k, late = j < k ? k : j;
      if (j != k && !has_bit(row_of(o, late), early) && is_conflict(is, j, k))
        return 0;
    }
  }
  return 1;
}
