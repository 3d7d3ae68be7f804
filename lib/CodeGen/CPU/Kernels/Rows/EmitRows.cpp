//===- EmitRows.cpp - kernels that reduce rows ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread walks a row in vectors. See RowPlan.h.
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "../Extrema.h"
#include "fx/CodeGen/CPU/Streaming.h"
#include "fx/CodeGen/Common/RowPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// The most bytes of a row of a value that is kept: half of a small first-level
/// cache.
static constexpr int64_t kMostKept = 16 << 10;

/// The bytes from what a pass reads to what it prefetches, in whole rows. On
/// Zen 4, 42 kernels of rows of 128 bytes to 16 KiB take 0.80 to 1.08 of the
/// time that they take if they prefetch the next row (median 0.99), and with
/// 16 KiB 0.73 to 1.08: better for maxima and sums, worse for softmax and
/// norms.
static constexpr int64_t kBytesAhead = 8 << 10;

/// Number of vectors with separate accumulators, to hide the latency, if the
/// schedule gives none.
static constexpr int64_t kUnroll = 4;
/// The same for passes with functions such as exp, whose constants take many
/// registers, on NEON and where there are 16 registers; and for other passes on
/// NEON, whose vectors are short.
static constexpr int64_t kUnrollCostly = 2, kUnrollCheap = 8;
/// The least cost of a costly op (`bodyCost`).
static constexpr int64_t kCostly = 12;

namespace {
/// One pass over the row.
struct RowPass {
  unsigned phase = 0;
  SmallVector<std::pair<Value, Buffer>> stores;
  /// Results of reductions, and the neutral element of each.
  SmallVector<std::pair<RowReduction *, unsigned>> results;
  SmallVector<Value> neutral;
  Combiner &combiner(unsigned slot) const {
    auto [reduction, i] = results[slot];
    return reduction->combiners[i];
  }
};

struct RowEmitter : RowPlan {
  using RowPlan::RowPlan;
  /// Keeps values in memory of the task: expensive ones that no output has room
  /// for, and those in a large output, to which the last pass then stores past
  /// the caches (fx-cpu-stream-outputs).
  void keepValues();
  void keep(Value value);
  bool isStreamed(unsigned output);
  /// Chooses the inputs of which one pass over a row prefetches a later row.
  /// The prefetcher of a CPU stops where a page ends, which is at each row
  /// of 1024 f32 values.
  void choosePrefetches();
  /// Prefetches what that row has at `at`.
  void emitPrefetches(const Index &at);
  /// The number of vectors with separate accumulators. 0: `chooseUnroll`
  /// chooses it for each pass.
  int64_t unroll = 0;
  int64_t chooseUnroll(const RowPass &pass);
  /// Returns the stores and reductions of pass `phase`. Reports an error and
  /// returns none if a reduction has no neutral element.
  std::optional<RowPass> planPass(unsigned phase);
  /// The inputs with the number of elements to the next row.
  SmallVector<std::pair<Value, int64_t>> prefetched;
  /// The pass that prefetches; `numPhases` is the one that writes outputs.
  unsigned prefetchPhase = 0;
  /// Emits one vector of the row at `at`: the stores, then a step of each
  /// reduction. With `numbers`, to which it adds what is combined, maxima and
  /// minima leave NaN out (Extrema.h).
  void emitStep(Scope &scope, const RowPass &pass, const Index &at,
                MutableArrayRef<Value> acc,
                SmallVectorImpl<Value> *numbers = nullptr);
  /// Emits a loop over the full vectors from `from` to `to`. An iteration
  /// handles `unroll` vectors, with separate accumulators.
  void sweep(Scope &row, const RowPass &pass, const Index &from,
             const Index &to, int64_t unroll, SmallVector<Value> &acc);
  /// Emits all vectors of the row; the last one is masked.
  void sweepRow(Scope &row, const RowPass &pass, SmallVector<Value> &acc);
  /// Combines the partial results of one reduction to one vector, by a balanced
  /// tree. `areNumbers`: of a maximum or minimum without NaN.
  Value combineParts(Operation *op, SmallVector<Value> parts, bool areNumbers);
  void emitPhase(Scope &row, unsigned phase);
  void emitRow(Scope &row);
};
} // namespace

std::optional<RowPass> RowEmitter::planPass(unsigned phase) {
  KernelCode &c = code;
  RowPass pass;
  pass.phase = phase;
  pass.stores = storesOf(phase);
  for (RowReduction &r : reductions) {
    if (r.phase != phase)
      continue;
    for (unsigned i = 0; i < r.combiners.size(); ++i) {
      std::optional<TypedAttr> attr =
          arith::getNeutralElement(r.combiners[i].op);
      if (!attr) {
        c.fail("a reduction without a neutral element");
        return std::nullopt;
      }
      pass.neutral.push_back(c.splatConstant(*attr));
      pass.results.push_back({&r, i});
    }
  }
  return pass;
}

void RowEmitter::choosePrefetches() {
  bool writes = llvm::any_of(llvm::seq(code.numOutputs()), [&](unsigned i) {
    return isInner(code.output(i)) && !storedIn.count(code.output(i));
  });
  // The first pass waits for memory already.
  prefetchPhase = numPhases > 1 || writes ? 1 : 0;
  if (!innerSize.isStatic() || code.machine.isNEON)
    return;
  for (BlockArgument input : code.source.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    const Buffer *buffer = type ? code.buffer(input) : nullptr;
    if (!buffer || !type.getElementType().isIntOrFloat() ||
        llvm::any_of(llvm::seq(code.numOutputs()),
                     [&](unsigned i) { return code.outputArg(i) == input; }))
      continue;
    // The rows must follow one another.
    SmallVector<int> present(llvm::make_filter_range(
        labels.ofTensor(input), [](int label) { return label >= 0; }));
    if (!llvm::equal(present, llvm::seq(inner + 1)) ||
        !buffer->strides.back().isStatic(1))
      continue;
    // A boolean is a byte.
    int64_t element = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    int64_t bytes = innerSize.constant * element;
    bool large = !type.hasStaticShape() ||
                 type.getNumElements() * element >= kLeastPrefetched;
    if (bytes >= kLine && bytes <= kMostKept && large)
      prefetched.push_back({input, element});
  }
}

void RowEmitter::emitPrefetches(const Index &at) {
  for (auto [input, bytes] : prefetched) {
    if (at.constant * bytes % kLine)
      continue;
    int64_t row = innerSize.constant * bytes;
    Index ahead =
        Index::of(std::max<int64_t>(1, kBytesAhead / row) * innerSize.constant);
    code.prefetch(*code.buffer(input),
                  coords(labels.ofTensor(input), code.add(at, ahead)));
  }
}

void RowEmitter::emitStep(Scope &scope, const RowPass &pass, const Index &at,
                          MutableArrayRef<Value> acc,
                          SmallVectorImpl<Value> *numbers) {
  KernelCode &c = code;
  for (const auto &[value, memory] : pass.stores) {
    Coords where = coords(labels.ofTensor(value), at);
    Value v = c.splat(c.eval(scope, value, where));
    c.know(scope, value, where, v);
    c.store(memory, where, v);
  }
  for (unsigned slot = 0; slot < pass.results.size(); ++slot) {
    linalg::GenericOp op = pass.results[slot].first->op;
    Combiner &combiner = pass.combiner(slot);
    Value x = c.splat(
        c.evalBody(scope, op, combiner.input, coords(labels.ofLoops(op), at)));
    if (numbers) {
      numbers->push_back(x);
      if (dropsNaN(c, combiner.op)) {
        acc[slot] = combineNumbers(c, combiner.op, acc[slot], x);
        continue;
      }
    }
    Value next = combine(combiner.op, acc[slot], x);
    if (c.mask)
      next = arith::SelectOp::create(c.b, c.loc, c.mask, next, acc[slot]);
    acc[slot] = next;
  }
}

Value RowEmitter::combineParts(Operation *op, SmallVector<Value> parts,
                               bool areNumbers) {
  while (parts.size() > 1) {
    SmallVector<Value> half;
    for (unsigned p = 0; p + 1 < parts.size(); p += 2)
      half.push_back(areNumbers
                         ? combineNumbers(code, op, parts[p], parts[p + 1])
                         : combine(op, parts[p], parts[p + 1]));
    if (parts.size() % 2)
      half.push_back(parts.back());
    parts = half;
  }
  return parts[0];
}

/// Forbids LLVM to unroll a loop with flags of NaN. Without a loop, it loads
/// all of the row first, and spills it: the flags become one long chain of
/// masks.
static void keepRolled(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {},
      {});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation", annotation);
}

void RowEmitter::sweep(Scope &row, const RowPass &pass, const Index &from,
                       const Index &to, int64_t unroll,
                       SmallVector<Value> &acc) {
  KernelCode &c = code;
  size_t numResults = pass.results.size(), numParts = unroll * numResults;
  SmallVector<Value> carried = acc;
  for (int64_t u = 1; u < unroll; ++u)
    llvm::append_range(carried, pass.neutral);
  // The flags of NaN of the maxima and minima follow.
  SmallVector<unsigned> flagged;
  for (unsigned slot = 0; slot < numResults; ++slot)
    if (dropsNaN(c, pass.combiner(slot).op)) {
      flagged.push_back(slot);
      carried.push_back(noFlags(c, acc[slot]));
    }
  Scope scope;
  auto loop = c.beginFor(row, scope, from, to, unroll * c.lanes, carried);
  if (!flagged.empty())
    keepRolled(loop);
  SmallVector<Value> next(loop.getRegionIterArgs()), inputs;
  for (int64_t u = 0; u < unroll; ++u) {
    Index at(loop.getInductionVar(), u * c.lanes);
    emitStep(scope, pass, at,
             MutableArrayRef<Value>(next).slice(u * numResults, numResults),
             &inputs);
    if (pass.phase == prefetchPhase)
      emitPrefetches(at);
  }
  for (auto [i, slot] : llvm::enumerate(flagged))
    for (int64_t u = 0; u < unroll; u += 2)
      next[numParts + i] =
          flagNaN(c, next[numParts + i], inputs[u * numResults + slot],
                  inputs[std::min(u + 1, unroll - 1) * numResults + slot]);
  c.endFor(loop, next);
  for (unsigned slot = 0; slot < numResults; ++slot) {
    Operation *op = pass.combiner(slot).op;
    bool isFlagged = llvm::is_contained(flagged, slot);
    SmallVector<Value> parts;
    for (int64_t u = 0; u < unroll; ++u)
      parts.push_back(loop.getResult(u * numResults + slot));
    acc[slot] = combineParts(op, parts, isFlagged);
  }
  for (auto [i, slot] : llvm::enumerate(flagged))
    acc[slot] = restoreNaN(c, loop.getResult(numParts + i), acc[slot]);
}

static bool isCostly(Value v) {
  auto op = v.getDefiningOp<linalg::GenericOp>();
  return op && bodyCost(op) >= kCostly;
}

int64_t RowEmitter::chooseUnroll(const RowPass &pass) {
  // Costly values are stored by the pass that computes them.
  bool costly = llvm::any_of(
      pass.stores, [](const auto &entry) { return isCostly(entry.first); });
  for (auto [reduction, i] : pass.results)
    costly |= isCostly(reduction->op->getResult(i));
  if (code.machine.isNEON)
    return costly ? kUnrollCostly : kUnrollCheap;
  return costly && code.machine.registers < 32 ? kUnrollCostly : kUnroll;
}

void RowEmitter::sweepRow(Scope &row, const RowPass &pass,
                          SmallVector<Value> &acc) {
  KernelCode &c = code;
  int64_t unroll = this->unroll ? this->unroll : chooseUnroll(pass);
  int64_t L = c.lanes;
  bool fixed = innerSize.isStatic();
  Index done = Index::of(0);
  int64_t block = unroll * L;
  if (unroll > 1 && (!fixed || innerSize.constant >= block)) {
    Index to = c.mul(c.floorDiv(innerSize, block), Index::of(block));
    sweep(row, pass, done, to, unroll, acc);
    done = to;
  }
  Index whole = c.mul(c.floorDiv(innerSize, L), Index::of(L));
  if (!(done == whole)) {
    sweep(row, pass, done, whole, 1, acc);
    done = whole;
  }
  if (!fixed || innerSize.constant % L) {
    // If no lanes are left, the mask is empty: nothing is read or written.
    Scope scope;
    scope.parent = &row;
    c.mask = c.maskBelow(c.sub(innerSize, done));
    emitStep(scope, pass, done, acc);
    c.mask = Value();
  }
}

void RowEmitter::emitPhase(Scope &row, unsigned phase) {
  KernelCode &c = code;
  std::optional<RowPass> pass = planPass(phase);
  if (!pass)
    return;
  SmallVector<Value> acc = pass->neutral;
  sweepRow(row, *pass, acc);
  for (auto &[value, memory] : pass->stores)
    c.setBuffer(value, memory);
  for (auto [slot, entry] : llvm::enumerate(pass->results)) {
    auto [r, i] = entry;
    Combiner &combiner = r->combiners[i];
    Value sum = dropsNaN(c, combiner.op)
                    ? reduceLanes(c, combiner.op, acc[slot])
                    : vector::ReductionOp::create(
                          c.b, c.loc, getCombiningKind(combiner.op), acc[slot],
                          arith::FastMathFlags::reassoc);
    OpResult result = r->op->getResult(i);
    Coords where = coords(labels.ofTensor(result), Index::of(0));
    Value init = c.eval(row, r->op.getDpsInits()[i], where);
    c.know(row, result, where, combine(combiner.op, init, sum));
  }
}

bool RowEmitter::isStreamed(unsigned i) {
  auto type = cast<RankedTensorType>(code.output(i).getType());
  return type.hasStaticShape() && innerSize.constant % code.lanes == 0 &&
         type.getNumElements() * type.getElementTypeBitWidth() / 8 >=
             kLeastStreamedBytes;
}

void RowEmitter::keepValues() {
  auto fits = [&](Value v) {
    Type type = getElementTypeOrSelf(v);
    return innerSize.isStatic() && type.isIntOrFloat() &&
           innerSize.constant * type.getIntOrFloatBitWidth() / 8 <= kMostKept;
  };
  for (auto [value, phase] : recomputed)
    if (fits(value)) {
      storedIn[value] = phase;
      keep(value);
    }
  for (Operation *op : ops)
    for (Value value : op->getResults())
      if (auto it = storedAt.find(value); it != storedAt.end() &&
                                          value != code.output(it->second) &&
                                          fits(value) && isStreamed(it->second))
        keep(value);
}

void RowEmitter::keep(Value value) {
  KernelCode &c = code;
  // i1 is stored as i8.
  Type element = getElementTypeOrSelf(value);
  auto type = MemRefType::get({innerSize.constant},
                              element.isInteger(1) ? c.b.getI8Type() : element);
  Buffer buffer;
  buffer.flat =
      memref::AllocaOp::create(c.b, c.loc, type, c.b.getI64IntegerAttr(64));
  buffer.element = element;
  for (int label : labels.ofTensor(value))
    buffer.strides.push_back({label == inner, Value()});
  kept[value] = buffer;
}

void RowEmitter::emitRow(Scope &row) {
  keepValues();
  choosePrefetches();
  for (unsigned phase = 0; phase < numPhases; ++phase)
    emitPhase(row, phase);
  SmallVector<unsigned> late;
  for (unsigned i = 0; i < code.numOutputs(); ++i) {
    Value out = code.output(i);
    if (storedIn.count(out))
      continue;
    if (isInner(out)) {
      late.push_back(i);
      continue;
    }
    Coords where = coords(labels.ofTensor(out), Index::of(0));
    code.store(*code.buffer(code.outputArg(i)), where,
               code.eval(row, out, where));
  }
  if (late.empty())
    return;
  bool unrolls = code.machine.isNEON && llvm::none_of(late, [&](unsigned i) {
                   return isCostly(code.output(i));
                 });
  bool fetches = prefetchPhase == numPhases && !prefetched.empty();
  code.forVectors(
      row, Index::of(0), innerSize,
      [&](Scope &scope, const Index &at) {
        SmallVector<Value> values;
        for (unsigned i : late)
          values.push_back(
              code.eval(scope, code.output(i),
                        coords(labels.ofTensor(code.output(i)), at)));
        for (auto [i, value] : llvm::zip(late, values))
          code.store(*code.buffer(code.outputArg(i)),
                     coords(labels.ofTensor(code.output(i)), at), value);
        if (fetches && !code.mask)
          emitPrefetches(at);
      },
      unrolls || fetches ? kUnroll : 1);
}

static void emitRows(KernelCode &code) {
  RowEmitter e(code);
  if (!e.analyse())
    return code.fail("the reductions do not share their rows");
  for (unsigned i = 0; i < code.numOutputs(); ++i) {
    // An output of rank 0 has no dimensions to label.
    auto type = cast<RankedTensorType>(code.output(i).getType());
    if (type.getRank() > 0 && e.labels.ofTensor(code.output(i)).empty())
      return code.fail("an output that does not follow the rows");
  }
  auto schedule = e.reductions[0].op->getAttrOfType<RowsAttr>(kScheduleAttr);
  if (schedule && schedule.getUnroll())
    e.unroll = schedule.getUnroll();
  e.plan();
  SmallVector<Index> sizes = e.sizes();
  Scope top, row;
  int64_t work = e.innerSize.isStatic() ? 4 * e.innerSize.constant : 0;
  Operation *forall = code.beginForall(top, row, sizes, e.rows, work);
  e.emitRow(row);
  code.endForall(forall);
}

linalg::GenericOp fx::cpu::findReduction(func::FuncOp kernel) {
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops())
      return op;
  return {};
}

static std::optional<KernelMatch> matchRows(func::FuncOp kernel,
                                            const TargetInfo &) {
  linalg::GenericOp root = findReduction(kernel);
  if (!root || !isRowReduction(root) || reducesShortRows(kernel))
    return std::nullopt;
  return KernelMatch{root, RowsAttr::get(kernel.getContext(), /*unroll=*/0)};
}

static SmallVector<ScheduleAttrInterface>
listCandidates(const KernelMatch &match, const TargetInfo &target) {
  auto root = cast<linalg::GenericOp>(match.root);
  SmallVector<unsigned> reduced;
  root.getReductionDims(reduced);
  int64_t size = root.getStaticLoopRanges()[reduced[0]];
  SmallVector<ScheduleAttrInterface> candidates;
  for (int64_t unroll : {2, 8, 1})
    if (ShapedType::isDynamic(size) || size >= unroll * target.lanes)
      candidates.push_back(RowsAttr::get(root.getContext(), unroll));
  return candidates;
}

namespace fx::cpu {
KernelClass getRowsClass() {
  return {RowsAttr::getMnemonic(), /*benefit=*/1, matchRows, emitRows,
          listCandidates};
}
} // namespace fx::cpu
