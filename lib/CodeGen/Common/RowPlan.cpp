//===- RowPlan.cpp - the passes of kernels that reduce rows ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/RowPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;

Coords RowPlan::coords(ArrayRef<int> of, const Index &at, bool lane) {
  Coords result;
  for (int label : of)
    result.push_back(label == inner ? Coord{at, lane}
                     : label >= 0   ? Coord{rows[label], false}
                                    : Coord{Index::of(0), false});
  return result;
}

Value RowPlan::combine(KernelCode &code, Operation *op, Value acc, Value x) {
  OperationState state(code.loc, op->getName());
  if (isa<VectorType>(acc.getType()))
    x = code.splat(x);
  state.addOperands({acc, x});
  state.addTypes(acc.getType());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return code.b.create(state)->getResult(0);
}

bool RowPlan::analyse() {
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
  // The loops of the first reduction define the labels.
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
  if (!labels.label(root, loops, ops))
    return false;
  rows.assign(inner, Index());
  // Every reduction must be along the row.
  for (RowReduction &r : reductions)
    for (auto [d, kind] : llvm::enumerate(r.op.getIteratorTypesArray()))
      if ((kind == utils::IteratorType::reduction) !=
          (labels.ofLoops(r.op)[d] == inner))
        return false;
  return true;
}

/// Calls `visit` for the results of generics that `op` reads, directly or
/// through pointwise ops. Does not look through reductions.
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

void RowPlan::plan() {
  // The phase of a reduction follows those of the reductions that it reads.
  DenseMap<Operation *, unsigned> phaseOf;
  for (RowReduction &r : reductions) {
    llvm::SmallPtrSet<Operation *, 8> seen;
    walkOperands(r.op, seen, [&](OpResult v) {
      auto it = phaseOf.find(v.getOwner());
      if (it != phaseOf.end())
        r.phase = std::max(r.phase, it->second + 1);
    });
    phaseOf[r.op] = r.phase;
    numPhases = std::max(numPhases, r.phase + 1);
  }
  // Find the phases that need each pointwise value. The last phase writes the
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
    for (RowReduction &r : reductions)
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
        if (phases.front() < numPhases) {
          storedIn[value] = phases.front();
          storedAt[value] = i;
        }
      }
  // Store an expensive value that is no output in the memory of an output that
  // only the last phase writes. Such an output must have a dimension for each
  // dimension of the rows: otherwise several rows, which may run at the same
  // time, would share its memory.
  auto isOfEachRow = [&](Value v) {
    return llvm::all_of(llvm::seq(inner), [&](int row) {
      return llvm::is_contained(labels.ofTensor(v), row);
    });
  };
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
          out.getType() != value.getType() || !isOfEachRow(out))
        continue;
      taken.erase(i);
      storedIn[value] = phases.front();
      storedAt[value] = i;
      break;
    }
    if (!storedIn.count(value))
      recomputed.push_back({value, phases.front()});
  }
}

SmallVector<std::pair<Value, Buffer>> RowPlan::storesOf(unsigned phase) {
  KernelCode &c = code;
  SmallVector<std::pair<Value, Buffer>> stores;
  for (Operation *op : ops)
    for (Value v : op->getResults())
      if (auto it = storedIn.find(v);
          it != storedIn.end() && it->second == phase)
        stores.push_back({v, kept.count(v)
                                 ? kept[v]
                                 : *c.buffer(c.outputArg(storedAt.at(v)))});
  return stores;
}

SmallVector<Index> RowPlan::sizes() {
  // Take the sizes from the first reduction.
  linalg::GenericOp root = reductions[0].op;
  SmallVector<Index> sizes(inner);
  for (auto [d, label] : llvm::enumerate(labels.ofLoops(root))) {
    if (label == inner)
      innerSize = code.loopSize(root, d);
    else if (label >= 0)
      sizes[label] = code.loopSize(root, d);
  }
  return sizes;
}
