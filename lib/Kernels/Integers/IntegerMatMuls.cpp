//===- IntegerMatMuls.cpp - matmuls of quantized activations --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With x = (q - z) s and y = (p - w) t, of n terms,
//
//   sum x y = s t (sum q p - z sum p - w sum q + n z w).
//
//===----------------------------------------------------------------------===//

#include "Dequantized.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx::kernel;

using Kind = utils::IteratorType;

bool fx::kernel::rewriteActivations(Contraction &c, const ByteLayout &layout) {
  if (c.hasByteWeights() || c.isHalf() || c.groupSize || !startsAtZero(c) ||
      !c.lhsMap().isProjectedPermutation())
    return false;
  std::optional<Dequantized> x = matchDequantize(c.lhs()),
                             y = matchDequantize(c.rhs());
  std::optional<Quads> quads = matchQuads(c);
  if (!x || !y || x->scales || y->scales || !quads)
    return false;
  int64_t terms = 1;
  for (unsigned loop : c.k)
    terms *= c.op.getStaticLoopRanges()[loop];
  // Both factors may differ from their zero points by 255: products are up to
  // twice as large as kMaxTerms assumes.
  if (terms > kMaxTerms / 2)
    return false;

  OpBuilder b(c.op);
  Location loc = c.op.getLoc();
  Type f32 = b.getF32Type();
  ByteTensor left = makeBytes(b, loc, *x, /*isUnsigned=*/!layout.isSigned),
             right = makeBytes(b, loc, *y, /*isUnsigned=*/false);
  Value q = layOutLeft(b, loc, left.values, *quads, layout);
  RightBytes p = layOutRight(b, loc, c, right.values, *quads, layout);
  Value out = c.op.getDpsInits()[0];
  AffineMap lhs = c.lhsMap(), result = c.resultMap();
  Value sum = multiplyBytes(b, loc, c, q, p, layout);

  unsigned rank = result.getNumResults();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs{sum};
  SmallVector<AffineMap> epilogue{identity};
  SmallVector<Value> factors; // zero point for each sum of terms
  auto addSums = [&](Value bytes, AffineMap map, bool isUnsigned, Value zero) {
    TermSums sums = sumTerms(b, loc, c, bytes, map, isUnsigned);
    inputs.push_back(sums.values);
    epilogue.push_back(columnsMap(c, sums.loops));
    factors.push_back(zero);
  };
  if (left.zero)
    addSums(p.values, p.map, /*isUnsigned=*/false, left.zero);
  if (right.zero)
    addSums(q, lhs, /*isUnsigned=*/!layout.isSigned, right.zero);
  Value both;
  if (left.zero && right.zero) {
    both = arith::MulIOp::create(b, loc, left.zero, right.zero);
    Value n = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(terms));
    both = arith::MulIOp::create(b, loc, both, n);
  }
  Value scale = x->scale;
  if (y->scale)
    scale = scale ? Value(arith::MulFOp::create(b, loc, scale, y->scale))
                  : y->scale;
  epilogue.push_back(identity);
  Value empty =
      tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, out), f32);
  Value product =
      linalg::GenericOp::create(
          b, loc, TypeRange(empty.getType()), inputs, empty, epilogue,
          SmallVector<Kind>(rank, Kind::parallel),
          [&](OpBuilder &nested, Location at, ValueRange v) {
            Value r = v[0];
            for (auto [i, factor] : llvm::enumerate(factors))
              r = arith::SubIOp::create(
                  nested, at, r,
                  arith::MulIOp::create(nested, at, v[1 + i], factor));
            if (both)
              r = arith::AddIOp::create(nested, at, r, both);
            r = arith::SIToFPOp::create(nested, at, f32, r);
            if (scale)
              r = arith::MulFOp::create(nested, at, r, scale);
            linalg::YieldOp::create(nested, at, r);
          })
          .getResult(0);
  c.op->getResult(0).replaceAllUsesWith(product);
  c.op->erase();
  eraseDead(*x);
  eraseDead(*y);
  return true;
}
