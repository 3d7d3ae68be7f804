//===- MatMulPlan.cpp - a contraction as M, N, K and a batch --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatMulPlan.h"
#include "Runs.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::Scope;
using kernel::LoopLabels;

bool MatMulPlan::analyse(bool mayBeBytes) {
  for (Operation &op : code.source.getBody().front().without_terminator()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    if (generic.getNumReductionLoops()) {
      auto match = kernel::matchContraction(&op, code.machine);
      if (!match || (match->hasBytes() && !mayBeBytes) || match->groupSize ||
          info.op)
        return false;
      info = *match;
    }
    ops.push_back(&op);
  }
  if (!info.op)
    return false;
  SmallVector<int> loops;
  SmallVector<int64_t> ranges = info.op.getStaticLoopRanges();
  for (unsigned d = 0; d < info.op.getNumLoops(); ++d)
    loops.push_back(ranges[d] == 1 ? LoopLabels::kUnit : int(d));
  if (!labels.label(info.op, loops, ops))
    return false;
  for (unsigned i = 0; i < code.numOutputs(); ++i) {
    ArrayRef<int> loops = labels.ofTensor(code.output(i));
    if (loops.empty())
      return false;
    // A tensor with a dimension along K has no single element for an element of
    // the result.
    bool hasK = llvm::any_of(
        info.k, [&](unsigned k) { return llvm::is_contained(loops, int(k)); });
    Value operand = asOperand(i);
    if (operand ? !mayStoreOperand(operand) : hasK)
      return false;
  }
  return true;
}

bool MatMulPlan::analyseTensorCore() {
  if (!analyse(/*mayBeBytes=*/true) ||
      (!info.isHalf() && !info.hasBytes() &&
       info.kind != kernel::OperandKind::F32)) {
    code.fail("no matmul of bf16, f16, f32 or bytes with pointwise ops");
    return false;
  }
  for (unsigned o = 0; o < code.numOutputs(); ++o)
    if (asOperand(o)) {
      code.fail("an operand is an output, too");
      return false;
    }
  return true;
}

/// Returns true if the first row or column of blocks fetches every element of
/// the operand.
bool MatMulPlan::mayStoreOperand(Value operand) {
  bool isLhs = operand == info.lhs();
  AffineMap map = isLhs ? info.lhsMap() : info.rhsMap();
  SmallVector<int64_t> ranges = info.op.getStaticLoopRanges();
  auto isThere = [&](unsigned loop) { return ranges[loop] > 0; };
  return info.lhs() != info.rhs() && map.isProjectedPermutation() &&
         llvm::all_of(isLhs ? info.n : info.m, isThere);
}

Value MatMulPlan::asOperand(unsigned o) {
  Value output = code.output(o);
  return output == info.lhs() || output == info.rhs() ? output : Value();
}

void MatMulPlan::split() {
  for (AffineExpr expr : info.resultMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    Index size = code.loopSize(info.op, loop);
    bool isM = llvm::is_contained(info.m, loop),
         isN = llvm::is_contained(info.n, loop);
    (isM ? m : isN ? n : batch).push_back(loop);
    (isM ? mSizes : isN ? nSizes : batchSizes).push_back(size);
  }
  k = info.k;
  AffineMap lhs = info.lhsMap();
  auto position = [&](unsigned loop) {
    unsigned i = 0;
    while (!lhs.getResult(i).isFunctionOfDim(loop))
      ++i;
    return i;
  };
  llvm::sort(k, [&](unsigned a, unsigned b) {
    return std::pair(position(a), a) < std::pair(position(b), b);
  });
  for (unsigned loop : k)
    kSizes.push_back(code.loopSize(info.op, loop));
  mSize = product(code, mSizes);
  nSize = product(code, nSizes);
  kSize = product(code, kSizes);
  at.assign(info.op.getNumLoops(), Index::of(0));
}

void MatMulPlan::place(ArrayRef<unsigned> loops, ArrayRef<Index> sizes,
                       const Index &linear) {
  for (auto [loop, i] : llvm::zip(loops, delinearize(code, linear, sizes)))
    at[loop] = i;
}

bool MatMulPlan::hasDynamicRows() {
  return !mSize.isStatic() && nSize.isStatic() && kSize.isStatic() &&
         product(code, batchSizes).isStatic();
}

int64_t MatMulPlan::leastRows() const {
  int64_t least = 1;
  for (const Index &size : mSizes)
    if (size.isStatic())
      least *= size.constant;
  return least;
}

std::optional<int64_t> MatMulPlan::countResults() {
  if (!mSize.isStatic() && !(hasDynamicRows() && maxRows < INT64_MAX))
    return std::nullopt;
  Index batches = product(code, batchSizes);
  if (!nSize.isStatic() || !batches.isStatic())
    return std::nullopt;
  int64_t rows = mSize.isStatic() ? mSize.constant : maxRows;
  return batches.constant * rows * nSize.constant;
}

void fx::gpu::emitForRows(codegen::KernelCode &code, Value rows,
                          ArrayRef<int64_t> limits,
                          llvm::function_ref<void(int64_t)> emitFew,
                          llvm::function_ref<void()> emitMany) {
  if (limits.empty())
    return emitMany();
  OpBuilder &b = code.b;
  Value isFew = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::sle,
                                      rows, code.constant(limits.front()));
  auto branch = scf::IfOp::create(b, code.loc, isFew, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  emitFew(limits.front());
  b.setInsertionPointToStart(branch.elseBlock());
  emitForRows(code, rows, limits.drop_front(), emitFew, emitMany);
  b.setInsertionPointAfter(branch);
}

Index MatMulPlan::countTiles(int64_t m, int64_t n) {
  SmallVector<Index> sizes = batchSizes;
  sizes.push_back(code.ceilDiv(mSize, m));
  sizes.push_back(code.ceilDiv(nSize, n));
  return product(code, sizes);
}

void MatMulPlan::placeTile(const Index &linear, int64_t m, int64_t n,
                           Index &row0, Index &column0) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Index rows = code.ceilDiv(mSize, m), columns = code.ceilDiv(nSize, n);
  SmallVector<Index> sizes = batchSizes;
  sizes.push_back(code.mul(rows, columns));
  SmallVector<Index> tile = delinearize(code, linear, sizes);
  for (auto [loop, x] : llvm::zip(batch, tile))
    at[loop] = x;
  if (rows == Index::of(1)) {
    row0 = Index::of(0);
    column0 = code.mul(tile.back(), Index::of(n));
    return;
  }
  Value within = code.materialize(tile.back());
  Value group = code.materialize(code.mul(columns, Index::of(kGroup)));
  Index first = code.mul(Index(arith::DivUIOp::create(b, loc, within, group)),
                         Index::of(kGroup));
  within = arith::RemUIOp::create(b, loc, within, group);
  Value height =
      code.materialize(code.min(code.sub(rows, first), Index::of(kGroup)));
  Index row =
      code.add(first, Index(arith::RemUIOp::create(b, loc, within, height)));
  Index column(arith::DivUIOp::create(b, loc, within, height));
  row0 = code.mul(row, Index::of(m));
  column0 = code.mul(column, Index::of(n));
}

std::pair<int64_t, int64_t> MatMulPlan::paddingOf(bool isLhs, unsigned dim) {
  auto pad = operand(isLhs).getDefiningOp<tensor::PadOp>();
  if (!pad)
    return {0, 0};
  return {*getConstantIntValue(pad.getMixedLowPad()[dim]),
          *getConstantIntValue(pad.getMixedHighPad()[dim])};
}

Value MatMulPlan::stored(bool isLhs) {
  if (auto gather = gatherOf(isLhs))
    return gather->source();
  auto pad = operand(isLhs).getDefiningOp<tensor::PadOp>();
  return pad ? pad.getSource() : operand(isLhs);
}

Value MatMulPlan::operandAddress(bool isLhs) {
  return getAddress(code, stored(isLhs));
}

Coords MatMulPlan::coords(ArrayRef<int> of) {
  Coords result;
  for (int label : of)
    result.push_back({label < 0 ? Index::of(0) : at[label], false});
  return result;
}

bool MatMulPlan::isAlongK(bool isLhs) {
  AffineMap map = operandMap(isLhs);
  return map.getNumResults() > 0 && llvm::any_of(k, [&](unsigned loop) {
           return map.getResult(map.getNumResults() - 1).isFunctionOfDim(loop);
         });
}

Coords MatMulPlan::operandCoords(bool isLhs, const Index &x, const Index &atK) {
  SmallVector<Index> saved = at;
  place(isLhs ? m : n, isLhs ? mSizes : nSizes, x);
  place(k, kSizes, atK);
  Coords loops, where;
  for (const Index &i : at)
    loops.push_back({i, false});
  for (AffineExpr expr : operandMap(isLhs).getResults()) {
    auto c = codegen::applyExpr(code, expr, loops);
    if (!c)
      code.fail("an indexing map without code");
    where.push_back(c.value_or(codegen::Coord()));
  }
  at = saved;
  return where;
}

/// Registers the value of the contraction's result at a row and column: the
/// initial value plus `sum`.
void MatMulPlan::knowSum(Scope &scope, const Index &row, const Index &column,
                         Value sum) {
  Value result = info.op->getResult(0), init = info.op.getDpsInits()[0];
  bool fromZero = false;
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    fromZero = matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
               matchPattern(fill.getInputs()[0], m_Zero());
  place(m, mSizes, row);
  place(n, nSizes, column);
  Coords where = coords(labels.ofTensor(result));
  if (!fromZero)
    sum =
        vector::makeArithReduction(code.b, code.loc, vector::CombiningKind::ADD,
                                   sum, code.eval(scope, init, where));
  code.know(scope, result, where, sum);
  if (knowOfRow)
    knowOfRow(scope, row);
}

MatMulPlan::Stores MatMulPlan::evalOutputs(Scope &scope, const Index &row,
                                           const Index &column, Value sum) {
  knowSum(scope, row, column, sum);
  Stores stores;
  for (unsigned o = 0; o < code.numOutputs(); ++o) {
    if (asOperand(o))
      continue;
    Coords to = coords(labels.ofTensor(code.output(o)));
    Value v = code.eval(scope, code.output(o), to);
    stores.push_back([this, o, to, v] {
      code.store(*code.buffer(code.outputArg(o)), to, v);
    });
  }
  return stores;
}

void MatMulPlan::storeOutputs(Scope &scope, const Index &row,
                              const Index &column, Value sum) {
  for (auto &store : evalOutputs(scope, row, column, sum))
    store();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

bool MatMulPlan::storesRuns() {
  unsigned last = n.size();
  while (last > 0 && nSizes[last - 1] == Index::of(1))
    --last;
  if (last == 0 || !isMultiple(nSizes[last - 1], kRun))
    return false;
  int loop = n[last - 1];
  for (unsigned o = 0; o < code.numOutputs(); ++o) {
    ArrayRef<int> loops = labels.ofTensor(code.output(o));
    const codegen::Buffer *buffer = code.buffer(code.outputArg(o));
    if (asOperand(o) || !buffer || loops.back() != loop ||
        !buffer->strides.back().isStatic(1))
      return false;
    // A dimension of one element may have any stride.
    for (auto [label, stride] :
         llvm::zip(loops.drop_back(), ArrayRef(buffer->strides).drop_back()))
      if (label == loop || (label >= 0 && stride.constant % kRun))
        return false;
  }
  return true;
}

MatMulPlan::Stores MatMulPlan::evalRun(Scope &scope, const Index &row,
                                       const Index &column,
                                       ArrayRef<Value> sums) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  SmallVector<SmallVector<Value>> values(code.numOutputs());
  SmallVector<Index> offsets(code.numOutputs());
  Stores stores;
  // Residuals and biases are loaded in vectors, too. LLVM would have to find
  // out that their addresses are aligned.
  Runs runs(code, kRun, /*mayRequire=*/false);
  runs.beginAt(column);
  (void)runs.forElements([&](int64_t e) {
    knowSum(scope, row, code.add(column, Index::of(e)), sums[e]);
    for (unsigned o = 0; o < code.numOutputs(); ++o) {
      Coords to = coords(labels.ofTensor(code.output(o)));
      values[o].push_back(code.eval(scope, code.output(o), to));
      if (e > 0)
        continue;
      const codegen::Buffer *buffer = code.buffer(code.outputArg(o));
      for (auto [coord, stride] : llvm::zip(to, buffer->strides))
        offsets[o] = code.add(offsets[o], code.mul(coord.base, stride));
    }
    return Value();
  });
  for (unsigned o = 0; o < code.numOutputs(); ++o) {
    Value flat = code.buffer(code.outputArg(o))->flat;
    Type element = cast<MemRefType>(flat.getType()).getElementType();
    for (Value &v : values[o])
      if (v.getType() != element) // a boolean, stored as a byte
        v = arith::ExtUIOp::create(b, loc, element, v);
    Value run = vector::FromElementsOp::create(
        b, loc, VectorType::get({kRun}, element), values[o]);
    Value offset = code.materialize(offsets[o]);
    stores.push_back([this, element, run, flat, offset] {
      auto store = vector::StoreOp::create(code.b, code.loc, run, flat,
                                           ValueRange{offset});
      int64_t bytes = kRun * codegen::getElementBytes(element);
      store.setAlignment(std::min(bytes, kAlignment));
    });
  }
  return stores;
}

void MatMulPlan::storeRun(Scope &scope, const Index &row, const Index &column,
                          ArrayRef<Value> sums) {
  for (auto &store : evalRun(scope, row, column, sums))
    store();
}
