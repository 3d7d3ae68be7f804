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
  if (int64_t dynamic = type.getNumDynamicDims(); dynamic != getSizes().size())
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

/// Extracts the numbers of four bits that `joined` holds, two in a byte.
static Value splitNibbles(OpBuilder &b, Location loc, Value joined) {
  auto type = cast<RankedTensorType>(joined.getType());
  unsigned rank = type.getRank(), at = rank - 3;
  SmallVector<int64_t> shape(type.getShape());
  shape[at] *= 2;
  AffineMap whole = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> exprs(whole.getResults());
  exprs[at] = exprs[at].floorDiv(2);
  Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  return linalg::GenericOp::create(
             b, loc, TypeRange(empty.getType()), joined, empty,
             ArrayRef<AffineMap>{AffineMap::get(rank, 0, exprs, b.getContext()),
                                 whole},
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &nested, Location loc, ValueRange v) {
               auto number = [&](int8_t n) -> Value {
                 return arith::ConstantOp::create(nested, loc,
                                                  nested.getI8IntegerAttr(n));
               };
               Value tile = linalg::IndexOp::create(nested, loc, at);
               Value one = arith::ConstantIndexOp::create(nested, loc, 1);
               Value zero = arith::ConstantIndexOp::create(nested, loc, 0);
               Value isLow = arith::CmpIOp::create(
                   nested, loc, arith::CmpIPredicate::eq,
                   arith::AndIOp::create(nested, loc, tile, one), zero);
               Value up = arith::ShLIOp::create(nested, loc, v[0], number(4));
               Value high =
                   arith::SelectOp::create(nested, loc, isLow, up, v[0]);
               linalg::YieldOp::create(
                   nested, loc,
                   arith::ShRSIOp::create(nested, loc, high, number(4))
                       .getResult());
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
    source = splitNibbles(b, loc, source);
  else if (getElementTypeOrSelf(source.getType()) !=
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
