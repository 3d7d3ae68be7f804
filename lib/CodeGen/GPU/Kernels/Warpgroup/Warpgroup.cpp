//===- Warpgroup.cpp - instructions of sm_90a's tensor cores --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warpgroup.h"
#include "../Launch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fx::gpu;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Warpgroup::initialize(Value barrier, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(i.b, i.loc, barrier, i.of(arrivals), Value());
}
void Warpgroup::publish() { NVVM::FenceMbarrierInitOp::create(i.b, i.loc); }
void Warpgroup::arrive(Value barrier) {
  NVVM::MBarrierArriveOp::create(i.b, i.loc, i.b.getI64Type(), barrier,
                                 Value());
}
void Warpgroup::expect(Value barrier, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(i.b, i.loc, Type(), barrier,
                                         i.of(bytes), NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}
void Warpgroup::wait(Value barrier, Value parity) {
  // The hardware may suspend the thread for so many nanoseconds.
  constexpr int64_t kTicks = 10000000;
  NVVM::MBarrierTryWaitParityOp::create(i.b, i.loc, barrier, parity,
                                        i.of(kTicks));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void Warpgroup::prefetch(Value map) {
  NVVM::PrefetchOp::create(i.b, i.loc, nullptr, nullptr, map, Value(),
                           i.b.getUnitAttr(), nullptr, nullptr);
}

void Warpgroup::copyBox(Value to, Value map, Value barrier, ValueRange at) {
  copyPixels(to, map, barrier, at, ValueRange());
}
void Warpgroup::copyPixels(Value to, Value map, Value barrier, ValueRange at,
                           ValueRange offsets) {
  // An address in the block's own shared memory is also valid in the address
  // space of the cluster.
  Value there = LLVM::AddrSpaceCastOp::create(
      i.b, i.loc, LLVM::LLVMPointerType::get(i.b.getContext(), 7), to);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      i.b, i.loc, there, map, at, barrier, offsets, Value(), Value(),
      offsets.empty() ? NVVM::TMALoadMode::TILE : NVVM::TMALoadMode::IM2COL,
      /*isCTAOnly=*/false, nullptr, Value());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value Warpgroup::undefined(int64_t columns) {
  SmallVector<Type> types(columns / 2, i.b.getF32Type());
  return LLVM::PoisonOp::create(
      i.b, i.loc, LLVM::LLVMStructType::getLiteral(i.b.getContext(), types));
}

/// Builds a "matrix descriptor" of the PTX ISA. Addresses and distances are in
/// units of 16 bytes. Bits 0-13 hold the address, bits 16-29 the distance of
/// boxes of 64 elements across K (unused if `isAlongK`), bits 32-45 the
/// distance of groups of 8 rows, and bits 62-63 the permutation.
Value Warpgroup::describe(Value address, bool isAlongK, int64_t k) {
  OpBuilder &b = i.b;
  int64_t across = isAlongK ? 1 : k * kBoxBytes / 16, rows = 8 * kBoxBytes / 16;
  int64_t rest = across << 16 | rows << 32 | int64_t(1) << 62;
  Value bits = i.rem(i.div(address, 16), 1 << 14);
  Value wide = arith::ExtUIOp::create(b, i.loc, b.getI64Type(), bits);
  return arith::OrIOp::create(
      b, i.loc, wide,
      arith::ConstantIntOp::create(b, i.loc, b.getI64Type(), rest));
}

Value Warpgroup::advance(Value descriptor, bool isAlongK, int64_t steps) {
  if (steps == 0)
    return descriptor;
  int64_t bytes = steps * 16 * (isAlongK ? 2 : kBoxBytes);
  return arith::AddIOp::create(
      i.b, i.loc, descriptor,
      arith::ConstantIntOp::create(i.b, i.loc, i.b.getI64Type(), bytes / 16));
}

Value Warpgroup::multiply(Value sums, Value x, bool xAlongK, Value y,
                          bool yAlongK, int64_t columns, bool isFirst) {
  auto kind = element.isBF16() ? NVVM::WGMMATypes::bf16 : NVVM::WGMMATypes::f16;
  auto shape =
      NVVM::MMAShapeAttr::get(i.b.getContext(), kWarpgroupRows, columns, 16);
  return NVVM::WgmmaMmaAsyncOp::create(
      i.b, i.loc, sums.getType(), sums, x, y, shape, kind, kind,
      NVVM::WGMMATypes::f32,
      isFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
      NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
      xAlongK ? NVVM::MMALayout::row : NVVM::MMALayout::col,
      yAlongK ? NVVM::MMALayout::col : NVVM::MMALayout::row, nullptr);
}

void Warpgroup::fence() { NVVM::WgmmaFenceAlignedOp::create(i.b, i.loc); }
void Warpgroup::commit() { NVVM::WgmmaGroupSyncAlignedOp::create(i.b, i.loc); }
void Warpgroup::finish(int64_t pending) {
  NVVM::WgmmaWaitGroupSyncOp::create(i.b, i.loc, pending);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value Warpgroup::uniform(Value v) {
  return NVVM::ShflOp::create(i.b, i.loc, v.getType(), i.of(-1), v, i.of(0),
                              i.of(kWarp - 1), NVVM::ShflKind::idx, UnitAttr());
}
void Warpgroup::setRegisters(int64_t count, bool isMore) {
  NVVM::SetMaxRegisterOp::create(i.b, i.loc, count,
                                 isMore ? NVVM::SetMaxRegisterAction::increase
                                        : NVVM::SetMaxRegisterAction::decrease);
}
void Warpgroup::synchronizeWarp() {
  NVVM::SyncWarpOp::create(i.b, i.loc, i.of(-1));
}
