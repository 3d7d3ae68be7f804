//===- WarpgroupRoles.cpp - what the warpgroups of a block do -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The producer and the consumers of the kernel that EmitWarpgroup.cpp
// describes.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupMatMul.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::Scope;

/// Begins a loop over the items of the block that are `apart` times the grid
/// apart, from the `first`-th one on. It carries `carried` and leaves the
/// builder in its body.
scf::ForOp WarpgroupMatMul::beginItems(Launch &launch, Value first,
                                       int64_t apart, ValueRange carried) {
  // Those of the clusters.
  Index grid = code.floorDiv(Index(launch.op.getGridSize().x), tiles.cluster);
  Index start = code.floorDiv(launch.block, tiles.cluster);
  if (first)
    start = code.add(start, code.mul(grid, Index(i.toIndex(first))));
  auto loop = scf::ForOp::create(
      code.b, code.loc, code.materialize(start), code.materialize(itemCount()),
      code.materialize(code.mul(grid, Index::of(apart))), carried);
  code.b.setInsertionPointToStart(loop.getBody());
  return loop;
}

/// Computes the tile and the part of K of the item with this number.
WorkItem WarpgroupMatMul::placeItem(Value number) {
  WorkItem item{{}, {}, Index::of(0), Index::of(0), pieces};
  Index tile = number;
  if (tiles.parts > 1) {
    if (tiles.arePartsInCluster()) {
      item.part = Index(i.toIndex(rank));
    } else {
      SmallVector<Index> split =
          delinearize(code, number, {Index::of(tiles.parts), tileCount});
      item.part = split[0];
      tile = split[1];
    }
    Index each = Index::of(piecesOfPart());
    item.firstPiece = code.mul(item.part, each);
    item.pieces = code.min(code.sub(pieces, item.firstPiece), each);
  }
  placeTile(tile, tiles.clusterRows(), tiles.clusterColumns(), item.row0,
            item.column0);
  if (tiles.sharesColumns())
    item.row0 = code.add(item.row0, Index(i.toIndex(i.mul(rank, kBlockRows))));
  else if (tiles.sharesRows())
    item.column0 =
        code.add(item.column0, Index(i.toIndex(i.mul(rank, tiles.columns))));
  return item;
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// Returns the mask of the blocks of a cluster.
Value WarpgroupMatMul::allBlocks() {
  return arith::ConstantIntOp::create(code.b, code.loc, code.b.getI16Type(),
                                      (1 << tiles.cluster) - 1);
}

/// Starts the copies of one operand's part of a piece: one box if the operand
/// lies along K, or else one box for each 64 rows (columns). Of an operand that
/// the blocks of a cluster share, it is the part of this block.
void WarpgroupMatMul::copy(const TensorMap &map, Value value, Value to,
                           Value full, const Index &x0, const Index &k0,
                           Value tap) {
  bool isShared = map.isLhs ? tiles.sharesRows() : tiles.sharesColumns();
  int64_t width = map.isLhs ? tiles.copiedRows() : tiles.copiedColumns();
  SmallVector<Value> batches = map.placeBatch(*this, i);
  if (map.hasTaps)
    batches.insert(batches.begin(), tap);
  Value x = i.from(code.materialize(x0)), k = i.from(code.materialize(k0));
  Value blocks;
  if (isShared) {
    blocks = allBlocks();
    x = i.add(x, i.mul(rank, width));
    to = at(to, i.mul(rank, width * kBoxBytes));
  }
  int64_t step = map.isAlongK ? width : kBoxColumns;
  for (int64_t offset = 0; offset < width; offset += step) {
    SmallVector<Value> from = {k, i.add(x, offset)};
    if (!map.isAlongK)
      std::swap(from[0], from[1]);
    from.append(batches);
    core.copyBox(at(to, i.of(offset * kBoxBytes)), value, full, from, blocks);
  }
}

/// Starts the copy of the pixels of a piece, whose `first` one is that of the
/// rows that this block copies.
void WarpgroupMatMul::copyImages(Value to, Value full, ArrayRef<Value> first,
                                 const ImageMap::Piece &part) {
  SmallVector<Value> from = {part.channel};
  llvm::append_range(from, first);
  Value blocks;
  if (tiles.sharesRows()) {
    blocks = allBlocks();
    to = at(to, i.mul(rank, tiles.copiedRows() * kBoxBytes));
  }
  core.copyPixels(to, lhsMap, full, from, part.offsets, blocks);
}

void WarpgroupMatMul::produce(Launch &launch) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  // All stages are empty: waiting for parity 1 of a new barrier returns at
  // once.
  scf::ForOp items =
      beginItems(launch, Value(), /*apart=*/1, ValueRange{i.of(0), i.of(1)});
  WorkItem item = placeItem(items.getInductionVar());
  ImageMap::Pixel first;
  if (images) {
    Index row = item.row0;
    if (tiles.sharesRows())
      row = code.add(row, Index(i.toIndex(i.mul(rank, tiles.copiedRows()))));
    // Without a dimension of images, pixels beyond the last row would be
    // outside of the map's bounding box.
    if (tiles.sharesOperand())
      row = code.min(row, code.sub(mSize, Index::of(1)));
    first = images->placeRow(*this, i, row);
  }
  Scope scope;
  scf::ForOp loop = code.beginFor(launch.scope, scope, Index::of(0),
                                  item.pieces, 1, items.getRegionIterArgs());
  Ring ring{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  Value full = fullBarrier(ring.stage);
  if (tiles.sharesOperand())
    core.waitForCluster(emptyBarrier(ring.stage), ring.parity);
  else
    core.wait(emptyBarrier(ring.stage), ring.parity);
  core.expect(full, tiles.stageBytes());
  Index piece = code.add(item.firstPiece, Index(loop.getInductionVar()));
  Index k0 = code.mul(piece, Index::of(getBoxColumns(core.element)));
  Value to = at(memory, i.mul(ring.stage, tiles.stageBytes()));
  if (images) {
    ImageMap::Piece part =
        images->placePiece(i, i.from(code.materialize(piece)));
    copyImages(to, full, first, part);
    copy(*rhs, rhsMap, at(to, i.of(tiles.lhsBytes())), full, item.column0,
         Index(i.toIndex(part.channel)), part.tap);
  } else {
    copy(*lhs, lhsMap, to, full, item.row0, k0);
    copy(*rhs, rhsMap, at(to, i.of(tiles.lhsBytes())), full, item.column0, k0);
  }
  ring = next(ring);
  code.endFor(loop, {ring.stage, ring.parity});
  scf::YieldOp::create(b, loc, loop.getResults());
  b.setInsertionPointAfter(items);
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

/// Starts the products of a stage: each adds 64 rows to one of `sums`, or sets
/// it if the stage is the `first` of a tile. Returns the sums, which are not
/// complete yet.
SmallVector<Value> WarpgroupMatMul::multiply(Value stage, ValueRange sums,
                                             bool isFirst) {
  Value left = i.add(address, i.mul(stage, tiles.stageBytes()));
  Value right = i.add(left, tiles.lhsBytes());
  constexpr int64_t kBytes = kWarpgroupRows * kBoxBytes;
  if (!areInTurns())
    left = i.add(left, i.mul(i.add(i.div(warp, 4), -1), kBytes));
  Value y = core.describe(right, rhs->isAlongK, kBoxColumns);
  SmallVector<Value> xs, results(sums);
  for (unsigned p = 0; p < sums.size(); ++p)
    xs.push_back(
        core.describe(i.add(left, p * kBytes), isLhsAlongK(), kBoxColumns));
  core.fence();
  for (int64_t step = 0; step < kBoxBytes / 32; ++step)
    for (auto [x, sum] : llvm::zip(xs, results))
      sum = core.multiply(sum, core.advance(x, isLhsAlongK(), step),
                          isLhsAlongK(), core.advance(y, rhs->isAlongK, step),
                          rhs->isAlongK, tiles.columns, isFirst && step == 0);
  core.commit();
  return results;
}

void WarpgroupMatMul::release(Value stage) {
  Value barrier = emptyBarrier(stage);
  core.first(lane, [&] {
    core.arrive(barrier);
    if (tiles.sharesOperand())
      core.arriveThere(barrier, i.exclusiveOr(rank, i.of(1)));
  });
}

WarpgroupMatMul::Sums
WarpgroupMatMul::addPieces(Scope &scope, const WorkItem &item, Ring ring) {
  OpBuilder &b = code.b;
  Value zero = arith::ConstantOp::create(b, code.loc, b.getF32FloatAttr(0.0f));
  int64_t count = tiles.columns / 2;
  SmallVector<Value> carried = {ring.stage, ring.parity};
  carried.append(tiles.products() * count, zero);
  Scope inPiece;
  scf::ForOp loop =
      code.beginFor(scope, inPiece, Index::of(0), item.pieces, 1, carried);
  carried.assign(loop.getRegionIterArgs().begin(),
                 loop.getRegionIterArgs().end());
  ring = {carried[0], carried[1]};
  core.wait(fullBarrier(ring.stage), ring.parity);
  SmallVector<Value> undefined(tiles.products(), core.undefined(tiles.columns));
  auto totals = MutableArrayRef<Value>(carried).drop_front(2);
  for (Value sums : multiply(ring.stage, undefined, /*isFirst=*/true)) {
    for (auto [total, sum] :
         llvm::zip(totals, core.unpack(core.finish(0, sums))))
      total = arith::AddFOp::create(b, code.loc, total, sum);
    totals = totals.drop_front(count);
  }
  release(ring.stage);
  Ring after = next(ring);
  carried[0] = after.stage;
  carried[1] = after.parity;
  code.endFor(loop, carried);
  Sums sums{{}, {loop.getResult(0), loop.getResult(1)}};
  for (int64_t p = 0; p < tiles.products(); ++p)
    sums.complete.push_back(
        core.pack(loop.getResults().slice(2 + p * count, count)));
  return sums;
}

WarpgroupMatMul::Sums WarpgroupMatMul::sumPieces(Scope &scope,
                                                 const WorkItem &item,
                                                 Ring ring, Value turn) {
  // The first piece sets the sums.
  SmallVector<Value> sums(tiles.products(), core.undefined(tiles.columns));
  core.wait(fullBarrier(ring.stage), ring.parity);
  sums = multiply(ring.stage, sums, /*isFirst=*/true);
  Ring after = next(ring);
  SmallVector<Value> carried = {after.stage, after.parity, ring.stage};
  carried.append(sums);
  Scope inPiece;
  scf::ForOp loop =
      code.beginFor(scope, inPiece, Index::of(1), item.pieces, 1, carried);
  ValueRange args = loop.getRegionIterArgs();
  ring = {args[0], args[1]};
  core.wait(fullBarrier(ring.stage), ring.parity);
  sums = multiply(ring.stage, args.drop_front(3), /*isFirst=*/false);
  core.finish(1);
  release(args[2]);
  after = next(ring);
  carried = {after.stage, after.parity, ring.stage};
  carried.append(sums);
  code.endFor(loop, carried);
  if (turn)
    core.first(lane, [&] { core.arrive(turn); });
  core.finish(0);
  release(loop.getResult(2));
  return {SmallVector<Value>(loop.getResults().drop_front(3)),
          {loop.getResult(0), loop.getResult(1)}};
}

void WarpgroupMatMul::consume(Launch &launch, Scope &scope) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  // In turns, a warpgroup passes over the pieces of the other one. The loop
  // carries the number of pieces before the tile, and the parity of the turn.
  // The first turn of the first consumer begins at once.
  Value allPieces, first;
  SmallVector<Value> start = {i.of(0), i.of(0)};
  if (areInTurns()) {
    allPieces = i.from(code.materialize(pieces));
    first = i.add(i.div(warp, 4), -1);
    start = {arith::MulIOp::create(b, loc, first, allPieces),
             i.exclusiveOr(first, i.of(1))};
  }
  if (tiles.arePartsInCluster())
    start.push_back(i.of(0)); // the parity of the exchange
  scf::ForOp items =
      beginItems(launch, first, areInTurns() ? kConsumers : 1, start);
  Scope inTile;
  inTile.parent = &scope;
  inTile.loop = items;
  WorkItem item = placeItem(items.getInductionVar());
  SmallVector<Value> carried(items.getRegionIterArgs());
  if (areInTurns()) {
    Value before = carried[0];
    core.wait(turnBarrier(first), carried[1]);
    carried = {i.rem(before, tiles.stages),
               i.rem(i.div(before, tiles.stages), 2)};
  }
  Ring ring{carried[0], carried[1]};
  Value turn;
  if (areInTurns())
    turn = turnBarrier(i.exclusiveOr(first, i.of(1)));
  auto [complete, after] = addsPieces(*this)
                               ? addPieces(inTile, item, ring)
                               : sumPieces(inTile, item, ring, turn);
  SmallVector<Value> end = {after.stage, after.parity};
  if (tiles.arePartsInCluster()) {
    Value parity = items.getRegionIterArgs().back();
    exchange(inTile, item, complete.front(), parity);
    end.push_back(i.exclusiveOr(parity, i.of(1)));
  } else {
    // A tile of a cluster may begin outside of the result.
    auto limit = [](const Index &size, int64_t tile) {
      return isMultiple(size, tile) ? Index::of(-1) : size;
    };
    SmallVector<std::pair<Index, Index>> limits;
    if (tiles.sharesColumns())
      limits.push_back({item.row0, limit(mSize, tiles.clusterRows())});
    if (tiles.sharesRows())
      limits.push_back({item.column0, limit(nSize, tiles.clusterColumns())});
    guarded(code, inTile, limits,
            [&](Scope &here) { finish(here, item, complete); });
  }
  if (areInTurns())
    end = {i.add(items.getRegionIterArg(0), i.mul(allPieces, kConsumers)),
           i.exclusiveOr(items.getRegionIterArg(1), i.of(1))};
  scf::YieldOp::create(b, loc, end);
  b.setInsertionPointAfter(items);
}

/// Passes the sums of an item to the group's pointwise ops or stores them to
/// the workspace. A warp has 16 rows of each product.
void WarpgroupMatMul::finish(Scope &scope, const WorkItem &item,
                             ValueRange sums) {
  Value mine = i.add(warp, -4);
  Value buffer = at(memory, i.add(i.mul(mine, kSumBytes), tiles.sumStart()));
  Value row = i.mul(areInTurns() ? i.rem(mine, 4) : mine, 16);
  WarpgroupEpilogue epilogue{*this,   i,    core,   tiles.columns, kBlockRows,
                             hasRuns, lane, buffer, workspace,     Index()};
  if (workspace) {
    epilogue.hasRuns = isMultiple(nSize, kRun);
    Index first = item.part;
    for (auto [loop, size] : llvm::zip(batch, batchSizes))
      first = code.add(code.mul(first, size), MatMulPlan::at[loop]);
    epilogue.firstOfPart = code.mul(code.mul(first, mSize), nSize);
  }
  epilogue.emit(scope, code.add(item.row0, Index(i.toIndex(row))), item.column0,
                sums);
}

/// Sends the sums of a warpgroup to the other block of the cluster, or adds
/// those that come from there and passes the results on: a block finishes the
/// rows of the warpgroup that has its number.
void WarpgroupMatMul::exchange(Scope &scope, const WorkItem &item, Value sums,
                               Value parity) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value group = i.add(i.div(warp, 4), -1);
  Value other = i.exclusiveOr(rank, i.of(1));
  Value isMine =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, group, rank);
  // A thread has the same sums in both blocks.
  Value thread = i.add(i.mul(i.rem(warp, 4), kWarp), lane);
  Value place = at(memory, i.add(i.mul(thread, 16), tiles.exchangeStart()));
  SmallVector<Value> own = core.unpack(sums);
  Type vector = VectorType::get(4, getSumType(core.element));
  auto chunk = [&](Value start, size_t n) {
    return LLVM::GEPOp::create(
        b, loc, start.getType(), b.getI8Type(), start,
        ArrayRef<LLVM::GEPArg>{int32_t(n / 4 * kWarpgroup * 16)});
  };
  auto branch = scf::IfOp::create(b, loc, isMine, /*withElse=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  core.waitForCluster(exchangeBarrier(/*isFree=*/true),
                      i.exclusiveOr(parity, i.of(1)));
  Value there = core.there(place, other);
  for (size_t n = 0; n < own.size(); n += 4) {
    Value four = vector::FromElementsOp::create(b, loc, vector,
                                                ArrayRef(own).slice(n, 4));
    LLVM::StoreOp::create(b, loc, four, chunk(there, n), /*alignment=*/16);
  }
  core.synchronizeWarp();
  core.first(lane, [&] {
    core.arriveThere(exchangeBarrier(/*isFree=*/false), other);
  });
  b.setInsertionPointToStart(branch.thenBlock());
  core.waitForCluster(exchangeBarrier(/*isFree=*/false), parity);
  for (size_t n = 0; n < own.size(); n += 4) {
    Value four = LLVM::LoadOp::create(b, loc, vector, chunk(place, n),
                                      /*alignment=*/16);
    for (size_t k = 0; k < 4; ++k)
      own[n + k] = vector::makeArithReduction(
          b, loc, vector::CombiningKind::ADD, own[n + k],
          vector::ExtractOp::create(b, loc, four, int64_t(k)));
  }
  core.synchronizeWarp();
  core.first(
      lane, [&] { core.arriveThere(exchangeBarrier(/*isFree=*/true), other); });
  Scope inner;
  inner.parent = &scope;
  inner.loop = branch;
  inner.isGuarded = true;
  finish(inner, item, core.pack(own));
  b.setInsertionPointAfter(branch);
}
