//===- EmitAttention.cpp - softmax(Q K^T) V in one kernel -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tiles.h"
#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// The rows of a task, at most: of heads of up to 64 elements, and of others.
/// Each block of keys is packed once for all rows of a task. The queries, the
/// sums, the scores and what is packed take 140 to 230 KiB of the stack.
static constexpr int64_t kTaskRows = 96, kWideTaskRows = 48, kNarrowHead = 64;
/// The same for pairs of bf16, of which the keys are packed in less time than
/// the rows are multiplied.
static constexpr int64_t kPairRows = 204;
/// The keys of a block.
static constexpr int64_t kBlockKeys = 128, kWideBlockKeys = 64, kWideHead = 128;
/// The bytes of keys that are prefetched ahead.
static constexpr int64_t kBytesAhead = 8192;
/// Up to this number of rows, tiles are wide, to use the registers.
static constexpr int64_t kFewRows = 2;

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

static std::optional<fx::kernel::Attention> findAttention(func::FuncOp kernel) {
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    if (auto match = matchAnyAttention(op))
      return match;
  return std::nullopt;
}

bool AttentionEmitter::analyse() {
  for (auto op : code.source.getBody().front().getOps<linalg::GenericOp>())
    ops.push_back(op);
  auto match = findAttention(code.source);
  if (!match)
    return false;
  attention = *match;
  auto all = attention.label(ops);
  if (!all)
    return false;
  labels = *all;
  for (unsigned o = 0; o < code.numOutputs(); ++o) {
    ArrayRef<int> loops = labels.ofTensor(code.output(o));
    if (loops.empty() || llvm::is_contained(loops, int(attention.key)))
      return false;
  }
  causal = matchCausalMask(attention, labels);
  bounds = matchKeyBounds(attention, labels);
  skipsByMask = hasSkippableMask();
  return true;
}

/// Returns true if the result is -inf for each finite value of `operand`, an
/// operand that depends on the score, if it is so for a score of 0. Factors
/// must be finite numbers: (score - 1) * inf depends on the score.
static bool keepsLowest(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  auto isFinite = [](Value v) {
    APFloat c(0.0f);
    return matchPattern(v, m_ConstantFloat(&c)) && c.isFiniteNonZero();
  };
  return TypeSwitch<Operation *, bool>(op)
      .Case<arith::AddFOp, arith::NegFOp, math::TanhOp, linalg::YieldOp>(
          [](auto) { return true; })
      .Case<arith::MulFOp>(
          [&](auto) { return isFinite(op->getOperand(1 - number)); })
      .Case<arith::DivFOp>(
          [&](auto) { return number == 0 && isFinite(op->getOperand(1)); })
      .Case<arith::SubFOp>([&](auto) { return number == 0; })
      .Case<arith::SelectOp>([&](auto) { return number > 0; })
      .Default(false);
}

bool AttentionEmitter::hasSkippableMask() {
  // Follow the scores through the bodies, up to the input of the softmax.
  bool hasMask = false;
  SmallVector<Value> open = {attention.scores.op->getResult(0)};
  while (!open.empty()) {
    Value tensor = open.pop_back_val();
    if (tensor == attention.x)
      continue;
    for (OpOperand &use : tensor.getUses()) {
      auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (!op)
        return false;
      SmallVector<Value> scalars = {op.getMatchingBlockArgument(&use)};
      while (!scalars.empty())
        for (OpOperand &scalar : scalars.pop_back_val().getUses()) {
          if (!keepsLowest(scalar))
            return false;
          llvm::append_range(scalars, scalar.getOwner()->getResults());
        }
      // A mask may be computed from the indices, such as a sliding window.
      hasMask |= !causal && op.hasIndexSemantics();
      for (Value input : op.getInputs()) {
        auto type = dyn_cast<RankedTensorType>(input.getType());
        hasMask |= input != tensor && type && type.getRank() > 0;
      }
      llvm::append_range(open, op->getResults());
    }
  }
  return hasMask;
}

SmallVector<int> AttentionEmitter::labelScores() {
  linalg::GenericOp op = attention.scores.op;
  SmallVector<int> loops(op.getNumLoops(), LoopLabels::kUnit);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop : attention.scores.k)
    if (ranges[loop] != 1)
      loops[loop] = kInner;
  AffineMap map = attention.scores.resultMap();
  for (auto [d, label] : llvm::enumerate(labels.ofTensor(op->getResult(0))))
    loops[map.getDimPosition(d)] = label;
  return loops;
}

SmallVector<int> AttentionEmitter::operandLabels(AffineMap map,
                                                 ArrayRef<int> loops) {
  SmallVector<int> result;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    result.push_back(dim ? loops[dim.getPosition()] : LoopLabels::kUnit);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

void AttentionEmitter::chooseSizes() {
  linalg::GenericOp op = attention.values.op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int> loops;
  for (auto [d, range] : llvm::enumerate(ranges))
    loops.push_back(range == 1 ? LoopLabels::kUnit : int(d));
  SmallVector<int> scoreLoops = labelScores();
  queryLabels = operandLabels(attention.scores.lhsMap(), scoreLoops);
  keyLabels = operandLabels(attention.scores.rhsMap(), scoreLoops);
  valueLabels = operandLabels(attention.values.rhsMap(), loops);
  for (unsigned loop : attention.scores.k)
    innerSize =
        std::max(innerSize, attention.scores.op.getStaticLoopRanges()[loop]);
  for (unsigned loop : attention.values.n)
    if (ranges[loop] != 1)
      column = loop;
  columns = ranges[column];
  for (unsigned loop : attention.values.m)
    if (ranges[loop] != 1)
      row = loop;
  numRows = row < 0 ? Index::of(1) : code.loopSize(op, row);
  numKeys = code.loopSize(op, attention.key);

  int64_t lanes = code.lanes;
  int64_t most = lanes >= 16 ? 12 : code.machine.isNEON ? 8 : 6;
  tileRows = numRows.isStatic() ? std::min(most, numRows.constant) : most;
  // If all rows fit a tile, as in the decode step of a language model, scores
  // are dot products: packing the keys would take longer.
  usesDots = numRows == Index::of(tileRows) && innerSize % lanes == 0 &&
             isContiguous(keys, keyLabels, kInner);
  if (usesDots) {
    int64_t bytes = innerSize * keys.element().getIntOrFloatBitWidth() / 8;
    keysAhead = std::clamp<int64_t>(kBytesAhead / bytes, 8, 64);
  }
  bool isBF16 = queries.element().isBF16() && keys.element().isBF16();
  bool mayPair = !code.machine.isNEON && innerSize % (2 * lanes) == 0 &&
                 isContiguous(keys, keyLabels, kInner);
  dotsPairs = usesDots && isBF16 && mayPair && code.machine.hasBF16Dot;
  bool hasPairs = (mayRoundToBF16(attention) || isBF16) && mayPair && !usesDots;
  usesTiles = hasPairs && code.machine.tiles.bf16 && tileRows == most &&
              innerSize % (2 * kTileRows) == 0;
  usesPairs =
      usesTiles || (hasPairs && code.machine.hasBF16Dot && tileRows > kFewRows);
  // Two tiles of rows use what is loaded of the right operands twice.
  if (usesTiles)
    tileRows = numRows.isStatic() && numRows.constant <= kTileRows
                   ? kTileRows
                   : 2 * kTileRows;
  panelVectors = tileRows <= kFewRows ? 4 : 2;
  int64_t vectors = llvm::divideCeil(columns, lanes);
  columnVectors = std::min<int64_t>(vectors, tileRows == 1   ? 8
                                             : tileRows <= 4 ? 4
                                                             : 2);
  int64_t head = std::max(innerSize, columns);
  int64_t all = head > kNarrowHead ? kWideTaskRows
                : usesPairs        ? kPairRows
                                   : kTaskRows;
  if (numRows.isStatic()) {
    // Blocks of equal size.
    int64_t blocks = llvm::divideCeil(numRows.constant, all);
    all = llvm::divideCeil(numRows.constant, blocks);
  }
  taskRows = llvm::alignTo(all, tileRows);
  blockKeys = head <= kWideHead ? kBlockKeys : kWideBlockKeys;
  // The last vector of a row of scores may be read past its end. Odd numbers of
  // cache lines avoid that all rows share the sets of the cache.
  scoreStride = blockKeys + std::max<int64_t>(lanes, 16);
  sumStride = llvm::alignTo(columns, lanes * columnVectors);
  if (usesTiles)
    sumStride = llvm::alignTo(sumStride, kTileColumns);
  queryStride = llvm::alignTo(innerSize, lanes) / queryDepth();
}

//===----------------------------------------------------------------------===//
// Coordinates and memory
//===----------------------------------------------------------------------===//

Coords AttentionEmitter::place(ArrayRef<int> dims, int lane) {
  Coords result;
  for (int label : dims) {
    Index index = label == kInner ? inner
                  : label >= 0    ? at[label]
                                  : Index::of(0);
    result.push_back({index, label == lane});
  }
  return result;
}

bool AttentionEmitter::isContiguous(const Operand &operand, ArrayRef<int> dims,
                                    int lane) {
  ArrayRef<codegen::Stride> strides = operand.memory.strides;
  if (operand.isComputed)
    return dims.back() == lane;
  // A gather keeps the last dimension.
  if (operand.gather)
    return dims.back() == lane && strides.back().isStatic(1);
  for (auto [label, stride] : llvm::zip(dims, strides))
    if (label == lane)
      return stride.isStatic(1);
  return false;
}

bool AttentionEmitter::findMemory(Value tensor, Operand &operand) {
  operand.tensor = tensor;
  const Buffer *memory = code.buffer(tensor);
  if (!memory)
    if ((operand.gather = matchRowGather(tensor.getDefiningOp())))
      memory = code.buffer(operand.gather->source());
  if (memory)
    operand.memory = *memory;
  operand.isComputed = !memory;
  return memory ||
         (tensor.getDefiningOp() && isPointwise(tensor.getDefiningOp()));
}

void AttentionEmitter::placeRow(const Index &i) {
  if (row < 0)
    return;
  at[row] = add(row0, i);
  if (!(numRows.isStatic() && numRows.constant % taskRows == 0))
    at[row] = code.min(at[row], code.sub(numRows, Index::of(1)));
}

Value AttentionEmitter::allocate(int64_t size) {
  auto type = MemRefType::get({size}, code.b.getF32Type());
  return memref::AllocaOp::create(code.b, code.loc, type,
                                  code.b.getI64IntegerAttr(64));
}

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

void AttentionEmitter::clear(Scope &task) {
  Value zero = code.splatConstant(code.b.getF32FloatAttr(0));
  forEach(task, rowsPadded, 1, [&](Scope &, const Index &i) {
    storeScalar(maxima, i, number(-INFINITY));
    storeScalar(totals, i, number(0));
    for (int64_t c = 0; c < sumStride; c += code.lanes)
      storeVector(sums, add(mul(i, sumStride), Index::of(c)), zero);
  });
}

void AttentionEmitter::copyQueries(Scope &task) {
  forEach(task, rowsPadded, 1, [&](Scope &scope, const Index &i) {
    placeRow(i);
    code.forVectors(
        scope, Index::of(0), Index::of(innerSize),
        [&](Scope &scope, const Index &e) {
          inner = e;
          Coords where = place(queryLabels, kInner);
          Value v = queryDepth() == 2
                        ? toPairs(code, loadBF16(scope, queries, where))
                        : loadF32(scope, queries, where);
          Index word = code.floorDiv(e, queryDepth());
          storeVector(rowsOfQueries, add(mul(i, queryStride), word), v);
        });
  });
}

void AttentionEmitter::emitBlock(Scope &scope) {
  if (keys.gather)
    locateRows(scope, keys, keyLabels, keysAhead);
  if (values.gather)
    locateRows(scope, values, valueLabels, /*ahead=*/0);
  if (usesDots) {
    multiplyDots(scope);
  } else {
    packKeys(scope);
    multiplyKeys(scope);
  }
  forEach(scope, rowsPadded, 1, [&](Scope &inner, const Index &i) {
    Range range = rangeOf(i);
    ifSeen(inner, range, [&](Scope &seen) { updateRow(seen, i, range); });
  });
  if (usesPairs)
    packValues(scope);
  multiplyValues(scope);
}

void AttentionEmitter::storeRow(Scope &scope, const Index &i) {
  linalg::GenericOp op = attention.values.op;
  placeRow(i);
  Value total = loadScalar(totals, i);
  code.know(scope, attention.sum->getResult(0),
            place(attention.sum->getResult(0)), total);
  code.forVectors(scope, Index::of(0), Index::of(columns),
                  [&](Scope &here, const Index &c) {
                    at[column] = c;
                    Value v = loadVector(sums, add(mul(i, sumStride), c));
                    if (attention.isNormalized)
                      v = arith::DivFOp::create(code.b, code.loc, v,
                                                code.splat(total));
                    Value result = op->getResult(0);
                    code.know(here, result, place(result, column), v);
                    for (unsigned o = 0; o < code.numOutputs(); ++o) {
                      Value out = code.output(o);
                      Coords to = place(out, column);
                      code.store(*code.buffer(code.outputArg(o)), to,
                                 code.eval(here, out, to));
                    }
                  });
}

void AttentionEmitter::emit() {
  if (!findMemory(attention.scores.lhs(), queries) ||
      !findMemory(attention.scores.rhs(), keys) ||
      !findMemory(attention.values.rhs(), values))
    return code.fail("an attention of computed tensors");
  at.assign(attention.values.op.getNumLoops(), Index::of(0));
  inner = Index::of(0);
  chooseSizes();

  // Tasks: the loops over batches and the outer loops over rows, then blocks of
  // rows.
  SmallVector<unsigned> outer;
  SmallVector<int64_t> ranges = attention.values.op.getStaticLoopRanges();
  for (ArrayRef<unsigned> loops :
       {ArrayRef(attention.values.batch), ArrayRef(attention.values.m)})
    for (unsigned loop : loops)
      if (ranges[loop] != 1 && int(loop) != row)
        outer.push_back(loop);
  SmallVector<Index> sizes, ivs;
  for (unsigned loop : outer)
    sizes.push_back(code.loopSize(attention.values.op, loop));
  sizes.push_back(code.ceilDiv(numRows, taskRows));
  Scope top, task;
  int64_t work = taskRows * (numKeys.isStatic() ? numKeys.constant : 1024) *
                 (innerSize + columns) / 16;
  Operation *forall = code.beginForall(top, task, sizes, ivs, work);
  for (auto [loop, iv] : llvm::zip(outer, ivs))
    at[loop] = iv;
  row0 = mul(ivs.back(), taskRows);
  rowsHere = Index::of(taskRows);
  rowsPadded = rowsHere;
  if (!(numRows.isStatic() && numRows.constant % taskRows == 0)) {
    rowsHere = code.min(rowsHere, code.sub(numRows, row0));
    rowsPadded = mul(code.ceilDiv(rowsHere, tileRows), tileRows);
  }
  for (Operand *operand : {&keys, &values})
    if (operand->gather)
      operand->offsets = memref::AllocaOp::create(
          code.b, code.loc,
          MemRefType::get({blockKeys + panelVectors * code.lanes + keysAhead},
                          code.b.getIndexType()));
  scores = allocate(taskRows * scoreStride);
  sums = allocate(taskRows * sumStride);
  maxima = allocate(taskRows);
  totals = allocate(taskRows);
  clear(task);
  if (usesTiles)
    configureTiles();
  if (!usesDots)
    panels = allocate(blockKeys * innerSize / depth());
  rowsOfQueries = allocate(taskRows * queryStride);
  copyQueries(task);
  if (usesPairs)
    pairsOfValues = allocate(blockKeys / 2 * sumStride);

  keysBegin = Index::of(0);
  keysEnd = numKeys;
  if (isBounded())
    findRanges(task);
  else if (isCausalInRows())
    keysEnd = endOfLastRow();
  Scope block;
  Index firstBlock = mul(code.floorDiv(keysBegin, blockKeys), blockKeys);
  auto loop = code.beginFor(task, block, firstBlock, keysEnd, blockKeys);
  key0 = Index(loop.getInductionVar());
  bool isWhole = keysEnd.isStatic() && keysEnd.constant % blockKeys == 0;
  count = isWhole ? Index::of(blockKeys)
                  : code.min(Index::of(blockKeys), code.sub(keysEnd, key0));
  if (skipsByMask) {
    auto branch = scf::IfOp::create(code.b, code.loc, emitIsVisible(block),
                                    /*withElseRegion=*/false);
    code.b.setInsertionPointToStart(branch.thenBlock());
    Scope visible;
    visible.parent = &block;
    visible.loop = branch;
    emitBlock(visible);
    code.b.setInsertionPointAfter(branch);
  } else {
    emitBlock(block);
  }
  code.endFor(loop);
  if (usesTiles)
    callTile(code, "llvm.x86.tilerelease", {});
  forEach(task, rowsHere, 1,
          [&](Scope &inner, const Index &i) { storeRow(inner, i); });
  code.endForall(forall);
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static void emitAttention(KernelCode &code) {
  AttentionEmitter e(code);
  if (!e.analyse())
    return code.fail("the loops of the attention do not agree");
  e.emit();
}

static std::optional<KernelMatch> match(func::FuncOp kernel,
                                        const TargetInfo &) {
  if (!findAttention(kernel))
    return std::nullopt;
  return KernelMatch{kernel, AttentionAttr::get(kernel.getContext(),
                                                /*parts=*/1, /*warpgroups=*/0,
                                                /*keys=*/0, /*turns=*/false)};
}

namespace fx::cpu {
KernelClass getAttentionClass() {
  return {AttentionAttr::getMnemonic(),
          /*benefit=*/6,
          match,
          emitAttention,
          /*getCandidates=*/nullptr,
          /*takesStrides=*/true};
}
} // namespace fx::cpu
