//===- EmitRows.cpp - one block for each row ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of the T threads of a block takes every T-th element of the row, the
// same ones in each pass. It can therefore read in a later pass what it stored
// in an earlier one without synchronization. The results of the threads are
// combined with shuffles within warps and through shared memory between warps.
//
//===----------------------------------------------------------------------===//

#include "../Launch.h"

#include "fx/CodeGen/Common/RowPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::RowReduction;
using codegen::Scope;

/// Elements of a short row that a thread should have at least.
static constexpr int64_t kElementsPerThread = 4;

namespace {
struct BlockRows : codegen::RowPlan {
  explicit BlockRows(KernelCode &code) : RowPlan(code) {}
  int64_t threads = kThreads;
  Launch *launch = nullptr;

  void emitPhase(Scope &row, unsigned phase);
  void emitRow(Scope &row);
  Value shuffle(Value v, int64_t distance);
  Value combineBlock(Operation *op, Value v);
  Coords place(ArrayRef<int> of, const Index &at) {
    return coords(of, at, /*lane=*/false);
  }
};
} // namespace

/// Returns `v` of the lane whose number is the own one xor `distance`. A
/// shuffle moves 32 bits, so wider values need two.
Value BlockRows::shuffle(Value v, int64_t distance) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type type = v.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  auto move = [&](Value word) -> Value {
    return mlir::gpu::ShuffleOp::create(b, loc, word, distance, kWarp,
                                        mlir::gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (bits == 32)
    return move(v);
  Type integer = b.getIntegerType(bits), i32 = b.getI32Type();
  Value x = isa<FloatType>(type)
                ? Value(arith::BitcastOp::create(b, loc, integer, v))
                : v;
  if (bits < 32) {
    x = arith::TruncIOp::create(b, loc, integer,
                                move(arith::ExtUIOp::create(b, loc, i32, x)));
  } else {
    Value half = arith::ConstantIntOp::create(b, loc, integer, 32);
    Value low = move(arith::TruncIOp::create(b, loc, i32, x));
    Value high = move(arith::TruncIOp::create(
        b, loc, i32, arith::ShRUIOp::create(b, loc, x, half)));
    high = arith::ShLIOp::create(
        b, loc, arith::ExtUIOp::create(b, loc, integer, high), half);
    x = arith::OrIOp::create(
        b, loc, arith::ExtUIOp::create(b, loc, integer, low), high);
  }
  return isa<FloatType>(type) ? Value(arith::BitcastOp::create(b, loc, type, x))
                              : x;
}

/// Combines the values `v` of all threads of the block. All threads get the
/// result.
Value BlockRows::combineBlock(Operation *op, Value v) {
  for (int64_t distance = kWarp / 2; distance > 0; distance /= 2)
    v = combine(op, v, shuffle(v, distance));
  if (threads == kWarp)
    return v;
  OpBuilder &b = code.b;
  Location loc = code.loc;
  // An i1 is stored as a byte.
  Type element = v.getType(),
       stored = element.isInteger(1) ? b.getI8Type() : element;
  // A block computes one row and each reduction has its own memory, so no
  // second barrier is needed.
  Value memory = launch->shared({threads / kWarp}, stored);
  Value id = code.materialize(launch->thread), warp = code.constant(kWarp);
  Value lane = arith::RemUIOp::create(b, loc, id, warp);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                        code.constant(0));
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Value mine =
      stored == element ? v : Value(arith::ExtUIOp::create(b, loc, stored, v));
  Value slot = arith::DivUIOp::create(b, loc, id, warp);
  memref::StoreOp::create(b, loc, mine, memory, slot);
  b.setInsertionPointAfter(branch);
  mlir::gpu::BarrierOp::create(b, loc);
  Value all;
  for (int64_t i = 0; i < threads / kWarp; ++i) {
    Value part = memref::LoadOp::create(b, loc, memory, code.constant(i));
    if (stored != element)
      part = arith::TruncIOp::create(b, loc, element, part);
    all = all ? combine(op, all, part) : part;
  }
  return all;
}

void BlockRows::emitPhase(Scope &row, unsigned phase) {
  SmallVector<std::pair<RowReduction *, unsigned>> all;
  SmallVector<Value> acc;
  for (RowReduction &r : reductions)
    for (unsigned i = 0; r.phase == phase && i < r.combiners.size(); ++i) {
      std::optional<TypedAttr> neutral =
          arith::getNeutralElement(r.combiners[i].op);
      if (!neutral)
        return code.fail("a reduction without a neutral element");
      acc.push_back(arith::ConstantOp::create(code.b, code.loc, *neutral));
      all.push_back({&r, i});
    }
  SmallVector<std::pair<Value, codegen::Buffer>> stores = storesOf(phase);
  Scope scope;
  auto loop =
      code.beginFor(row, scope, launch->thread, innerSize, threads, acc);
  Index at(loop.getInductionVar());
  for (auto &[value, memory] : stores) {
    Coords where = place(labels.ofTensor(value), at);
    Value v = code.eval(scope, value, where);
    code.know(scope, value, where, v);
    code.store(memory, where, v);
  }
  SmallVector<Value> next(loop.getRegionIterArgs());
  for (auto [slot, entry] : llvm::enumerate(all)) {
    auto [r, i] = entry;
    kernel::Combiner &combiner = r->combiners[i];
    next[slot] = combine(combiner.op, next[slot],
                         code.evalBody(scope, r->op, combiner.input,
                                       place(labels.ofLoops(r->op), at)));
  }
  code.endFor(loop, next);
  for (auto &[value, memory] : stores)
    code.setBuffer(value, memory);
  for (auto [slot, entry] : llvm::enumerate(all)) {
    auto [r, i] = entry;
    kernel::Combiner &combiner = r->combiners[i];
    Value sum = combineBlock(combiner.op, loop.getResult(slot));
    OpResult result = r->op->getResult(i);
    Coords where = place(labels.ofTensor(result), Index::of(0));
    Value init = code.eval(row, r->op.getDpsInits()[i], where);
    code.know(row, result, where, combine(combiner.op, init, sum));
  }
}

void BlockRows::emitRow(Scope &row) {
  for (unsigned phase = 0; phase < numPhases; ++phase)
    emitPhase(row, phase);
  SmallVector<unsigned> late, once;
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    if (!storedIn.count(code.output(i)))
      (isInner(code.output(i)) ? late : once).push_back(i);
  auto emit = [&](Scope &scope, ArrayRef<unsigned> outputs, const Index &at) {
    SmallVector<Value> values;
    for (unsigned i : outputs)
      values.push_back(code.eval(scope, code.output(i),
                                 place(labels.ofTensor(code.output(i)), at)));
    for (auto [i, value] : llvm::zip(outputs, values))
      code.store(*code.buffer(code.outputArg(i)),
                 place(labels.ofTensor(code.output(i)), at), value);
  };
  if (!once.empty())
    guarded(code, row, {{launch->thread, Index::of(1)}},
            [&](Scope &scope) { emit(scope, once, Index::of(0)); });
  if (late.empty())
    return;
  Scope scope;
  auto loop = code.beginFor(row, scope, launch->thread, innerSize, threads);
  emit(scope, late, Index(loop.getInductionVar()));
  code.endFor(loop);
}

static void emitRows(KernelCode &code) {
  BlockRows e(code);
  if (!e.analyse())
    return code.fail("the reductions do not share their rows");
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    if (e.labels.ofTensor(code.output(i)).empty() &&
        cast<RankedTensorType>(code.output(i).getType()).getRank())
      return code.fail("an output that does not follow the rows");
  e.plan();
  SmallVector<Index> sizes = e.sizes();
  if (e.innerSize.isStatic())
    e.threads = std::clamp<int64_t>(
        llvm::PowerOf2Ceil(llvm::divideCeil(
            std::max<int64_t>(e.innerSize.constant, 1), kElementsPerThread)),
        kWarp, 2 * kThreads);
  Launch launch(code, product(code, sizes), e.threads);
  e.launch = &launch;
  e.rows = delinearize(code, launch.block, sizes);
  e.emitRow(launch.scope);
  launch.close();
}

static std::optional<codegen::KernelMatch>
matchRows(func::FuncOp kernel, const kernel::TargetInfo &) {
  if (!llvm::any_of(getReductions(kernel), kernel::isRowReduction))
    return std::nullopt;
  return codegen::KernelMatch{
      kernel, kernel::RowsAttr::get(kernel.getContext(), /*unroll=*/0)};
}

namespace fx::gpu {
codegen::KernelClass getRowsClass() {
  return {kernel::RowsAttr::getMnemonic(), /*benefit=*/2, matchRows, emitRows};
}
} // namespace fx::gpu
