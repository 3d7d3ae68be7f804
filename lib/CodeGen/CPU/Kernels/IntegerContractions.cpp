//===- IntegerContractions.cpp - products of quantized tensors -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With x = (q - z) s for the activations and w = p t for the weights, t one
// scale for each column,
//
//   sum x w = s t (sum q p - z sum p),
//
// where the second sum depends on the weights only. Integer sums are exact, so
// the result differs from the sum of floats by the rounding of the latter.
//
//===----------------------------------------------------------------------===//

#include "Dequantized.h"
#include "StateOnly.h"
#include "fx/CodeGen/CPU/KernelPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUINTEGERCONTRACTIONS
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::cpu;

namespace {
struct IntegerContractions
    : fx::cpu::impl::FXCPUIntegerContractionsBase<IntegerContractions> {
  using Base::Base;
  void runOnOperation() override;
  bool rewrite(Contraction &c, StateOnly &states);
  bool rewriteMixed(Contraction &c, Dequantized &w);
};
} // namespace

/// `x` with zeros after dimension `dim`, up to a multiple of four elements.
static Value padToQuads(OpBuilder &b, Location loc, Value x, int64_t dim) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t missing = (4 - type.getDimSize(dim) % 4) % 4;
  if (missing == 0)
    return x;
  SmallVector<OpFoldResult> low(type.getRank(), b.getIndexAttr(0)), high(low);
  high[dim] = b.getIndexAttr(missing);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] += missing;
  Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
  return tensor::PadOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), x, low, high,
      zero);
}

/// Where `map` gives `loop` alone.
static std::optional<unsigned> placeOf(AffineMap map, unsigned loop) {
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (dim.getPosition() == loop)
        return d;
  return std::nullopt;
}

/// The loops of `c` that walk the scales of its right operand `w`, none if one
/// is no loop of columns.
static std::optional<SmallVector<unsigned>> getScaleLoops(Contraction &c,
                                                          Dequantized &w) {
  SmallVector<unsigned> loops;
  for (unsigned d : w.axes) {
    loops.push_back(c.rhsMap().getDimPosition(d));
    if (!llvm::is_contained(c.n, loops.back()))
      return std::nullopt;
  }
  return loops;
}

/// The dimensions of the result that `loops` walk.
static AffineMap columnsMap(Contraction &c, ArrayRef<unsigned> loops) {
  AffineMap result = c.resultMap();
  MLIRContext *context = c.op.getContext();
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : loops)
    exprs.push_back(getAffineDimExpr(*placeOf(result, loop), context));
  return AffineMap::get(result.getNumResults(), 0, exprs, context);
}

/// sum x p t = t sum x p: large weights stay bytes until they are used, which
/// is what reading them costs.
bool IntegerContractions::rewriteMixed(Contraction &c, Dequantized &w) {
  auto type = cast<RankedTensorType>(w.quantized.getType());
  if (c.isMixed || !startsAtZero(c) || !type.hasStaticShape() ||
      type.getNumElements() < kMinMixed)
    return false;
  AffineMap result = c.resultMap();
  std::optional<SmallVector<unsigned>> scaleLoops = getScaleLoops(c, w);
  if (!scaleLoops)
    return false;
  OpBuilder b(c.op);
  Location loc = c.op.getLoc();
  Type f32 = b.getF32Type();
  SmallVector<AffineMap> maps(3);
  maps[c.a] = c.lhsMap();
  maps[c.b] = c.rhsMap();
  maps[2] = result;
  SmallVector<Value> operands(2);
  operands[c.a] = c.lhs();
  operands[c.b] = w.quantized;
  Value init = c.op.getDpsInits()[0];
  Value sum =
      linalg::GenericOp::create(
          b, loc, TypeRange(init.getType()), operands, init, maps,
          c.op.getIteratorTypesArray(),
          [&](OpBuilder &nested, Location at, ValueRange v) {
            Value t = arith::SIToFPOp::create(nested, at, f32, v[c.b]);
            Value product = arith::MulFOp::create(nested, at, v[c.a], t);
            linalg::YieldOp::create(
                nested, at,
                arith::AddFOp::create(nested, at, v[2], product).getResult());
          })
          .getResult(0);
  Value y = sum;
  if (w.scale || w.scales) {
    unsigned rank = result.getNumResults();
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    SmallVector<Value> inputs{sum};
    SmallVector<AffineMap> scaled{identity};
    if (w.scales) {
      inputs.push_back(w.scales);
      scaled.push_back(columnsMap(c, *scaleLoops));
    }
    scaled.push_back(identity);
    Value empty = tensor::EmptyOp::create(
        b, loc, tensor::getMixedSizes(b, loc, init), f32);
    y = linalg::GenericOp::create(
            b, loc, TypeRange(empty.getType()), inputs, empty, scaled,
            SmallVector<utils::IteratorType>(rank,
                                             utils::IteratorType::parallel),
            [&](OpBuilder &nested, Location at, ValueRange v) {
              Value r = arith::MulFOp::create(nested, at, v[0],
                                              w.scales ? v[1] : w.scale);
              linalg::YieldOp::create(nested, at, r);
            })
            .getResult(0);
  }
  c.op->getResult(0).replaceAllUsesWith(y);
  c.op->erase();
  if (w.op->use_empty())
    w.op->erase();
  return true;
}

bool IntegerContractions::rewrite(Contraction &c, StateOnly &states) {
  if (c.isInteger || !c.batch.empty() || !states.isStateOnly(c.rhs()))
    return false;
  if (std::optional<GroupedWeight> grouped = matchGrouped(c.rhs()))
    return rewriteGrouped(c, *grouped);
  std::optional<Dequantized> x = matchDequantize(c.lhs()),
                             w = matchDequantize(c.rhs());
  if (!w || w->zero || w->isUnsigned || !w->views.empty())
    return false;
  if (!x)
    return rewriteMixed(c, *w);
  if (x->scales)
    return false;
  if (!startsAtZero(c))
    return false;
  AffineMap lhs = c.lhsMap(), rhs = c.rhsMap(), result = c.resultMap();
  SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
  int64_t terms = 1;
  for (unsigned loop : c.k) {
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] == 0)
      return false;
    terms *= ranges[loop];
  }
  // Four terms at a time lie together in the activations.
  if (terms > kMaxTerms || lhs.getNumResults() == 0 ||
      !isa<AffineDimExpr>(lhs.getResults().back()))
    return false;
  unsigned quadLoop = lhs.getDimPosition(lhs.getNumResults() - 1);
  if (!llvm::is_contained(c.k, quadLoop))
    return false;
  std::optional<unsigned> inX = placeOf(lhs, quadLoop),
                          inW = placeOf(rhs, quadLoop);
  auto xType = cast<RankedTensorType>(c.lhs().getType());
  if (!inX || !inW || xType.isDynamicDim(*inX) ||
      xType.getDimSize(*inX) != ranges[quadLoop])
    return false;
  // The weights' scales walk columns.
  std::optional<SmallVector<unsigned>> scaleLoops = getScaleLoops(c, *w);
  if (!scaleLoops)
    return false;

  OpBuilder b(c.op);
  Location loc = c.op.getLoc();
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  UnsignedTensor u = makeUnsigned(b, loc, *x);
  Value zero = u.zero;
  Value q = padToQuads(b, loc, u.values, *inX);
  Value p = padToQuads(b, loc, w->quantized, *inW);

  // The sums of products, and of the weights.
  Value out = c.op.getDpsInits()[0];
  Value init = makeZeros(b, loc, tensor::getMixedSizes(b, loc, out), i32);
  SmallVector<AffineMap> maps(3);
  maps[c.a] = lhs;
  maps[c.b] = rhs;
  maps[2] = result;
  SmallVector<Value> operands(2);
  operands[c.a] = q;
  operands[c.b] = p;
  Value sum =
      linalg::GenericOp::create(
          b, loc, TypeRange(init.getType()), operands, init, maps,
          c.op.getIteratorTypesArray(),
          [&](OpBuilder &nested, Location at, ValueRange v) {
            Value s = arith::ExtUIOp::create(nested, at, i32, v[c.a]);
            Value t = arith::ExtSIOp::create(nested, at, i32, v[c.b]);
            Value product = arith::MulIOp::create(nested, at, s, t);
            linalg::YieldOp::create(
                nested, at,
                arith::AddIOp::create(nested, at, v[2], product).getResult());
          })
          .getResult(0);

  unsigned rank = result.getNumResults();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs{sum};
  SmallVector<AffineMap> epilogue{identity};
  if (zero) {
    // In the weights' own loops: one for each of their dimensions.
    unsigned weightRank = rhs.getNumResults();
    SmallVector<AffineExpr> kept;
    SmallVector<utils::IteratorType> kinds;
    SmallVector<unsigned> loops;
    SmallVector<OpFoldResult> sizes;
    for (unsigned d = 0; d < weightRank; ++d) {
      bool isColumn = llvm::is_contained(c.n, rhs.getDimPosition(d));
      kinds.push_back(isColumn ? utils::IteratorType::parallel
                               : utils::IteratorType::reduction);
      if (!isColumn)
        continue;
      kept.push_back(b.getAffineDimExpr(d));
      loops.push_back(rhs.getDimPosition(d));
      sizes.push_back(tensor::getMixedSize(b, loc, p, d));
    }
    Value start = makeZeros(b, loc, sizes, i32);
    Value total =
        linalg::GenericOp::create(
            b, loc, TypeRange(start.getType()), p, start,
            ArrayRef<AffineMap>{
                b.getMultiDimIdentityMap(weightRank),
                AffineMap::get(weightRank, 0, kept, b.getContext())},
            kinds,
            [&](OpBuilder &nested, Location at, ValueRange v) {
              Value t = arith::ExtSIOp::create(nested, at, i32, v[0]);
              linalg::YieldOp::create(
                  nested, at,
                  arith::AddIOp::create(nested, at, v[1], t).getResult());
            })
            .getResult(0);
    inputs.push_back(total);
    epilogue.push_back(columnsMap(c, loops));
  }
  if (w->scales) {
    inputs.push_back(w->scales);
    epilogue.push_back(columnsMap(c, *scaleLoops));
  }
  epilogue.push_back(identity);
  Value scale = x->scale;
  if (w->scale)
    scale = scale ? Value(arith::MulFOp::create(b, loc, scale, w->scale))
                  : w->scale;
  Value empty =
      tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, out), f32);
  Value y =
      linalg::GenericOp::create(
          b, loc, TypeRange(empty.getType()), inputs, empty, epilogue,
          SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
          [&](OpBuilder &nested, Location at, ValueRange v) {
            Value r = v[0];
            unsigned next = 1;
            if (zero) {
              Value off = arith::MulIOp::create(nested, at, v[next++], zero);
              r = arith::SubIOp::create(nested, at, r, off);
            }
            r = arith::SIToFPOp::create(nested, at, f32, r);
            Value factor = scale;
            if (w->scales)
              factor =
                  scale
                      ? Value(arith::MulFOp::create(nested, at, v[next], scale))
                      : v[next];
            if (factor)
              r = arith::MulFOp::create(nested, at, r, factor);
            linalg::YieldOp::create(nested, at, r);
          })
          .getResult(0);
  c.op->getResult(0).replaceAllUsesWith(y);
  c.op->erase();
  eraseDead(*x);
  eraseDead(*w);
  return true;
}

void IntegerContractions::runOnOperation() {
  generalizeNamedOps(getOperation());
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (func.isExternal() || func->hasAttr(kKernelAttr))
      continue;
    SmallVector<Contraction, 0> found;
    func.walk([&](linalg::GenericOp op) {
      if (auto match = matchContraction(op))
        found.push_back(*match);
    });
    StateOnly states(func);
    for (Contraction &c : found)
      if (rewrite(c, states))
        ++numRewritten;
    splitGroups(func);
  }
}
