//===- SlidingWindow.cpp - windows that slide over an image ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlidingWindow.h"

#include "../Extrema.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// The largest number of columns of a tile.
static constexpr int64_t kColumns = 8;
/// The same for maxima and minima, which have no weights to load once for
/// several columns. With 8 columns, max pooling of 16 images of 112 x 112 x 64
/// takes 1.7 times as long on Zen 4: their prefetches come in longer bursts.
static constexpr int64_t kExtremaColumns = 2;
/// The number of taps up to which all rows of the window are unrolled.
static constexpr int64_t kUnrolledTaps = 16;
/// The largest number of columns of a window, which are always unrolled.
static constexpr int64_t kTapsOfRow = 16;
/// The largest number of tiles with code of their own at the ends of a row.
static constexpr int64_t kEndTiles = 3;
/// The number of tasks that threads divide evenly enough.
static constexpr int64_t kTasks = 16;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

std::optional<SlidingWindow::Axis> SlidingWindow::matchAxis(unsigned loop) {
  AffineMap map = w.root.getMatchingIndexingMap(image);
  SmallVector<utils::IteratorType> kinds = w.root.getIteratorTypesArray();
  std::optional<Axis> axis;
  for (auto [d, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    SmallVector<int64_t> flat;
    if (axis ||
        failed(getFlattenedAffineExpr(expr, map.getNumDims(), 0, &flat)) ||
        flat.size() != map.getNumDims() + 1 || flat.back() != 0)
      return std::nullopt;
    axis.emplace();
    axis->loop = loop;
    axis->dim = d;
    axis->stride = flat[loop];
    for (unsigned other = 0; other < map.getNumDims(); ++other) {
      if (other == loop || flat[other] == 0)
        continue;
      Index taps = code.loopSize(w.root, other);
      if (axis->tap || kinds[other] != utils::IteratorType::reduction ||
          !taps.isStatic())
        return std::nullopt;
      axis->tap = other;
      axis->taps = taps.constant;
      axis->dilation = flat[other];
    }
    if (axis->stride < 1 || axis->dilation < 1)
      return std::nullopt;
  }
  if (axis && pad) {
    auto low = getConstantIntValue(pad.getMixedLowPad()[axis->dim]);
    auto high = getConstantIntValue(pad.getMixedHighPad()[axis->dim]);
    if (!low || !high)
      return std::nullopt;
    axis->low = *low;
    axis->isPadded = *low || *high;
    // isEasyPad refuses such pads; which tiles are inside is not known.
    if (axis->isPadded && (pad.getSourceType().isDynamicDim(axis->dim) ||
                           !code.loopSize(w.root, loop).isStatic()))
      return std::nullopt;
  }
  return axis;
}

std::optional<SlidingWindow> SlidingWindow::match(WindowEmitter &window) {
  linalg::GenericOp root = window.root;
  AffineMap result = root.getIndexingMapMatchingResult(root->getResult(0));
  unsigned rank = result.getNumResults();
  if (rank < 2)
    return std::nullopt;
  SlidingWindow sliding(window);
  unsigned loop = result.getDimPosition(rank - 2);
  SmallVector<unsigned> reduced;
  root.getReductionDims(reduced);
  for (OpOperand *operand : root.getDpsInputOperands()) {
    AffineMap map = root.getMatchingIndexingMap(operand);
    unsigned n = map.getNumResults();
    bool slides = llvm::any_of(map.getResults(), [&](AffineExpr expr) {
      return expr.isFunctionOfDim(loop) && !isa<AffineDimExpr>(expr) &&
             llvm::any_of(reduced,
                          [&](unsigned d) { return expr.isFunctionOfDim(d); });
    });
    if (slides && !sliding.image && n &&
        map.getResult(n - 1) == getAffineDimExpr(window.lane, map.getContext()))
      sliding.image = operand;
    else if (slides || operand->get().getDefiningOp<tensor::PadOp>())
      return std::nullopt;
  }
  if (!sliding.image)
    return std::nullopt;
  sliding.pad = sliding.image->get().getDefiningOp<tensor::PadOp>();
  std::optional<Axis> column = sliding.matchAxis(loop);
  if (!column)
    return std::nullopt;
  sliding.column = *column;
  if (rank >= 3)
    sliding.row = sliding.matchAxis(result.getDimPosition(rank - 3));
  // A row that does not slide is one of the outer loops.
  if (sliding.row && !sliding.row->tap)
    sliding.row.reset();
  // A diagonal has the taps of both dimensions in one loop.
  if (sliding.row && sliding.row->tap == sliding.column.tap)
    return std::nullopt;
  for (unsigned d : reduced)
    if (d != sliding.column.tap && (!sliding.row || d != sliding.row->tap))
      return std::nullopt;
  if (!sliding.chooseTile())
    return std::nullopt;
  return sliding;
}

bool SlidingWindow::leavesNaNOut() {
  return w.combiners.size() == 1 && dropsNaN(code, w.combiners.front().op);
}

bool SlidingWindow::isLarge() {
  auto type = cast<RankedTensorType>(getSource().getType());
  const Buffer *buffer = code.buffer(getSource());
  if (!buffer || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat())
    return false;
  int64_t channels = type.getDimSize(type.getRank() - 1);
  return buffer->strides[type.getRank() - 1].isStatic(1) &&
         buffer->strides[column.dim].isStatic(channels) &&
         type.getNumElements() * type.getElementTypeBitWidth() / 8 >=
             kLeastPrefetched;
}

bool SlidingWindow::chooseTile() {
  if (column.taps > kTapsOfRow ||
      llvm::is_contained(w.root.getStaticLoopRanges(), 0))
    return false;
  // A vector of elements of 64 bits takes two registers.
  int64_t bits = getElementTypeOrSelf(w.neutral[0]).getIntOrFloatBitWidth();
  int64_t sums = code.machine.registers / 2 / w.combiners.size() /
                 std::max<int64_t>(bits / 32, 1);
  unrollsRows = !row || row->taps * column.taps <= kUnrolledTaps;
  if (row && unrollsRows && sums >= 2 * kLatency) {
    Index size = code.loopSize(w.root, row->loop);
    if (size.isStatic() && size.constant % 2 == 0)
      rows = 2;
  }
  columns = std::min(sums / rows, leavesNaNOut() ? kExtremaColumns : kColumns);
  prefetches = row && unrollsRows && !code.machine.isNEON && isLarge();
  auto schedule = w.root->getAttrOfType<WindowAttr>(kScheduleAttr);
  if (schedule && schedule.getUnroll())
    columns = schedule.getUnroll();
  Index size = code.loopSize(w.root, column.loop);
  if (size.isStatic() && columns > 1)
    columns = llvm::divideCeil(size.constant,
                               llvm::divideCeil(size.constant, columns));
  return columns > 1;
}

std::pair<int64_t, int64_t> SlidingWindow::getInnerTiles(int64_t count) {
  Index size = code.loopSize(w.root, column.loop);
  int64_t first = 0, end = size.constant / columns;
  if (column.isPadded) {
    int64_t source = pad.getSourceType().getDimSize(column.dim);
    int64_t step = columns * column.stride;
    first = llvm::divideCeil(column.low, step);
    // The last pixel that a tile reads, without the pixels of tiles before it.
    int64_t last = (columns - 1) * column.stride +
                   (column.taps - 1) * column.dilation - column.low;
    end = std::min(end, source > last ? (source - 1 - last) / step + 1 : 0);
  }
  first = std::min(first, count);
  return {first, std::max(first, end)};
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Value SlidingWindow::compare(arith::CmpIPredicate predicate, const Index &a,
                             const Index &b) {
  return arith::CmpIOp::create(code.b, code.loc, predicate, code.materialize(a),
                               code.materialize(b));
}

void SlidingWindow::addTaps(Scope &scope, const Index &from, int64_t count,
                            const Uses &uses, MutableArrayRef<Value> sums) {
  int64_t slots = w.combiners.size();
  SetVector<Value> numbers;
  for (auto [r, tap] : uses) {
    if (row) {
      w.at[row->loop] = code.add(firstRow, Index::of(r));
      w.at[*row->tap] = tap;
    }
    for (int64_t k = 0; k < column.taps; ++k)
      for (int64_t c = 0; c < count; ++c) {
        w.at[*column.tap] = Index::of(k);
        w.at[column.loop] = code.add(from, Index::of(c));
        w.combine(scope, sums.slice((r * count + c) * slots, slots),
                  flags ? &numbers : nullptr);
      }
  }
  for (unsigned i = 0; i < numbers.size(); i += 2)
    flags = flagNaN(code, flags, numbers[i],
                    numbers[std::min<unsigned>(i + 1, numbers.size() - 1)]);
}

void SlidingWindow::emitRow(Scope &scope, const Index &from, int64_t count,
                            const Index &offset, const Uses &uses,
                            MutableArrayRef<Value> sums) {
  if (!row || !row->isPadded)
    return addTaps(scope, from, count, uses, sums);
  // One unsigned comparison says whether the row is inside.
  Index at = code.add(code.mul(firstRow, Index::of(row->stride)), offset);
  Value isInside =
      compare(arith::CmpIPredicate::ult, code.sub(at, Index::of(row->low)),
              code.size(pad.getSource(), row->dim));
  int64_t width = count * w.combiners.size();
  SmallVector<Type> types;
  for (auto use : uses)
    for (Value sum : sums.slice(use.first * width, width))
      types.push_back(sum.getType());
  Value before = flags;
  if (flags)
    types.push_back(flags.getType());
  auto branch = scf::IfOp::create(code.b, code.loc, types, isInside,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (bool inside : {true, false}) {
    code.padded[{pad, row->dim}] = inside;
    Region &region = inside ? branch.getThenRegion() : branch.getElseRegion();
    code.fillRegion(scope, branch, region, [&](Scope &inner) {
      SmallVector<Value> next(sums), results;
      flags = before;
      addTaps(inner, from, count, uses, next);
      for (auto use : uses)
        llvm::append_range(results,
                           ArrayRef(next).slice(use.first * width, width));
      if (flags)
        results.push_back(flags);
      scf::YieldOp::create(code.b, code.loc, results);
    });
  }
  code.padded.erase({pad, row->dim});
  ValueRange results = branch.getResults();
  for (auto use : uses) {
    llvm::copy(results.take_front(width), sums.begin() + use.first * width);
    results = results.drop_front(width);
  }
  if (flags)
    flags = results.front();
}

void SlidingWindow::prefetchRow(const Index &from, int64_t count,
                                int64_t offset) {
  const Buffer *buffer = code.buffer(getSource());
  Coords at;
  for (auto [d, expr] :
       llvm::enumerate(w.root.getMatchingIndexingMap(image).getResults())) {
    Index place = Index::of(0);
    if (d == row->dim)
      place = code.add(code.mul(firstRow, Index::of(row->stride)),
                       Index::of(offset - row->low));
    else if (d == column.dim)
      place = code.sub(code.mul(from, Index::of(column.stride)),
                       Index::of(column.low));
    else if (auto dim = dyn_cast<AffineDimExpr>(expr))
      place = w.at[dim.getPosition()];
    at.push_back({place, expr == getAffineDimExpr(w.lane, expr.getContext())});
  }
  int64_t vectors = count * column.stride;
  at.back().base = code.mul(w.at[w.lane], Index::of(vectors));
  int64_t line = kLine * 8 / buffer->element.getIntOrFloatBitWidth();
  for (int64_t e = 0; e < vectors * code.lanes; e += line) {
    code.prefetch(*buffer, at, /*isFarAhead=*/true);
    at.back().base = code.add(at.back().base, Index::of(line));
  }
}

SmallVector<Value> SlidingWindow::reducePixels(Scope &scope, const Index &from,
                                               int64_t count, bool isInner) {
  if (isInner && column.isPadded)
    code.padded[{pad, column.dim}] = true;
  SmallVector<Value> sums;
  for (int64_t i = 0; i < rows * count; ++i)
    llvm::append_range(sums, w.neutral);
  if (!unrollsRows) {
    // The flags are the last value that the loop carries.
    auto take = [&](ValueRange carried) {
      llvm::copy(carried.take_front(sums.size()), sums.begin());
      if (flags)
        flags = carried.back();
    };
    auto carried = [&] {
      SmallVector<Value> values(sums);
      if (flags)
        values.push_back(flags);
      return values;
    };
    Scope inner;
    scf::ForOp loop = code.beginFor(scope, inner, Index::of(0),
                                    Index::of(row->taps), 1, carried());
    take(loop.getRegionIterArgs());
    Index tap = Index(loop.getInductionVar());
    emitRow(inner, from, count, code.mul(tap, Index::of(row->dilation)),
            {{0, tap}}, sums);
    code.endFor(loop, carried());
    take(loop.getResults());
  } else {
    int64_t taps = row ? row->taps : 1;
    int64_t stride = row ? row->stride : 1, dilation = row ? row->dilation : 1;
    int64_t last = (rows - 1) * stride + (taps - 1) * dilation;
    // The taps of each sum are added in the order of the window.
    for (int64_t offset = 0; offset <= last; ++offset) {
      Uses uses;
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t tap = 0; tap < taps; ++tap)
          if (r * stride + tap * dilation == offset)
            uses.push_back({r, Index::of(tap)});
      if (!uses.empty())
        emitRow(scope, from, count, Index::of(offset), uses, sums);
      if (prefetches && count == columns && offset + rows * stride > last)
        prefetchRow(from, count, offset + rows * stride);
    }
  }
  code.padded.erase({pad, column.dim});
  return sums;
}

void SlidingWindow::storePixels(Scope &scope, const Index &from, int64_t count,
                                ArrayRef<Value> sums) {
  int64_t slots = w.combiners.size();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < count; ++c) {
      if (row)
        w.at[row->loop] = code.add(firstRow, Index::of(r));
      w.at[column.loop] = code.add(from, Index::of(c));
      w.store(scope, sums.slice((r * count + c) * slots, slots));
    }
}

void SlidingWindow::emitWithNaN(Scope &scope, const Index &from, int64_t count,
                                bool isInner) {
  Scope inner;
  scf::ForOp loop =
      code.beginFor(scope, inner, from, code.add(from, Index::of(count)), 1);
  Index at = Index(loop.getInductionVar());
  storePixels(inner, at, 1, reducePixels(inner, at, 1, isInner));
  code.endFor(loop);
}

void SlidingWindow::emitPixels(Scope &scope, const Index &from, int64_t count,
                               bool isInner) {
  bool leavesOut = leavesNaNOut();
  flags = leavesOut ? noFlags(code, w.neutral[0]) : Value();
  SmallVector<Value> sums = reducePixels(scope, from, count, isInner);
  if (!leavesOut)
    return storePixels(scope, from, count, sums);
  auto branch = scf::IfOp::create(code.b, code.loc, isAnyFlagged(code, flags),
                                  /*withElseRegion=*/true);
  flags = Value();
  code.fillRegion(scope, branch, branch.getThenRegion(), [&](Scope &inner) {
    emitWithNaN(inner, from, count, isInner);
  });
  code.fillRegion(scope, branch, branch.getElseRegion(),
                  [&](Scope &inner) { storePixels(inner, from, count, sums); });
}

void SlidingWindow::emitTile(Scope &task, const Index &from, int64_t count,
                             bool isInner) {
  code.forVectors(task, firstChannel, endChannel,
                  [&](Scope &scope, const Index &base) {
                    w.at[w.lane] = base;
                    emitPixels(scope, from, count, isInner);
                  });
}

void SlidingWindow::emitTilesOfRow(Scope &task, const Index &tile,
                                   const Index &count) {
  Index size = code.loopSize(w.root, column.loop);
  Index from = code.mul(tile, Index::of(columns));
  auto emitInner = [&](Scope &scope) {
    emitTile(scope, from, columns, /*isInner=*/true);
  };
  // Emits the columns of one tile, one after the other.
  auto emitColumns = [&](Scope &scope) {
    Index end = code.min(code.add(from, Index::of(columns)), size);
    Scope inner;
    scf::ForOp loop = code.beginFor(scope, inner, from, end, 1);
    emitTile(inner, Index(loop.getInductionVar()), 1, /*isInner=*/false);
    code.endFor(loop);
  };
  if (!size.isStatic()) {
    Value isWhole = compare(arith::CmpIPredicate::sle,
                            code.add(from, Index::of(columns)), size);
    auto branch = scf::IfOp::create(code.b, code.loc, isWhole,
                                    /*withElseRegion=*/true);
    code.fillRegion(task, branch, branch.getThenRegion(), emitInner);
    return code.fillRegion(task, branch, branch.getElseRegion(), emitColumns);
  }
  auto [first, end] = getInnerTiles(count.constant);
  SmallVector<int64_t> ends;
  for (int64_t t = 0; t < count.constant; ++t)
    if (t < first || t >= end)
      ends.push_back(t);
  if (ends.empty())
    return emitInner(task);
  // At a known place, the taps outside are known.
  auto emitEnd = [&](Scope &scope, int64_t at) {
    emitTile(scope, Index::of(at * columns),
             std::min(columns, size.constant - at * columns),
             /*isInner=*/false);
  };
  if (count == Index::of(1))
    return emitEnd(task, 0);
  if (int64_t(ends.size()) <= kEndTiles) {
    auto pick =
        scf::IndexSwitchOp::create(code.b, code.loc, TypeRange(),
                                   code.materialize(tile), ends, ends.size());
    for (auto [region, at] : llvm::zip_equal(pick.getCaseRegions(), ends))
      code.fillRegion(task, pick, region,
                      [&](Scope &scope) { emitEnd(scope, at); });
    return code.fillRegion(task, pick, pick.getDefaultRegion(),
                           [&](Scope &scope) {
                             if (first < end)
                               emitInner(scope);
                           });
  }
  if (first == end)
    return emitColumns(task);
  Value isInner =
      compare(arith::CmpIPredicate::ult, code.sub(tile, Index::of(first)),
              Index::of(end - first));
  auto branch = scf::IfOp::create(code.b, code.loc, isInner,
                                  /*withElseRegion=*/true);
  code.fillRegion(task, branch, branch.getThenRegion(), emitInner);
  code.fillRegion(task, branch, branch.getElseRegion(), emitColumns);
}

void SlidingWindow::emit() {
  AffineMap map = w.root.getIndexingMapMatchingResult(w.root->getResult(0));
  SmallVector<Index> sizes, ivs;
  SmallVector<unsigned> loops;
  Index tiles;
  for (AffineExpr expr : map.getResults().drop_back()) {
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    Index size = code.loopSize(w.root, loops.back());
    if (row && loops.back() == row->loop)
      size = code.floorDiv(size, rows);
    if (loops.back() == column.loop)
      size = tiles = code.ceilDiv(size, columns);
    sizes.push_back(size);
  }
  // Threads share the channels, too, if there are few tiles.
  Index channels = code.loopSize(w.root, w.lane);
  int64_t tasks = 1, part = channels.isStatic() ? channels.constant : 0;
  for (const Index &size : sizes)
    tasks *= size.isStatic() ? size.constant : kTasks;
  int64_t parts = part ? llvm::divideCeil(kTasks, tasks) : 1;
  while (parts > 1 && part % (parts * kLatency * code.lanes))
    --parts;
  part /= parts;
  sizes.push_back(Index::of(parts));
  Scope top, task;
  Operation *forall = code.beginForall(
      top, task, sizes, ivs, rows * columns * w.columnLength() * part);
  Index tile;
  for (auto [d, iv] : llvm::zip(loops, ivs)) {
    if (row && d == row->loop)
      firstRow = code.mul(iv, Index::of(rows));
    else if (d == column.loop)
      tile = iv;
    else
      w.at[d] = iv;
  }
  firstChannel = code.mul(ivs.back(), Index::of(part));
  endChannel = parts > 1 ? code.add(firstChannel, Index::of(part)) : channels;
  emitTilesOfRow(task, tile, tiles);
  code.endForall(forall);
}
