//===- EmitAttention.cpp - softmax(Q K^T) V in one kernel -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixCoreAttention.h"
#include "WarpgroupAttention.h"

#include "fx/CodeGen/Common/EvalKeyBound.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cmath>

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

bool FlashAttention::analyse() {
  for (Operation &op : code.source.getBody().front().without_terminator())
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      ops.push_back(&op);
      if (auto match = kernel::matchAttention(generic); match && !info.op) {
        attention = *match;
        info = match->values;
      }
    }
  if (!info.op)
    return false;
  auto all = attention.label(ops);
  if (!all)
    return false;
  labels = *all;
  for (unsigned o = 0; o < code.numOutputs(); ++o) {
    ArrayRef<int> loops = labels.ofTensor(code.output(o));
    if (loops.empty() || llvm::is_contained(loops, int(attention.key)))
      return false;
  }
  causal = kernel::matchCausalMask(attention, labels);
  scaled = kernel::matchScaledScores(attention, labels);
  bounds = kernel::matchKeyBounds(attention, labels);
  // Find out whether the ops between the scores and the softmax depend on
  // arguments of the kernel.
  SmallVector<Value> open = {attention.x};
  llvm::SmallPtrSet<Operation *, 16> seen = {attention.scores.op};
  while (!open.empty()) {
    Value v = open.pop_back_val();
    Operation *def = v.getDefiningOp();
    readsMasks |= !def;
    if (!def || !seen.insert(def).second)
      continue;
    // Bodies read tensors, too.
    def->walk([&](tensor::ExtractOp extract) {
      open.push_back(extract.getTensor());
    });
    for (Value operand : def->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          !isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(
              operand.getDefiningOp()))
        open.push_back(operand);
  }
  return true;
}

void FlashAttention::mapLoops() {
  scores.info = attention.scores;
  scores.split();
  linalg::GenericOp op = attention.scores.op;
  ArrayRef<int> of = labels.ofTensor(op->getResult(0));
  auto loopOf = [&](unsigned label) -> std::optional<unsigned> {
    for (auto [d, l] : llvm::enumerate(of))
      if (l == int(label))
        return attention.scores.resultMap().getDimPosition(d);
    return std::nullopt;
  };
  auto map = [&](ArrayRef<unsigned> loops, ArrayRef<Index> sizes,
                 SmallVector<unsigned> &to, SmallVector<Index> &toSizes) {
    to.clear();
    toSizes.clear();
    for (auto [loop, size] : llvm::zip(loops, sizes))
      if (auto mine = loopOf(loop)) {
        to.push_back(*mine);
        toSizes.push_back(size);
      }
  };
  map(m, mSizes, scores.m, scores.mSizes);
  map(batch, batchSizes, scores.batch, scores.batchSizes);
  map({attention.key}, {kSize}, scores.n, scores.nSizes);
  scores.mSize = mSize;
  scores.nSize = kSize;
}

bool FlashAttention::occupies(int64_t rows) {
  int64_t blocks = 1;
  for (const Index &size : batchSizes)
    blocks *= size.isStatic() ? size.constant : code.machine.multiprocessors;
  if (mSize.isStatic())
    blocks *= llvm::divideCeil(mSize.constant, rows);
  return !mSize.isStatic() || blocks >= code.machine.multiprocessors;
}

void FlashAttention::chooseTiles() {
  int64_t inner = llvm::alignTo(scores.kSize.constant, 16),
          columns = llvm::alignTo(nSize.constant, 16);
  int64_t rows = mSize.isStatic() ? mSize.constant : INT64_MAX;
  tiles.warpsN = 1;
  tiles.warpsM = rows <= 16 ? 1 : rows <= 32 ? 2 : 4;
  // Warps of 32 rows load keys and values half as often. The sums and scores
  // fit the registers of a warp, but not together with the offsets of masks.
  // Heads of up to 128 elements fit with shorter pieces.
  bool isNarrow = inner <= 64 && columns <= 64;
  bool isMedium = !isNarrow && scaled && inner <= 128 && columns <= 128 &&
                  inner % 32 == 0 && columns % 32 == 0;
  tiles.m = tiles.warpsM * 16;
  if ((isNarrow || isMedium) && !readsMasks && rows > 64 &&
      occupies(2 * tiles.m))
    tiles.m *= 2;
  isMedium &= parts() == 2;
  // The results of rows of 256 columns take half of the registers, so queries
  // are not kept in registers and pieces are shorter.
  isWide = inner + columns > 256;
  bool isWidest = inner + columns > 320;
  tiles.k = isWidest ? 16 : isWide || isMedium ? 32 : 64;
  // Without a permutation all addresses in a tile are the sum of one register
  // and constants.
  tiles.isPadded = isMedium;
  tiles.stages = isWidest || isMedium || (isNarrow && keepsQueries()) ? 3 : 2;
  // Every thread copies the same number of chunks of a piece, so the lengths of
  // rows are rounded up to multiples of 16, 32 or 64 elements.
  int64_t unit = std::max<int64_t>(16, kChunk * tiles.threads() / tiles.k);
  inner = llvm::alignTo(inner, unit);
  tiles.n = llvm::alignTo(columns, unit);
  scores.tiles = tiles;
  scores.tiles.n = tiles.k;
  scores.tiles.k = inner;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void FlashAttention::placeBlock(const Launch &launch) {
  Index tilesM = code.ceilDiv(mSize, tiles.m);
  SmallVector<Index> sizes = {isSplit ? keyParts : Index::of(1)};
  llvm::append_range(sizes, batchSizes);
  sizes.push_back(tilesM);
  SmallVector<Index> tile = delinearize(code, launch.block, sizes);
  part = tile.front();
  for (auto [loop, x] : llvm::zip(batch, ArrayRef(tile).drop_front()))
    at[loop] = x;
  ArrayRef<int> of = labels.ofTensor(attention.scores.op->getResult(0));
  for (auto [d, label] : llvm::enumerate(of))
    if (label >= 0)
      scores.at[attention.scores.resultMap().getDimPosition(d)] = at[label];
  Index row = tile.back();
  if (causal && !row.isStatic())
    row = code.sub(code.sub(tilesM, Index::of(1)), row);
  row0 = code.mul(row, Index::of(tiles.m));
  column0 = Index::of(0);
  scores.row0 = row0;
  if (!isSplit)
    return;
  workspaceRow = part;
  for (auto [loop, size] : llvm::zip(batch, batchSizes))
    workspaceRow = code.add(code.mul(workspaceRow, size), at[loop]);
  workspaceRow = code.mul(workspaceRow, mSize);
}

Index FlashAttention::causalPosition() {
  if (m.size() == 1)
    return row0;
  return Index(arith::RemUIOp::create(code.b, code.loc, code.materialize(row0),
                                      code.materialize(mSizes.back())));
}

Index FlashAttention::evalBound(Scope &scope, const kernel::KeyBound &bound,
                                bool isLast) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto evaluate = [&]() -> Value {
    return codegen::evalKeyBound(code, scope, bound, labels.ofLoops(bound.op),
                                 at, kSize, isLast);
  };
  if (!bound.dependsOnRows)
    return Index(evaluate());
  // Each lane evaluates some rows. Rows beyond the end are the last row.
  SmallVector<Index> block = at;
  auto outer = [&](Value x, Value y) -> Value {
    if (isLast)
      return arith::MaxSIOp::create(b, loc, x, y);
    return arith::MinSIOp::create(b, loc, x, y);
  };
  Value found;
  for (int64_t row = 0; row < tiles.m; row += tiles.warp) {
    Index end = code.min(code.add(row0, Index::of(tiles.m)), mSize);
    Index x = code.min(code.add(row0, Index(i.toIndex(lane), row)),
                       code.sub(end, Index::of(1)));
    place(m, mSizes, x);
    Value v = i.from(evaluate());
    found = found ? outer(found, v) : v;
  }
  at = block;
  for (int64_t distance = 1; distance < tiles.warp; distance *= 2)
    found = outer(found, core.shuffle(found, distance));
  return Index(i.toIndex(found));
}

std::pair<Index, Index> FlashAttention::seenPieces(Scope &scope) {
  Index end = code.ceilDiv(countKeys(scope), tiles.k), begin = Index::of(0);
  for (const kernel::KeyBound &bound : bounds.first) {
    Index first =
        code.floorDiv(evalBound(scope, bound, /*isLast=*/false), tiles.k);
    begin = begin == Index::of(0)
                ? first
                : Index(arith::MaxSIOp::create(code.b, code.loc,
                                               code.materialize(begin),
                                               code.materialize(first)));
  }
  if (bounds.first.empty())
    return {begin, end};
  return {code.min(begin, end), end};
}

Index FlashAttention::countKeys(Scope &scope) {
  Index keys = kSize;
  if (boundsByPosition()) {
    // The last row of the block sees most keys. A block that spans the end of
    // the innermost loop includes its last row.
    Index end =
        code.min(code.add(causalPosition(), Index::of(tiles.m)), mSizes.back());
    Value seen = code.materialize(code.add(end, Index::of(causal->offset)));
    seen = arith::MaxSIOp::create(code.b, code.loc, seen, code.constant(0));
    keys = code.min(Index(seen), kSize);
  }
  for (const kernel::KeyBound &bound : bounds.last) {
    // The comparisons of a causal mask are among the bounds.
    bool isPosition = bound.dependsOnRows && !bound.readsMemory;
    if (!isPosition || !boundsByPosition())
      keys = code.min(keys, evalBound(scope, bound, /*isLast=*/true));
  }
  return keys;
}

Index FlashAttention::countCommonKeys() {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  if (!scaled)
    return Index::of(0);
  if (!scaled->causal)
    return kSize;
  if (m.empty() || m.back() != scaled->causal->row)
    return Index::of(0);
  Index size = mSizes.back(), first = causalPosition();
  if (m.size() > 1 && !isMultiple(size, tiles.m)) {
    // A block that spans the end of the innermost loop includes its first row.
    Value spans = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sgt,
        code.materialize(code.add(first, Index::of(tiles.m))),
        code.materialize(size));
    first = Index(arith::SelectOp::create(b, loc, spans, code.constant(0),
                                          code.materialize(first)));
  }
  Value seen =
      code.materialize(code.add(first, Index::of(scaled->causal->offset + 1)));
  seen = arith::MaxSIOp::create(b, loc, seen, code.constant(0));
  return code.min(Index(seen), kSize);
}

void FlashAttention::fetch(Scope &scope, Launch &launch, const Index &piece,
                           Value stage) {
  Index key0 = code.mul(piece, Index::of(tiles.k));
  scores.copyTile(scope, launch, scores.rhs, key0, Index::of(0), stage);
  copyTile(scope, launch, rhs, Index::of(0), key0,
           core.pointer(stage, i.of(scores.rhs.tile.bytes()), 3));
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void FlashAttention::planElementCopies() {
  rhs.isAsync = scores.lhs.isAsync = scores.rhs.isAsync = hasRuns = false;
  // The offsets of elements need registers, too.
  tiles.m = scores.tiles.m = 16 * tiles.warpsM;
  scores.lhs = scores.describe(/*isLhs=*/true);
  scores.lhs.isAsync = false;
}

void FlashAttention::placeRows() {
  rowAt.clear();
  SmallVector<Index> block = at;
  for (int64_t row = 0; row < laneRows(); ++row) {
    Index x = code.add(row0, Index(i.toIndex(rowInBlock(row))));
    if (!isMultiple(mSize, tiles.m))
      x = code.min(x, code.sub(mSize, Index::of(1)));
    place(m, mSizes, x);
    rowAt.push_back(at);
  }
  at = block;
}

void FlashAttention::fetchGuarded(Scope &scope, Launch &launch,
                                  const Index &piece, const Index &end,
                                  Value stage) {
  bool isThere =
      piece.isStatic() && end.isStatic() && piece.constant < end.constant;
  Index below = isThere ? Index::of(-1) : end;
  guarded(code, scope, {{piece, below}},
          [&](Scope &here) { fetch(here, launch, piece, stage); });
  core.commit();
}

SmallVector<SmallVector<Value, 4>>
FlashAttention::startPipeline(Launch &launch, const Index &first,
                              const Index &end) {
  scores.copyTile(launch.scope, launch, scores.lhs, row0, Index::of(0),
                  core.pointer(memory, i.of(queryBytes()), 3));
  core.commit();
  for (int64_t s = 0; s < numAhead(); ++s)
    fetchGuarded(launch.scope, launch, code.add(first, Index::of(s)), end,
                 core.pointer(memory, i.of(s * stageBytes()), 3));
  core.wait(numAhead());
  mlir::gpu::BarrierOp::create(code.b, code.loc);
  SmallVector<SmallVector<Value, 4>> queries;
  for (int64_t p = 0; keepsQueries() && p < parts(); ++p)
    for (int64_t k = 0; k < scores.tiles.k; k += 16)
      queries.push_back(loadQueries(p, k));
  return queries;
}

FlashAttention::Rows FlashAttention::unpackRows(ValueRange carried) const {
  size_t numRows = 2 * parts(), numAcc = parts() * columnGroups() * 4;
  return Rows{llvm::to_vector(carried.take_front(numRows)),
              llvm::to_vector(carried.slice(numRows, numRows)),
              llvm::to_vector(carried.slice(2 * numRows, numAcc))};
}

Value FlashAttention::nextStage(Value stage) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, stage,
                                       i.of(numAhead() * stageBytes()));
  return arith::SelectOp::create(b, loc, isLast, i.of(0),
                                 i.add(stage, stageBytes()));
}

Index FlashAttention::endOfWholePieces(const Index &first, const Index &end) {
  Index whole = first;
  if (scaled && !scaled->causal && isMultiple(kSize, tiles.k))
    whole = end;
  else if (scaled)
    whole = code.min(code.floorDiv(countCommonKeys(), tiles.k), end);
  // A part of the keys may begin behind the common ones.
  if (isSplit && !(whole == end) && !(whole == first))
    whole = Index(arith::MaxSIOp::create(
        code.b, code.loc, code.materialize(whole), code.materialize(first)));
  return whole;
}

FlashAttention::Rows
FlashAttention::walkKeys(Launch &launch, const Index &first, const Index &end,
                         ArrayRef<SmallVector<Value, 4>> queries) {
  size_t numRows = 2 * parts(), numAcc = parts() * columnGroups() * 4;
  SmallVector<Value> carried(numRows, number(-INFINITY));
  carried.append(numRows + numAcc, number(0));
  carried.push_back(i.of(0));
  carried.push_back(i.of(numAhead() * stageBytes()));
  Index whole = endOfWholePieces(first, end);
  if (!(whole == first))
    walkPieces(launch, first, whole, end, queries, /*isMasked=*/false, carried);
  // The coordinates of the rows would take registers in the first loop.
  if (!(whole == end)) {
    placeRows();
    walkPieces(launch, whole, end, end, queries, /*isMasked=*/true, carried);
  }
  return unpackRows(carried);
}

void FlashAttention::walkPieces(Launch &launch, const Index &from,
                                const Index &to, const Index &end,
                                ArrayRef<SmallVector<Value, 4>> queries,
                                bool isMasked, SmallVector<Value> &carried) {
  Scope steps;
  auto loop = code.beginFor(launch.scope, steps, from, to, 1, carried);
  ValueRange args = loop.getRegionIterArgs();
  Value current = args[args.size() - 2], next = args.back();
  core.wait(numAhead() - 1);
  // The barrier also ensures that no thread still reads the stage that the next
  // copies write.
  mlir::gpu::BarrierOp::create(code.b, code.loc);
  Index piece(loop.getInductionVar());
  fetchGuarded(steps, launch, code.add(piece, Index::of(numAhead())), end,
               core.pointer(memory, next, 3));
  Value stage = core.pointer(memory, current, 3);
  Rows rows = unpackRows(args);
  SmallVector<Value> sums = multiplyScores(stage, queries);
  Index key0 = code.mul(piece, Index::of(tiles.k));
  if (isMasked && scaled)
    maskScores(key0, sums);
  else if (isMasked)
    mask(steps, key0, sums);
  rescale(rows.acc, softmax(rows, sums));
  multiplyValues(stage, sums, rows);
  SmallVector<Value> results = rows.max;
  results.append(rows.sum);
  results.append(rows.acc);
  results.push_back(nextStage(current));
  results.push_back(nextStage(next));
  code.endFor(loop, results);
  carried.assign(loop.getResults().begin(), loop.getResults().end());
}

Index FlashAttention::countBlocks() {
  SmallVector<Index> blocks = batchSizes;
  blocks.push_back(code.ceilDiv(mSize, tiles.m));
  if (isSplit)
    blocks.push_back(keyParts);
  return product(code, blocks);
}

void FlashAttention::beginBlock(Launch &launch, int64_t bytes, bool isDynamic) {
  if (hasRuns)
    launch.op->setAttr(kAlignmentAttr, code.b.getI64IntegerAttr(kAlignment));
  at.assign(info.op.getNumLoops(), Index::of(0));
  scores.at.assign(scores.info.op.getNumLoops(), Index::of(0));
  placeBlock(launch);
  placeThread(launch);
  placeSharedMemory(launch, bytes, isDynamic);
  scores.memory = memory;
  scores.thread = thread;
  scores.lane = lane;
  scores.warpRow = warpRow;
  scores.warpColumn = warpColumn;
}

void FlashAttention::emitLaunch(bool isAsync) {
  if (!isAsync)
    planElementCopies();
  int64_t bytes = sharedBytes();
  bool isDynamic = bytes > code.machine.staticShared;
  Launch launch(code, countBlocks(), tiles.threads(), isDynamic ? bytes : 0);
  beginBlock(launch, bytes, isDynamic);
  auto [begin, all] = seenPieces(launch.scope);
  auto [first, end] = partOf(begin, all);
  SmallVector<SmallVector<Value, 4>> queries =
      startPipeline(launch, first, end);
  Rows rows = walkKeys(launch, first, end, queries);
  if (isSplit)
    storePart(launch, rows);
  else
    store(rows, core.pointer(memory, i.of(tileBytes()), 3),
          [&](ValueRange acc) { finish(launch, acc); });
  launch.close();
}

void FlashAttention::emitVersion(bool isAsync) {
  FlashAttention version(*this);
  version.emitLaunch(isAsync);
}

SmallVector<Value> FlashAttention::describeOperands() {
  scores.lhs = scores.describe(/*isLhs=*/true);
  scores.rhs = scores.describe(/*isLhs=*/false);
  rhs = describe(/*isLhs=*/false);
  return {scores.isAligned(scores.lhs), scores.isAligned(scores.rhs),
          isAligned(rhs)};
}

void FlashAttention::emit() {
  split();
  mapLoops();
  chooseTiles();
  core.element = scores.core.element =
      cast<RankedTensorType>(info.rhs().getType()).getElementType();
  SmallVector<Value> aligned = describeOperands();
  int64_t most = chooseParts();
  // The first schedule counts, as in `noteSchedule`.
  if (!code.source->hasAttr(kernel::kScheduleAttr))
    code.source->setAttr(kernel::kScheduleAttr,
                         kernel::AttentionAttr::get(code.b.getContext(), most,
                                                    /*warpgroups=*/0,
                                                    /*keys=*/0,
                                                    /*turns=*/false));
  auto emitParts = [&](bool split) {
    isSplit = split;
    emitVersions(
        aligned, [&](bool isAsync) { emitVersion(isAsync); },
        /*mayHaveRuns=*/!isSplit);
    if (isSplit)
      combineParts();
  };
  if (!partRows || isAlwaysSplit)
    return emitParts(bool(partRows));
  OpBuilder &b = code.b;
  Value several =
      arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::sgt,
                            code.materialize(keyParts), code.constant(1));
  auto branch =
      scf::IfOp::create(b, code.loc, several, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  emitParts(true);
  b.setInsertionPointToStart(branch.elseBlock());
  emitParts(false);
  b.setInsertionPointAfter(branch);
}

static void emitAttention(KernelCode &code) {
  FlashAttention e(code);
  if (!e.analyse())
    return code.fail("the loops of the attention do not agree");
  if (code.machine.matrixUnit == kernel::MatrixUnit::MFMA)
    return MatrixCoreAttention(e).emit();
  WarpgroupAttention wide(e);
  if (wide.matches())
    wide.emit([&] { e.emit(); });
  else
    e.emit();
}

static std::optional<codegen::KernelMatch>
matchAttention(func::FuncOp kernel, const kernel::TargetInfo &target) {
  if (target.matrixUnit == kernel::MatrixUnit::None ||
      llvm::none_of(getReductions(kernel), [](linalg::GenericOp op) {
        return kernel::matchAttention(op).has_value();
      }))
    return std::nullopt;
  // `emit` sets the schedule when the number of parts is known.
  return codegen::KernelMatch{kernel, {}};
}

namespace fx::gpu {
codegen::KernelClass getAttentionClass() {
  return {kernel::AttentionAttr::getMnemonic(), /*benefit=*/6, matchAttention,
          emitAttention};
}
} // namespace fx::gpu
