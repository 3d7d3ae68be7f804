//===- Packing.cpp - offsets of buffers by their life times ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Packing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace fx::cpu;

// Greedy by size: places the largest interval first, each in the smallest
// sufficient gap between the placed intervals that are live at the same time.
// The result is within a few per cent of the lower bound on the networks tried.
int64_t fx::cpu::packIntervals(llvm::MutableArrayRef<Interval> intervals) {
  llvm::SmallVector<unsigned> order(intervals.size());
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return intervals[a].size > intervals[b].size;
  });
  int64_t total = 0;
  llvm::SmallVector<const Interval *> placed;
  for (unsigned i : order) {
    Interval &interval = intervals[i];
    llvm::SmallVector<const Interval *> others;
    for (const Interval *p : placed)
      if (p->first <= interval.last && interval.first <= p->last)
        others.push_back(p);
    llvm::stable_sort(others, [](const Interval *a, const Interval *b) {
      return a->offset < b->offset;
    });
    int64_t best = -1, bestGap = 0, at = 0;
    for (const Interval *p : others) {
      int64_t gap = p->offset - at;
      if (gap >= interval.size && (best < 0 || gap < bestGap)) {
        best = at;
        bestGap = gap;
      }
      at = std::max(at, p->offset + p->size);
    }
    interval.offset = best < 0 ? at : best;
    total = std::max(total, interval.offset + interval.size);
    placed.push_back(&interval);
  }
  return total;
}
