//===- MatrixExponential.cpp - exponentials of matrices -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

/// The number of terms of the series. For a norm of at most 1/2, the sum of the
/// others is less than f64's rounding.
static constexpr int64_t numTerms = 16;

/// matrix_exp(self): divides the matrix by a power of two so that its norm is
/// at most 1/2, evaluates the exponential series, and squares the result as
/// many times as the matrix was halved. Computes in f64, one matrix at a time.
static LogicalResult lowerMatrixExponential(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (!isMatrices(n, x, true))
    return n.fail("the operand is no square matrix of floats");
  Builder &b = n.b;
  Type f64 = b.b.getF64Type();
  Tensor a = stacked(b, x);
  Sizes one = {a.sizes[1], a.sizes[2]};
  Value zero = b.index(0), size = b.index(a.sizes[1]);
  Scalars s = reals(b), ix = indices(b);
  Value none = s.constant(0);
  Variables v(b);
  unsigned y = v.addEmpty(a.sizes, f64), e = v.addEmpty(one, f64),
           product = v.addEmpty(one, f64), norm = v.add(none),
           sum = v.add(none);
  auto load = [&](Value at, Value i, Value k) -> Value {
    return tensor::ExtractOp::create(b.b, b.loc, a.value, ValueRange{at, i, k});
  };
  // Replaces `e` by left * e, with `finish` applied to each element.
  auto multiply = [&](function_ref<Value(Value, Value)> left,
                      function_ref<Value(Value, Value, Value)> finish) {
    v.nest(one, [&](ArrayRef<Value> i) {
      v.set(sum, none);
      v.loop(zero, size, [&](Value k) {
        v.set(sum,
              s.add(v.get(sum), s.mul(left(i[0], k), v.load(e, {k, i[1]}))));
      });
      v.store(product, i, finish(i[0], i[1], v.get(sum)));
    });
    v.nest(one, [&](ArrayRef<Value> i) { v.store(e, i, v.load(product, i)); });
  };
  auto isDiagonal = [&](Value i, Value k) {
    return s.select(ix.eq(i, k), s.constant(1), none);
  };
  v.loop(zero, b.index(a.sizes[0]), [&](Value at) {
    // The norm: the largest sum of the magnitudes of a row.
    v.set(norm, none);
    v.loop(zero, size, [&](Value i) {
      v.set(sum, none);
      v.loop(zero, size, [&](Value k) {
        v.set(sum, s.add(v.get(sum), s.abs(load(at, i, k))));
      });
      v.set(norm, s.max(v.get(norm), v.get(sum)));
    });
    Value isFinite = s.lt(v.get(norm), s.highest());
    Value bits = s.ceil(s.unary<math::Log2Op>(v.get(norm)));
    bits = s.max(s.add(s.select(isFinite, bits, none), s.constant(1)), none);
    Value squarings = s.toIndex(bits);
    Value scale = s.unary<math::Exp2Op>(s.neg(bits));
    v.nest(one,
           [&](ArrayRef<Value> i) { v.store(e, i, isDiagonal(i[0], i[1])); });
    // 1 + a (1 + a / 2 (1 + a / 3 ...))
    v.loopDown(b.index(1), b.index(numTerms + 1), [&](Value term) {
      Value factor = s.div(scale, s.fromIndex(term));
      multiply([&](Value i, Value k) { return load(at, i, k); },
               [&](Value i, Value k, Value dot) {
                 return s.add(isDiagonal(i, k), s.mul(dot, factor));
               });
    });
    v.loop(zero, squarings, [&](Value) {
      multiply([&](Value i, Value k) { return v.load(e, {i, k}); },
               [&](Value, Value, Value dot) { return dot; });
    });
    v.nest(one, [&](ArrayRef<Value> i) {
      v.store(y, {at, i[0], i[1]}, v.load(e, i));
    });
  });
  return n.result(unstacked(b, v.tensor(y, a.sizes, f64), batchOf(x)));
}

void registerMatrixExponential(Registry &r) {
  r.add({"aten.matrix_exp.default", "aten.linalg_matrix_exp.default"},
        lowerMatrixExponential);
}

} // namespace fx::lin
