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
// multiply; each computes half of the tile's rows:
//
//   producer: for each piece: wait until a stage is empty; start its copies
//   consumer: for each piece: wait until a stage is full; start its products;
//             wait for those of the piece before and mark its stage as empty
//
// The producer starts with the next tile while the consumers pass the sums of
// the current one to the group's pointwise ops. The sums go through shared
// memory of each warp, so that neighbouring threads store neighbouring
// elements.
//
// The host chooses the kernel at run time. If the loaded image does not have
// this kernel, or if an operand is not aligned to a chunk, the host launches
// the kernel of EmitTensorCore.cpp.
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"
#include "TensorMap.h"
#include "Warpgroup.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

namespace {
constexpr int64_t kConsumers = 2;
constexpr int64_t kBlockThreads = (1 + kConsumers) * kWarpgroup;
constexpr int64_t kBlockRows = kConsumers * kWarpgroupRows;
/// Registers of each thread of a role; all threads of an SM share 65536.
constexpr int64_t kProducerRegisters = 40, kConsumerRegisters = 232;
/// The sums of a warp, 16 rows, go through shared memory `kSumColumns` columns
/// at a time. 32 bytes of padding per row avoid bank conflicts.
constexpr int64_t kSumColumns = 32, kSumRow = (kSumColumns + 8) * 4;
constexpr int64_t kSumBytes = 16 * kSumRow;

/// The position of a role in the ring: the current stage, and the parity of the
/// phase of the stage's barrier that the role waits for.
struct Ring {
  Value stage, parity;
};

struct WarpgroupMatMul : MatMulPlan {
  explicit WarpgroupMatMul(KernelCode &code)
      : MatMulPlan(code), i{code.b, code.loc},
        core{{code.b, code.loc}, Type()} {}
  Int32 i;
  Warpgroup core;
  std::optional<TensorMap> lhs, rhs;
  int64_t columns = 128, stages = 6;
  bool hasRuns = false; ///< threads store runs of columns

  // Values within the launch.
  Value memory;  ///< the first stage, a pointer
  Value address; ///< the same, an i32
  Value lhsMap, rhsMap;
  Value warp, lane;
  Index tileCount, pieces;

  bool matches();
  void chooseTiles();
  bool fits();
  Value canLaunch(Value multiprocessors, Value left, Value right);
  void emit();
  void emitLaunch(Value multiprocessors, Value left, Value right);
  void beginMemory(Launch &launch, Value thread);
  void produce(Launch &launch);
  void copy(const TensorMap &map, Value value, Value to, Value full,
            const Index &x0, const Index &k0);
  void consume(Launch &launch, Scope &scope);
  Value multiply(Value stage, Value sums);
  void finish(Scope &scope, const Index &row0, const Index &column0,
              Value sums);
  void storeSums(Scope &scope, const Index &row0, const Index &column0,
                 Value buffer);

  int64_t lhsBytes() const { return kBlockRows * kBoxBytes; }
  int64_t stageBytes() const { return lhsBytes() + columns * kBoxBytes; }
  int64_t barrierStart() const { return stages * stageBytes(); }
  int64_t sumStart() const { return barrierStart() + 128; }
  int64_t bytes() const { return sumStart() + kConsumers * 4 * kSumBytes; }

  Value at(Value base, Value offset) {
    return TensorCore{code.b, code.loc, core.element}.pointer(base, offset, 3);
  }
  Value fullBarrier(Value stage) {
    return at(memory, i.add(i.mul(stage, 8), barrierStart()));
  }
  Value emptyBarrier(Value stage) {
    return at(memory, i.add(i.mul(stage, 8), barrierStart() + 8 * stages));
  }
  Value isEqual(Value x, int64_t c) {
    return arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::eq, x,
                                 i.of(c));
  }
  Ring next(Ring ring) {
    OpBuilder &b = code.b;
    Value stage = i.add(ring.stage, 1), isLast = isEqual(stage, stages);
    return {arith::SelectOp::create(b, code.loc, isLast, i.of(0), stage),
            arith::SelectOp::create(b, code.loc, isLast,
                                    i.exclusiveOr(ring.parity, i.of(1)),
                                    ring.parity)};
  }
  /// Begins a loop over the tiles of the block, which carries the ring, and
  /// leaves the builder in its body.
  scf::ForOp beginTiles(Launch &launch, int64_t parity) {
    auto loop = scf::ForOp::create(
        code.b, code.loc, code.materialize(launch.block),
        code.materialize(tileCount), launch.op.getGridSize().x,
        ValueRange{i.of(0), i.of(parity)});
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
  rhs = TensorMap::match(*this, /*isLhs=*/false);
  return lhs && rhs;
}

/// Chooses wide tiles, which need less memory traffic per product, if there are
/// enough of them for all SMs.
void WarpgroupMatMul::chooseTiles() {
  if (auto chosen = getTiles<kernel::WarpgroupAttr>(*this)) {
    columns = chosen.getColumns();
    stages = chosen.getStages();
    return;
  }
  if (nSize.isStatic() && nSize.constant <= 128) {
    columns = nSize.constant <= 64 ? 64 : 128;
    return;
  }
  Index tiles = countTiles(kBlockRows, 256);
  if (!tiles.isStatic() || tiles.constant >= code.machine.multiprocessors) {
    columns = 256;
    stages = 4;
  }
}

/// Returns true if the tiles are valid: they consist of whole boxes of 64
/// columns, their sums fit the registers, and stages, sums and at most 16
/// barriers fit the shared memory of a block.
bool WarpgroupMatMul::fits() {
  return columns > 0 && columns <= 256 && columns % kBoxColumns == 0 &&
         stages >= 2 && stages <= 8 &&
         bytes() + kBoxAlignment <= code.machine.maxShared;
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// Starts the copies of one operand's part of a piece: one box if the operand
/// lies along K, or else one box for each 64 rows (columns).
void WarpgroupMatMul::copy(const TensorMap &map, Value value, Value to,
                           Value full, const Index &x0, const Index &k0) {
  int64_t width = map.isLhs ? kBlockRows : columns;
  SmallVector<Value> batches;
  for (unsigned loop : map.batch)
    batches.push_back(i.from(code.materialize(MatMulPlan::at[loop])));
  Value x = i.from(code.materialize(x0)), k = i.from(code.materialize(k0));
  int64_t step = map.isAlongK ? width : kBoxColumns;
  for (int64_t offset = 0; offset < width; offset += step) {
    SmallVector<Value> from = {k, i.add(x, offset)};
    if (!map.isAlongK)
      std::swap(from[0], from[1]);
    from.append(batches);
    core.copyBox(at(to, i.of(offset * kBoxBytes)), value, full, from);
  }
}

void WarpgroupMatMul::produce(Launch &launch) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  // All stages are empty: waiting for parity 1 of a new barrier returns at
  // once.
  scf::ForOp tiles = beginTiles(launch, /*parity=*/1);
  Index row0, column0;
  placeTile(Index(tiles.getInductionVar()), kBlockRows, columns, row0, column0);
  Scope scope;
  scf::ForOp loop = code.beginFor(launch.scope, scope, Index::of(0), pieces, 1,
                                  tiles.getRegionIterArgs());
  Ring ring{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  Value full = fullBarrier(ring.stage);
  core.wait(emptyBarrier(ring.stage), ring.parity);
  core.expect(full, stageBytes());
  Index k0 = code.mul(Index(loop.getInductionVar()), Index::of(kBoxColumns));
  Value to = at(memory, i.mul(ring.stage, stageBytes()));
  copy(*lhs, lhsMap, to, full, row0, k0);
  copy(*rhs, rhsMap, at(to, i.of(lhsBytes())), full, column0, k0);
  ring = next(ring);
  code.endFor(loop, {ring.stage, ring.parity});
  scf::YieldOp::create(b, loc, loop.getResults());
  b.setInsertionPointAfter(tiles);
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

/// Starts the products of a stage. Returns the sums, which are not complete
/// yet.
Value WarpgroupMatMul::multiply(Value stage, Value sums) {
  Value group = i.add(i.div(warp, 4), -1);
  Value left = i.add(address, i.mul(stage, stageBytes()));
  Value right = i.add(left, lhsBytes());
  left = i.add(left, i.mul(group, kWarpgroupRows * kBoxBytes));
  Value x = core.describe(left, lhs->isAlongK, kBoxColumns),
        y = core.describe(right, rhs->isAlongK, kBoxColumns);
  core.fence();
  for (int64_t step = 0; step < kBoxColumns / 16; ++step)
    sums = core.multiply(sums, core.advance(x, lhs->isAlongK, step),
                         lhs->isAlongK, core.advance(y, rhs->isAlongK, step),
                         rhs->isAlongK, columns);
  core.commit();
  return sums;
}

void WarpgroupMatMul::consume(Launch &launch, Scope &scope) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value isFirstLane = isEqual(lane, 0);
  auto release = [&](Value stage, Value condition) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    core.arrive(emptyBarrier(stage));
  };
  scf::ForOp tiles = beginTiles(launch, /*parity=*/0);
  Scope inTile;
  inTile.parent = &scope;
  inTile.loop = tiles;
  Index row0, column0;
  placeTile(Index(tiles.getInductionVar()), kBlockRows, columns, row0, column0);
  Scope inPiece;
  SmallVector<Value> carried(tiles.getRegionIterArgs());
  carried.push_back(carried[0]);
  carried.push_back(core.zeros(columns));
  scf::ForOp loop =
      code.beginFor(inTile, inPiece, Index::of(0), pieces, 1, carried);
  ValueRange args = loop.getRegionIterArgs();
  Ring ring{args[0], args[1]};
  core.wait(fullBarrier(ring.stage), ring.parity);
  Value sums = multiply(ring.stage, args[3]);
  core.finish(1);
  Value isLater =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                            loop.getInductionVar(), code.constant(0));
  release(args[2], arith::AndIOp::create(b, loc, isLater, isFirstLane));
  Ring after = next(ring);
  code.endFor(loop, {after.stage, after.parity, ring.stage, sums});
  core.finish(0);
  release(loop.getResult(2), isFirstLane);
  finish(inTile, row0, column0, loop.getResult(3));
  scf::YieldOp::create(b, loc, loop.getResults().take_front(2));
  b.setInsertionPointAfter(tiles);
}

/// Passes 16 rows of `kSumColumns` sums in shared memory to the group's
/// pointwise ops. Four lanes take the runs of a row, or, without runs, each of
/// the 32 lanes takes one element of the row.
void WarpgroupMatMul::storeSums(Scope &scope, const Index &row0,
                                const Index &column0, Value buffer) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto bound = [](const Index &size, int64_t tile) {
    return isMultiple(size, tile) ? Index::of(-1) : size;
  };
  int64_t width = hasRuns ? kRun : 1, lanes = kSumColumns / width;
  Value myRow = i.div(lane, lanes), myColumn = i.mul(i.rem(lane, lanes), width);
  Scope rows;
  scf::ForOp loop =
      code.beginFor(scope, rows, Index::of(0), Index::of(16), kWarp / lanes);
  Value r = i.add(i.from(loop.getInductionVar()), myRow);
  Index row = code.add(row0, Index(i.toIndex(r))),
        column = code.add(column0, Index(i.toIndex(myColumn)));
  guarded(code, rows,
          {{row, bound(mSize, kBlockRows)}, {column, bound(nSize, columns)}},
          [&](Scope &here) {
            Value from =
                at(buffer, i.add(i.mul(r, kSumRow), i.mul(myColumn, 4)));
            TensorCore shared{b, loc, core.element};
            if (hasRuns)
              storeRun(here, row, column, shared.loadRun(from));
            else
              storeOutputs(here, row, column,
                           LLVM::LoadOp::create(b, loc, b.getF32Type(), from));
          });
  code.endFor(loop);
}

/// Passes the sums of a tile to the group's pointwise ops.
void WarpgroupMatMul::finish(Scope &scope, const Index &row0,
                             const Index &column0, Value sums) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto pair = VectorType::get({2}, b.getF32Type());
  // The number of the warp among those of the consumers. Each has 16 rows.
  Value mine = i.add(warp, -4);
  Value buffer = at(memory, i.add(i.mul(mine, kSumBytes), sumStart()));
  Index firstRow = code.add(row0, Index(i.toIndex(i.mul(mine, 16))));
  Value slot = i.add(i.mul(i.div(lane, 4), kSumRow), i.mul(i.rem(lane, 4), 8));
  for (int64_t first = 0; first < columns; first += kSumColumns) {
    for (int64_t c = 0; c < kSumColumns; c += 8)
      for (int64_t half = 0; half < 2; ++half) {
        Value two = LLVM::PoisonOp::create(b, loc, pair);
        for (int64_t e = 0; e < 2; ++e) {
          Value sum = LLVM::ExtractValueOp::create(
              b, loc, sums, (first + c) / 2 + 2 * half + e);
          two = LLVM::InsertElementOp::create(b, loc, two, sum, i.of(e));
        }
        Value to = at(buffer, i.add(slot, 8 * half * kSumRow + 4 * c));
        LLVM::StoreOp::create(b, loc, two, to, /*alignment=*/8);
      }
    core.synchronizeWarp();
    storeSums(scope, firstRow, code.add(column0, Index::of(first)), buffer);
    // Other lanes may still read the buffer that the next iteration writes.
    core.synchronizeWarp();
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Computes the address of the stages and initializes their barriers.
void WarpgroupMatMul::beginMemory(Launch &launch, Value thread) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto number = [&](int64_t c) {
    return arith::ConstantIntOp::create(b, loc, b.getI64Type(), c);
  };
  Value start = launch.dynamicShared();
  start = arith::AddIOp::create(b, loc, start, number(kBoxAlignment - 1));
  start = arith::AndIOp::create(b, loc, start, number(-kBoxAlignment));
  memory = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), start);
  address = arith::TruncIOp::create(b, loc, b.getI32Type(), start);
  auto first =
      scf::IfOp::create(b, loc, isEqual(thread, 0), /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(first.thenBlock());
    for (int64_t s = 0; s < stages; ++s) {
      core.initialize(fullBarrier(i.of(s)), 1);
      core.initialize(emptyBarrier(i.of(s)), 4 * kConsumers);
    }
    core.publish();
    core.prefetch(lhsMap);
    core.prefetch(rhsMap);
  }
  mlir::gpu::BarrierOp::create(b, loc);
}

void WarpgroupMatMul::emitLaunch(Value multiprocessors, Value left,
                                 Value right) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto boxRows = [&](const TensorMap &map, int64_t width) {
    return map.isAlongK ? width : kBoxColumns;
  };
  lhsMap = lhs->make(*this, 0, left, boxRows(*lhs, kBlockRows));
  rhsMap = rhs->make(*this, 1, right, boxRows(*rhs, columns));
  tileCount = countTiles(kBlockRows, columns);
  pieces = code.ceilDiv(kSize, kBoxColumns);
  Index all(
      arith::IndexCastOp::create(b, loc, b.getIndexType(), multiprocessors));
  Launch launch(code, code.min(tileCount, all), kBlockThreads,
                bytes() + kBoxAlignment);
  launch.op->setAttr(kChipAttr, b.getStringAttr("sm_90a"));
  if (hasRuns)
    launch.op->setAttr(kAlignmentAttr, b.getI64IntegerAttr(kAlignment));
  MatMulPlan::at.assign(info.op.getNumLoops(), Index::of(0));
  Value thread = i.from(code.materialize(launch.thread));
  lane = i.rem(thread, kWarp);
  warp = core.uniform(i.div(thread, kWarp));
  beginMemory(launch, thread);
  auto roles = scf::IfOp::create(b, loc, isEqual(i.div(warp, 4), 0),
                                 /*withElse=*/true);
  b.setInsertionPointToStart(roles.thenBlock());
  core.setRegisters(kProducerRegisters, /*isMore=*/false);
  auto one = scf::IfOp::create(b, loc, isEqual(thread, 0), /*withElse=*/false);
  b.setInsertionPointToStart(one.thenBlock());
  produce(launch);
  b.setInsertionPointToStart(roles.elseBlock());
  core.setRegisters(kConsumerRegisters, /*isMore=*/true);
  Scope scope;
  scope.parent = &launch.scope;
  scope.loop = roles;
  scope.isGuarded = true;
  consume(launch, scope);
  b.setInsertionPointAfter(roles);
  launch.close();
}

/// Emits host code that tests whether the device has the kernel and its
/// requirements hold. `multiprocessors` is 0 if the device does not have it.
Value WarpgroupMatMul::canLaunch(Value multiprocessors, Value left,
                                 Value right) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto number = [&](int64_t c) {
    return arith::ConstantIntOp::create(b, loc, b.getI64Type(), c);
  };
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, how, x, y);
  };
  Value rest = arith::RemUIOp::create(
      b, loc, arith::OrIOp::create(b, loc, left, right), number(kChunkBytes));
  Value can = arith::AndIOp::create(
      b, loc, compare(arith::CmpIPredicate::eq, rest, number(0)),
      compare(arith::CmpIPredicate::sgt, multiprocessors, number(0)));
  if (hasRuns)
    can = arith::AndIOp::create(b, loc, can, areAligned(code));
  // The tiles of EmitTensorCore.cpp are better if a dynamic size is small.
  for (const Index &size : {mSize, nSize, kSize})
    if (!size.isStatic())
      can = arith::AndIOp::create(b, loc, can,
                                  compare(arith::CmpIPredicate::sge,
                                          code.materialize(size),
                                          code.constant(kBoxColumns)));
  return can;
}

void WarpgroupMatMul::emit() {
  OpBuilder &b = code.b;
  core.element = cast<RankedTensorType>(info.lhs().getType()).getElementType();
  hasRuns = storesRuns();
  Value chip = arith::ConstantIntOp::create(b, code.loc, b.getI64Type(), 90);
  Value multiprocessors = callRuntime(code, "fx_rt_gpu_multiprocessors", chip);
  Value left = operandAddress(true), right = operandAddress(false);
  auto branch =
      scf::IfOp::create(b, code.loc, canLaunch(multiprocessors, left, right),
                        /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  emitLaunch(multiprocessors, left, right);
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
  e.chooseTiles();
  if (!e.fits())
    return code.fail(
        "expected 64 to 256 columns and 2 to 8 stages that fit the "
        "shared memory, got " +
        Twine(e.columns) + " columns and " + Twine(e.stages) + " stages");
  noteSchedule(
      e, kernel::WarpgroupAttr::get(code.b.getContext(), e.columns, e.stages));
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
