//===- EmitWindow.cpp - kernels that reduce columns or windows ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes walk a dimension that is not reduced. Long columns are reduced in
// blocks of several vectors, so that each row of a block is several cache
// lines. Windows that slide over an image: SlidingWindow.cpp.
//
//===----------------------------------------------------------------------===//

#include "../Extrema.h"
#include "SlidingWindow.h"
#include "WindowEmitter.h"

#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// Length of a row up to which the lanes walk rows instead of elements.
/// Elements of that many rows are loaded together, and shuffled
/// (KernelCode::load).
static constexpr int64_t kShortRow = 4;
/// Length of a column from which separate accumulators pay off.
static constexpr int64_t kLongColumn = 32;
/// The number of rows from the one in use to the one that is prefetched.
static constexpr int64_t kRowsAhead = 3;
/// Costs of the ops of a kernel up to which memory determines its speed.
static constexpr int64_t kCheap = 4;

bool WindowEmitter::analyse() {
  SmallVector<Operation *> ops;
  for (Operation &op : code.source.getBody().front().without_terminator()) {
    ops.push_back(&op);
    if (auto g = dyn_cast<linalg::GenericOp>(op); g && g.getNumReductionLoops())
      root = g;
  }
  auto matched = root ? matchReduction(root) : std::nullopt;
  if (!matched) {
    code.fail("no reduction");
    return false;
  }
  combiners = *matched;
  SmallVector<int> loops;
  for (unsigned d = 0; d < root.getNumLoops(); ++d)
    loops.push_back(d);
  if (!labels.label(root, loops, ops)) {
    code.fail("the loops of the group do not agree, or are unknown");
    return false;
  }
  return true;
}

Coords WindowEmitter::coords(ArrayRef<int> of) {
  Coords result;
  for (int label : of)
    result.push_back(label < 0 ? Coord{Index::of(0), false}
                               : Coord{at[label], unsigned(label) == lane});
  return result;
}

bool WindowEmitter::findNeutral() {
  for (Combiner &c : combiners) {
    std::optional<TypedAttr> attr = arith::getNeutralElement(c.op);
    if (!attr) {
      code.fail("a reduction without a neutral element");
      return false;
    }
    neutral.push_back(code.splatConstant(*attr));
  }
  return true;
}

void WindowEmitter::choosePrefetches() {
  SmallVector<unsigned> loops;
  root.getReductionDims(loops);
  if (loops.size() != 1 || code.machine.isNEON)
    return;
  reduced = loops.front();
  for (auto op : code.source.getBody().front().getOps<linalg::GenericOp>())
    for (OpOperand *operand : op.getDpsInputOperands())
      choosePrefetch(op, *operand);
}

void WindowEmitter::choosePrefetch(linalg::GenericOp op, OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  const Buffer *buffer = type ? code.buffer(operand.get()) : nullptr;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  ArrayRef<int> labelsOfLoops = labels.ofLoops(op);
  unsigned rank = map.getNumResults();
  if (!buffer || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() || rank < 2 ||
      !map.isProjectedPermutation() || !buffer->strides.back().isStatic(1) ||
      llvm::any_of(
          prefetched,
          [&](const Prefetched &other) { return other.buffer == buffer; }))
    return;
  SmallVector<int> loops;
  for (unsigned d = 0; d < rank; ++d)
    loops.push_back(labelsOfLoops[map.getDimPosition(d)]);
  int64_t bytes = codegen::getElementBytes(type.getElementType());
  if (loops[rank - 1] == int(lane) && loops[rank - 2] == int(reduced) &&
      type.getNumElements() * bytes >= kLeastPrefetched)
    prefetched.push_back({buffer, std::move(loops), bytes});
}

void WindowEmitter::emitPrefetches(int64_t vector) {
  for (const Prefetched &input : prefetched) {
    if (vector * code.lanes * input.bytes % kLine)
      continue;
    Index here = at[reduced];
    at[reduced] = code.add(here, Index::of(kRowsAhead));
    code.prefetch(*input.buffer, coords(input.loops));
    at[reduced] = here;
  }
}

SmallVector<Value> WindowEmitter::reduceColumns(Scope &scope, const Index &base,
                                                int64_t unroll) {
  SmallVector<Value> acc;
  for (int64_t u = 0; u < unroll; ++u)
    llvm::append_range(acc, neutral);
  auto step = [&](Scope &inner, MutableArrayRef<Value> sums) {
    for (int64_t u = 0; u < unroll; ++u) {
      at[lane] = lanesAt(base, u);
      if (unroll > 1)
        emitPrefetches(u);
      combine(inner, sums.slice(u * combiners.size(), combiners.size()));
    }
  };
  if (llvm::none_of(combiners, std::mem_fn(&Combiner::isFloatSum)))
    return code.forReduction(scope, root, at, acc, step);
  return code.forReduction(scope, root, at, acc, step,
                           [&](MutableArrayRef<Value> sums, ValueRange block) {
                             for (auto [n, x] : llvm::enumerate(block))
                               sums[n] = RowPlan::combine(
                                   code, combiners[n % combiners.size()].op,
                                   sums[n], x);
                           });
}

void WindowEmitter::combine(Scope &scope, MutableArrayRef<Value> sums,
                            SetVector<Value> *numbers) {
  Coords all;
  for (unsigned d = 0; d < at.size(); ++d)
    all.push_back({at[d], d == lane});
  for (auto [sum, c] : llvm::zip_equal(sums, combiners)) {
    Value x = code.splat(code.evalBody(scope, root, c.input, all));
    if (numbers)
      numbers->insert(x);
    sum = numbers ? combineNumbers(code, c.op, sum, x)
                  : RowPlan::combine(code, c.op, sum, x);
  }
}

void WindowEmitter::store(Scope &scope, ArrayRef<Value> sums) {
  for (auto [slot, c] : llvm::enumerate(combiners)) {
    OpResult result = root->getResult(slot);
    Coords to = coords(labels.ofTensor(result));
    Value init = code.eval(scope, root.getDpsInits()[slot], to);
    code.know(scope, result, to,
              RowPlan::combine(code, c.op, sums[slot], code.splat(init)));
  }
  for (unsigned i = 0; i < code.numOutputs(); ++i) {
    Coords to = coords(labels.ofTensor(code.output(i)));
    code.store(*code.buffer(code.outputArg(i)), to,
               code.eval(scope, code.output(i), to));
  }
}

void WindowEmitter::emitColumns(Scope &scope, const Index &base,
                                int64_t unroll) {
  SmallVector<Value> acc = reduceColumns(scope, base, unroll);
  for (int64_t u = 0; u < unroll; ++u) {
    at[lane] = lanesAt(base, u);
    store(scope, ArrayRef(acc).slice(u * combiners.size(), combiners.size()));
  }
}

int64_t WindowEmitter::columnLength() {
  SmallVector<unsigned> reduced;
  root.getReductionDims(reduced);
  int64_t length = 1;
  for (unsigned d : reduced) {
    Index size = code.loopSize(root, d);
    length *= size.isStatic() ? size.constant : kLongColumn;
  }
  return length;
}

int64_t WindowEmitter::chooseUnroll() {
  Index width = code.loopSize(root, lane);
  auto clamp = [&](int64_t unroll) {
    while (unroll > 1 && width.isStatic() &&
           width.constant < unroll * code.lanes)
      unroll /= 2;
    return unroll;
  };
  auto schedule = root->getAttrOfType<WindowAttr>(kScheduleAttr);
  if (schedule && schedule.getUnroll())
    return clamp(schedule.getUnroll());
  // The windows of pooling are too short for several accumulators.
  if (columnLength() < kLongColumn)
    return 1;
  int64_t cost = 0;
  for (auto op : code.source.getBody().front().getOps<linalg::GenericOp>())
    cost += bodyCost(op);
  int64_t most = code.machine.registers / 2 / combiners.size();
  return clamp(cost <= kCheap ? std::max<int64_t>(most, kLatency) : kLatency);
}

Index WindowEmitter::emitBlocks(Scope &task, const Index &from,
                                const Index &width, int64_t unroll) {
  int64_t block = unroll * code.lanes;
  Index count = code.floorDiv(code.sub(width, from), block);
  if (unroll <= 1 || (count.isStatic() && count.constant == 0))
    return from;
  Index to = code.add(from, code.mul(count, Index::of(block)));
  Scope inner;
  scf::ForOp loop = code.beginFor(task, inner, from, to, block);
  emitColumns(inner, Index(loop.getInductionVar()), unroll);
  code.endFor(loop);
  return to;
}

Index WindowEmitter::shareColumns(Scope &top, const Index &width,
                                  int64_t unroll) {
  Index block = Index::of(unroll * code.lanes);
  Index count = code.floorDiv(width, block.constant);
  SmallVector<Index> ivs;
  Scope task;
  Operation *forall =
      code.beginForall(top, task, count, ivs, columnLength() * block.constant);
  emitColumns(task, code.mul(ivs[0], block), unroll);
  code.endForall(forall);
  return code.mul(count, block);
}

void WindowEmitter::emit() {
  AffineMap map = root.getIndexingMapMatchingResult(root->getResult(0));
  lane = map.getDimPosition(map.getNumResults() - 1);
  at.assign(root.getNumLoops(), Index::of(0));
  SmallVector<Index> sizes, ivs;
  SmallVector<unsigned> outer;
  for (AffineExpr expr : map.getResults().drop_back()) {
    outer.push_back(cast<AffineDimExpr>(expr).getPosition());
    sizes.push_back(code.loopSize(root, outer.back()));
  }
  if (!findNeutral())
    return;
  if (auto sliding = SlidingWindow::match(*this))
    return sliding->emit();
  choosePrefetches();
  Index width = code.loopSize(root, lane), done = Index::of(0);
  int64_t unroll = chooseUnroll();
  Scope top, task;
  Operation *forall = nullptr;
  bool isOneTask = llvm::all_of(sizes, [](const Index &size) {
    return size.isStatic() && size.constant == 1;
  });
  if (isOneTask) {
    // Threads share the blocks of columns.
    if (unroll > 1 || isRowReduction(root))
      done = shareColumns(top, width, unroll);
    task.parent = &top;
  } else {
    forall = code.beginForall(top, task, sizes, ivs,
                              width.isStatic() ? 8 * width.constant : 0);
    for (auto [d, iv] : llvm::zip(outer, ivs))
      at[d] = iv;
    done = emitBlocks(task, done, width, unroll);
  }
  // What is left has less columns than a block, but may have several vectors.
  done = emitBlocks(task, done, width, std::min(unroll, kLatency));
  code.forVectors(task, done, width, [&](Scope &scope, const Index &base) {
    emitColumns(scope, base, 1);
  });
  if (!isOneTask)
    code.endForall(forall);
}

static void emitWindow(KernelCode &code) {
  WindowEmitter e(code);
  if (e.analyse())
    e.emit();
}

bool fx::cpu::reducesShortRows(func::FuncOp kernel) {
  linalg::GenericOp root = findReduction(kernel);
  if (!root || !isRowReduction(root) || !matchReduction(root))
    return false;
  SmallVector<unsigned> reduced;
  root.getReductionDims(reduced);
  SmallVector<int64_t> ranges = root.getStaticLoopRanges();
  if (ShapedType::isDynamic(ranges[reduced[0]]) ||
      ranges[reduced[0]] > kShortRow)
    return false;
  // The dimension that the lanes walk.
  AffineMap map = root.getIndexingMapMatchingResult(root->getResult(0));
  if (map.getNumResults() == 0)
    return false;
  int lane = map.getDimPosition(map.getNumResults() - 1);
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && generic.getNumReductionLoops() && generic != root)
      return false;
    ops.push_back(&op);
  }
  LoopLabels labels;
  auto loops = llvm::to_vector(llvm::seq<int>(0, root.getNumLoops()));
  if (!labels.label(root, loops, ops))
    return false;
  return llvm::all_of(kernel.getBody().front().getTerminator()->getOperands(),
                      [&](Value out) {
                        ArrayRef<int> dims = labels.ofTensor(out);
                        return !dims.empty() && dims.back() == lane &&
                               !llvm::is_contained(dims, int(reduced[0]));
                      });
}

static std::optional<KernelMatch> matchWindow(func::FuncOp kernel,
                                              const TargetInfo &) {
  linalg::GenericOp root = findReduction(kernel);
  if (!root || (isRowReduction(root) && !reducesShortRows(kernel)))
    return std::nullopt;
  return KernelMatch{root, WindowAttr::get(kernel.getContext(), /*unroll=*/0)};
}

static SmallVector<ScheduleAttrInterface>
listCandidates(const KernelMatch &match, const TargetInfo &target) {
  auto type = cast<RankedTensorType>(match.root->getResult(0).getType());
  int64_t width = type.getRank() ? type.getShape().back() : 1;
  bool slides =
      llvm::any_of(cast<linalg::LinalgOp>(match.root).getIndexingMapsArray(),
                   [](AffineMap map) { return !map.isProjectedPermutation(); });
  SmallVector<ScheduleAttrInterface> candidates;
  for (int64_t unroll : {2, 4, 8, 1})
    if (slides || ShapedType::isDynamic(width) || unroll == 1 ||
        width >= unroll * target.lanes)
      candidates.push_back(WindowAttr::get(match.root->getContext(), unroll));
  return candidates;
}

namespace fx::cpu {
KernelClass getWindowClass() {
  return {WindowAttr::getMnemonic(), /*benefit=*/1, matchWindow, emitWindow,
          listCandidates};
}
} // namespace fx::cpu
