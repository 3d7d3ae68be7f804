//===- Races.cpp - accesses that nothing orders ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread has a clock, which goes on where it gives others what it has
// done, and knows of each other thread up to which time it has seen it (vector
// clocks). A word of shared memory knows who wrote it last and two of its
// readers, so that a race may be missed, but no report is wrong. Copies of
// boxes and products come by another way to memory (the async proxy): what
// threads wrote must have passed a fence, for which there is a second set of
// clocks.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <cstdlib>
#include <cstring>

using namespace emulator;

namespace {
struct Read {
  uint32_t clock;
  uint16_t thread;
  uint8_t mask; ///< of the word's bytes; 0: nobody
};
struct Word {
  uint32_t clock;
  uint16_t thread;
  uint8_t mask, isCopied; ///< a copy is under way
  uint32_t copyInstruction;
  Read reads[2];
};
} // namespace

using Clocks = std::vector<uint32_t>;

static std::vector<Word> words;
/// Of each thread, and of copies of boxes, which come last.
static Clocks clocks;
/// What all threads have seen, at the last barrier of all.
static Clocks seenByAll, fencedByAll;
static std::vector<Clocks> seen, fenced;
static std::vector<bool> hasFenced;
static int boxes;

static void raiseTo(Clocks &to, const Clocks &from) {
  if (to.size() < from.size())
    to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = std::max(to[i], from[i]);
}

bool races::isOn() {
  static const bool is = [] {
    const char *text = getenv("FX_EMULATOR_RACES");
    return !text || strcmp(text, "0");
  }();
  return is;
}

void races::Order::add(const Order &other) {
  raiseTo(seen, other.seen);
  raiseTo(fenced, other.fenced);
}

void races::begin(int threads) {
  if (!isOn())
    return;
  boxes = threads;
  words.assign(getSharedBytes() * getRanks() / 4 + 1, {});
  clocks.assign(threads + 1, 1);
  seenByAll.assign(threads + 1, 0);
  fencedByAll.assign(threads + 1, 0);
  seen.assign(threads, Clocks());
  fenced.assign(threads, Clocks());
  hasFenced.assign(threads, false);
}

void races::give(Order &order) {
  if (!isOn())
    return;
  int me = getThread();
  raiseTo(order.seen, seen[me]);
  raiseTo(order.fenced, fenced[me]);
  order.seen.resize(clocks.size());
  order.seen[me] = clocks[me]++;
}

void races::take(const Order &order) {
  if (!isOn())
    return;
  raiseTo(seen[getThread()], order.seen);
  raiseTo(fenced[getThread()], order.fenced);
}

void races::meet() {
  if (!isOn())
    return;
  for (int i = 0; i < boxes; ++i) {
    if (!fenced[i].empty())
      raiseTo(fencedByAll, fenced[i]);
    // Of boxes somebody may have seen more than others.
    if (!seen[i].empty())
      seenByAll[boxes] = std::max(seenByAll[boxes], seen[i][boxes]);
    seenByAll[i] = clocks[i]++;
  }
}

void races::fence() {
  if (!isOn())
    return;
  int me = getThread();
  raiseTo(fenced[me], seen[me]);
  raiseTo(fenced[me], seenByAll);
  fenced[me][me] = clocks[me];
}

static bool hasSeen(int me, int thread, uint32_t clock) {
  return thread == me || seenByAll[thread] >= clock ||
         (!seen[me].empty() && seen[me][thread] >= clock);
}
static bool isFenced(int me, const Word &word) {
  return word.thread == boxes || fencedByAll[word.thread] >= word.clock ||
         (!fenced[me].empty() && fenced[me][word.thread] >= word.clock);
}

[[noreturn]] static void report(const char *data, const char *what,
                                const char *other, int thread) {
  fail("race", std::string(what) + " at " + describeShared(data) + " and " +
                   other +
                   (thread == boxes ? std::string(" a copy of a box")
                                    : " thread " + std::to_string(thread)) +
                   ", which nothing orders");
}

/// Calls `visit` with each word and the bytes of it.
template <typename T>
static void forWords(const char *data, uint32_t bytes, T visit) {
  uint32_t offset = getOffset(data);
  for (uint32_t end = offset + bytes; offset < end;) {
    uint32_t first = offset % 4, count = std::min(4 - first, end - offset);
    visit(words[offset / 4], uint8_t(((1 << count) - 1) << first), data);
    offset += count;
    data += count;
  }
}

/// What an access needs; `what` names it.
static void check(const Word &word, uint8_t mask, const char *data, int me,
                  bool isStore, const char *what) {
  if (word.isCopied & mask)
    report(data, what, "a copy that is not waited for, started by",
           word.thread);
  if ((word.mask & mask) && !hasSeen(me, word.thread, word.clock))
    report(data, what, "a store by", word.thread);
  for (const Read &read : word.reads)
    if (isStore && (read.mask & mask) && !hasSeen(me, read.thread, read.clock))
      report(data, what, "a load by", read.thread);
}

static void noteRead(Word &word, uint8_t mask, int me) {
  // One that is seen by the new one needs no place.
  Read &first = word.reads[0];
  if (first.mask && first.thread != me &&
      !hasSeen(me, first.thread, first.clock))
    word.reads[1] = first;
  uint8_t before =
      first.thread == me && first.clock == clocks[me] ? first.mask : 0;
  first = {clocks[me], uint16_t(me), uint8_t(before | mask)};
}

static void noteWrite(Word &word, uint8_t mask, int thread, uint32_t clock) {
  uint8_t before = word.thread == thread && word.clock == clock ? word.mask : 0;
  word.clock = clock;
  word.thread = thread;
  word.mask = before | mask;
  for (Read &read : word.reads)
    read.mask &= ~mask;
}

void races::access(const char *data, uint32_t bytes, bool isStore) {
  int me = getThread();
  forWords(data, bytes, [&](Word &word, uint8_t mask, const char *at) {
    check(word, mask, at, me, isStore, isStore ? "a store" : "a load");
    if (isStore)
      noteWrite(word, mask, me, clocks[me]);
    else
      noteRead(word, mask, me);
  });
}

/// What threads wrote needs a fence before others than threads access it.
static void checkFence(const Word &word, uint8_t mask, const char *data, int me,
                       const char *what) {
  if ((word.mask & mask) && !isFenced(me, word))
    fail("fence.proxy.async", std::string(what) + " at " +
                                  describeShared(data) + ", to which thread " +
                                  std::to_string(word.thread) +
                                  " stored, without a fence between them");
}

void races::readMatrix(const char *data, uint32_t bytes) {
  int me = getThread();
  forWords(data, bytes, [&](Word &word, uint8_t mask, const char *at) {
    check(word, mask, at, me, /*isStore=*/false, "a product's read");
    checkFence(word, mask, at, me, "a product's read");
    noteRead(word, mask, me);
  });
}

void races::beginCopy(const char *data, uint32_t bytes, bool isBox) {
  if (!isOn())
    return;
  int me = getThread();
  forWords(data, bytes, [&](Word &word, uint8_t mask, const char *at) {
    check(word, mask, at, me, /*isStore=*/true, "a copy");
    if (isBox)
      checkFence(word, mask, at, me, "a copy of a box");
    noteWrite(word, mask, me, clocks[me]);
    word.isCopied |= mask;
  });
}

void races::endCopy(const char *data, uint32_t bytes, Order *order) {
  if (!isOn())
    return;
  int thread = order ? boxes : getThread();
  uint32_t clock = order ? ++clocks[boxes] : clocks[thread];
  forWords(data, bytes, [&](Word &word, uint8_t mask, const char *) {
    word.isCopied &= ~mask;
    noteWrite(word, mask, thread, clock);
  });
  if (!order)
    return;
  order->seen.resize(clocks.size());
  order->seen[boxes] = clock;
}
