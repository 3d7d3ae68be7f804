//===- Unpack.cpp - the plain form of a packed weight ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace fx::kernel;

SmallVector<OpFoldResult> UnpackOp::getMixedSizes() {
  Builder b(getContext());
  return mlir::getMixedValues(getResult().getType().getShape(), getSizes(), b);
}

/// Returns true if `list` holds different numbers of 0 to `rank` - 1.
static bool areDimensions(ArrayRef<int64_t> list, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t d : list) {
    if (d < 0 || d >= rank || seen.test(d))
      return false;
    seen.set(d);
  }
  return true;
}

LogicalResult UnpackOp::verify() {
  RankedTensorType type = getResult().getType();
  int64_t rank = type.getRank();
  ArrayRef<int64_t> perm = getOuterDimsPerm(), pos = getInnerDimsPos();
  if (int64_t dynamic = type.getNumDynamicDims();
      dynamic != int64_t(getSizes().size()))
    return emitOpError("expected ")
           << dynamic << " sizes, got " << getSizes().size();
  if (int64_t(perm.size()) != rank || !areDimensions(perm, rank))
    return emitOpError("expected a permutation of ")
           << rank << " dimensions as outer_dims_perm";
  if (!areDimensions(pos, rank))
    return emitOpError("expected different dimensions of the result as "
                       "inner_dims_pos");
  ArrayRef<int64_t> tiles = getInnerTiles();
  if (tiles.empty() || tiles.size() != pos.size() ||
      llvm::any_of(tiles, [](int64_t tile) { return tile <= 0; }))
    return emitOpError("expected a positive tile for each of inner_dims_pos");
  auto packed = linalg::PackOp::inferPackedType(type, tiles, pos, perm);
  if (getNibbles()) {
    SmallVector<int64_t> shape(packed.getShape());
    int64_t &pairs = shape[rank - 1];
    if (!type.getElementType().isInteger(8) || tiles.back() != 4 ||
        ShapedType::isDynamic(pairs) || pairs % 2)
      return emitOpError("expected an even number of tiles of four i8");
    pairs /= 2;
    packed = packed.clone(shape);
  }
  // The source may hold f32 in 16 bits.
  Type element = getElementTypeOrSelf(getSource().getType());
  if (type.getElementType().isF32() && (element.isF16() || element.isBF16()))
    packed = packed.clone(element);
  if (getSource().getType() != packed)
    return emitOpError("expected a source of type ")
           << packed << ", got " << getSource().getType();
  return success();
}

Value UnpackOp::extractNibble(OpBuilder &b, Location loc, Value byte,
                              Value isHigh) {
  Value four = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(4));
  Value up = arith::ShLIOp::create(b, loc, byte, four);
  Value high = arith::SelectOp::create(b, loc, isHigh, byte, up);
  return arith::ShRSIOp::create(b, loc, high, four);
}

/// Extracts the numbers of four bits that the source holds, two in a byte.
static Value expandNibbles(OpBuilder &b, UnpackOp op) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> perm = op.getOuterDimsPerm(), tiles = op.getInnerTiles();
  unsigned rank = perm.size();
  AffineMap whole = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> outer(whole.getResults()), exprs, inner;
  for (auto [pos, tile] : llvm::zip(op.getInnerDimsPos(), tiles)) {
    inner.push_back(outer[pos] % tile);
    outer[pos] = outer[pos].floorDiv(tile);
  }
  for (int64_t d : perm)
    exprs.push_back(outer[d]);
  AffineExpr tile = exprs.back();
  exprs.back() = tile.floorDiv(2);
  exprs.append(inner);
  Value empty = tensor::EmptyOp::create(b, loc, op.getMixedSizes(),
                                        op.getType().getElementType());
  return linalg::GenericOp::create(
             b, loc, TypeRange(empty.getType()), op.getSource(), empty,
             ArrayRef<AffineMap>{AffineMap::get(rank, 0, exprs, b.getContext()),
                                 whole},
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &nested, Location at, ValueRange v) {
               auto number = [&](int64_t n) -> Value {
                 return arith::ConstantIndexOp::create(nested, at, n);
               };
               Value i = linalg::IndexOp::create(nested, at, perm.back());
               if (auto *it = llvm::find(op.getInnerDimsPos(), perm.back());
                   it != op.getInnerDimsPos().end())
                 i = arith::DivUIOp::create(
                     nested, at, i,
                     number(tiles[it - op.getInnerDimsPos().begin()]));
               Value isHigh = arith::CmpIOp::create(
                   nested, at, arith::CmpIPredicate::ne,
                   arith::AndIOp::create(nested, at, i, number(1)), number(0));
               linalg::YieldOp::create(
                   nested, at,
                   UnpackOp::extractNibble(nested, at, v[0], isHigh));
             })
      .getResult(0);
}

/// Extends elements of 16 bits to f32.
static Value extend(OpBuilder &b, Location loc, Value narrow) {
  auto type = cast<RankedTensorType>(narrow.getType());
  AffineMap map = b.getMultiDimIdentityMap(type.getRank());
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, narrow), b.getF32Type());
  return linalg::GenericOp::create(
             b, loc, TypeRange(empty.getType()), narrow, empty,
             ArrayRef<AffineMap>{map, map},
             SmallVector<utils::IteratorType>(type.getRank(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &nested, Location loc, ValueRange v) {
               linalg::YieldOp::create(
                   nested, loc,
                   arith::ExtFOp::create(nested, loc, nested.getF32Type(), v[0])
                       .getResult());
             })
      .getResult(0);
}

Value UnpackOp::expand(OpBuilder &b) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(*this);
  Location loc = getLoc();
  Value source = getSource();
  if (getNibbles())
    return expandNibbles(b, *this);
  if (getElementTypeOrSelf(source.getType()) !=
      getElementTypeOrSelf(getResult().getType()))
    source = extend(b, loc, source);
  Value dest = tensor::EmptyOp::create(b, loc, getMixedSizes(),
                                       getResult().getType().getElementType());
  return linalg::UnPackOp::create(
             b, loc, source, dest, getInnerDimsPos(),
             getAsIndexOpFoldResult(getContext(), getInnerTiles()),
             getOuterDimsPerm())
      ->getResult(0);
}

void fx::kernel::expandUnpacking(ModuleOp module) {
  auto expand = [&](auto op) {
    if (!op->use_empty()) {
      OpBuilder b(op);
      op.getResult().replaceAllUsesWith(op.expand(b));
    }
    op.erase();
  };
  module.walk([&](UntransformOp op) { expand(op); });
  module.walk([&](UnpackOp op) { expand(op); });
}
