//===- Dequantized.cpp - floats that come from integers -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dequantized.h"

#include "fx/Kernels/ConvertElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace fx::kernel;

/// Returns `v`, a value that the body of `op` uses, as a value in front of
/// `op`; null if it varies.
static Value getInvariant(linalg::GenericOp op, Value v) {
  if (v.getParentBlock() != op.getBody())
    return v;
  Operation *def = v.getDefiningOp();
  if (!def || !isa<arith::ConstantOp>(def))
    return {};
  OpBuilder b(op);
  return b.clone(*def)->getResult(0);
}

std::optional<SmallVector<int64_t>> fx::kernel::matchTranspose(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic->getNumResults() != 1)
    return std::nullopt;
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  Block *body = generic.getBody();
  if (!maps[0].isPermutation() || !maps[1].isPermutation() ||
      body->getTerminator()->getOperand(0) != body->getArgument(0))
    return std::nullopt;
  SmallVector<int64_t> from;
  for (AffineExpr loop : maps[1].getResults())
    from.push_back(*maps[0].getResultPosition(loop));
  return from;
}

Value fx::kernel::transpose(OpBuilder &b, Location loc, Value x,
                            ArrayRef<int64_t> from) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, x);
  applyPermutationToVector(sizes, from);
  Value empty =
      tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(x.getType()));
  return linalg::TransposeOp::create(b, loc, x, empty, from)->getResult(0);
}

std::optional<Dequantized> fx::kernel::matchDequantize(Value tensor) {
  Dequantized d;
  Operation *def = tensor.getDefiningOp();
  while (def && (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                     tensor::PadOp, tensor::CastOp>(def) ||
                 matchTranspose(def))) {
    d.views.push_back(def);
    def = def->getOperand(0).getDefiningOp();
  }
  d.op = dyn_cast_or_null<linalg::GenericOp>(def);
  if (!d.op || d.op.getNumDpsInputs() < 1 || d.op->getNumResults() != 1 ||
      d.op.getNumReductionLoops() != 0)
    return std::nullopt;
  SmallVector<AffineMap> maps = d.op.getIndexingMapsArray();
  Block *body = d.op.getBody();
  d.quantized = d.op.getInputs()[0];
  auto type = dyn_cast<RankedTensorType>(d.quantized.getType());
  if (!type || !type.getElementType().isInteger(8) || maps[0] != maps.back() ||
      !maps[0].isPermutation())
    return std::nullopt;
  Value v = body->getTerminator()->getOperand(0);
  if (auto mul = v.getDefiningOp<arith::MulFOp>()) {
    v = mul.getLhs();
    auto arg = dyn_cast<BlockArgument>(mul.getRhs());
    if (arg && arg.getOwner() == body) {
      AffineMap map = maps[arg.getArgNumber()];
      if (arg.getArgNumber() >= d.op.getNumDpsInputs() ||
          !map.isProjectedPermutation())
        return std::nullopt;
      d.scales = d.op.getInputs()[arg.getArgNumber()];
      for (AffineExpr expr : map.getResults())
        d.axes.push_back(*maps[0].getResultPosition(expr));
    } else if (!(d.scale = getInvariant(d.op, mul.getRhs()))) {
      return std::nullopt;
    }
  }
  if (auto sub = v.getDefiningOp<arith::SubFOp>()) {
    v = sub.getLhs();
    if (!(d.zero = getInvariant(d.op, sub.getRhs())))
      return std::nullopt;
  }
  Operation *convert = v.getDefiningOp();
  if (!isa_and_nonnull<arith::UIToFPOp, arith::SIToFPOp>(convert) ||
      convert->getOperand(0) != body->getArgument(0) || !v.getType().isF32())
    return std::nullopt;
  d.isUnsigned = isa<arith::UIToFPOp>(convert);
  // Padding with 0 is padding the quantized tensor with its zero point. No
  // other padding is supported.
  for (Operation *view : d.views)
    if (auto pad = dyn_cast<tensor::PadOp>(view)) {
      Value with = pad.getConstantPaddingValue();
      if (!with || !matchPattern(with, m_AnyZeroFloat()))
        return std::nullopt;
    }
  if (d.scales && d.axes.empty()) {
    OpBuilder b(d.op);
    d.scale = tensor::ExtractOp::create(b, d.op.getLoc(), d.scales);
    d.scales = {};
  }
  return d;
}

Value fx::kernel::replayViews(OpBuilder &b, Value quantized, Dequantized &d,
                              Value zero) {
  Type element = getElementTypeOrSelf(quantized.getType());
  for (Operation *view : llvm::reverse(d.views)) {
    auto type = cast<RankedTensorType>(view->getResult(0).getType());
    Type to = RankedTensorType::get(type.getShape(), element);
    if (auto pad = dyn_cast<tensor::PadOp>(view)) {
      Location loc = pad.getLoc();
      Value with =
          zero ? Value(arith::TruncIOp::create(b, loc, element, zero))
               : arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
      quantized =
          tensor::PadOp::create(b, loc, to, quantized, pad.getMixedLowPad(),
                                pad.getMixedHighPad(), with);
      continue;
    }
    if (std::optional<SmallVector<int64_t>> from = matchTranspose(view)) {
      quantized = transpose(b, view->getLoc(), quantized, *from);
      continue;
    }
    IRMapping mapping;
    mapping.map(view->getOperand(0), quantized);
    Operation *clone = b.clone(*view, mapping);
    clone->getResult(0).setType(to);
    quantized = clone->getResult(0);
  }
  return quantized;
}

ByteTensor fx::kernel::makeBytes(OpBuilder &b, Location loc, Dequantized &d,
                                 bool isUnsigned) {
  ByteTensor u;
  Type i32 = b.getI32Type(), i8 = b.getI8Type();
  if (d.zero && !matchPattern(d.zero, m_AnyZeroFloat()))
    u.zero = arith::FPToSIOp::create(b, loc, i32, d.zero);
  Value q = d.quantized;
  if (d.isUnsigned != isUnsigned) {
    q = mapElements(
        b, loc, q, i8, [&](OpBuilder &nested, Location at, Value v) {
          Value flip = arith::ConstantOp::create(nested, at,
                                                 nested.getI8IntegerAttr(-128));
          return arith::XOrIOp::create(nested, at, v, flip).getResult();
        });
    Value offset = arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(isUnsigned ? 128 : -128));
    u.zero =
        u.zero ? Value(arith::AddIOp::create(b, loc, u.zero, offset)) : offset;
  }
  u.values = replayViews(b, q, d, u.zero);
  return u;
}

void fx::kernel::eraseDead(Dequantized &d) {
  for (Operation *view : d.views)
    if (view->use_empty())
      view->erase();
  if (d.op->use_empty())
    d.op->erase();
}

Value fx::kernel::makeZeros(OpBuilder &b, Location loc,
                            ArrayRef<OpFoldResult> sizes, Type element) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

Value fx::kernel::multiplyBytes(OpBuilder &b, Location loc, Contraction &c,
                                Value left, const RightBytes &right,
                                const ByteLayout &layout) {
  Type i32 = b.getI32Type();
  Value init = makeZeros(
      b, loc, tensor::getMixedSizes(b, loc, c.op.getDpsInits()[0]), i32);
  SmallVector<AffineMap> maps(3);
  maps[c.a] = c.lhsMap();
  maps[c.b] = right.map;
  maps[2] = c.resultMap();
  SmallVector<Value> operands(2);
  operands[c.a] = left;
  operands[c.b] = right.values;
  return linalg::GenericOp::create(
             b, loc, TypeRange(init.getType()), operands, init, maps,
             c.op.getIteratorTypesArray(),
             [&](OpBuilder &nested, Location at, ValueRange v) {
               Value s =
                   layout.isSigned
                       ? Value(arith::ExtSIOp::create(nested, at, i32, v[c.a]))
                       : arith::ExtUIOp::create(nested, at, i32, v[c.a]);
               Value t = arith::ExtSIOp::create(nested, at, i32, v[c.b]);
               Value product = arith::MulIOp::create(nested, at, s, t);
               linalg::YieldOp::create(
                   nested, at,
                   arith::AddIOp::create(nested, at, v[2], product)
                       .getResult());
             })
      .getResult(0);
}

TermSums fx::kernel::sumTerms(OpBuilder &b, Location loc, Contraction &c,
                              Value bytes, AffineMap map, bool isUnsigned) {
  TermSums sums;
  unsigned rank = map.getNumResults();
  Type i32 = b.getI32Type();
  SmallVector<AffineExpr> kept;
  SmallVector<utils::IteratorType> kinds;
  SmallVector<OpFoldResult> sizes;
  for (unsigned d = 0; d < rank; ++d) {
    unsigned loop = map.getDimPosition(d);
    bool isTerm = llvm::is_contained(c.k, loop);
    kinds.push_back(isTerm ? utils::IteratorType::reduction
                           : utils::IteratorType::parallel);
    if (isTerm)
      continue;
    kept.push_back(b.getAffineDimExpr(d));
    sums.loops.push_back(loop);
    sizes.push_back(tensor::getMixedSize(b, loc, bytes, d));
  }
  Value start = makeZeros(b, loc, sizes, i32);
  sums.values =
      linalg::GenericOp::create(
          b, loc, TypeRange(start.getType()), bytes, start,
          ArrayRef<AffineMap>{b.getMultiDimIdentityMap(rank),
                              AffineMap::get(rank, 0, kept, b.getContext())},
          kinds,
          [&](OpBuilder &nested, Location at, ValueRange v) {
            Value term =
                isUnsigned
                    ? Value(arith::ExtUIOp::create(nested, at, i32, v[0]))
                    : arith::ExtSIOp::create(nested, at, i32, v[0]);
            linalg::YieldOp::create(
                nested, at,
                arith::AddIOp::create(nested, at, v[1], term).getResult());
          })
          .getResult(0);
  return sums;
}

bool fx::kernel::startsAtZero(Contraction &c) {
  auto fill = c.op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}
