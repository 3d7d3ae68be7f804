//===- EmitWarpgroup.cpp - contractions on tensor cores of sm_90a ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel is persistent: it has one block per SM, and each block computes
// several tiles of the result one after the other. A block has three
// warpgroups. One thread of the first, the producer, starts copies of pieces of
// K to a ring of stages in shared memory. The other two, the consumers,
// multiply:
//
//   producer: for each piece: wait until a stage is empty; start its copies
//   consumer: for each piece: wait until a stage is full; start its products;
//             wait for those of the piece before and mark its stage as empty
//
// The left tile of a convolution is copied by pixels (ImageMap.h). A piece of K
// has 64 channels of one tap. If there are fewer, the last ones are zeros.
//
// The consumers either share a tile, each with half of its rows, or compute
// tiles in turns. In turns, one multiplies while the other one passes its sums
// to the group's pointwise ops. A warpgroup's turn begins when the other one
// has waited for all pieces of the tile before. It must not wait for a stage
// earlier, because a wait knows only the lowest bit of a phase's number. In
// both cases the producer already copies the next tile.
//
// If there are few tiles and K is long, blocks share a tile: each computes the
// sums of a part of K, and a second launch adds them (CombineParts.cpp).
//
// Or two blocks that share a tile are a cluster, and no second launch is
// needed: each sends the sums of 64 rows to the shared memory of the other one,
// and passes the sums of the other 64 rows to the pointwise ops.
//
// Two blocks may also be a cluster whose tiles are neighbours. Their tiles have
// the same rows or the same columns, and each of them copies one half of the
// operand that they share to the shared memory of both. A stage is empty when
// the consumers of both blocks have read it. Both compute the same sequence of
// tiles, also of those beyond the result, whose operands are zeros.
//
// The host chooses the kernel at run time. If the loaded image does not have
// this kernel, or if an operand is not aligned to a chunk, the host launches
// the kernel of EmitTensorCore.cpp.
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"
#include "ImageMap.h"
#include "WarpgroupMatMul.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

namespace {
constexpr int64_t kBlockThreads = (1 + kConsumers) * kWarpgroup;
/// Registers of each thread of a consumer; all threads of an SM share 65536.
constexpr int64_t kConsumerRegisters = 232;

/// What a block computes at a time: a tile, and a part of K in pieces.
struct WorkItem {
  Index row0, column0, part, firstPiece, pieces;
};

struct WarpgroupMatMul : MatMulPlan {
  explicit WarpgroupMatMul(KernelCode &code)
      : MatMulPlan(code), i{code.b, code.loc},
        core{{code.b, code.loc}, Type()} {}
  Int32 i;
  Warpgroup core;
  std::optional<TensorMap> lhs, rhs;
  std::optional<ImageMap> images; ///< instead of `lhs`
  WarpgroupTiles tiles;
  bool hasRuns = false; ///< threads store runs of columns

  // Values within the launch.
  Value memory;  ///< the first stage, a pointer
  Value address; ///< the same, an i32
  Value lhsMap, rhsMap;
  Value warp, lane;
  Value rank; ///< the block's number in its cluster, an i32; null: no clusters
  Value workspace; ///< the sums of the parts of K, if there are several
  Index tileCount, pieces;

  bool matches();
  bool fits();
  Value canLaunch(Value multiprocessors, Value left, Value right);
  void emit();
  void emitLaunch(Value multiprocessors, Value left, Value right);
  void beginMemory(Launch &launch, Value thread);
  void produce(Launch &launch);
  void copy(const TensorMap &map, Value value, Value to, Value full,
            const Index &x0, const Index &k0, Value tap = Value());
  void copyImages(Value to, Value full, ArrayRef<Value> first,
                  const ImageMap::Piece &part);
  Value allBlocks();
  void consume(Launch &launch, Scope &scope);
  SmallVector<Value> multiply(Value stage, ValueRange sums, bool isFirst);
  void finish(Scope &scope, const WorkItem &item, ValueRange sums);
  void exchange(Scope &scope, const WorkItem &item, Value sums, Value parity);
  WorkItem placeItem(Value number);
  /// The number of items of all blocks, or of all clusters.
  Index itemCount() {
    int64_t parts = tiles.arePartsInCluster() ? 1 : tiles.parts;
    return code.mul(tileCount, Index::of(parts));
  }
  int64_t piecesOfPart() const {
    return llvm::divideCeil(pieces.constant, tiles.parts);
  }
  bool areInTurns() const { return tiles.warpgroups == 1; }
  bool isLhsAlongK() const { return images || lhs->isAlongK; }
  Index countPieces() {
    return images ? Index::of(images->countPieces())
                  : code.ceilDiv(kSize, kBoxColumns);
  }

  Value at(Value base, Value offset) {
    return TensorCore{code.b, code.loc, core.element}.pointer(base, offset, 3);
  }
  Value fullBarrier(Value stage) {
    return at(memory, i.add(i.mul(stage, 8), tiles.barrierStart()));
  }
  Value emptyBarrier(Value stage) {
    return at(memory,
              i.add(i.mul(stage, 8), tiles.barrierStart() + 8 * tiles.stages));
  }
  /// The barrier at which a consumer waits for its turn.
  Value turnBarrier(Value consumer) {
    return at(memory, i.add(i.mul(consumer, 8),
                            tiles.barrierStart() + 16 * tiles.stages));
  }
  /// The barriers that tell that sums of the other block have come, and that
  /// the place for sums in the other block is free.
  Value exchangeBarrier(bool isFree) {
    return at(memory,
              i.of(tiles.barrierStart() + 16 * tiles.stages + 16 + 8 * isFree));
  }
  Value isEqual(Value x, int64_t c) {
    return arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::eq, x,
                                 i.of(c));
  }
  Ring next(Ring ring) { return ring.next(i, tiles.stages); }
  /// Begins a loop over the items of the block that are `apart` times the grid
  /// apart, from the `first`-th one on. It carries `carried` and leaves the
  /// builder in its body.
  scf::ForOp beginItems(Launch &launch, Value first, int64_t apart,
                        ValueRange carried) {
    // Those of the clusters.
    Index grid = code.floorDiv(Index(launch.op.getGridSize().x), tiles.cluster);
    Index start = code.floorDiv(launch.block, tiles.cluster);
    if (first)
      start = code.add(start, code.mul(grid, Index(i.toIndex(first))));
    auto loop = scf::ForOp::create(
        code.b, code.loc, code.materialize(start),
        code.materialize(itemCount()),
        code.materialize(code.mul(grid, Index::of(apart))), carried);
    code.b.setInsertionPointToStart(loop.getBody());
    return loop;
  }
};
} // namespace

/// Returns true if no static size is much smaller than a tile and both operands
/// can be copied with tensor maps.
bool WarpgroupMatMul::matches() {
  auto isAtLeast = [](const Index &size, int64_t least) {
    return !size.isStatic() || size.constant >= least;
  };
  if (!isAtLeast(mSize, kBlockRows) || !isAtLeast(nSize, kBoxColumns) ||
      !isAtLeast(kSize, kBoxColumns))
    return false;
  lhs = TensorMap::match(*this, /*isLhs=*/true);
  if (!lhs)
    images = ImageMap::match(*this);
  rhs = TensorMap::match(*this, /*isLhs=*/false, /*mayBeDynamic=*/false,
                         /*hasTaps=*/!!images);
  return (lhs || images) && rhs;
}

/// Returns true if the tiles are valid: they consist of whole boxes of 64
/// columns, their sums fit the registers, and stages, sums and at most 18
/// barriers fit the shared memory of a block. Parts of K need static sizes, for
/// the workspace, and are not empty.
bool WarpgroupMatMul::fits() {
  int64_t most = areInTurns() ? 128 : 256;
  if (tiles.columns <= 0 || tiles.columns > most ||
      tiles.columns % kBoxColumns || tiles.stages < 2 || tiles.stages > 8 ||
      tiles.bytes() + kBoxAlignment > code.machine.maxShared ||
      tiles.warpgroups < 1 || tiles.warpgroups > kConsumers ||
      tiles.cluster < 1 || tiles.cluster > 2)
    return false;
  // A part of an operand consists of whole boxes.
  if (tiles.sharesColumns() && !rhs->isAlongK &&
      tiles.copiedColumns() % kBoxColumns)
    return false;
  if (tiles.parts == 1)
    return true;
  pieces = countPieces();
  return tiles.parts > 1 && !areInTurns() && pieces.isStatic() &&
         countTiles(tiles.clusterRows(), tiles.clusterColumns()).isStatic() &&
         llvm::divideCeil(pieces.constant, piecesOfPart()) ==
             static_cast<uint64_t>(tiles.parts);
}

/// Computes the tile and the part of K of the item with this number.
WorkItem WarpgroupMatMul::placeItem(Value number) {
  WorkItem item{{}, {}, Index::of(0), Index::of(0), pieces};
  Index tile = number;
  if (tiles.parts > 1) {
    if (tiles.arePartsInCluster()) {
      item.part = Index(i.toIndex(rank));
    } else {
      item.part = code.floorDiv(number, tileCount.constant);
      tile = code.sub(number, code.mul(item.part, tileCount));
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
  Index k0 = code.mul(piece, Index::of(kBoxColumns));
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
  for (int64_t step = 0; step < kBoxColumns / 16; ++step)
    for (auto [x, sum] : llvm::zip(xs, results))
      sum = core.multiply(sum, core.advance(x, isLhsAlongK(), step),
                          isLhsAlongK(), core.advance(y, rhs->isAlongK, step),
                          rhs->isAlongK, tiles.columns, isFirst && step == 0);
  core.commit();
  return results;
}

void WarpgroupMatMul::consume(Launch &launch, Scope &scope) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto arrive = [&](Value barrier) {
    core.first(lane, [&] { core.arrive(barrier); });
  };
  auto release = [&](Value stage) {
    Value barrier = emptyBarrier(stage);
    core.first(lane, [&] {
      core.arrive(barrier);
      if (tiles.sharesOperand())
        core.arriveThere(barrier, i.exclusiveOr(rank, i.of(1)));
    });
  };
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
  // The first piece sets the sums.
  SmallVector<Value> sums(tiles.products(), core.undefined(tiles.columns));
  Ring ring{carried[0], carried[1]};
  core.wait(fullBarrier(ring.stage), ring.parity);
  sums = multiply(ring.stage, sums, /*isFirst=*/true);
  Ring after = next(ring);
  carried = {after.stage, after.parity, ring.stage};
  carried.append(sums);
  Scope inPiece;
  scf::ForOp loop =
      code.beginFor(inTile, inPiece, Index::of(1), item.pieces, 1, carried);
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
  if (areInTurns())
    arrive(turnBarrier(i.exclusiveOr(first, i.of(1))));
  core.finish(0);
  release(loop.getResult(2));
  ValueRange complete = loop.getResults().drop_front(3);
  SmallVector<Value> end(loop.getResults().take_front(2));
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
  Type vector = VectorType::get(4, b.getF32Type());
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
      own[n + k] = arith::AddFOp::create(
          b, loc, own[n + k],
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

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Computes the address of the stages and initializes their barriers.
void WarpgroupMatMul::beginMemory(Launch &launch, Value thread) {
  BoxMemory start = placeBoxes(launch);
  memory = start.pointer;
  address = start.address;
  core.first(thread, [&] {
    core.prefetch(lhsMap);
    core.prefetch(rhsMap);
    for (int64_t s = 0; s < tiles.stages; ++s) {
      core.initialize(fullBarrier(i.of(s)), 1);
      core.initialize(emptyBarrier(i.of(s)),
                      4 * tiles.warpgroups *
                          (tiles.sharesOperand() ? tiles.cluster : 1));
    }
    for (bool isFree : {false, true})
      if (tiles.arePartsInCluster())
        core.initialize(exchangeBarrier(isFree), 4);
    for (int64_t c = 0; areInTurns() && c < kConsumers; ++c)
      core.initialize(turnBarrier(i.of(c)), 4);
    core.publish();
  });
  if (rank)
    core.meetCluster();
  else
    mlir::gpu::BarrierOp::create(code.b, code.loc);
  core.waitForKernel();
}

void WarpgroupMatMul::emitLaunch(Value multiprocessors, Value left,
                                 Value right) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto boxRows = [&](const TensorMap &map, int64_t width) {
    return map.isAlongK ? width : kBoxColumns;
  };
  int64_t rows = tiles.copiedRows();
  lhsMap = images ? images->make(*this, 0, left, rows)
                  : lhs->make(*this, 0, left, boxRows(*lhs, rows));
  rhsMap = rhs->make(*this, 1, right, boxRows(*rhs, tiles.copiedColumns()));
  tileCount = countTiles(tiles.clusterRows(), tiles.clusterColumns());
  pieces = countPieces();
  Index all(
      arith::IndexCastOp::create(b, loc, b.getIndexType(), multiprocessors));
  Index items = itemCount();
  Index clusters = code.min(items, code.floorDiv(all, tiles.cluster));
  Launch launch(code, code.mul(clusters, Index::of(tiles.cluster)),
                kBlockThreads, tiles.bytes() + kBoxAlignment);
  launch.op->setAttr(kChipAttr, b.getStringAttr("sm_90a"));
  if (tiles.cluster > 1)
    launch.op->setAttr(kClusterAttr, b.getI32IntegerAttr(tiles.cluster));
  if (hasRuns)
    launch.op->setAttr(kAlignmentAttr, b.getI64IntegerAttr(kAlignment));
  MatMulPlan::at.assign(info.op.getNumLoops(), Index::of(0));
  Value thread = i.from(code.materialize(launch.thread));
  lane = i.rem(thread, kWarp);
  warp = core.uniform(i.div(thread, kWarp));
  if (tiles.cluster > 1)
    rank = i.rem(i.from(code.materialize(launch.block)), tiles.cluster);
  beginMemory(launch, thread);
  auto roles = scf::IfOp::create(b, loc, isEqual(i.div(warp, 4), 0),
                                 /*withElse=*/true);
  b.setInsertionPointToStart(roles.thenBlock());
  core.setRegisters(kProducerRegisters, /*isMore=*/false);
  core.first(thread, [&] { produce(launch); });
  b.setInsertionPointToStart(roles.elseBlock());
  core.setRegisters(kConsumerRegisters, /*isMore=*/true);
  Scope scope;
  scope.parent = &launch.scope;
  scope.loop = roles;
  scope.isGuarded = true;
  consume(launch, scope);
  b.setInsertionPointAfter(roles);
  // The other block may still copy to the memory of this one, or arrive.
  if (rank)
    core.meetCluster();
  launch.close();
}

/// Emits host code that tests whether the device has the kernel and its
/// requirements hold. `multiprocessors` is 0 if the device does not have it.
Value WarpgroupMatMul::canLaunch(Value multiprocessors, Value left,
                                 Value right) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value can = canCopyBoxes(code, multiprocessors, {left, right});
  if (hasRuns)
    can = arith::AndIOp::create(b, loc, can, areAligned(code));
  if (tiles.cluster > 1)
    can = arith::AndIOp::create(
        b, loc, can,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                              multiprocessors,
                              arith::ConstantIntOp::create(
                                  b, loc, b.getI64Type(), tiles.cluster)));
  // The tiles of EmitTensorCore.cpp are better if a dynamic size is small.
  for (const Index &size : {mSize, nSize, kSize})
    if (!size.isStatic())
      can = arith::AndIOp::create(
          b, loc, can,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                code.materialize(size),
                                code.constant(kBoxColumns)));
  return can;
}

void WarpgroupMatMul::emit() {
  OpBuilder &b = code.b;
  core.element = cast<RankedTensorType>(info.lhs().getType()).getElementType();
  hasRuns = storesRuns();
  if (tiles.parts > 1 && !tiles.arePartsInCluster())
    workspace =
        code.addWorkspace(tiles.parts * product(code, batchSizes).constant *
                              mSize.constant * nSize.constant,
                          b.getF32Type());
  Value chip = arith::ConstantIntOp::create(b, code.loc, b.getI64Type(), 90);
  Value multiprocessors = callRuntime(code, "fx_rt_gpu_multiprocessors", chip);
  Value left = operandAddress(true), right = operandAddress(false);
  auto branch =
      scf::IfOp::create(b, code.loc, canLaunch(multiprocessors, left, right),
                        /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  emitLaunch(multiprocessors, left, right);
  if (workspace)
    emitCombination(*this, workspace, tiles.parts, hasRuns);
  b.setInsertionPointToStart(branch.elseBlock());
  getTensorCoreClass().emit(code);
  b.setInsertionPointAfter(branch);
}

static void emitWarpgroup(KernelCode &code) {
  WarpgroupMatMul e(code);
  if (!e.analyseHalves())
    return;
  e.split();
  if (!e.matches())
    return code.fail("a small matmul, or operands that are no boxes");
  e.tiles = chooseWarpgroupTiles(e, e.countPieces());
  if (!e.fits())
    return code.fail(
        "expected 64 to 256 columns and 2 to 8 stages that fit the "
        "shared memory, got " +
        Twine(e.tiles.columns) + " columns and " + Twine(e.tiles.stages) +
        " stages");
  noteSchedule(e, kernel::WarpgroupAttr::get(
                      code.b.getContext(), e.tiles.columns, e.tiles.stages,
                      e.tiles.parts, e.tiles.warpgroups, e.tiles.cluster));
  e.emit();
}

static std::optional<codegen::KernelMatch>
matchWarpgroup(func::FuncOp kernel, const kernel::TargetInfo &target) {
  if (target.matrixUnit != kernel::MatrixUnit::WGMMA ||
      !hasHalfContraction(kernel, target))
    return std::nullopt;
  return codegen::KernelMatch{kernel, {}};
}

namespace fx::gpu {
codegen::KernelClass getWarpgroupClass() {
  return {kernel::WarpgroupAttr::getMnemonic(), /*benefit=*/5, matchWarpgroup,
          emitWarpgroup};
}
} // namespace fx::gpu
