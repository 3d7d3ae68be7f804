//===- EmitRows.cpp - reductions along rows
//---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a row, up to 512, take its runs of elements in turns. A row of
// static size, up to 16 Ki elements, stays in their registers: it is read once,
// and what several passes need is computed once. For other rows each pass reads
// the row again. Passes store nothing but results.
//
// Short rows have fewer threads, and a block computes several rows. The results
// of the threads are combined with shuffles within warps and through shared
// memory between warps.
//
//===----------------------------------------------------------------------===//

#include "../Runs.h"

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

/// The largest number of elements of a row that a thread keeps in registers.
static constexpr int64_t kMaxElements = 32;
/// The number of elements that a thread should have.
static constexpr int64_t kElements = 16;
/// The largest cost (`bodyCost`) of the code of a thread's elements.
static constexpr int64_t kMaxCost = 1024;
/// The runs of a thread in an iteration over a row that registers cannot hold.
static constexpr int64_t kUnroll = 2;
/// The largest number of threads of a row.
static constexpr int64_t kMaxLanes = 512;

namespace {
/// How threads share the work.
struct RowSchedule {
  /// The threads that compute a row, a power of 2.
  int64_t lanes = kThreads;
  /// The runs of a thread, whose elements stay in registers. If it is 0, the
  /// threads iterate over the row.
  int64_t runs = 0;
  /// The rows that a block computes.
  int64_t rows = 1;
  int64_t threads() const { return lanes * rows; }
};

/// The runs of a thread in one iteration.
struct ThreadRuns {
  /// The first element of each run. A run that the row does not have is the
  /// last one of the row.
  SmallVector<Index> first;
  SmallVector<Index> numbers;
  /// Whether each of the runs exists; null if all do.
  SmallVector<Value> exists;
};

struct BlockRows : codegen::RowPlan {
  BlockRows(KernelCode &code, Runs &runs) : RowPlan(code), runs(runs) {}
  Runs &runs;
  RowSchedule schedule;
  Launch *launch = nullptr;
  /// The number of the thread among those of the row, and of runs in a row.
  Index lane, numRuns;
  /// The number of the row and the number of rows if a block may have too many.
  Index row, belowRow = Index::of(-1);

  void emit();
  void chooseSchedule(const Index &numRows);
  ThreadRuns makeRuns(const Index &number, int64_t count);
  Value combineAll(Operation *op, SmallVector<Value> values);
  /// Returns the combination of the values of a reduction in `mine`.
  Value reduce(Scope &scope, RowReduction &r, unsigned i,
               const ThreadRuns &mine);
  void emitPhase(Scope &scope, unsigned phase, const ThreadRuns &kept);
  void emitOutputs(Scope &scope, const ThreadRuns &kept);
  void storeRuns(Scope &scope, ArrayRef<unsigned> outputs,
                 const ThreadRuns &mine);
  Value combineBlock(Operation *op, Value v);
  Coords place(ArrayRef<int> of, const Index &at) {
    return coords(of, at, /*lane=*/false);
  }
};
} // namespace

/// Combines the values `v` of all threads of a row. All threads get the result.
Value BlockRows::combineBlock(Operation *op, Value v) {
  for (int64_t distance = std::min(schedule.lanes, kWarp) / 2; distance > 0;
       distance /= 2)
    v = combine(op, v, shuffleXor(code, v, distance));
  if (schedule.lanes <= kWarp)
    return v;
  OpBuilder &b = code.b;
  Location loc = code.loc;
  // An i1 is stored as a byte.
  Type element = v.getType(),
       stored = element.isInteger(1) ? b.getI8Type() : element;
  // Each reduction has its own memory, so no second barrier is needed.
  Value memory = launch->shared({schedule.threads() / kWarp}, stored);
  Value id = code.materialize(launch->thread), warp = code.constant(kWarp);
  Value inWarp = arith::RemUIOp::create(b, loc, id, warp);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        inWarp, code.constant(0));
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Value mine =
      stored == element ? v : Value(arith::ExtUIOp::create(b, loc, stored, v));
  Value slot = arith::DivUIOp::create(b, loc, id, warp);
  memref::StoreOp::create(b, loc, mine, memory, slot);
  b.setInsertionPointAfter(branch);
  mlir::gpu::BarrierOp::create(b, loc);
  int64_t parts = schedule.lanes / kWarp;
  Index first = Index::of(0);
  if (schedule.rows > 1)
    first = code.mul(code.floorDiv(launch->thread, schedule.lanes),
                     Index::of(parts));
  Value all;
  for (int64_t i = 0; i < parts; ++i) {
    Value part = memref::LoadOp::create(
        b, loc, memory, code.materialize(code.add(first, Index::of(i))));
    if (stored != element)
      part = arith::TruncIOp::create(b, loc, element, part);
    all = all ? combine(op, all, part) : part;
  }
  return all;
}

/// Returns `count` runs of a thread, from the `number`-th one of the row on.
ThreadRuns BlockRows::makeRuns(const Index &number, int64_t count) {
  ThreadRuns mine;
  bool isExact = schedule.runs && numRuns.isStatic() &&
                 numRuns.constant == schedule.lanes * schedule.runs;
  for (int64_t i = 0; i < count; ++i) {
    Index run = code.add(number, Index::of(i * schedule.lanes));
    mine.numbers.push_back(run);
    if (isExact) {
      mine.first.push_back(runs.begin(run));
      mine.exists.push_back(Value());
      continue;
    }
    mine.exists.push_back(arith::CmpIOp::create(
        code.b, code.loc, arith::CmpIPredicate::slt, code.materialize(run),
        code.materialize(numRuns)));
    mine.first.push_back(
        runs.begin(code.min(run, code.sub(numRuns, Index::of(1)))));
  }
  return mine;
}

/// Combines the values pairwise, which shortens the chain of operations.
Value BlockRows::combineAll(Operation *op, SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(combine(op, values[i], values[i + 1]));
    if (values.size() % 2)
      next.push_back(values.back());
    values = next;
  }
  return values.front();
}

Value BlockRows::reduce(Scope &scope, RowReduction &r, unsigned i,
                        const ThreadRuns &mine) {
  kernel::Combiner &combiner = r.combiners[i];
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner.op);
  SmallVector<Value> all;
  for (auto [first, exists] : llvm::zip(mine.first, mine.exists)) {
    SmallVector<Value> values = runs.forElements([&, at = first](int64_t e) {
      return code.evalBody(
          scope, r.op, combiner.input,
          place(labels.ofLoops(r.op), code.add(at, Index::of(e))));
    });
    Value value = combineAll(combiner.op, values);
    if (exists)
      value = arith::SelectOp::create(
          code.b, code.loc, exists, value,
          arith::ConstantOp::create(code.b, code.loc, *neutral));
    all.push_back(value);
  }
  return combineAll(combiner.op, all);
}

void BlockRows::emitPhase(Scope &scope, unsigned phase,
                          const ThreadRuns &kept) {
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
  SmallVector<Value> sums;
  if (schedule.runs) {
    for (auto [r, i] : all)
      sums.push_back(reduce(scope, *r, i, kept));
  } else {
    Scope inner;
    auto loop = code.beginFor(scope, inner, lane, numRuns,
                              schedule.lanes * kUnroll, acc);
    ThreadRuns mine = makeRuns(Index(loop.getInductionVar()), kUnroll);
    SmallVector<Value> next;
    for (auto [slot, entry] : llvm::enumerate(all))
      next.push_back(combine(entry.first->combiners[entry.second].op,
                             loop.getRegionIterArgs()[slot],
                             reduce(inner, *entry.first, entry.second, mine)));
    code.endFor(loop, next);
    llvm::append_range(sums, loop.getResults());
  }
  for (auto [entry, sum] : llvm::zip(all, sums)) {
    auto [r, i] = entry;
    kernel::Combiner &combiner = r->combiners[i];
    Value total = combineBlock(combiner.op, sum);
    OpResult result = r->op->getResult(i);
    Coords where = place(labels.ofTensor(result), Index::of(0));
    Value init = code.eval(scope, r->op.getDpsInits()[i], where);
    code.know(scope, result, where, combine(combiner.op, init, total));
  }
}

/// Evaluates all values, then stores those that exist.
void BlockRows::storeRuns(Scope &scope, ArrayRef<unsigned> outputs,
                          const ThreadRuns &mine) {
  auto coordsFrom = [&](unsigned i, const Index &first) {
    return [&, i, first](int64_t e) {
      return place(labels.ofTensor(code.output(i)),
                   code.add(first, Index::of(e)));
    };
  };
  SmallVector<SmallVector<Value>> values;
  for (const Index &first : mine.first)
    for (unsigned i : outputs)
      values.push_back(runs.eval(scope, code.output(i), coordsFrom(i, first)));
  for (auto [k, first] : llvm::enumerate(mine.first))
    guarded(code, scope,
            {{mine.numbers[k], mine.exists[k] ? numRuns : Index::of(-1)},
             {row, belowRow}},
            [&](Scope &) {
              for (auto [n, i] : llvm::enumerate(outputs))
                runs.store(*code.buffer(code.outputArg(i)),
                           coordsFrom(i, first),
                           values[k * outputs.size() + n]);
            });
}

void BlockRows::emitOutputs(Scope &scope, const ThreadRuns &kept) {
  SmallVector<unsigned> late, once;
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    (isInner(code.output(i)) ? late : once).push_back(i);
  if (!once.empty())
    guarded(
        code, scope, {{lane, Index::of(1)}, {row, belowRow}}, [&](Scope &here) {
          for (unsigned i : once) {
            Coords where = place(labels.ofTensor(code.output(i)), Index::of(0));
            code.store(*code.buffer(code.outputArg(i)), where,
                       code.eval(here, code.output(i), where));
          }
        });
  if (late.empty())
    return;
  if (schedule.runs)
    return storeRuns(scope, late, kept);
  Scope inner;
  auto loop =
      code.beginFor(scope, inner, lane, numRuns, schedule.lanes * kUnroll);
  storeRuns(inner, late, makeRuns(Index(loop.getInductionVar()), kUnroll));
  code.endFor(loop);
}

/// Chooses as many threads for a row as leave each of them enough work, and
/// more of them if there are few rows.
void BlockRows::chooseSchedule(const Index &numRows) {
  int64_t width = runs.width;
  if (numRuns.isStatic() && numRuns.constant > 0) {
    int64_t cost = 1, count = numRuns.constant;
    for (Operation *op : ops)
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        cost += kernel::bodyCost(generic);
    int64_t most =
        std::clamp<int64_t>(kMaxCost / (cost * width), 1, kMaxElements / width);
    auto lanesFor = [&](int64_t each) -> int64_t {
      return llvm::PowerOf2Ceil(llvm::divideCeil(count, each));
    };
    int64_t lanes = lanesFor(most);
    if (lanes <= kMaxLanes) {
      auto each = [&] { return llvm::divideCeil(count, lanes); };
      auto hasFewThreads = [&] {
        return numRows.isStatic() &&
               numRows.constant * lanes < kDeviceThreads / 2;
      };
      while (lanes < kMaxLanes && each() > 1 &&
             (each() * width > kElements || hasFewThreads()))
        lanes *= 2;
      schedule.runs = each();
      schedule.lanes = lanes;
    } else {
      schedule.lanes = kMaxLanes;
    }
  }
  schedule.rows = std::max<int64_t>(1, kThreads / schedule.lanes);
  auto hasFewBlocks = [&] {
    return !numRows.isStatic() ||
           numRows.constant / schedule.rows < 2 * code.machine.multiprocessors;
  };
  while (schedule.threads() > kWarp && schedule.rows > 1 && hasFewBlocks())
    schedule.rows /= 2;
}

void BlockRows::emit() {
  SmallVector<Index> sizes = this->sizes();
  Index numRows = product(code, sizes);
  numRuns = code.floorDiv(innerSize, runs.width);
  if (!innerSize.isStatic() && runs.width > 1)
    runs.require(innerSize, runs.width);
  chooseSchedule(numRows);
  Launch launch(code, code.ceilDiv(numRows, schedule.rows), schedule.threads());
  this->launch = &launch;
  lane = launch.thread;
  row = launch.block;
  if (schedule.rows > 1) {
    SmallVector<Index> at =
        delinearize(code, launch.thread,
                    {Index::of(schedule.rows), Index::of(schedule.lanes)});
    lane = at[1];
    row = code.add(code.mul(launch.block, Index::of(schedule.rows)), at[0]);
    if (!isMultiple(numRows, schedule.rows))
      belowRow = numRows;
  }
  // Threads of rows that do not exist compute the last row: they take part in
  // shuffles and barriers.
  Index valid = belowRow == Index::of(-1)
                    ? row
                    : code.min(row, code.sub(numRows, Index::of(1)));
  rows = delinearize(code, valid, sizes);
  ThreadRuns kept;
  if (schedule.runs)
    kept = makeRuns(lane, schedule.runs);
  for (unsigned phase = 0; phase < numPhases; ++phase)
    emitPhase(launch.scope, phase, kept);
  emitOutputs(launch.scope, kept);
  launch.close();
}

static void emitRows(KernelCode &code) {
  auto plan = [&](BlockRows &e) {
    if (!e.analyse()) {
      code.fail("the reductions do not share their rows");
      return false;
    }
    for (unsigned i = 0; i < code.numOutputs(); ++i)
      if (e.labels.ofTensor(code.output(i)).empty() &&
          cast<RankedTensorType>(code.output(i).getType()).getRank()) {
        code.fail("an output that does not follow the rows");
        return false;
      }
    e.plan();
    return true;
  };
  Runs single(code, /*width=*/1);
  BlockRows first(code, single);
  if (!plan(first))
    return;
  (void)first.sizes(); // sets innerSize
  Runs::emitVersions(code, Runs::chooseWidth(code, first.innerSize),
                     [&](Runs &runs) {
                       BlockRows e(code, runs);
                       if (plan(e))
                         e.emit();
                     });
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
