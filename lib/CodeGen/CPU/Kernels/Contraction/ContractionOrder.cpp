//===- ContractionOrder.cpp - the order of the tiles of a contraction ----===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles are the iterations of a forall. Its loops are ordered so that one
// operand stays in the second-level cache while the other one streams through
// it.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

using namespace mlir;
using namespace fx::cpu;

std::optional<RowSplit> ContractionEmitter::splitRows(ArrayRef<unsigned> ms,
                                                      bool blocked) {
  if (!panelsFirst || rowBlock == 0 || !(blocked || mSize.isStatic()) ||
      !nSize.isStatic() ||
      !cast<RankedTensorType>(info.rhs().getType()).hasStaticShape())
    return std::nullopt;
  SmallVector<int64_t> ranges = info.op.getStaticLoopRanges();
  // Find the loop with which the rows exceed a block, and the number of its
  // iterations that fit.
  int64_t rowsInside =
      blocked ? rowBlock : std::max<int64_t>(mSize.constant, 1);
  unsigned position = ms.size();
  int64_t fits = 1;
  for (; position > 0; --position) {
    int64_t size = ranges[ms[position - 1]];
    fits = std::max<int64_t>(rowBlock / rowsInside, 1);
    if (ShapedType::isDynamic(size) || size > fits)
      break;
    rowsInside *= size;
  }
  if (position == 0)
    return std::nullopt; // all rows fit
  --position;
  int64_t size = ranges[ms[position]], blocks = 1;
  bool isDynamic = ShapedType::isDynamic(size);
  while (fits > 1 && (isDynamic || size % fits))
    --fits;
  for (unsigned m : ms.take_front(position + 1))
    blocks *= ShapedType::isDynamic(ranges[m]) ? 1 : ranges[m];
  blocks = std::max<int64_t>(blocks / fits, 1);
  // A split reads the right operand for each block. Otherwise the left operand
  // is read for each panel, unless it stays in the cache.
  int64_t left = getLeastBytes(info.lhs());
  bool isKept = left <= 2 * code.machine.operandCache && !isDynamic;
  int64_t panels = llvm::divideCeil(nSize.constant, panel());
  if (isKept || getLeastBytes(info.rhs()) * blocks >= left * panels)
    return std::nullopt;
  return RowSplit{position, fits};
}

SmallVector<TaskLoop> ContractionEmitter::orderTasks(bool blocked) {
  SmallVector<TaskLoop> order;
  SmallVector<unsigned> batches, ms, ns;
  for (unsigned loop : outer)
    (llvm::is_contained(info.batch, loop) ? batches
     : llvm::is_contained(info.m, loop)   ? ms
                                          : ns)
        .push_back(loop);
  auto size = [&](unsigned loop) { return code.loopSize(info.op, loop); };
  auto addOuter = [&](ArrayRef<unsigned> loops) {
    for (unsigned loop : loops)
      order.push_back({TaskLoop::Outer, loop, size(loop)});
  };
  addOuter(batches);
  if (blocked)
    order.push_back({TaskLoop::Block, 0, code.ceilDiv(mSize, rowBlock)});
  std::optional<RowSplit> split = splitRows(ms, blocked);
  ArrayRef<unsigned> inner = ms;
  if (!panelsFirst) {
    addOuter(ms);
    inner = {};
  } else if (split) {
    unsigned loop = ms[split->position];
    addOuter(ArrayRef(ms).take_front(split->position));
    order.push_back({TaskLoop::Outer, loop,
                     code.floorDiv(size(loop), split->step), split->step});
    inner = inner.drop_front(split->position + 1);
  }
  // Walk the panels in memory order.
  addOuter(ns);
  order.push_back({TaskLoop::Panel, 0, code.ceilDiv(nSize, panel())});
  if (split && split->step > 1)
    order.push_back(
        {TaskLoop::Outer, ms[split->position], Index::of(split->step)});
  addOuter(inner);
  return order;
}

void ContractionEmitter::balanceBlocks() {
  if (!mLoop || rowBlock == 0 || tiles || !mSize.isStatic() ||
      mSize.constant <= 0)
    return;
  int64_t tasks =
      nSize.isStatic() ? llvm::divideCeil(nSize.constant, panel()) : 1;
  if (prefetch > 1) {
    if (mSize.constant <= rowBlock)
      return;
    // Threads take chunks of tasks, so that one waits for the other if blocks
    // are unequal: 1,024 rows in blocks of 192 or 384 took 1.12 and 1.11 times
    // as long as in blocks of 128 with two threads. Up to twice as many rows
    // stay one block if there are enough panels for threads: then panels are
    // read once.
    constexpr int64_t kEnoughTasks = 16;
    int64_t blocks = mSize.constant <= 2 * rowBlock && tasks >= kEnoughTasks
                         ? 1
                         : llvm::divideCeil(mSize.constant, rowBlock);
    rowBlock = llvm::alignTo(llvm::divideCeil(mSize.constant, blocks), rows);
    return;
  }
  int64_t rowParts = 1;
  for (unsigned loop : outer) {
    int64_t size = std::max<int64_t>(info.op.getStaticLoopRanges()[loop], 1);
    tasks *= size;
    rowParts *= llvm::is_contained(info.n, loop) ? 1 : size;
  }
  int64_t numTiles = llvm::divideCeil(mSize.constant, rows);
  int64_t least = llvm::divideCeil(mSize.constant, rowBlock);
  // More blocks read the right operand more often, which costs little if it is
  // small (then the rows are walked first), unless each block converts it.
  bool isCheap = !panelsFirst && !decodes();
  int64_t most =
      isCheap ? std::max(least, std::min<int64_t>(numTiles, 64)) : least;
  // The cost of a task beside its tiles, and the least of one that pays, in
  // elements (see estimateWork).
  constexpr int64_t kTaskCost = 512, kLeastWork = 8 * 1024;
  double best = 0;
  int64_t bestTiles = 0;
  for (int64_t blocks = least; blocks <= most; ++blocks) {
    int64_t perBlock = llvm::divideCeil(numTiles, blocks); // at least 1
    int64_t actual = llvm::divideCeil(numTiles, perBlock);
    int64_t work = estimateWork(perBlock * rows);
    if (blocks > least && (work < kLeastWork || tasks * actual > 256))
      break;
    // The time of several numbers of threads, relative to ideal ones. If each
    // thread has rows of its own, as in most other kernels, it finds what it
    // reads in its own caches; otherwise it waits for those of the others.
    double cost = 0;
    for (int64_t threads : {1, 2, 4, 8, 16}) {
      bool hasOwnRows = !isCheap || rowParts >= 4 * threads ||
                        rowParts * actual % threads == 0;
      cost += double(threads * llvm::divideCeil(tasks * actual, threads)) *
              double(work + kTaskCost) * (hasOwnRows ? 1 : 1.05);
    }
    if (bestTiles == 0 || cost < best) {
      best = cost;
      bestTiles = perBlock;
    }
  }
  // A single block has the remaining rows, too.
  rowBlock = bestTiles == numTiles ? std::max(rowBlock, mSize.constant)
                                   : bestTiles * rows;
}

int64_t ContractionEmitter::estimateWork(int64_t numRows) {
  // Other kernels read and write about eight bytes for an element. Sixteen
  // multiplications cost about as much. With few rows, the time is that of
  // reading the right operand.
  auto unpack = info.rhs().getDefiningOp<UnpackOp>();
  Value right = unpack ? unpack.getSource() : info.rhs();
  int64_t bytes =
      panelVectors * width() *
      getElementTypeOrSelf(right.getType()).getIntOrFloatBitWidth() / 8;
  int64_t work = std::max<int64_t>({1, numRows * panel() / 16, bytes / 8});
  for (const ReductionLoop &r : reductions)
    work *= r.size.isStatic() ? r.size.constant : 1;
  return work;
}

TaskTile ContractionEmitter::placeTask(ArrayRef<TaskLoop> order,
                                       ArrayRef<Index> ivs) {
  TaskTile tile;
  tile.from = Index::of(0);
  tile.to = mSize;
  for (auto [entry, iv] : llvm::zip(order, ivs)) {
    unsigned loop = entry.loop;
    if (entry.kind == TaskLoop::Panel) {
      tile.panel = iv;
    } else if (entry.kind == TaskLoop::Block) {
      tile.from = code.mul(iv, Index::of(rowBlock));
      tile.to = code.min(code.add(tile.from, Index::of(rowBlock)), mSize);
      if (mSize.isStatic() && mSize.constant % rowBlock == 0)
        tile.to = code.add(tile.from, Index::of(rowBlock));
    } else {
      Index by = code.mul(iv, Index::of(entry.step));
      at[loop] = code.add(at[loop], by);
      aBase = code.add(aBase, code.mul(by, aStride[loop]));
      bBase = code.add(bBase, code.mul(by, bStride[loop]));
      if (t)
        tBase = code.add(tBase, code.mul(by, tStride[loop]));
    }
  }
  bBase = code.add(bBase, code.mul(tile.panel, panelStride));
  if (t)
    tBase = code.add(tBase, code.mul(tile.panel, tStride[nLoop]));
  return tile;
}

void ContractionEmitter::countFirstTile(ArrayRef<TaskLoop> order,
                                        ArrayRef<Index> ivs, bool blocked) {
  Index perLoop = code.ceilDiv(blocked ? Index::of(rowBlock) : mSize, rows);
  bool isWithinPanel = false;
  for (auto [entry, iv] : llvm::zip(order, ivs)) {
    if (isWithinPanel && prefetch > 1)
      firstTile = code.add(code.mul(firstTile, entry.size), iv);
    isWithinPanel |= entry.kind == TaskLoop::Panel;
  }
  firstTile = code.mul(firstTile, perLoop);
}
