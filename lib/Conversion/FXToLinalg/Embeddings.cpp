//===- Embeddings.cpp - bags of embeddings, and their norms ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Variables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

namespace {
enum Mode { Sum, Mean, Max };
} // namespace

static Value indexAt(Builder &b, const Tensor &t, ArrayRef<Value> at) {
  Value v = tensor::ExtractOp::create(b.b, b.loc, t.value, at);
  return Scalars(b.b, b.loc, t.dtype).toIndex(v);
}

/// Checks that the offsets begin at 0, do not decrease and stay in the indices.
static void checkOffsets(Builder &b, const Tensor &offsets, ExprAttr count) {
  Type i1 = b.b.getI1Type(), dtype = offsets.dtype;
  Value end = Scalars(b.b, b.loc, dtype).fromIndex(b.index(count));
  Tensor good = b.indexed(
      {offsets}, offsets.sizes, i1, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> Value {
        Scalars ix = s.indices(), e(s.b, s.loc, dtype);
        Value zero = ix.integer(0), first = ix.eq(i[0], zero);
        Value before = tensor::ExtractOp::create(
            s.b, s.loc, offsets.value,
            ix.max(ix.sub(i[0], ix.integer(1)), zero));
        Value low = e.select(first, e.integer(0), before);
        Value starts =
            e.logicalOr(e.logicalNot(first), e.eq(v[0], e.integer(0)));
        return e.logicalAnd(starts,
                            e.logicalAnd(e.ge(v[0], low), e.le(v[0], end)));
      },
      i1);
  Tensor all = b.reduce(
      good, {0}, false, i1, [](Scalars &s) { return s.boolean(true); },
      [](Scalars &s, Value a, Value x) { return s.logicalAnd(a, x); });
  b.check(b.element(all),
          "aten.embedding_bag: expected offsets that start at 0, do not "
          "decrease and are at most the number of indices");
}

/// embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
/// per_sample_weights, include_last_offset, padding_idx): the sums, means or
/// maxima of the rows from each offset to the next. What serves only the
/// gradient (the other results) is not computed.
static LogicalResult lowerEmbeddingBag(Node &n) {
  Tensor weight = n.tensor("weight"), indices = n.tensor("indices"),
         offsets = n.tensor("offsets");
  int64_t mode = n.integer("mode");
  std::optional<Tensor> scales = n.optionalTensor("per_sample_weights");
  bool last = n.boolean("include_last_offset");
  int64_t padding = n.integer("padding_idx", -1);
  if (n.failed() || !n.resultType() || mode < Sum || mode > Max)
    return n.fail("a mode of that number");
  for (unsigned i = 1; i < n.numResults(); ++i)
    if (n.isUsed(i))
      return n.fail("what serves only the gradient is used");
  if (weight.rank() != 2 || indices.rank() != 1 || offsets.rank() != 1 ||
      !isa<FloatType>(weight.dtype) || !isSupported(weight.dtype))
    return n.fail("the operands' ranks or dtypes");
  Builder &b = n.b;
  Type dtype = weight.dtype, acc = opMathType(dtype);
  b.checkIndices(indices, weight.sizes[0],
                 "aten.embedding_bag: an index is out of range", false);
  weight = b.contiguous(weight);
  indices = b.contiguous(indices);
  offsets = b.contiguous(offsets);
  checkOffsets(b, offsets, indices.sizes[0]);
  Tensor scale;
  if (scales)
    scale = b.contiguous(b.cast(*scales, acc));
  // A negative padding index counts from the end where the argument may be
  // None, and else is none.
  std::optional<Value> skipped;
  bool wraps = n.target() == "aten.embedding_bag.padding_idx";
  if (n.has("padding_idx") && (padding >= 0 || wraps)) {
    skipped = b.index(padding);
    if (padding < 0)
      skipped = Scalars(b.b, b.loc, b.b.getIndexType())
                    .add(b.index(weight.sizes[0]), b.index(padding));
  }
  Sizes sizes(n.resultSizes());
  Value bags = b.index(sizes[0]), width = b.index(sizes[1]),
        count = b.index(indices.sizes[0]), zero = b.index(0);
  Scalars outer(b.b, b.loc, acc);
  Variables v(b);
  unsigned out = v.addFilled(sizes, acc, outer.integer(0)), taken = v.add(zero);
  v.loop(zero, bags, [&](Value bag) {
    Scalars ix(b.b, b.loc, b.b.getIndexType());
    Value from = indexAt(b, offsets, bag), to = count;
    Value next = ix.add(bag, ix.integer(1));
    if (last) {
      to = indexAt(b, offsets, next);
    } else {
      Value after =
          indexAt(b, offsets, ix.min(next, ix.sub(bags, ix.integer(1))));
      to = ix.select(ix.lt(next, bags), after, count);
    }
    v.set(taken, ix.integer(0));
    v.loop(from, to, [&](Value i) {
      Scalars ix(b.b, b.loc, b.b.getIndexType());
      Value row = indexAt(b, indices, i);
      auto add = [&] {
        Value first = ix.eq(v.get(taken), ix.integer(0));
        v.loop(zero, width, [&](Value d) {
          Scalars s(b.b, b.loc, acc);
          Value x = s.cast(tensor::ExtractOp::create(b.b, b.loc, weight.value,
                                                     ValueRange{row, d}),
                           dtype, acc);
          if (scales)
            x = s.mul(x, tensor::ExtractOp::create(b.b, b.loc, scale.value, i));
          Value old = v.load(out, {bag, d});
          v.store(out, {bag, d},
                  mode == Max ? s.select(first, x, s.max(old, x))
                              : s.add(old, x));
        });
        v.set(taken, Scalars(b.b, b.loc, b.b.getIndexType())
                         .add(v.get(taken), b.index(1)));
      };
      if (!skipped)
        add();
      else
        v.when(ix.ne(row, *skipped), add);
    });
    if (mode == Mean) {
      Scalars s(b.b, b.loc, acc);
      Value by = s.max(s.fromIndex(v.get(taken)), s.integer(1));
      v.loop(zero, width, [&](Value d) {
        Scalars s(b.b, b.loc, acc);
        v.store(out, {bag, d}, s.div(v.load(out, {bag, d}), by));
      });
    }
  });
  return n.set(0, v.tensor(out, sizes, acc));
}

/// The weight with the rows that the indices name scaled to at most
/// `max_norm`.
static LogicalResult lowerEmbeddingRenorm(Node &n) {
  Tensor weight = n.tensor("self"), indices = n.tensor("indices");
  double most = n.real("max_norm"), p = n.real("norm_type");
  if (n.failed() || weight.rank() != 2 || !isa<FloatType>(weight.dtype))
    return n.fail("the weight is no matrix of floats");
  Builder &b = n.b;
  Type acc = opMathType(weight.dtype);
  b.checkIndices(indices, weight.sizes[0],
                 "aten.embedding_renorm: an index is out of range", false);
  bool infinite = std::isinf(p);
  Tensor norms = b.reduce(
      weight, {1}, false, acc, [](Scalars &s) { return s.integer(0); },
      [&](Scalars &s, Value a, Value x) {
        return infinite ? s.max(a, x) : s.add(a, x);
      },
      [&](Scalars &s, Value x) {
        Value r = s.abs(x);
        return infinite ? r : s.powConstant(r, p);
      });
  Tensor scales =
      b.contiguous(b.map({norms}, acc, [&](Scalars &s, ValueRange v) {
        Value norm = infinite ? v[0] : s.powConstant(v[0], 1 / p);
        // The constant is torch's: it keeps the division from overflowing.
        Value scale = s.div(s.constant(most), s.add(norm, s.constant(1e-7)));
        return s.select(s.gt(norm, s.constant(most)), scale, s.constant(1));
      }));
  Sizes flat = {b.product(indices.sizes)};
  Tensor rows = b.contiguous(b.reshape(indices, flat));
  Value count = b.index(flat[0]);
  Scalars outer(b.b, b.loc, acc);
  Variables v(b);
  unsigned factor = v.addFilled({weight.sizes[0]}, acc, outer.constant(1));
  v.loop(b.index(0), count, [&](Value i) {
    Value row = indexAt(b, rows, i);
    v.store(factor, {row},
            tensor::ExtractOp::create(b.b, b.loc, scales.value, row));
  });
  Tensor factors = b.unsqueeze(v.tensor(factor, {weight.sizes[0]}, acc), 1);
  return n.result(
      b.map({weight, factors}, weight.dtype,
            [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); }));
}

void registerEmbeddings(Registry &r) {
  r.add({"aten.embedding_bag.default", "aten.embedding_bag.padding_idx",
         "aten._embedding_bag.default",
         "aten._embedding_bag_forward_only.default"},
        lowerEmbeddingBag);
  r.add("aten.embedding_renorm.default", lowerEmbeddingRenorm);
}

} // namespace fx::lin
