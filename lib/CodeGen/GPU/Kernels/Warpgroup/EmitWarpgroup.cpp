//===- EmitWarpgroup.cpp - contractions on tensor cores of sm_90a ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The class of kernels, and what the host does. WarpgroupRoles.cpp has what the
// warpgroups of a block do.
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
// has 128 bytes of channels of one tap. If there are fewer, the last ones are
// zeros.
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

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

/// The producer's warpgroup and the consumers.
static constexpr int64_t kBlockThreads = (1 + kConsumers) * kWarpgroup;
/// Registers of each thread of a consumer; all threads of an SM share 65536.
static constexpr int64_t kConsumerRegisters = 232;

/// Returns true if no static size is much smaller than a tile and both operands
/// can be copied with tensor maps.
bool WarpgroupMatMul::matches() {
  auto isAtLeast = [](const Index &size, int64_t least) {
    return !size.isStatic() || size.constant >= least;
  };
  if (!isAtLeast(mSize, kBlockRows) || !isAtLeast(nSize, kBoxColumns) ||
      !isAtLeast(kSize, getBoxColumns(core.element)))
    return false;
  lhs = TensorMap::match(*this, /*isLhs=*/true);
  if (!lhs)
    images = ImageMap::match(*this);
  rhs = TensorMap::match(*this, /*isLhs=*/false, /*mayBeDynamic=*/false,
                         /*hasTaps=*/!!images);
  if ((!lhs && !images) || !rhs)
    return false;
  // Only 16-bit types may lie across K.
  return info.isHalf() || (isLhsAlongK() && rhs->isAlongK);
}

/// Returns true if the tiles are valid: they consist of whole boxes of 64
/// columns, their sums fit the registers, and stages, sums and at most 18
/// barriers fit the shared memory of a block. Parts of K need a bound of the
/// sizes, for the workspace, and are not empty.
bool WarpgroupMatMul::fits() {
  int64_t most = areInTurns() ? 128 : 256;
  if (tiles.columns <= 0 || tiles.columns > most ||
      tiles.columns % kBoxColumns || tiles.stages < 2 || tiles.stages > 8 ||
      tiles.bytes() + kBoxAlignment > code.machine.maxShared ||
      tiles.warpgroups < 1 || tiles.warpgroups > kConsumers ||
      tiles.cluster < 1 || tiles.cluster > 2)
    return false;
  if (addsPieces(*this) && (areInTurns() || tiles.columns > kAddedColumns))
    return false;
  // A part of an operand consists of whole boxes.
  if (tiles.sharesColumns() && !rhs->isAlongK &&
      tiles.copiedColumns() % kBoxColumns)
    return false;
  if (tiles.parts == 1)
    return true;
  pieces = countPieces();
  return tiles.parts > 1 && !areInTurns() && pieces.isStatic() &&
         (tiles.arePartsInCluster() || countResults()) &&
         llvm::divideCeil(pieces.constant, piecesOfPart()) ==
             static_cast<uint64_t>(tiles.parts);
}

bool fx::gpu::addsPieces(const MatMulPlan &plan) {
  return plan.info.kind == kernel::OperandKind::Float8 &&
         !kernel::mayAddFast(plan.info);
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
/// `cluster` is the largest cluster of its versions.
Value WarpgroupMatMul::canLaunch(Value multiprocessors, Value left, Value right,
                                 int64_t cluster) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value can = canCopyBoxes(code, multiprocessors, {left, right});
  if (hasRuns)
    can = arith::AndIOp::create(b, loc, can, areAligned(code));
  if (cluster > 1)
    can = arith::AndIOp::create(
        b, loc, can,
        arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::sge, multiprocessors,
            arith::ConstantIntOp::create(b, loc, b.getI64Type(), cluster)));
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

void WarpgroupMatMul::emitLaunches(Value multiprocessors, Value left,
                                   Value right) {
  if (tiles.parts > 1 && !tiles.arePartsInCluster())
    workspace = code.addWorkspace(tiles.parts * *countResults(),
                                  getSumType(core.element));
  emitLaunch(multiprocessors, left, right);
  if (workspace)
    emitCombination(*this, workspace, tiles.parts, hasRuns);
}

void WarpgroupMatMul::emit(ArrayRef<RowRange> ranges) {
  OpBuilder &b = code.b;
  hasRuns = storesRuns();
  Value chip = arith::ConstantIntOp::create(b, code.loc, b.getI64Type(), 90);
  Value multiprocessors = callRuntime(code, "fx_rt_gpu_multiprocessors", chip);
  Value left = operandAddress(true), right = operandAddress(false);
  int64_t cluster = 1;
  for (const RowRange &range : ranges)
    cluster = std::max(cluster, range.tiles.cluster);
  auto branch = scf::IfOp::create(
      b, code.loc, canLaunch(multiprocessors, left, right, cluster),
      /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  auto emitRange = [&](int64_t rows) {
    WarpgroupMatMul version(*this);
    version.maxRows = rows;
    version.tiles = llvm::find_if(ranges, [&](const RowRange &range) {
                      return range.rows == rows;
                    })->tiles;
    version.emitLaunches(multiprocessors, left, right);
  };
  SmallVector<int64_t> limits;
  for (const RowRange &range : ranges.drop_back())
    limits.push_back(range.rows);
  emitForRows(code, code.materialize(mSize), limits, emitRange,
              [&] { emitRange(ranges.back().rows); });
  b.setInsertionPointToStart(branch.elseBlock());
  getTensorCoreClass().emit(code);
  b.setInsertionPointAfter(branch);
}

static void emitWarpgroup(KernelCode &code) {
  WarpgroupMatMul e(code);
  if (!e.analyseTensorCore())
    return;
  e.core.element = e.info.getElement(e.info.a);
  e.core.rightElement = e.info.getElement(e.info.b);
  e.split();
  if (!e.matches())
    return code.fail("a small matmul, or operands that are no boxes");
  SmallVector<RowRange> ranges = chooseWarpgroupTiles(e, e.countPieces());
  for (const RowRange &range : ranges) {
    e.tiles = range.tiles;
    e.maxRows = range.rows;
    if (!e.fits())
      return code.fail(
          "expected 64 to " + Twine(addsPieces(e) ? kAddedColumns : 256) +
          " columns and 2 to 8 stages that fit the shared memory, got " +
          Twine(e.tiles.columns) + " columns and " + Twine(e.tiles.stages) +
          " stages");
  }
  noteSchedule(e, kernel::WarpgroupAttr::get(
                      code.b.getContext(), e.tiles.columns, e.tiles.stages,
                      e.tiles.parts, e.tiles.warpgroups, e.tiles.cluster));
  e.emit(ranges);
}

static std::optional<codegen::KernelMatch>
matchWarpgroup(func::FuncOp kernel, const kernel::TargetInfo &target) {
  auto match = findContraction(kernel, target);
  if (target.matrixUnit != kernel::MatrixUnit::WGMMA || !match ||
      (!match->isHalf() && !match->hasBytes() &&
       (match->kind != kernel::OperandKind::F32 || !target.roundsToTF32)))
    return std::nullopt;
  return codegen::KernelMatch{kernel, {}};
}

namespace fx::gpu {
codegen::KernelClass getWarpgroupClass() {
  return {kernel::WarpgroupAttr::getMnemonic(), /*benefit=*/5, matchWarpgroup,
          emitWarpgroup};
}
} // namespace fx::gpu
