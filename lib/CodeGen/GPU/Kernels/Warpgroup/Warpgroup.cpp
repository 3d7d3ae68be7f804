//===- Warpgroup.cpp - instructions of sm_90a's tensor cores --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warpgroup.h"
#include "../Launch.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx::gpu;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Ring Ring::next(Int32 &i, int64_t stages) const {
  OpBuilder &b = i.b;
  Value following = i.add(stage, 1);
  Value isLast = arith::CmpIOp::create(b, i.loc, arith::CmpIPredicate::eq,
                                       following, i.of(stages));
  return {arith::SelectOp::create(b, i.loc, isLast, i.of(0), following),
          arith::SelectOp::create(b, i.loc, isLast,
                                  i.exclusiveOr(parity, i.of(1)), parity)};
}

BoxMemory fx::gpu::placeBoxes(Launch &launch) {
  OpBuilder &b = launch.code.b;
  Location loc = launch.code.loc;
  auto number = [&](int64_t c) {
    return arith::ConstantIntOp::create(b, loc, b.getI64Type(), c);
  };
  Value start = launch.dynamicShared();
  start = arith::AddIOp::create(b, loc, start, number(kBoxAlignment - 1));
  start = arith::AndIOp::create(b, loc, start, number(-kBoxAlignment));
  return {LLVM::IntToPtrOp::create(
              b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), start),
          arith::TruncIOp::create(b, loc, b.getI32Type(), start)};
}

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
/// The hardware may suspend a thread that waits for so many nanoseconds.
static constexpr int64_t kTicks = 10000000;

/// Emits assembly without results that accesses memory. `constraints` end with
/// a comma if there are any.
static void emitAssembly(Int32 &i, ValueRange operands, StringRef text,
                         StringRef constraints) {
  LLVM::InlineAsmOp::create(i.b, i.loc, TypeRange(), operands, text,
                            (constraints + "~{memory}").str(),
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false,
                            LLVM::tailcallkind::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

void Warpgroup::arriveThere(Value barrier, Value block) {
  NVVM::MBarrierArriveOp::create(i.b, i.loc, Type(), there(barrier, block),
                                 Value(), NVVM::MemScopeKind::CLUSTER);
}
void Warpgroup::waitForKernel() { emitAssembly(i, {}, kWaitForKernel, ""); }
Value Warpgroup::there(Value address, Value block) {
  return NVVM::MapaOp::create(i.b, i.loc,
                              LLVM::LLVMPointerType::get(i.b.getContext(), 7),
                              address, block);
}
void Warpgroup::waitForCluster(Value barrier, Value parity) {
  emitAssembly(i, {barrier, parity, i.of(kTicks)},
               "{ .reg .pred p; again: "
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
               "[$0], $1, $2; @p bra.uni done; bra.uni again; done: }",
               "r,r,n,");
}
void Warpgroup::meetCluster() {
  NVVM::ClusterArriveOp::create(i.b, i.loc, UnitAttr());
  NVVM::ClusterWaitOp::create(i.b, i.loc, UnitAttr());
}
void Warpgroup::expect(Value barrier, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(i.b, i.loc, Type(), barrier,
                                         i.of(bytes), NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}
void Warpgroup::wait(Value barrier, Value parity) {
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

void Warpgroup::copyBox(Value to, Value map, Value barrier, ValueRange at,
                        Value blocks) {
  copyPixels(to, map, barrier, at, ValueRange(), blocks);
}
void Warpgroup::copyPixels(Value to, Value map, Value barrier, ValueRange at,
                           ValueRange offsets, Value blocks) {
  // An address in the block's own shared memory is also valid in the address
  // space of the cluster.
  Value there = LLVM::AddrSpaceCastOp::create(
      i.b, i.loc, LLVM::LLVMPointerType::get(i.b.getContext(), 7), to);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      i.b, i.loc, there, map, at, barrier, offsets, blocks, Value(),
      offsets.empty() ? NVVM::TMALoadMode::TILE : NVVM::TMALoadMode::IM2COL,
      /*isCTAOnly=*/false, nullptr, Value());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

int64_t fx::gpu::getBoxColumns(Type element) {
  return kBoxBytes * 8 / element.getIntOrFloatBitWidth();
}

Value Warpgroup::undefined(int64_t columns) {
  SmallVector<Type> types(columns / 2, getSumType(element));
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
  using Types = NVVM::WGMMATypes;
  bool isInteger = element.isInteger();
  auto typeOf = [](Type type) {
    return llvm::TypeSwitch<Type, Types>(type)
        .Case<Float8E4M3FNType>([](auto) { return Types::e4m3; })
        .Case<Float8E5M2Type>([](auto) { return Types::e5m2; })
        .Case<BFloat16Type>([](auto) { return Types::bf16; })
        .Case<IntegerType>([](auto) { return Types::u8; })
        .Case<Float32Type>([](auto) { return Types::tf32; })
        .Default([](auto) { return Types::f16; });
  };
  Types left = typeOf(element), right = left;
  if (isInteger)
    right = Types::s8;
  else if (getBoxColumns(element) == kBoxBytes)
    right = typeOf(rightElement);
  // A product takes 32 bytes along K.
  auto shape = NVVM::MMAShapeAttr::get(i.b.getContext(), kWarpgroupRows,
                                       columns, getBoxColumns(element) / 4);
  return NVVM::WgmmaMmaAsyncOp::create(
      i.b, i.loc, sums.getType(), sums, x, y, shape, left, right,
      isInteger ? Types::s32 : Types::f32,
      isFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
      NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
      xAlongK ? NVVM::MMALayout::row : NVVM::MMALayout::col,
      yAlongK ? NVVM::MMALayout::col : NVVM::MMALayout::row, nullptr);
}

/// Returns "$FROM,$FROM+1,..." for `count` operands of assembly.
static std::string listOperands(int64_t from, int64_t count) {
  std::string text;
  for (int64_t o = from; o < from + count; ++o)
    text += (o > from ? ", $" : "$") + std::to_string(o);
  return text;
}

/// Returns the constraints of `count` results in f32 registers, which are those
/// of the first operands.
static std::string constrainSums(int64_t count) {
  std::string results, operands;
  for (int64_t o = 0; o < count; ++o) {
    results += "=f,";
    operands += std::to_string(o) + ",";
  }
  return results + operands;
}

Value Warpgroup::multiply(Value sums, ArrayRef<Value> x, Value y, bool yAlongK,
                          int64_t columns) {
  // The NVVM op takes descriptors only. As in its assembly, the last operands
  // are constants: that sums are kept, the signs, and the order of `y`.
  OpBuilder &b = i.b;
  int64_t count = columns / 2, at = 2 * count;
  std::string kind = element.isBF16() ? "bf16" : "f16";
  auto operand = [&](int64_t o) { return "$" + std::to_string(at + o); };
  std::string text = "{ .reg .pred p; setp.ne.b32 p, " + operand(5) +
                     ", 0; wgmma.mma_async.sync.aligned.m64n" +
                     std::to_string(columns) + "k16.f32." + kind + "." + kind +
                     " {" + listOperands(0, count) + "}, {" +
                     listOperands(at, 4) + "}, " + operand(4) + ", p, " +
                     operand(6) + ", " + operand(7) + ", " + operand(8) + "; }";
  SmallVector<Value> operands = unpack(sums);
  llvm::append_range(operands, x);
  operands.push_back(y);
  for (int64_t c : {1, 1, 1, yAlongK ? 0 : 1})
    operands.push_back(i.of(c));
  return LLVM::InlineAsmOp::create(b, i.loc, sums.getType(), operands, text,
                                   constrainSums(count) + "r,r,r,r,l,n,n,n,n",
                                   /*has_side_effects=*/true,
                                   /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

Value Warpgroup::finish(int64_t pending, Value sums, ValueRange reads) {
  SmallVector<Value> operands = unpack(sums);
  std::string constraints = constrainSums(operands.size());
  for (Value v : reads)
    constraints += v.getType().isF32() ? "f," : "r,";
  constraints.pop_back();
  llvm::append_range(operands, reads);
  return LLVM::InlineAsmOp::create(
             i.b, i.loc, sums.getType(), operands,
             "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";",
             constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
             ArrayAttr())
      .getRes();
}

Value Warpgroup::pack(ValueRange sums) {
  Value all = undefined(2 * sums.size());
  for (auto [n, sum] : llvm::enumerate(sums))
    all = LLVM::InsertValueOp::create(i.b, i.loc, all, sum, n);
  return all;
}

SmallVector<Value> Warpgroup::unpack(Value sums) {
  size_t count = cast<LLVM::LLVMStructType>(sums.getType()).getBody().size();
  SmallVector<Value> parts;
  for (size_t n = 0; n < count; ++n)
    parts.push_back(LLVM::ExtractValueOp::create(i.b, i.loc, sums, n));
  return parts;
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
static void callBarrier(Int32 &i, StringRef how, Value number,
                        int64_t threads) {
  auto name = i.b.getStringAttr("llvm.nvvm.barrier.cta." + how.str() +
                                ".aligned.count");
  LLVM::CallIntrinsicOp::create(i.b, i.loc, name,
                                ValueRange{number, i.of(threads)});
}
void Warpgroup::meet(Value number, int64_t threads) {
  callBarrier(i, "sync", number, threads);
}
void Warpgroup::announce(Value number, int64_t threads) {
  callBarrier(i, "arrive", number, threads);
}
void Warpgroup::first(Value number, llvm::function_ref<void()> body) {
  Value isFirst = arith::CmpIOp::create(i.b, i.loc, arith::CmpIPredicate::eq,
                                        number, i.of(0));
  auto branch = scf::IfOp::create(i.b, i.loc, isFirst, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(i.b);
  i.b.setInsertionPointToStart(branch.thenBlock());
  body();
}
