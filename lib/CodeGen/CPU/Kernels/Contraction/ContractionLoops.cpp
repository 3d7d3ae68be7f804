//===- ContractionLoops.cpp - what a contraction walks, and how -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

using namespace mlir;
using namespace fx::cpu;

bool ContractionEmitter::addLeftStrides(unsigned d, AffineExpr expr,
                                        int64_t factor) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    unsigned loop = dim.getPosition();
    if (isUnit(loop))
      return true;
    Stride s = code.scale(a->strides[d], factor);
    Stride &mine = aStride[loop];
    if (mine.isStatic(0))
      mine = s;
    else if (mine.value == s.value)
      mine.constant += s.constant;
    else
      return false;
    return true;
  }
  if (auto c = dyn_cast<AffineConstantExpr>(expr)) {
    aBase = code.add(aBase,
                     code.mul(Index::of(c.getValue() * factor), a->strides[d]));
    return true;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add) {
    bool left = addLeftStrides(d, binary.getLHS(), factor);
    bool right = addLeftStrides(d, binary.getRHS(), factor);
    return left && right;
  }
  return addLeftStrides(
      d, binary.getLHS(),
      factor * cast<AffineConstantExpr>(binary.getRHS()).getValue());
}

bool ContractionEmitter::packedStrides(UnpackOp unpack) {
  packed = true;
  nibbles = unpack.getNibbles();
  b = code.buffer(unpack.getSource());
  byteQuads =
      info.hasByteWeights() && !nibbles && unpack.getInnerDimsPos().size() == 2;
  pairs = isPackedInPairs(info);
  if (!b || (pairs && !tiles && !hasDots()) ||
      unpack.getInnerDimsPos().size() != (depth() > 1 ? 2 : 1) ||
      unpack.getInnerTiles()[0] != panel())
    return false;
  AffineMap map = info.rhsMap();
  if (depth() > 1) {
    // `depth` terms at a time must be contiguous in both operands.
    quadLoop = map.getDimPosition(unpack.getInnerDimsPos()[1]);
    int64_t size = info.op.getStaticLoopRanges()[*quadLoop];
    if (unpack.getInnerTiles()[1] != innerTerms() ||
        ShapedType::isDynamic(size) || size % depth() ||
        !aStride[*quadLoop].isStatic(1))
      return false;
  }
  for (auto [q, d] : llvm::enumerate(unpack.getOuterDimsPerm()))
    bStride[map.getDimPosition(d)] = b->strides[q];
  if (map.getDimPosition(unpack.getInnerDimsPos()[0]) != nLoop)
    return false;
  panelStride = bStride[nLoop];
  return !info.groupSize || scaleStrides();
}

bool ContractionEmitter::strides() {
  unsigned numLoops = info.op.getNumLoops();
  aStride.assign(numLoops, Stride());
  bStride.assign(numLoops, Stride());
  a = code.buffer(info.lhs());
  if (!a)
    return false;
  // An index is a sum of loops times constants: each loop gets its stride.
  for (auto [d, expr] : llvm::enumerate(info.lhsMap().getResults()))
    if (!addLeftStrides(d, expr, 1))
      return false;
  nLoop = info.lastN();
  if (auto unpack = info.rhs().getDefiningOp<UnpackOp>())
    return packedStrides(unpack);
  b = code.buffer(info.rhs());
  if (!b || info.isInteger() || info.hasByteWeights() || info.groupSize)
    return false;
  AffineMap map = info.rhsMap();
  for (auto [d, stride] : llvm::enumerate(b->strides))
    bStride[map.getDimPosition(d)] = stride;
  if (!bStride[nLoop].isStatic(1))
    return false;
  panelStride = Stride{panel(), Value()};
  return true;
}

bool ContractionEmitter::scaleStrides() {
  auto unpack = info.scales().getDefiningOp<UnpackOp>();
  t = unpack ? code.buffer(unpack.getSource()) : nullptr;
  AffineMap map = info.scalesMap();
  unsigned groups = map.getNumResults() - 1;
  ArrayRef<int64_t> perm =
      unpack ? unpack.getOuterDimsPerm() : ArrayRef<int64_t>();
  if (!t || perm.size() != map.getNumResults() ||
      unpack.getInnerDimsPos().size() != 1 ||
      unpack.getInnerTiles()[0] != panel() ||
      map.getResult(unpack.getInnerDimsPos()[0]) !=
          code.b.getAffineDimExpr(nLoop))
    return false;
  tStride.assign(info.op.getNumLoops(), Stride());
  for (auto [q, d] : llvm::enumerate(perm)) {
    if (d == groups)
      groupStride = t->strides[q];
    else
      tStride[map.getDimPosition(d)] = t->strides[q];
  }
  return true;
}

bool ContractionEmitter::canMergeRows(unsigned first, unsigned second) {
  // The left operand needs adjacent dimensions, or strides that match.
  bool plain = false;
  AffineMap map = info.lhsMap();
  for (unsigned d = 0; d + 1 < map.getNumResults(); ++d)
    plain |= map.getResult(d) == code.b.getAffineDimExpr(first) &&
             map.getResult(d + 1) == code.b.getAffineDimExpr(second);
  const Stride &s1 = aStride[first], &s2 = aStride[second];
  if (!plain && !(mSize.isStatic() && !s1.value && !s2.value &&
                  s1.constant == mSize.constant * s2.constant))
    return false;
  // The result needs adjacent dimensions, and so do the tensors that the other
  // ops read or write.
  AffineMap result = info.resultMap();
  bool adjacent = false;
  for (unsigned d = 0; d + 1 < result.getNumResults(); ++d)
    adjacent |= result.getDimPosition(d) == first &&
                result.getDimPosition(d + 1) == second;
  SmallVector<Operation *> others;
  for (Operation *op : ops)
    if (op != info.op)
      others.push_back(op);
  return adjacent && canMergeLabels(others, labels, first, second);
}

void ContractionEmitter::chooseRows(SmallVectorImpl<unsigned> &ms) {
  if (ms.empty())
    return;
  mLoop = ms.pop_back_val();
  mSize = code.loopSize(info.op, *mLoop);
  if (ms.empty() || !canMergeRows(ms.back(), *mLoop))
    return;
  mMerged = ms.pop_back_val();
  mSize = code.mul(mSize, code.loopSize(info.op, *mMerged));
}

void ContractionEmitter::chooseReductions() {
  // Loops that both operands walk as one are merged.
  SmallVector<unsigned> ks;
  for (unsigned loop : info.k)
    if (!isUnit(loop))
      ks.push_back(loop);
  llvm::stable_sort(ks, [&](unsigned x, unsigned y) {
    const Stride &p = aStride[x], &q = aStride[y];
    if (bool(p.value) != bool(q.value))
      return bool(p.value);
    return p.constant > q.constant;
  });
  for (unsigned loop : ks) {
    ReductionLoop r{code.loopSize(info.op, loop), aStride[loop], bStride[loop]};
    if (loop == quadLoop) {
      r.size.constant /= depth();
      r.a.constant = depth();
    }
    if (!reductions.empty() && r.size.isStatic()) {
      ReductionLoop &last = reductions.back();
      auto joins = [&](const Stride &x, const Stride &y) {
        return x.value == y.value && x.constant == y.constant * r.size.constant;
      };
      if (joins(last.a, r.a) && joins(last.b, r.b)) {
        last.size = code.mul(last.size, r.size);
        last.a = r.a;
        last.b = r.b;
        continue;
      }
    }
    reductions.push_back(r);
  }
}

bool ContractionEmitter::chooseLoops() {
  SmallVector<unsigned> ms;
  for (AffineExpr expr : info.resultMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (isUnit(loop) || loop == nLoop)
      continue;
    if (llvm::is_contained(info.m, loop))
      ms.push_back(loop);
    else
      outer.push_back(loop);
  }
  nSize = code.loopSize(info.op, nLoop);
  chooseRows(ms);
  outer.insert(outer.begin(), ms.begin(), ms.end());
  chooseReductions();
  // Groups must be parts of one loop that walks the terms in order.
  return !info.groupSize ||
         (reductions.size() == 1 && reductions[0].size.isStatic() &&
          reductions[0].a.isStatic(depth()) && info.groupSize % depth() == 0);
}

bool ContractionEmitter::analyseOps() {
  for (Operation &op : code.source.getBody().front().without_terminator()) {
    if (auto match = matchContraction(&op))
      info = *match;
    if (isa<linalg::GenericOp>(op))
      ops.push_back(&op);
  }
  if (!info.op)
    return false;
  if (auto schedule = info.op->getAttrOfType<ContractionAttr>(kScheduleAttr)) {
    rows = schedule.getRows();
    setVectors(schedule.getVectors());
    rowBlock = schedule.getRowBlock();
    prefetch = schedule.getPrefetch();
    panelsFirst = !schedule.getRowsFirst();
    tiles = schedule.getTiles();
    terms = schedule.getTerms();
  }
  SmallVector<int> loops;
  for (unsigned d = 0; d < info.op.getNumLoops(); ++d)
    loops.push_back(isUnit(d) ? LoopLabels::kUnit : int(d));
  labels.setRoot(info.op, loops);
  if (!labels.propagate(ops))
    return false;
  for (Operation *op : ops)
    if (!labels.isComplete(op))
      return false;
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    if (labels.ofTensor(code.output(i)).empty())
      return false;
  return true;
}

bool ContractionEmitter::analyse() { return analyseOps() && strides(); }
