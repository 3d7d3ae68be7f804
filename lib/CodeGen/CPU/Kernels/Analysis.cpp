//===- Analysis.cpp - what kernels are made of -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx::cpu;

/// True if `expr` is a sum of dimensions times constants and a constant.
static bool isLinear(AffineExpr expr) {
  if (isa<AffineDimExpr, AffineConstantExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return isLinear(binary.getLHS()) && isLinear(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && isLinear(binary.getLHS()) &&
         isa<AffineConstantExpr>(binary.getRHS());
}

/// out + zext(a) * sext(b): the body of an integer contraction whose operand
/// `a` is the first or the second.
static bool isIntegerProduct(Value sum, Block *body, unsigned a) {
  auto add = sum.getDefiningOp<arith::AddIOp>();
  if (!add || add.getLhs() != body->getArgument(2))
    return false;
  auto mul = add.getRhs().getDefiningOp<arith::MulIOp>();
  if (!mul)
    return false;
  auto x = mul.getLhs().getDefiningOp<arith::ExtUIOp>();
  auto y = mul.getRhs().getDefiningOp<arith::ExtSIOp>();
  return x && y && x.getIn() == body->getArgument(a) &&
         y.getIn() == body->getArgument(1 - a);
}

static bool isProduct(Value sum, Block *body) {
  auto add = sum.getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value x = body->getArgument(0), y = body->getArgument(1),
        out = body->getArgument(2);
  Value product = add.getLhs() == out   ? add.getRhs()
                  : add.getRhs() == out ? add.getLhs()
                                        : Value();
  auto mul = product ? product.getDefiningOp<arith::MulFOp>() : nullptr;
  // Integers of 8 bits become floats first.
  auto source = [](Value v) {
    auto convert = v.getDefiningOp<arith::SIToFPOp>();
    return convert ? convert.getIn() : v;
  };
  return mul && ((source(mul.getLhs()) == x && source(mul.getRhs()) == y) ||
                 (source(mul.getLhs()) == y && source(mul.getRhs()) == x));
}

std::optional<Contraction> fx::cpu::matchContraction(Operation *operation) {
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  auto hasElements = [](Value v, unsigned integer) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return type && (integer ? type.getElementType().isInteger(integer)
                            : type.getElementType().isF32());
  };
  bool isFloat = llvm::all_of(op->getOperands(),
                              [&](Value v) { return hasElements(v, 0); });
  bool isInteger = hasElements(op.getInputs()[0], 8) &&
                   hasElements(op.getInputs()[1], 8) &&
                   hasElements(op.getDpsInits()[0], 32);
  Value sum = op.getBody()->getTerminator()->getOperand(0);
  bool isMixed =
      hasElements(op.getDpsInits()[0], 0) &&
      hasElements(op.getInputs()[0], 0) != hasElements(op.getInputs()[1], 0) &&
      (hasElements(op.getInputs()[0], 8) || hasElements(op.getInputs()[1], 8));
  if (!isInteger && !((isFloat || isMixed) && isProduct(sum, op.getBody())))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps[2].getNumResults() == 0)
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (AffineExpr expr : maps[2].getResults())
    if (!isa<AffineDimExpr>(expr))
      return std::nullopt;
  auto plain = [](AffineMap map) {
    llvm::SmallDenseSet<unsigned> seen;
    return llvm::all_of(map.getResults(), [&](AffineExpr e) {
      auto dim = dyn_cast<AffineDimExpr>(e);
      return dim && seen.insert(dim.getPosition()).second;
    });
  };
  if (!plain(maps[2]))
    return std::nullopt;
  for (unsigned i = 0; i < 2; ++i)
    if (!llvm::all_of(maps[i].getResults(), isLinear))
      return std::nullopt;

  Contraction c;
  c.op = op;
  unsigned last = maps[2].getDimPosition(maps[2].getNumResults() - 1);
  bool inA = maps[0].isFunctionOfDim(last), inB = maps[1].isFunctionOfDim(last);
  if (inA == inB)
    return std::nullopt;
  if (inA)
    std::swap(c.a, c.b);
  c.isInteger = isInteger;
  c.isMixed = isMixed;
  if (isMixed && !hasElements(op.getInputs()[c.b], 8))
    return std::nullopt;
  if (isInteger && !isIntegerProduct(sum, op.getBody(), c.a))
    return std::nullopt;
  if (!plain(maps[c.b]))
    return std::nullopt;
  for (unsigned d = 0; d < op.getNumLoops(); ++d) {
    bool a = maps[c.a].isFunctionOfDim(d), b = maps[c.b].isFunctionOfDim(d),
         r = maps[2].isFunctionOfDim(d);
    bool reduction = iterators[d] == utils::IteratorType::reduction;
    if (reduction == r || (reduction && !(a && b)))
      return std::nullopt;
    if (reduction)
      c.k.push_back(d);
    else if (a && b)
      c.batch.push_back(d);
    else if (a)
      c.m.push_back(d);
    else if (b)
      c.n.push_back(d);
    else
      return std::nullopt;
  }
  return c;
}

static bool hasVectorCode(linalg::GenericOp op) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner))
      continue;
    if (inner.getNumRegions() || !isMemoryEffectFree(&inner) ||
        !(OpTrait::hasElementwiseMappableTraits(&inner) ||
          isa<arith::ConstantOp>(inner)))
      return false;
    for (Type type : inner.getResultTypes())
      if (!type.isIntOrIndexOrFloat())
        return false;
  }
  return true;
}

static bool hasEasyTypes(linalg::GenericOp op) {
  for (Value v : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    if (!type) {
      if (!v.getType().isIntOrIndexOrFloat())
        return false;
      continue;
    }
    Type e = type.getElementType();
    if (!e.isIntOrFloat() ||
        !llvm::is_contained({1u, 8u, 16u, 32u, 64u}, e.getIntOrFloatBitWidth()))
      return false;
  }
  return true;
}

bool fx::cpu::isPointwise(Operation *operation) {
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op || !op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      op->getNumResults() == 0 || !hasEasyTypes(op) || !hasVectorCode(op))
    return false;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    AffineMap map = op.getIndexingMapMatchingResult(op->getResult(i));
    if (!map.isPermutation())
      return false;
  }
  return true;
}

std::optional<SmallVector<Combiner>>
fx::cpu::matchReduction(Operation *operation) {
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op || !op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 ||
      !hasEasyTypes(op) || !hasVectorCode(op))
    return std::nullopt;
  SmallVector<Combiner> combiners;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    AffineMap map = op.getIndexingMapMatchingResult(op->getResult(i));
    if (!map.isProjectedPermutation())
      return std::nullopt;
    BlockArgument out = op.getBody()->getArgument(op.getNumDpsInputs() + i);
    Operation *def =
        op.getBody()->getTerminator()->getOperand(i).getDefiningOp();
    if (!def || def->getBlock() != op.getBody() ||
        !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MaxNumFOp,
             arith::MinimumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
             arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(def) ||
        !out.hasOneUse())
      return std::nullopt;
    if (def->getOperand(0) == out)
      combiners.push_back({def, def->getOperand(1)});
    else if (def->getOperand(1) == out)
      combiners.push_back({def, def->getOperand(0)});
    else
      return std::nullopt;
  }
  return combiners;
}

vector::CombiningKind fx::cpu::getCombiningKind(Operation *combiner) {
  using K = vector::CombiningKind;
  return llvm::TypeSwitch<Operation *, K>(combiner)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return K::ADD; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return K::MUL; })
      .Case<arith::MaximumFOp>([](auto) { return K::MAXIMUMF; })
      .Case<arith::MaxNumFOp>([](auto) { return K::MAXNUMF; })
      .Case<arith::MinimumFOp>([](auto) { return K::MINIMUMF; })
      .Case<arith::MinNumFOp>([](auto) { return K::MINNUMF; })
      .Case<arith::MaxSIOp>([](auto) { return K::MAXSI; })
      .Case<arith::MaxUIOp>([](auto) { return K::MAXUI; })
      .Case<arith::MinSIOp>([](auto) { return K::MINSI; })
      .Case<arith::MinUIOp>([](auto) { return K::MINUI; })
      .Case<arith::AndIOp>([](auto) { return K::AND; })
      .Case<arith::OrIOp>([](auto) { return K::OR; })
      .Default([](auto) { return K::XOR; });
}

/// The operand whose last dimension is walked by loop `loop` alone.
static bool walksLast(linalg::GenericOp op, unsigned loop) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (map.getNumResults() == 0)
      continue;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (last && last.getPosition() == loop)
      return true;
  }
  return false;
}

bool fx::cpu::isRowReduction(linalg::GenericOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  return reductions.size() == 1 && walksLast(op, reductions[0]);
}

bool fx::cpu::isWindowReduction(linalg::GenericOp op) {
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  for (unsigned i = 1; i < op->getNumResults(); ++i)
    if (op.getIndexingMapMatchingResult(op->getResult(i)) != map)
      return false;
  return map.getNumResults() > 0 &&
         walksLast(op, map.getDimPosition(map.getNumResults() - 1));
}

int64_t fx::cpu::bodyCost(linalg::GenericOp op) {
  int64_t cost = 0;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<tensor::ExtractOp>(inner) ||
        (isa_and_nonnull<math::MathDialect>(inner.getDialect()) &&
         !isa<math::AbsFOp, math::FmaOp>(inner)))
      cost += 12;
    else if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                 arith::RemFOp>(inner))
      cost += 4;
    else if (!isa<arith::ConstantOp>(inner))
      cost += 1;
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// LoopLabels
//===----------------------------------------------------------------------===//

void LoopLabels::setRoot(linalg::LinalgOp root, ArrayRef<int> labels) {
  loops[root].assign(labels.begin(), labels.end());
}

ArrayRef<int> LoopLabels::ofLoops(Operation *op) const {
  auto it = loops.find(op);
  return it == loops.end() ? ArrayRef<int>() : ArrayRef<int>(it->second);
}

ArrayRef<int> LoopLabels::ofTensor(Value value) const {
  auto it = tensors.find(value);
  return it == tensors.end() ? ArrayRef<int>() : ArrayRef<int>(it->second);
}

bool LoopLabels::isComplete(Operation *op) const {
  ArrayRef<int> labels = ofLoops(op);
  return !labels.empty() && !llvm::is_contained(labels, kUnknown);
}

bool LoopLabels::propagate(linalg::LinalgOp op, bool &changed) {
  auto &mine = loops[op];
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (mine.empty())
    for (int64_t range : ranges)
      mine.push_back(range == 1 ? kUnit : kUnknown);
  auto meet = [&](int &x, int &y) {
    if (x == y || x == kUnit || y == kUnit)
      return true;
    if (x != kUnknown && y != kUnknown)
      return false;
    (x == kUnknown ? x : y) = x == kUnknown ? y : x;
    changed = true;
    return true;
  };
  auto visit = [&](Value tensor, AffineMap map) {
    auto type = cast<RankedTensorType>(tensor.getType());
    auto &dims = tensors[tensor];
    if (dims.empty())
      for (int64_t size : type.getShape())
        dims.push_back(size == 1 ? kUnit : kUnknown);
    for (auto [d, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!meet(dims[d], mine[dim.getPosition()]))
          return false;
    return true;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *def = operand.get().getDefiningOp();
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        isa_and_nonnull<linalg::FillOp, tensor::EmptyOp, arith::ConstantOp>(
            def))
      continue;
    if ((def && loops.count(def)) || (shareInputs && op.isDpsInput(&operand)))
      if (!visit(operand.get(), op.getMatchingIndexingMap(&operand)))
        return false;
  }
  for (OpResult result : op->getResults())
    if (!visit(result, op.getIndexingMapMatchingResult(result)))
      return false;
  return true;
}

bool LoopLabels::propagate(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (isa<linalg::GenericOp>(op) && !loops.count(op))
      loops[op] = {};
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : ops)
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        if (!propagate(cast<linalg::LinalgOp>(op), changed))
          return false;
  }
  return true;
}

bool LoopLabels::label(linalg::LinalgOp root, ArrayRef<int> labels,
                       ArrayRef<Operation *> ops) {
  setRoot(root, labels);
  return propagate(ops) && llvm::all_of(ops, [&](Operation *op) {
           return !isa<linalg::GenericOp>(op) || isComplete(op);
         });
}

bool fx::cpu::canMergeLabels(ArrayRef<Operation *> ops,
                             const LoopLabels &labels, int first, int second) {
  for (Operation *op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    ArrayRef<int> loops = labels.ofLoops(op);
    for (auto index : generic.getBody()->getOps<linalg::IndexOp>())
      if (loops[index.getDim()] == first || loops[index.getDim()] == second)
        return false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type)
        continue;
      AffineMap map = generic.getMatchingIndexingMap(&operand);
      int at = -1, count = 0;
      for (auto [d, expr] : llvm::enumerate(map.getResults())) {
        bool touches = false;
        for (unsigned l = 0; l < loops.size(); ++l)
          touches |= expr.isFunctionOfDim(l) &&
                     (loops[l] == first || loops[l] == second);
        if (!touches)
          continue;
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim)
          return false;
        ++count;
        if (loops[dim.getPosition()] == first)
          at = d;
        else if (at < 0 || static_cast<int>(d) != at + 1)
          return false;
      }
      // A view or a computed operand has dimensions of its own.
      Operation *def = operand.get().getDefiningOp();
      if (count && def && isa<tensor::ExtractSliceOp, tensor::PadOp>(def))
        return false;
      if (count != 0 && count != 2)
        return false;
    }
  }
  return true;
}
