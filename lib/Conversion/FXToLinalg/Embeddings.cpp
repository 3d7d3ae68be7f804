//===- Embeddings.cpp - bags of embeddings, and their norms ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
enum Mode { Sum, Mean, Max };
} // namespace

static Value indexAt(Builder &b, const Tensor &t, ArrayRef<Value> at) {
  Value v = tensor::ExtractOp::create(b.b, b.loc, t.value, at);
  return Scalars(b.b, b.loc, t.dtype).toIndex(v);
}

/// Emits an assertion that the offsets begin at 0, do not decrease and are at
/// most `count`, the number of indices.
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

/// Returns the row of the weight that all bags skip, if there is one.
static std::optional<Value> findSkipped(NodeLowering &n, ExprAttr rows,
                                        int64_t padding) {
  // A negative padding index counts from the end if the argument may be None.
  // In the other overloads it means that no row is skipped.
  bool wraps = n.target() == "aten.embedding_bag.padding_idx";
  if (!n.has("padding_idx") || (padding < 0 && !wraps))
    return std::nullopt;
  Builder &b = n.b;
  Value skipped = b.index(padding);
  if (padding < 0)
    skipped = Scalars(b.b, b.loc, b.b.getIndexType())
                  .add(b.index(rows), b.index(padding));
  return skipped;
}

namespace {
/// Computes the bags of one embedding_bag.
class BagLoop {
public:
  explicit BagLoop(Builder &b) : b(b), v(b) {}

  /// The operands, contiguous.
  Tensor weight, indices, offsets;
  std::optional<Tensor> scales; ///< in the compute type
  std::optional<Value> skipped;
  int64_t mode = Sum;
  bool hasLastOffset = false;

  /// Returns the bags, [bags, width], in the compute type.
  Tensor run(ArrayRef<ExprAttr> sizes);

private:
  Type getCompute() const { return opMathType(weight.dtype); }
  Scalars computed() { return Scalars(b.b, b.loc, getCompute()); }
  Scalars places() { return Scalars(b.b, b.loc, b.b.getIndexType()); }
  /// Returns the position in the indices where the bag ends, exclusive.
  Value findEnd(Value bag);
  /// Adds row `row` of the weight to the bag, or takes the maximum of both.
  /// `index` is the position in the indices that selects the row.
  void takeRow(Value bag, Value row, Value index);
  /// Divides the bag by the number of its rows.
  void divide(Value bag);

  Builder &b;
  Variables v;
  Value bags, width, count, zero;
  unsigned out = 0, taken = 0; ///< variables: bags; rows in the current bag
};
} // namespace

Value BagLoop::findEnd(Value bag) {
  Scalars ix = places();
  Value next = ix.add(bag, ix.integer(1));
  if (hasLastOffset)
    return indexAt(b, offsets, next);
  Value after = indexAt(b, offsets, ix.min(next, ix.sub(bags, ix.integer(1))));
  return ix.select(ix.lt(next, bags), after, count);
}

void BagLoop::takeRow(Value bag, Value row, Value index) {
  Scalars ix = places();
  Value first = ix.eq(v.get(taken), ix.integer(0));
  v.loop(zero, width, [&](Value d) {
    Scalars s = computed();
    Value x = s.cast(
        tensor::ExtractOp::create(b.b, b.loc, weight.value, ValueRange{row, d}),
        weight.dtype, getCompute());
    if (scales)
      x = s.mul(x, tensor::ExtractOp::create(b.b, b.loc, scales->value, index));
    Value old = v.load(out, {bag, d});
    v.store(out, {bag, d},
            mode == Max ? s.select(first, x, s.max(old, x)) : s.add(old, x));
  });
  v.set(taken, places().add(v.get(taken), b.index(1)));
}

void BagLoop::divide(Value bag) {
  Scalars s = computed();
  Value by = s.max(s.fromIndex(v.get(taken)), s.integer(1));
  v.loop(zero, width, [&](Value d) {
    Scalars s = computed();
    v.store(out, {bag, d}, s.div(v.load(out, {bag, d}), by));
  });
}

Tensor BagLoop::run(ArrayRef<ExprAttr> sizes) {
  bags = b.index(sizes[0]);
  width = b.index(sizes[1]);
  count = b.index(indices.sizes[0]);
  zero = b.index(0);
  Type acc = getCompute();
  out = v.addFilled(sizes, acc, computed().integer(0));
  taken = v.add(zero);
  v.loop(zero, bags, [&](Value bag) {
    Value from = indexAt(b, offsets, bag), to = findEnd(bag);
    v.set(taken, places().integer(0));
    v.loop(from, to, [&](Value i) {
      Value row = indexAt(b, indices, i);
      if (!skipped)
        takeRow(bag, row, i);
      else
        v.when(places().ne(row, *skipped), [&] { takeRow(bag, row, i); });
    });
    if (mode == Mean)
      divide(bag);
  });
  return v.tensor(out, sizes, acc);
}

/// embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
/// per_sample_weights, include_last_offset, padding_idx): the sums, means or
/// maxima of the rows from each offset to the next. Fails if another result,
/// which only the gradient needs, is used.
static LogicalResult lowerEmbeddingBag(NodeLowering &n) {
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
  b.checkIndices(indices, weight.sizes[0],
                 "aten.embedding_bag: an index is out of range", false);
  BagLoop loop(b);
  loop.weight = b.contiguous(weight);
  loop.indices = b.contiguous(indices);
  loop.offsets = b.contiguous(offsets);
  checkOffsets(b, loop.offsets, indices.sizes[0]);
  if (scales)
    loop.scales = b.contiguous(b.cast(*scales, opMathType(weight.dtype)));
  loop.skipped = findSkipped(n, weight.sizes[0], padding);
  loop.mode = mode;
  loop.hasLastOffset = last;
  return n.set(0, loop.run(n.resultSizes()));
}

/// Lowers embedding_renorm: scales the rows of the weight that the indices
/// select so that their norm is at most `max_norm`.
static LogicalResult lowerEmbeddingRenorm(NodeLowering &n) {
  Tensor weight = n.tensor("self"), indices = n.tensor("indices");
  double most = n.real("max_norm"), p = n.real("norm_type");
  if (n.failed() || weight.rank() != 2 || !isa<FloatType>(weight.dtype))
    return n.fail("the weight is no matrix of floats");
  Builder &b = n.b;
  Type acc = opMathType(weight.dtype);
  b.checkIndices(indices, weight.sizes[0],
                 "aten.embedding_renorm: an index is out of range", false);
  Tensor norms = norm(b, weight, {1}, false, p, acc);
  Tensor scales =
      b.contiguous(b.map({norms}, acc, [&](Scalars &s, ValueRange v) {
        // The constant is torch's: it keeps the division from overflowing.
        Value scale = s.div(s.constant(most), s.add(v[0], s.constant(1e-7)));
        return s.select(s.gt(v[0], s.constant(most)), scale, s.constant(1));
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
