//===- PlanArena.cpp - one planned block for the temporaries of a run -----===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntrySizes.h"
#include "Packing.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace fx::cpu {
#define GEN_PASS_DEF_FXPLANARENA
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx;
using namespace fx::codegen;
using namespace fx::cpu;

namespace {
constexpr int64_t kAlignment = 64;

/// A buffer to place. Its size is `interval.size` times its group's unit.
struct Buffer {
  memref::AllocOp alloc;
  SmallVector<Value> sizes; ///< dynamic sizes, at the function's start
  Interval interval;
};

/// Buffers whose sizes in bytes are integer multiples of the same expression.
struct Group {
  /// The expression's value, rounded up to the alignment if `rounded`. Null in
  /// the group of static buffers, whose unit is one byte.
  Value unit;
  bool rounded = false;
  SmallVector<Buffer> buffers;
};

struct PlanArena : fx::cpu::impl::FXPlanArenaBase<PlanArena> {
  void runOnOperation() override {
    for (StringRef name : {"main", "prepare"})
      if (auto func = getOperation().lookupSymbol<func::FuncOp>(name))
        if (!func.isExternal())
          plan(func);
  }

  void plan(func::FuncOp func);
  bool findLifetime(memref::AllocOp alloc, func::FuncOp func,
                    const BufferViewFlowAnalysis &aliases, Interval &interval);
  void addToGroup(OpBuilder &b, Location loc, Buffer buffer, EntrySizes &sizes);
  void rewrite(func::FuncOp func, OpBuilder &b);

  llvm::DenseMap<Operation *, int64_t> steps;
  llvm::MapVector<std::pair<ExprAttr, unsigned>, Group> groups;
};
} // namespace

/// Splits an expression into an integer factor and the remaining factor:
/// 12*s*t is (12, s*t), 4*s + 8 is (4, s + 2). An integer n is (n, 1).
static std::pair<int64_t, ExprAttr> splitContent(ExprAttr expr) {
  MLIRContext *ctx = expr.getContext();
  if (std::optional<int64_t> n = expr.getInteger())
    return {*n, ExprAttr::integer(ctx, 1)};
  if (expr.getKind() == ExprKind::Mul) {
    int64_t factor = 1;
    SmallVector<ExprAttr> rest;
    for (ExprAttr e : expr.getOperands()) {
      auto [n, remains] = splitContent(e);
      if (llvm::MulOverflow(factor, n, factor))
        return {1, expr};
      if (remains.getInteger() != 1)
        rest.push_back(remains);
    }
    ExprAttr product = ExprAttr::mul(ctx, rest);
    return product ? std::make_pair(factor, product)
                   : std::make_pair(int64_t(1), expr);
  }
  if (expr.getKind() == ExprKind::Add) {
    int64_t factor = 0;
    SmallVector<std::pair<int64_t, ExprAttr>> parts;
    for (ExprAttr e : expr.getOperands()) {
      parts.push_back(splitContent(e));
      factor = std::gcd(factor, parts.back().first);
    }
    if (factor <= 1)
      return {1, expr};
    SmallVector<ExprAttr> rest;
    for (auto [n, remains] : parts)
      rest.push_back(
          ExprAttr::mul(ctx, {ExprAttr::integer(ctx, n / factor), remains}));
    if (llvm::is_contained(rest, ExprAttr()))
      return {1, expr};
    ExprAttr sum = ExprAttr::add(ctx, rest);
    return sum ? std::make_pair(factor, sum) : std::make_pair(int64_t(1), expr);
  }
  return {1, expr};
}

/// Sets `interval` to the steps at which the buffer is live. A step is an op of
/// the function's entry block. Returns false if the buffer cannot have one
/// place in the arena: a loop carries it, a parallel loop allocates it, or the
/// function returns it.
bool PlanArena::findLifetime(memref::AllocOp alloc, func::FuncOp func,
                             const BufferViewFlowAnalysis &aliases,
                             Interval &interval) {
  Block &entry = func.front();
  auto values = getAliases(alloc.getResult(), aliases);
  for (Operation *up = alloc->getParentOp(); up != func;
       up = up->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(up);
    if (!loop)
      continue;
    if (isa<scf::ForallOp, scf::ParallelOp>(up))
      return false;
    for (Value v : values) {
      bool result = v.getDefiningOp() == up;
      auto arg = dyn_cast<BlockArgument>(v);
      if (result || (arg && arg.getOwner()->getParentOp() == up))
        return false;
    }
  }
  interval.first = interval.last = steps[entry.findAncestorOpInBlock(*alloc)];
  for (Value v : values)
    for (Operation *user : v.getUsers()) {
      Operation *at = entry.findAncestorOpInBlock(*user);
      if (!at || isa<func::ReturnOp>(user))
        return false;
      interval.last = std::max(interval.last, steps[at]);
    }
  return true;
}

void PlanArena::addToGroup(OpBuilder &b, Location loc, Buffer buffer,
                           EntrySizes &sizes) {
  MemRefType type = buffer.alloc.getType();
  SmallVector<ExprAttr> factors;
  int64_t known = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      known *= size;
  factors.push_back(ExprAttr::integer(&getContext(), known));
  for (Value size : buffer.alloc.getDynamicSizes())
    factors.push_back(sizes.getExpr(size));
  ExprAttr bytes = ExprAttr::mul(&getContext(), factors);
  auto [units, rest] = splitContent(bytes ? bytes : factors[0]);
  if (!bytes || units <= 0) { // overflow, or a negative size such as -s
    units = 1;
    rest = ExprAttr::symbol(&getContext(),
                            ("%bytes" + Twine(groups.size())).str());
  }
  bool isStatic = rest.getInteger() == 1;
  // The size of a static buffer is rounded up. A dynamic unit is rounded up
  // only if `units` does not ensure the alignment.
  bool rounded = !isStatic && units % kAlignment != 0;
  buffer.interval.size = isStatic ? llvm::alignTo(units, kAlignment) : units;
  Group &group = groups[{rest, unsigned(rounded)}];
  group.rounded = rounded;
  if (!group.unit && !isStatic) {
    Value total = computeBytes(b, loc, type, buffer.sizes);
    group.unit = total;
    if (units != 1)
      group.unit = arith::DivUIOp::create(
          b, loc, total, arith::ConstantIndexOp::create(b, loc, units));
    if (rounded) {
      Value up = arith::AddIOp::create(
          b, loc, group.unit,
          arith::ConstantIndexOp::create(b, loc, kAlignment - 1));
      group.unit = arith::AndIOp::create(
          b, loc, up, arith::ConstantIndexOp::create(b, loc, -kAlignment));
    }
  }
  group.buffers.push_back(std::move(buffer));
}

/// Packs each group and replaces the allocations by views of the arena, in
/// which the groups follow one another.
void PlanArena::rewrite(func::FuncOp func, OpBuilder &b) {
  Location loc = func.getLoc();
  int64_t staticBytes = 0;
  Value total;
  SmallVector<std::pair<Group *, Value>> bases;
  for (auto &[key, group] : groups) {
    SmallVector<Interval> intervals;
    for (Buffer &buffer : group.buffers)
      intervals.push_back(buffer.interval);
    int64_t units = packIntervals(intervals);
    for (auto [buffer, interval] : llvm::zip(group.buffers, intervals))
      buffer.interval = interval;
    bases.push_back(
        {&group, total ? total : arith::ConstantIndexOp::create(b, loc, 0)});
    Value bytes = arith::ConstantIndexOp::create(b, loc, units);
    if (group.unit)
      bytes = arith::MulIOp::create(b, loc, bytes, group.unit);
    else
      staticBytes = units;
    total = total ? arith::AddIOp::create(b, loc, total, bytes) : bytes;
  }
  if (!total)
    return;
  bool isStatic = groups.size() == 1 && !groups.front().second.unit;
  func->setAttr("fx.arena_bytes",
                b.getI64IntegerAttr(isStatic ? staticBytes : -1));
  Value arena = callForBytes(b, loc, "fx_rt_arena", total);
  // Create all offsets before allocations are erased: the insertion point may
  // be an allocation.
  SmallVector<std::pair<Buffer *, Value>> places;
  for (auto [group, base] : bases)
    for (Buffer &buffer : group->buffers) {
      Value offset =
          arith::ConstantIndexOp::create(b, loc, buffer.interval.offset);
      if (group->unit)
        offset = arith::MulIOp::create(b, loc, offset, group->unit);
      places.push_back({&buffer, arith::AddIOp::create(b, loc, base, offset)});
    }
  for (auto [buffer, offset] : places) {
    memref::AllocOp alloc = buffer->alloc;
    OpBuilder at(alloc);
    alloc.replaceAllUsesWith(memref::ViewOp::create(at, alloc.getLoc(),
                                                    alloc.getType(), arena,
                                                    offset, buffer->sizes)
                                 .getResult());
    alloc.erase();
    ++numPlanned;
  }
}

void PlanArena::plan(func::FuncOp func) {
  steps.clear();
  groups.clear();
  int64_t step = 0;
  for (Operation &op : func.front())
    steps[&op] = step++;
  BufferViewFlowAnalysis aliases(func);
  EntrySizes sizes(func);
  OpBuilder b = OpBuilder::atBlockBegin(&func.front());
  SmallVector<memref::AllocOp> allocs;
  func.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  for (memref::AllocOp alloc : allocs) {
    Buffer buffer{alloc, {}, {}};
    bool ok = alloc.getType().getLayout().isIdentity() &&
              !alloc.getType().getMemorySpace() &&
              findLifetime(alloc, func, aliases, buffer.interval);
    for (Value size : alloc.getDynamicSizes()) {
      Value made = ok ? sizes.materialize(b, size) : Value();
      ok &= bool(made);
      buffer.sizes.push_back(made);
    }
    if (ok)
      addToGroup(b, alloc.getLoc(), std::move(buffer), sizes);
    else
      ++numLeft;
  }
  rewrite(func, b);
}
