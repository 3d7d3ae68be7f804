//===- IntegerContractions.cpp - matmuls of quantized tensors -------------===//
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
#include "fx/Kernels/FewRows.h"
#include "fx/Kernels/Nibbles.h"
#include "fx/Kernels/Passes.h"
#include "fx/Kernels/StateAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace fx::kernel {
#define GEN_PASS_DEF_INTEGERCONTRACTIONSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

namespace {
struct IntegerContractions
    : fx::kernel::impl::IntegerContractionsPassBase<IntegerContractions> {
  using Base::Base;
  void runOnOperation() override;
  bool rewrite(Contraction &c, StateAnalysis &states);
  bool rewriteQuantized(Contraction &c, Dequantized &x, Dequantized &w);
  bool rewriteMixed(Contraction &c, Dequantized &w);
  bool isGPU() const { return matrixUnit != MatrixUnit::None; }
  bool isForGPU(Contraction &c);
  ByteLayout layout;
};
} // namespace

std::optional<unsigned> fx::kernel::placeOf(AffineMap map, unsigned loop) {
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (dim.getPosition() == loop)
        return d;
  return std::nullopt;
}

std::optional<Quads> fx::kernel::matchQuads(Contraction &c) {
  AffineMap lhs = c.lhsMap();
  SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
  int64_t terms = 1;
  for (unsigned loop : c.k) {
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] == 0)
      return std::nullopt;
    terms *= ranges[loop];
  }
  if (terms > kMaxTerms || lhs.getNumResults() == 0 ||
      !isa<AffineDimExpr>(lhs.getResults().back()))
    return std::nullopt;
  unsigned loop = lhs.getDimPosition(lhs.getNumResults() - 1);
  std::optional<unsigned> left = placeOf(lhs, loop),
                          right = placeOf(c.rhsMap(), loop);
  if (!llvm::is_contained(c.k, loop) || !left || !right)
    return std::nullopt;
  auto type = cast<RankedTensorType>(c.lhs().getType());
  if (type.isDynamicDim(*left) || type.getDimSize(*left) != ranges[loop])
    return std::nullopt;
  return Quads{loop, *left, *right};
}

/// Pads dimension `dim` of `x` at its end with zeros to a multiple of
/// `multiple`.
static Value padTerms(OpBuilder &b, Location loc, Value x, int64_t dim,
                      int64_t multiple) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t size = type.getDimSize(dim),
          missing = llvm::alignTo(size, multiple) - size;
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

ByteLayout ByteLayout::get(MatrixUnit unit) {
  ByteLayout layout;
  if (unit == MatrixUnit::None)
    return layout;
  // GPUs copy chunks of 16 bytes. AMD's multiply signed bytes only.
  layout.multiple = 16;
  layout.hasContiguousTerms = true;
  layout.isSigned = unit == MatrixUnit::MFMA;
  return layout;
}

Value fx::kernel::layOutLeft(OpBuilder &b, Location loc, Value bytes,
                             const Quads &quads, const ByteLayout &layout) {
  return padTerms(b, loc, bytes, quads.inLeft, layout.multiple);
}

RightBytes fx::kernel::layOutRight(OpBuilder &b, Location loc, Contraction &c,
                                   Value bytes, const Quads &quads,
                                   const ByteLayout &layout) {
  bytes = padTerms(b, loc, bytes, quads.inRight, layout.multiple);
  AffineMap map = c.rhsMap(), lhs = c.lhsMap();
  if (!layout.hasContiguousTerms)
    return {bytes, map};
  // Columns first, then the terms in the order of the left operand.
  auto order = llvm::to_vector(llvm::seq<int64_t>(map.getNumResults()));
  auto rank = [&](int64_t dim) -> int64_t {
    unsigned loop = map.getDimPosition(dim);
    if (!llvm::is_contained(c.k, loop))
      return -1;
    for (auto [d, expr] : llvm::enumerate(lhs.getResults()))
      if (expr.isFunctionOfDim(loop))
        return d;
    return -1;
  };
  llvm::stable_sort(order,
                    [&](int64_t x, int64_t y) { return rank(x) < rank(y); });
  if (llvm::is_sorted(order))
    return {bytes, map};
  auto exprs = llvm::to_vector(map.getResults());
  applyPermutationToVector(exprs, order);
  return {transpose(b, loc, bytes, order),
          AffineMap::get(map.getNumDims(), 0, exprs, b.getContext())};
}

/// Returns true if `loop` walks columns of the right operand, or groups of
/// columns (batches).
static bool isColumn(Contraction &c, unsigned loop) {
  return llvm::is_contained(c.n, loop) || llvm::is_contained(c.batch, loop);
}

/// Returns, for each dimension of the result of `view`, whether a tensor varies
/// along it that varies along `dims` of the operand. Returns none if `view`
/// pads, or collapses one of `dims` with another dimension.
static std::optional<SmallVector<bool>> viewDims(Operation *view,
                                                 ArrayRef<bool> dims) {
  SmallVector<bool> result;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    for (auto [d, of] : llvm::enumerate(expand.getReassociationIndices()))
      result.append(of.size(), dims[d]);
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
    for (ArrayRef<int64_t> of : collapse.getReassociationIndices()) {
      bool some = llvm::any_of(of, [&](int64_t d) { return dims[d]; });
      bool rest = llvm::any_of(of, [&](int64_t d) {
        return !dims[d] && collapse.getSrcType().getDimSize(d) != 1;
      });
      if (some && rest)
        return std::nullopt;
      result.push_back(some);
    }
  } else if (std::optional<SmallVector<int64_t>> from = matchTranspose(view)) {
    for (int64_t d : *from)
      result.push_back(dims[d]);
  } else if (isa<tensor::CastOp>(view)) {
    result.append(dims.begin(), dims.end());
  } else {
    return std::nullopt;
  }
  return result;
}

/// Returns the loops of `c` that walk the scales of its right operand `w`.
/// Returns none if one of them is no loop of columns, or if the dimensions of
/// the scales cannot be followed through the views of the weights.
static std::optional<SmallVector<unsigned>> getScaleLoops(Contraction &c,
                                                          Dequantized &w) {
  SmallVector<unsigned> loops;
  auto add = [&](unsigned d) {
    loops.push_back(c.rhsMap().getDimPosition(d));
    return isColumn(c, loops.back());
  };
  if (w.views.empty()) {
    if (!llvm::all_of(w.axes, add))
      return std::nullopt;
    return loops;
  }
  auto from = cast<RankedTensorType>(w.quantized.getType());
  auto to = cast<RankedTensorType>(c.rhs().getType());
  if (!from.hasStaticShape() || !to.hasStaticShape() ||
      !llvm::is_sorted(w.axes))
    return std::nullopt;
  SmallVector<bool> varies(from.getRank(), false);
  for (unsigned d : w.axes)
    varies[d] = true;
  for (Operation *view : llvm::reverse(w.views)) {
    std::optional<SmallVector<bool>> next = viewDims(view, varies);
    if (!next)
      return std::nullopt;
    varies = *next;
  }
  for (auto [d, does] : llvm::enumerate(varies))
    if (does && to.getDimSize(d) != 1 && !add(d))
      return std::nullopt;
  return loops;
}

/// Returns the weights' integers and scales (null if there are none) as the
/// contraction views them. The scales have a dimension for each of `loops`.
static std::pair<Value, Value> viewWeight(OpBuilder &b, Contraction &c,
                                          Dequantized &w,
                                          ArrayRef<unsigned> loops) {
  if (w.views.empty())
    return {w.quantized, w.scales};
  Location loc = c.op.getLoc();
  Value values = replayViews(b, w.quantized, w, {});
  if (!w.scales)
    return {values, Value()};
  // Apply the views to the scales, with size 1 in all other dimensions.
  auto type = cast<RankedTensorType>(w.quantized.getType());
  SmallVector<bool> varies(type.getRank(), false);
  for (unsigned d : w.axes)
    varies[d] = true;
  auto sizesOf = [&](RankedTensorType of) {
    SmallVector<int64_t> sizes;
    for (int64_t d = 0; d < of.getRank(); ++d)
      sizes.push_back(varies[d] ? of.getDimSize(d) : 1);
    return RankedTensorType::get(sizes, b.getF32Type());
  };
  // Returns the reassociation of `rank` dimensions into those of `kept`: each
  // other dimension joins the next one that is kept, or else the last one.
  auto together = [&](ArrayRef<unsigned> kept, int64_t rank) {
    SmallVector<ReassociationIndices> groups(kept.size());
    for (int64_t d = 0, group = 0; d < rank; ++d) {
      groups[group].push_back(d);
      if (d >= kept[group] && group + 1 < int64_t(kept.size()))
        ++group;
    }
    return groups;
  };
  Value scales = w.scales;
  if (type.getRank() > int64_t(w.axes.size()))
    scales = tensor::ExpandShapeOp::create(b, loc, sizesOf(type), scales,
                                           together(w.axes, type.getRank()));
  for (Operation *view : llvm::reverse(w.views)) {
    varies = *viewDims(view, varies);
    auto to = sizesOf(cast<RankedTensorType>(view->getResult(0).getType()));
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
      scales = tensor::ExpandShapeOp::create(b, loc, to, scales,
                                             expand.getReassociationIndices());
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
      scales = tensor::CollapseShapeOp::create(
          b, loc, to, scales, collapse.getReassociationIndices());
    } else if (std::optional<SmallVector<int64_t>> from =
                   matchTranspose(view)) {
      scales = transpose(b, loc, scales, *from);
    }
  }
  auto all = cast<RankedTensorType>(scales.getType());
  SmallVector<unsigned> kept;
  for (int64_t d = 0; d < all.getRank(); ++d)
    if (llvm::is_contained(loops, c.rhsMap().getDimPosition(d)))
      kept.push_back(d);
  if (int64_t(kept.size()) < all.getRank())
    scales = tensor::CollapseShapeOp::create(
        b, loc, scales,
        kept.empty() ? SmallVector<ReassociationIndices>()
                     : together(kept, all.getRank()));
  return {values, scales};
}

AffineMap fx::kernel::columnsMap(Contraction &c, ArrayRef<unsigned> loops) {
  AffineMap result = c.resultMap();
  MLIRContext *context = c.op.getContext();
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : loops)
    exprs.push_back(getAffineDimExpr(*placeOf(result, loop), context));
  return AffineMap::get(result.getNumResults(), 0, exprs, context);
}

/// Rewrites sum x p t to t sum x p, where only the weights are quantized. Large
/// weights are read as bytes and converted to f32 where they are used.
bool IntegerContractions::rewriteMixed(Contraction &c, Dequantized &w) {
  auto type = cast<RankedTensorType>(w.quantized.getType());
  if (c.hasByteWeights() || !startsAtZero(c) || !type.hasStaticShape() ||
      type.getNumElements() < kMinMixed)
    return false;
  AffineMap result = c.resultMap();
  std::optional<SmallVector<unsigned>> scaleLoops = getScaleLoops(c, w);
  if (!scaleLoops)
    return false;
  OpBuilder b(c.op);
  Location loc = c.op.getLoc();
  Type f32 = b.getF32Type();
  auto [values, scales] = viewWeight(b, c, w, *scaleLoops);
  SmallVector<AffineMap> maps(3);
  maps[c.a] = c.lhsMap();
  maps[c.b] = c.rhsMap();
  maps[2] = result;
  SmallVector<Value> operands(2);
  operands[c.a] = c.lhs();
  operands[c.b] = values;
  Value init = c.op.getDpsInits()[0];
  Value sum =
      linalg::GenericOp::create(
          b, loc, TypeRange(init.getType()), operands, init, maps,
          c.op.getIteratorTypesArray(),
          [&](OpBuilder &nested, Location at, ValueRange v) {
            Value t = arith::SIToFPOp::create(nested, at, f32, v[c.b]);
            auto product = arith::MulFOp::create(nested, at, v[c.a], t);
            copyRounding(c, product);
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
      inputs.push_back(scales);
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
  eraseDead(w);
  return true;
}

/// Dequantizes the integer sums `inputs[0]` to f32. If there is a `zero`, the
/// next input holds the sums of the weights' terms; `zero` times these sums is
/// subtracted. If `hasScales`, the last input holds the scales of the columns.
/// `scale` (null: 1) applies to all elements.
static Value dequantizeSums(OpBuilder &b, Contraction &c,
                            ArrayRef<Value> inputs, ArrayRef<AffineMap> maps,
                            Value zero, Value scale, bool hasScales) {
  Location loc = c.op.getLoc();
  Type f32 = b.getF32Type();
  Value out = c.op.getDpsInits()[0];
  unsigned rank = c.resultMap().getNumResults();
  Value empty =
      tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, out), f32);
  return linalg::GenericOp::create(
             b, loc, TypeRange(empty.getType()), inputs, empty, maps,
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &nested, Location at, ValueRange v) {
               Value r = v[0];
               unsigned next = 1;
               if (zero) {
                 Value off = arith::MulIOp::create(nested, at, v[next++], zero);
                 r = arith::SubIOp::create(nested, at, r, off);
               }
               r = arith::SIToFPOp::create(nested, at, f32, r);
               Value factor = scale;
               if (hasScales)
                 factor = scale ? Value(arith::MulFOp::create(nested, at,
                                                              v[next], scale))
                                : v[next];
               if (factor)
                 r = arith::MulFOp::create(nested, at, r, factor);
               linalg::YieldOp::create(nested, at, r);
             })
      .getResult(0);
}

/// Rewrites sum x w to s t (sum q p - z sum p), where both operands are
/// quantized.
bool IntegerContractions::rewriteQuantized(Contraction &c, Dequantized &x,
                                           Dequantized &w) {
  if (x.scales || !startsAtZero(c))
    return false;
  std::optional<Quads> quads = matchQuads(c);
  if (!quads)
    return false;
  // Groups have few columns: padding their terms costs more than it gains.
  if (!c.batch.empty() &&
      c.op.getStaticLoopRanges()[quads->loop] % layout.multiple)
    return false;
  std::optional<SmallVector<unsigned>> scaleLoops = getScaleLoops(c, w);
  if (!scaleLoops)
    return false;

  OpBuilder b(c.op);
  Location loc = c.op.getLoc();
  ByteTensor u = makeBytes(b, loc, x, /*isUnsigned=*/!layout.isSigned);
  Value q = layOutLeft(b, loc, u.values, *quads, layout);
  auto [weights, scales] = viewWeight(b, c, w, *scaleLoops);
  RightBytes p = layOutRight(b, loc, c, weights, *quads, layout);
  Value sum = multiplyBytes(b, loc, c, q, p, layout);

  AffineMap identity = b.getMultiDimIdentityMap(c.resultMap().getNumResults());
  SmallVector<Value> inputs{sum};
  SmallVector<AffineMap> maps{identity};
  if (u.zero) {
    TermSums total = sumTerms(b, loc, c, p.values, p.map, /*isUnsigned=*/false);
    inputs.push_back(total.values);
    maps.push_back(columnsMap(c, total.loops));
  }
  if (w.scales) {
    inputs.push_back(scales);
    maps.push_back(columnsMap(c, *scaleLoops));
  }
  maps.push_back(identity);
  Value scale = x.scale;
  if (w.scale)
    scale =
        scale ? Value(arith::MulFOp::create(b, loc, scale, w.scale)) : w.scale;
  Value y = dequantizeSums(b, c, inputs, maps, u.zero, scale,
                           /*hasScales=*/bool(w.scales));
  c.op->getResult(0).replaceAllUsesWith(y);
  c.op->erase();
  eraseDead(x);
  eraseDead(w);
  return true;
}

/// Returns true if matrix units should multiply the operands. Kernels for few
/// rows read bytes, too, but multiply in f32.
bool IntegerContractions::isForGPU(Contraction &c) {
  return c.kind == OperandKind::F32 &&
         !hasFewRows(c, TargetInfo::getGPU(matrixUnit));
}

bool IntegerContractions::rewrite(Contraction &c, StateAnalysis &states) {
  if (c.isInteger() || (isGPU() && !isForGPU(c)))
    return false;
  if (!states.isStateOnly(c.rhs()))
    return rewriteActivations(c, layout);
  std::optional<GroupedWeight> grouped;
  if (!isGPU() && (grouped = matchGrouped(c.rhs())))
    return c.batch.empty() && rewriteGrouped(c, *grouped);
  std::optional<Dequantized> x = matchDequantize(c.lhs()),
                             w = matchDequantize(c.rhs());
  if (!w || w->zero || w->isUnsigned)
    return false;
  if (x)
    return rewriteQuantized(c, *x, *w);
  return !isGPU() && rewriteMixed(c, *w);
}

void IntegerContractions::runOnOperation() {
  generalizeNamedOps(getOperation());
  layout = ByteLayout::get(matrixUnit);
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (func.isExternal() || func->hasAttr(kKernelAttr))
      continue;
    if (!isGPU())
      moveNibblesBehindViews(func);
    SmallVector<Contraction, 0> found;
    func.walk([&](linalg::GenericOp op) {
      if (auto match = matchContraction(op);
          match && !match->isHalf() && !match->isDouble())
        found.push_back(*match);
    });
    StateAnalysis states(func);
    for (Contraction &c : found)
      if (rewrite(c, states))
        ++numRewritten;
    // Integers that the program itself multiplies.
    SmallVector<std::pair<linalg::GenericOp, bool>> products;
    StateAnalysis remaining(func);
    func.walk([&](linalg::GenericOp op) {
      if (op.getNumReductionLoops() && op.getNumDpsInputs() == 2)
        products.push_back({op, remaining.isStateOnly(op.getInputs()[1])});
    });
    for (auto [op, isState] : products)
      if (rewriteSigned(op, layout, isState))
        ++numRewritten;
    if (!isGPU())
      splitGroups(func);
  }
}
