//===- MarginLosses.cpp - hinge losses over classes -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"
#include "Variables.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

/// Sets result 0 to the losses of the rows, or to their mean (`reduction` 1) or
/// sum (2).
static LogicalResult setReduced(NodeLowering &n, const Tensor &rows,
                                int64_t reduction) {
  Type acc = rows.dtype;
  if (reduction == 0)
    return n.set(0, n.b.reshape(rows, n.resultSizes(0)));
  return n.set(0, reduction == 1 ? n.b.mean(rows, {0}, false, acc)
                                 : n.b.sum(rows, {0}, false, acc));
}

/// Makes `x` a matrix with a row of classes for each sample; a vector becomes
/// one row. Returns false if `x` has more than two dimensions.
static bool makeRows(Builder &b, Tensor &x) {
  while (x.rank() < 2)
    x = b.unsqueeze(x, 0);
  return x.rank() == 2;
}

/// Lowers multi_margin_loss: the sum over the classes d other than the target t
/// of max(0, margin - x[t] + x[d])^p, divided by the number of classes and
/// times the weight of t.
static LogicalResult lowerMultiMargin(NodeLowering &n) {
  Tensor x = n.tensor("self"), target = n.tensor("target");
  double p = n.real("p"), margin = n.real("margin");
  std::optional<Tensor> weight = n.optionalTensor("weight");
  int64_t reduction = n.integer("reduction");
  Builder &b = n.b;
  if (n.failed() || !makeRows(b, x) || target.rank() > 1 ||
      !isa<FloatType>(x.dtype) || !isa<IntegerType>(target.dtype) ||
      (p != 1 && p != 2) || (weight && weight->rank() != 1))
    return n.fail("the target does not fit the input, or p is neither 1 nor 2");
  if (target.rank() == 0)
    target = b.unsqueeze(target, 0);
  if (!n.broadcasts(target, {x.sizes[0]}))
    return failure();
  Type acc = opMathType(x.dtype), i64 = b.b.getI64Type();
  b.checkIndices(target, x.sizes[1],
                 "aten.multi_margin_loss: a target is out of range", false);
  target = b.expand(b.cast(target, i64), {x.sizes[0]});
  Tensor mine = b.read(
      b.cast(x, acc), {target}, target.sizes,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
        return {i[0], Scalars(s.b, s.loc, i64).toIndex(v[0])};
      });
  SmallVector<Tensor> operands = {b.cast(x, acc), b.unsqueeze(mine, 1),
                                  b.unsqueeze(target, 1)};
  if (weight) {
    Tensor w = b.read(
        b.cast(*weight, acc), {target}, target.sizes,
        [&](Scalars &s, ValueRange v, ArrayRef<Value>) -> SmallVector<Value> {
          return {Scalars(s.b, s.loc, i64).toIndex(v[0])};
        });
    operands.push_back(b.unsqueeze(w, 1));
  }
  Tensor terms = b.indexed(
      operands, x.sizes, acc, Type(),
      [&](Scalars &, ValueRange v, ArrayRef<Value> i) -> Value {
        Scalars s(b.b, b.loc, acc), si(b.b, b.loc, i64);
        Value z = s.add(s.sub(s.constant(margin), v[1]), v[0]);
        Value h = p == 1 ? z : s.mul(z, z);
        if (weight)
          h = s.mul(h, v[3]);
        Value isMine = si.eq(si.fromIndex(i[1]), v[2]);
        Value counts =
            s.logicalAnd(s.gt(z, s.constant(0)), s.logicalNot(isMine));
        return s.select(counts, h, s.constant(0));
      },
      acc);
  return setReduced(n, b.mean(terms, {1}, false, acc), reduction);
}

/// Lowers multilabel_margin_loss: the sum over the targets t of a row, up to
/// the first negative one, and over the classes d that are no target, of
/// max(0, 1 - x[t] + x[d]), divided by the number of classes. The second result
/// marks the targets.
static LogicalResult lowerMultiLabelMargin(NodeLowering &n) {
  Tensor x = n.tensor("self"), target = n.tensor("target");
  int64_t reduction = n.integer("reduction");
  Builder &b = n.b;
  if (n.failed() || !makeRows(b, x) || !makeRows(b, target) ||
      !isa<FloatType>(x.dtype) || !isa<IntegerType>(target.dtype) ||
      !n.broadcasts(target, x.sizes))
    return n.fail("the target does not fit the input");
  Type acc = opMathType(x.dtype), i64 = b.b.getI64Type();
  // All negative targets have the same meaning: clip them to -1.
  Tensor clipped = b.contiguous(
      b.pointwise({target}, x.sizes, i64, i64, [](Scalars &s, ValueRange v) {
        return s.max(v[0], s.integer(-1));
      }));
  Tensor checked =
      b.pointwise({clipped}, x.sizes, i64, i64, [](Scalars &s, ValueRange v) {
        return s.max(v[0], s.integer(0));
      });
  b.checkIndices(checked, x.sizes[1],
                 n.target().str() + ": a target is out of range", false);
  Tensor rows = b.contiguous(b.cast(x, acc));
  Sizes lossSizes = {x.sizes[0]};
  Scalars s(b.b, b.loc, acc), si(b.b, b.loc, i64);
  Value zero = b.index(0), classes = b.index(x.sizes[1]);
  Variables v(b);
  unsigned marks = v.addFilled(x.sizes, acc, s.constant(0)),
           losses = v.addFilled(lossSizes, acc, s.constant(0)),
           sum = v.add(s.constant(0)), open = v.add(s.boolean(true));
  auto eachTarget = [&](Value row, function_ref<void(Value)> body) {
    v.set(open, s.boolean(true));
    v.loop(zero, classes, [&](Value k) {
      Value t = tensor::ExtractOp::create(b.b, b.loc, clipped.value,
                                          ValueRange{row, k});
      v.set(open, s.logicalAnd(v.get(open), si.ge(t, si.integer(0))));
      v.when(v.get(open), [&] { body(si.toIndex(t)); });
    });
  };
  v.loop(zero, b.index(x.sizes[0]), [&](Value row) {
    eachTarget(row, [&](Value t) { v.store(marks, {row, t}, s.constant(1)); });
    v.set(sum, s.constant(0));
    eachTarget(row, [&](Value t) {
      Value mine =
          tensor::ExtractOp::create(b.b, b.loc, rows.value, ValueRange{row, t});
      v.loop(zero, classes, [&](Value d) {
        Value other = tensor::ExtractOp::create(b.b, b.loc, rows.value,
                                                ValueRange{row, d});
        Value z = s.add(s.sub(s.constant(1), mine), other);
        Value isOther = s.eq(v.load(marks, {row, d}), s.constant(0));
        Value term = s.select(isOther, s.max(z, s.constant(0)), s.constant(0));
        v.set(sum, s.add(v.get(sum), term));
      });
    });
    v.store(losses, {row}, s.div(v.get(sum), s.fromIndex(classes)));
  });
  if (n.numResults() > 1 && n.isUsed(1) &&
      failed(
          n.set(1, b.reshape(v.tensor(marks, x.sizes, acc), n.resultSizes(1)))))
    return failure();
  return setReduced(n, v.tensor(losses, lossSizes, acc), reduction);
}

void registerMarginLosses(Registry &r) {
  r.add("aten.multi_margin_loss.default", lowerMultiMargin);
  r.add({"aten.multilabel_margin_loss.default",
         "aten.multilabel_margin_loss_forward.default"},
        lowerMultiLabelMargin);
}

} // namespace fx::lin
