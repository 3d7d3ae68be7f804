//===- EmitRows.cpp - kernels that reduce rows -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softmax, layer_norm and their like: for every row, some passes over it. A
// pass computes all reductions that need nothing of a later one. What several
// passes need and is dear to compute is stored by the first that needs it, in
// the row of an output.
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"
#include "KernelCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <deque>

using namespace mlir;
using namespace fx::cpu;

/// Vectors whose partial results are kept apart, to hide the latency.
static constexpr int64_t kUnroll = 4;

namespace {
struct Reduction {
  linalg::GenericOp op;
  SmallVector<Combiner> combiners;
  unsigned phase = 0;
};

struct RowEmitter {
  KernelCode &code;
  SmallVector<Operation *> ops;
  LoopLabels labels;
  SmallVector<Reduction> reductions;
  int inner = 0; // the label of the row's dimension; rows have smaller ones
  Index innerSize;
  SmallVector<Index> rows;
  unsigned numPhases = 0;
  // What a phase stores: values by phase.
  DenseMap<Value, unsigned> storedIn;

  explicit RowEmitter(KernelCode &code) : code(code), labels(true) {}
  bool analyse();
  void plan();
  void emitPhase(Scope &row, unsigned phase);
  void emitRow(Scope &row);
  Coords coords(ArrayRef<int> of, const Index &at, bool lane = true);
  bool isInner(Value v) {
    return llvm::is_contained(labels.ofTensor(v), inner);
  }
  Value combine(Operation *op, Value acc, Value x);
};
} // namespace

Coords RowEmitter::coords(ArrayRef<int> of, const Index &at, bool lane) {
  Coords result;
  for (int label : of)
    result.push_back(label == inner ? Coord{at, lane}
                     : label >= 0   ? Coord{rows[label], false}
                                    : Coord{Index::of(0), false});
  return result;
}

Value RowEmitter::combine(Operation *op, Value acc, Value x) {
  OperationState state(code.loc, op->getName());
  if (isa<VectorType>(acc.getType()))
    x = code.splat(x);
  state.addOperands({acc, x});
  state.addTypes(acc.getType());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return code.b.create(state)->getResult(0);
}

bool RowEmitter::analyse() {
  for (Operation &op : code.source.getBody().front().without_terminator()) {
    ops.push_back(&op);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || generic.getNumReductionLoops() == 0)
      continue;
    auto combiners = matchReduction(generic);
    if (!combiners)
      return false;
    reductions.push_back({generic, *combiners});
  }
  if (reductions.empty())
    return false;
  // The first reduction names the rows.
  linalg::GenericOp root = reductions[0].op;
  SmallVector<int> loops(root.getNumLoops(), LoopLabels::kUnit);
  int next = 0;
  SmallVector<int64_t> ranges = root.getStaticLoopRanges();
  for (auto [d, kind] : llvm::enumerate(root.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel && ranges[d] != 1)
      loops[d] = next++;
  inner = next;
  for (auto [d, kind] : llvm::enumerate(root.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      loops[d] = inner;
  labels.setRoot(root, loops);
  if (!labels.propagate(ops))
    return false;
  rows.assign(inner, Index());
  for (Operation *op : ops)
    if (isa<linalg::GenericOp>(op) && !labels.isComplete(op))
      return false;
  // Every reduction is along the row.
  for (Reduction &r : reductions)
    for (auto [d, kind] : llvm::enumerate(r.op.getIteratorTypesArray()))
      if ((kind == utils::IteratorType::reduction) !=
          (labels.ofLoops(r.op)[d] == inner))
        return false;
  return true;
}

/// Calls `visit` for the values made in the group that `value`'s op reads,
/// through pointwise ops; stops at reductions.
static void walkOperands(linalg::GenericOp op,
                         llvm::SmallPtrSetImpl<Operation *> &seen,
                         llvm::function_ref<void(OpResult)> visit) {
  for (Value operand : op->getOperands()) {
    auto result = dyn_cast<OpResult>(operand);
    if (!result)
      continue;
    auto def = dyn_cast<linalg::GenericOp>(result.getOwner());
    if (!def)
      continue;
    visit(result);
    if (def.getNumReductionLoops() == 0 && seen.insert(def).second)
      walkOperands(def, seen, visit);
  }
}

void RowEmitter::plan() {
  // A reduction's phase follows those it depends on.
  DenseMap<Operation *, unsigned> phaseOf;
  for (Reduction &r : reductions) {
    llvm::SmallPtrSet<Operation *, 8> seen;
    walkOperands(r.op, seen, [&](OpResult v) {
      auto it = phaseOf.find(v.getOwner());
      if (it != phaseOf.end())
        r.phase = std::max(r.phase, it->second + 1);
    });
    phaseOf[r.op] = r.phase;
    numPhases = std::max(numPhases, r.phase + 1);
  }
  // In which phases each pointwise value is needed; the last one writes the
  // outputs.
  llvm::MapVector<Value, SmallVector<unsigned>> needed;
  auto need = [&](Value v, unsigned phase) {
    auto &phases = needed[v];
    if (!llvm::is_contained(phases, phase))
      phases.push_back(phase);
  };
  auto needAll = [&](OpResult v, unsigned phase) {
    auto def = cast<linalg::GenericOp>(v.getOwner());
    if (def.getNumReductionLoops() == 0 && isInner(v))
      need(v, phase);
  };
  for (unsigned phase = 0; phase <= numPhases; ++phase) {
    llvm::SmallPtrSet<Operation *, 8> seen;
    for (Reduction &r : reductions)
      if (r.phase == phase)
        walkOperands(r.op, seen, [&](OpResult v) { needAll(v, phase); });
    if (phase == numPhases)
      for (unsigned i = 0; i < code.numOutputs(); ++i)
        if (auto v = dyn_cast<OpResult>(code.output(i)))
          if (auto def = dyn_cast<linalg::GenericOp>(v.getOwner());
              def && def.getNumReductionLoops() == 0) {
            needAll(v, phase);
            if (seen.insert(def).second)
              walkOperands(def, seen, [&](OpResult w) { needAll(w, phase); });
          }
  }
  llvm::SmallDenseSet<unsigned> taken;
  for (auto &[value, phases] : needed)
    for (unsigned i = 0; i < code.numOutputs(); ++i)
      if (code.output(i) == value) {
        taken.insert(i);
        if (phases.front() < numPhases)
          storedIn[value] = phases.front();
      }
  // Dear values that are no output borrow the row of an output that the last
  // phase alone writes.
  for (auto &[value, phases] : needed) {
    if (storedIn.count(value) || phases.size() < 2)
      continue;
    auto def = value.getDefiningOp<linalg::GenericOp>();
    if (bodyCost(def) < 8)
      continue;
    for (unsigned i = 0; i < code.numOutputs(); ++i) {
      Value out = code.output(i);
      if (value == out || storedIn.count(out) || !taken.contains(i) ||
          labels.ofTensor(out) != labels.ofTensor(value) ||
          out.getType() != value.getType())
        continue;
      taken.erase(i);
      storedIn[value] = phases.front();
      break;
    }
  }
}

void RowEmitter::emitPhase(Scope &row, unsigned phase) {
  KernelCode &c = code;
  SmallVector<Reduction *> active;
  for (Reduction &r : reductions)
    if (r.phase == phase)
      active.push_back(&r);
  SmallVector<std::pair<Value, Buffer>> stores;
  llvm::SmallDenseSet<Value> targets;
  for (Operation *op : ops)
    for (Value v : op->getResults())
      if (auto it = storedIn.find(v);
          it != storedIn.end() && it->second == phase) {
        unsigned out = 0;
        bool isOutput = false;
        for (unsigned i = 0; i < c.numOutputs(); ++i)
          if (c.output(i) == v) {
            out = i;
            isOutput = true;
          }
        for (unsigned i = 0; i < c.numOutputs() && !isOutput; ++i)
          if (!storedIn.count(c.output(i)) &&
              c.output(i).getType() == v.getType() &&
              labels.ofTensor(c.output(i)) == labels.ofTensor(v) &&
              targets.insert(c.output(i)).second) {
            out = i;
            break;
          }
        stores.push_back({v, *c.buffer(c.outputArg(out))});
      }

  SmallVector<Value> neutral; // one for each combiner
  SmallVector<std::pair<Reduction *, unsigned>> all;
  for (Reduction *r : active)
    for (unsigned i = 0; i < r->combiners.size(); ++i) {
      std::optional<TypedAttr> attr =
          arith::getNeutralElement(r->combiners[i].op);
      if (!attr)
        return c.fail("a reduction without a neutral element");
      neutral.push_back(c.splatConstant(*attr));
      all.push_back({r, i});
    }

  // One vector of the row: stores, then every reduction's step.
  auto step = [&](Scope &scope, const Index &at, MutableArrayRef<Value> acc) {
    for (auto &[value, memory] : stores) {
      Coords where = coords(labels.ofTensor(value), at);
      Value v = c.splat(c.eval(scope, value, where));
      c.know(scope, value, where, v);
      c.store(memory, where, v);
    }
    for (auto [slot, entry] : llvm::enumerate(all)) {
      auto [r, i] = entry;
      Combiner &combiner = r->combiners[i];
      Value x = c.splat(c.evalBody(scope, r->op, combiner.input,
                                   coords(labels.ofLoops(r->op), at)));
      Value next = combine(combiner.op, acc[slot], x);
      if (c.mask)
        next = arith::SelectOp::create(c.b, c.loc, c.mask, next, acc[slot]);
      acc[slot] = next;
    }
  };

  int64_t L = c.lanes;
  bool fixed = innerSize.isStatic();
  Index done = Index::of(0);
  SmallVector<Value> acc = neutral;
  auto sweep = [&](const Index &from, const Index &to, int64_t unroll) {
    SmallVector<Value> carried;
    for (int64_t u = 0; u < unroll; ++u)
      llvm::append_range(carried, u == 0 ? acc : neutral);
    Scope scope;
    auto loop = c.beginFor(row, scope, from, to, unroll * L, carried);
    SmallVector<Value> next(loop.getRegionIterArgs());
    for (int64_t u = 0; u < unroll; ++u)
      step(scope, Index(loop.getInductionVar(), u * L),
           MutableArrayRef<Value>(next).slice(u * all.size(), all.size()));
    c.endFor(loop, next);
    for (unsigned slot = 0; slot < all.size(); ++slot) {
      SmallVector<Value> parts;
      for (int64_t u = 0; u < unroll; ++u)
        parts.push_back(loop.getResult(u * all.size() + slot));
      while (parts.size() > 1) {
        SmallVector<Value> half;
        for (unsigned p = 0; p + 1 < parts.size(); p += 2)
          half.push_back(combine(all[slot].first->combiners[all[slot].second].op,
                                 parts[p], parts[p + 1]));
        if (parts.size() % 2)
          half.push_back(parts.back());
        parts = half;
      }
      acc[slot] = parts[0];
    }
  };
  if (!fixed || innerSize.constant >= kUnroll * L) {
    Index to = c.mul(c.floorDiv(innerSize, kUnroll * L), Index::of(kUnroll * L));
    sweep(done, to, kUnroll);
    done = to;
  }
  Index whole = c.mul(c.floorDiv(innerSize, L), Index::of(L));
  if (!(done == whole)) {
    sweep(done, whole, 1);
    done = whole;
  }
  if (!fixed || innerSize.constant % L) {
    // With no lanes left nothing is read or written.
    Scope scope;
    scope.parent = &row;
    c.mask = c.maskBelow(c.sub(innerSize, done));
    step(scope, done, acc);
    c.mask = Value();
  }
  for (auto &[value, memory] : stores)
    c.setBuffer(value, memory);
  for (auto [slot, entry] : llvm::enumerate(all)) {
    auto [r, i] = entry;
    Combiner &combiner = r->combiners[i];
    Value sum = vector::ReductionOp::create(
        c.b, c.loc, getCombiningKind(combiner.op), acc[slot],
        arith::FastMathFlags::reassoc);
    OpResult result = r->op->getResult(i);
    Coords where = coords(labels.ofTensor(result), Index::of(0));
    Value init = c.eval(row, r->op.getDpsInits()[i], where);
    c.know(row, result, where, combine(combiner.op, init, sum));
  }
}

void RowEmitter::emitRow(Scope &row) {
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
  code.forVectors(row, Index::of(0), innerSize,
                  [&](Scope &scope, const Index &at) {
    SmallVector<Value> values;
    for (unsigned i : late)
      values.push_back(code.eval(scope, code.output(i),
                                 coords(labels.ofTensor(code.output(i)), at)));
    for (auto [i, value] : llvm::zip(late, values))
      code.store(*code.buffer(code.outputArg(i)),
                 coords(labels.ofTensor(code.output(i)), at), value);
  });
}

void fx::cpu::emitRows(KernelCode &code) {
  RowEmitter e(code);
  if (!e.analyse())
    return code.fail("the reductions do not share their rows");
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    if (e.labels.ofTensor(code.output(i)).empty())
      return code.fail("an output that does not follow the rows");
  e.plan();
  // Sizes of the rows, from the first reduction.
  linalg::GenericOp root = e.reductions[0].op;
  SmallVector<Index> sizes(e.inner);
  for (auto [d, label] : llvm::enumerate(e.labels.ofLoops(root))) {
    if (label == e.inner)
      e.innerSize = code.loopSize(root, d);
    else if (label >= 0)
      sizes[label] = code.loopSize(root, d);
  }
  Scope top, row;
  int64_t work = e.innerSize.isStatic() ? 4 * e.innerSize.constant : 0;
  Operation *forall = code.beginForall(top, row, sizes, e.rows, work);
  e.emitRow(row);
  code.endForall(forall);
}

//===----------------------------------------------------------------------===//
// Windows: the lanes walk a dimension that is kept.
//===----------------------------------------------------------------------===//

void fx::cpu::emitWindow(KernelCode &code) {
  SmallVector<Operation *> ops;
  linalg::GenericOp root;
  for (Operation &op : code.source.getBody().front().without_terminator()) {
    ops.push_back(&op);
    if (auto g = dyn_cast<linalg::GenericOp>(op); g && g.getNumReductionLoops())
      root = g;
  }
  auto combiners = root ? matchReduction(root) : std::nullopt;
  if (!combiners)
    return code.fail("no reduction");
  LoopLabels labels;
  SmallVector<int> loops;
  for (unsigned d = 0; d < root.getNumLoops(); ++d)
    loops.push_back(d);
  labels.setRoot(root, loops);
  if (!labels.propagate(ops))
    return code.fail("the loops of the group do not agree");
  for (Operation *op : ops)
    if (isa<linalg::GenericOp>(op) && !labels.isComplete(op))
      return code.fail("a loop of the group is unknown");

  AffineMap map = root.getIndexingMapMatchingResult(root->getResult(0));
  unsigned lane = map.getDimPosition(map.getNumResults() - 1);
  SmallVector<Index> at(root.getNumLoops(), Index::of(0)), sizes, ivs;
  SmallVector<unsigned> outer;
  for (AffineExpr expr : map.getResults().drop_back()) {
    outer.push_back(cast<AffineDimExpr>(expr).getPosition());
    sizes.push_back(code.loopSize(root, outer.back()));
  }
  Scope top, task;
  Index width = code.loopSize(root, lane);
  Operation *forall = code.beginForall(
      top, task, sizes, ivs, width.isStatic() ? 8 * width.constant : 0);
  for (auto [d, iv] : llvm::zip(outer, ivs))
    at[d] = iv;
  auto where = [&](ArrayRef<int> of) {
    Coords result;
    for (int label : of)
      result.push_back(label < 0 ? Coord{Index::of(0), false}
                                 : Coord{at[label], unsigned(label) == lane});
    return result;
  };
  SmallVector<unsigned> reduced;
  root.getReductionDims(reduced);
  RowEmitter helper(code);
  code.forVectors(task, Index::of(0), code.loopSize(root, lane),
                  [&](Scope &scope, const Index &base) {
    at[lane] = base;
    SmallVector<Value> acc;
    for (Combiner &c : *combiners) {
      auto neutral = arith::getNeutralElement(c.op);
      if (!neutral)
        return code.fail("a reduction without a neutral element");
      acc.push_back(code.splatConstant(*neutral));
    }
    SmallVector<scf::ForOp> nest;
    std::deque<Scope> scopes;
    Scope *current = &scope;
    for (unsigned d : reduced) {
      Index size = code.loopSize(root, d);
      if (size == Index::of(1)) {
        at[d] = Index::of(0);
        continue;
      }
      scopes.emplace_back();
      auto loop = code.beginFor(*current, scopes.back(), Index::of(0), size, 1,
                                acc);
      at[d] = Index(loop.getInductionVar());
      acc.assign(loop.getRegionIterArgs().begin(),
                 loop.getRegionIterArgs().end());
      nest.push_back(loop);
      current = &scopes.back();
    }
    Coords all;
    for (unsigned d = 0; d < at.size(); ++d)
      all.push_back({at[d], d == lane});
    for (auto [slot, c] : llvm::enumerate(*combiners))
      acc[slot] = helper.combine(
          c.op, acc[slot],
          code.splat(code.evalBody(*current, root, c.input, all)));
    for (scf::ForOp loop : llvm::reverse(nest)) {
      code.endFor(loop, acc);
      acc.assign(loop.getResults().begin(), loop.getResults().end());
    }
    for (auto [slot, c] : llvm::enumerate(*combiners)) {
      OpResult result = root->getResult(slot);
      Coords to = where(labels.ofTensor(result));
      Value init = code.eval(scope, root.getDpsInits()[slot], to);
      code.know(scope, result, to,
                helper.combine(c.op, acc[slot], code.splat(init)));
    }
    for (unsigned i = 0; i < code.numOutputs(); ++i) {
      Coords to = where(labels.ofTensor(code.output(i)));
      code.store(*code.buffer(code.outputArg(i)), to,
                 code.eval(scope, code.output(i), to));
    }
  });
  code.endForall(forall);
}
