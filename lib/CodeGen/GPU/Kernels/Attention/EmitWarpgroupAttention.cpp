//===- EmitWarpgroupAttention.cpp - attention on sm_90a -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"
#include "../Work.h"
#include "WarpgroupAttention.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::Scope;

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

void WarpgroupAttention::copyBoxes(const TensorMap &map, MatMulPlan &plan,
                                   Value value, Value to, Value full,
                                   const Index &row, int64_t tileRows,
                                   int64_t columns) {
  SmallVector<Value> batches = map.placeBatch(plan, i);
  Value first = i.from(code.materialize(row));
  for (int64_t box = 0; box < boxesOf(columns); ++box) {
    SmallVector<Value> from = {i.of(box * kBoxColumns), first};
    from.append(batches);
    group.copyBox(core.pointer(to, i.of(box * tileRows * kBoxBytes), 3), value,
                  full, from);
  }
}

void WarpgroupAttention::copyKeys(const Ring &ring, const Index &piece) {
  Value full = barrier(FullKeys, ring.stage);
  group.wait(barrier(EmptyKeys, ring.stage), ring.parity);
  group.expect(full, keyBytes());
  copyBoxes(*keyMap, scores, keys, place(stageOffset(ring.stage)), full,
            code.mul(piece, Index::of(tiles.k)), tiles.k, headSize());
}

void WarpgroupAttention::copyValues(const Ring &ring, const Index &piece) {
  Value full = barrier(FullValues, ring.stage);
  group.wait(barrier(EmptyValues, ring.stage), ring.parity);
  group.expect(full, valueBytes());
  copyBoxes(*valueMap, *this, values,
            place(i.add(stageOffset(ring.stage), keyBytes())), full,
            code.mul(piece, Index::of(tiles.k)), tiles.k, tiles.n);
}

void WarpgroupAttention::produce(Launch &launch) {
  group.expect(queryBarrier(), queryBytes());
  copyBoxes(*queryMap, scores, queries, boxes.pointer, queryBarrier(), row0,
            tiles.m, headSize());
  Index last = pieceOf(Index::of(0));
  // All stages are empty: waiting for parity 1 of a new barrier returns at
  // once.
  Ring ring{i.of(0), i.of(1)};
  copyKeys(ring, last);
  // The keys of a piece are needed before the values of the piece before.
  Scope scope;
  auto loop = code.beginFor(launch.scope, scope, Index::of(1), pieces, 1,
                            {ring.stage, ring.parity});
  Ring before{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  Index piece = pieceOf(Index(loop.getInductionVar()));
  ring = before.next(i, stages);
  copyKeys(ring, piece);
  copyValues(before, code.add(piece, Index::of(1)));
  code.endFor(loop, {ring.stage, ring.parity});
  copyValues({loop.getResult(0), loop.getResult(1)}, firstPiece);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

bool WarpgroupAttention::readsBounds() const {
  auto reads = [](const kernel::KeyBound &bound) { return bound.readsMemory; };
  return llvm::any_of(bounds.first, reads) || llvm::any_of(bounds.last, reads);
}

void WarpgroupAttention::placePieces(Scope &scope) {
  auto [begin, end] = seenPieces(scope);
  if (bounds.first.empty()) {
    pieces = atLeastOne(code, end);
    return;
  }
  // If no row sees a key, the block computes one piece of keys that exist.
  end = atLeastOne(code, end);
  firstPiece = code.min(begin, code.sub(end, Index::of(1)));
  pieces = code.sub(end, firstPiece);
}

void WarpgroupAttention::beginMemory(Value first) {
  group.first(first, [&] {
    for (Value map : {queries, keys, values})
      group.prefetch(map);
    group.initialize(queryBarrier(), 1);
    for (int64_t s = 0; s < stages; ++s)
      for (Kind kind : {FullKeys, FullValues, EmptyKeys, EmptyValues}) {
        bool isFull = kind == FullKeys || kind == FullValues;
        group.initialize(barrier(kind, i.of(s)), isFull ? 1 : 4 * warpgroups);
      }
    group.publish();
  });
  mlir::gpu::BarrierOp::create(code.b, code.loc);
  if (!readsBounds())
    group.waitForKernel();
}

void WarpgroupAttention::emitLaunch(ArrayRef<Value> addresses) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  queries = queryMap->make(scores, 0, addresses[0], tiles.m);
  keys = keyMap->make(scores, 1, addresses[1], tiles.k);
  values = valueMap->make(*this, 2, addresses[2], tiles.k);
  SmallVector<Index> blocks = batchSizes;
  blocks.push_back(code.ceilDiv(mSize, tiles.m));
  Launch launch(code, product(code, blocks), (1 + warpgroups) * kWarpgroup,
                boxBytes());
  launch.op->setAttr(kChipAttr, b.getStringAttr("sm_90a"));
  launch.op->setAttr(kWorkAttr,
                     describeWork(code.source, code.machine,
                                  kernel::WarpgroupAttr::getMnemonic()));
  if (hasRuns)
    launch.op->setAttr(kAlignmentAttr, b.getI64IntegerAttr(kAlignment));
  at.assign(info.op.getNumLoops(), Index::of(0));
  scores.at.assign(scores.info.op.getNumLoops(), Index::of(0));
  placeBlock(launch);
  thread = i.from(code.materialize(launch.thread));
  lane = i.rem(thread, kWarp);
  // The kernel before may still write the memory of bounds.
  if (readsBounds())
    group.waitForKernel();
  placePieces(launch.scope);
  warp = group.uniform(i.div(thread, kWarp));
  boxes = placeBoxes(launch);
  beginMemory(thread);
  Value isProducer = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           i.div(warp, 4), i.of(0));
  auto roles = scf::IfOp::create(b, loc, isProducer, /*withElse=*/true);
  b.setInsertionPointToStart(roles.thenBlock());
  group.setRegisters(producerRegisters(), /*isMore=*/false);
  group.first(thread, [&] { produce(launch); });
  b.setInsertionPointToStart(roles.elseBlock());
  group.setRegisters(consumerRegisters(), /*isMore=*/true);
  Scope scope;
  scope.parent = &launch.scope;
  scope.loop = roles;
  scope.isGuarded = true;
  consume(scope);
  b.setInsertionPointAfter(roles);
  launch.close();
}

Value WarpgroupAttention::canLaunch(Value multiprocessors,
                                    ArrayRef<Value> addresses) {
  OpBuilder &b = code.b;
  Value can = canCopyBoxes(code, multiprocessors, addresses);
  for (const TensorMap &map : {*queryMap, *keyMap, *valueMap})
    can = map.addConditions(code, can);
  if (hasRuns)
    can = arith::AndIOp::create(b, code.loc, can, areAligned(code));
  // The tiles of the other kernel are better if a dynamic size is small.
  auto require = [&](const Index &size, int64_t least) {
    if (!size.isStatic())
      can = arith::AndIOp::create(
          b, code.loc, can,
          arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::sge,
                                code.materialize(size), code.constant(least)));
  };
  require(mSize, kWarpgroupRows);
  require(kSize, kWarpgroupRows);
  return can;
}

void WarpgroupAttention::emit(llvm::function_ref<void()> otherwise) {
  OpBuilder &b = code.b;
  group.element = core.element = scores.core.element =
      cast<RankedTensorType>(info.rhs().getType()).getElementType();
  hasRuns = storesRuns();
  code.source->setAttr(kernel::kScheduleAttr,
                       kernel::AttentionAttr::get(b.getContext(), /*parts=*/1,
                                                  warpgroups, tiles.k,
                                                  hasTurns));
  Value chip = arith::ConstantIntOp::create(b, code.loc, b.getI64Type(), 90);
  Value multiprocessors = callRuntime(code, "fx_rt_gpu_multiprocessors", chip);
  SmallVector<Value> addresses = {scores.operandAddress(true),
                                  scores.operandAddress(false),
                                  operandAddress(false)};
  auto branch =
      scf::IfOp::create(b, code.loc, canLaunch(multiprocessors, addresses),
                        /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  emitLaunch(addresses);
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
  b.setInsertionPointAfter(branch);
}
