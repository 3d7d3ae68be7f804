//===- Attention.cpp - scaled dot product attention -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "NodeLowering.h"
#include "Random.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

namespace {
/// The operands of one attention, [batch..., length, elements]. The last
/// dimension of the batch is the heads. Each head of `k` and `v` serves
/// `repeat` consecutive heads of `q`.
struct Attention {
  Tensor q, k, v;
  std::optional<Tensor> mask;
  int64_t repeat = 1;
  bool causal = false;
  int64_t firstRow = 0; ///< the block's first query, for `causal`
  double dropout = 0;
  Number scale;
};
} // namespace

/// If `fx` repeats each head (dimension -3) of a tensor, by an expanded view or
/// by repeat_interleave, returns that tensor and sets `repeat` to the number of
/// copies. Otherwise returns std::nullopt.
static std::optional<Tensor> unrepeated(NodeLowering &n, Value fx,
                                        int64_t &repeat) {
  auto node = dyn_cast_or_null<NodeOpInterface>(fx.getDefiningOp());
  const Lowered *whole = n.graph.lookup(fx);
  if (!node || !whole || whole->kind != Lowered::Kind::Tensor ||
      node->getNumOperands() == 0)
    return std::nullopt;
  const Lowered *source = n.graph.lookup(node->getOperand(0));
  if (!source || source->kind != Lowered::Kind::Tensor)
    return std::nullopt;
  const Tensor &x = source->tensor, &full = whole->tensor;
  int64_t rank = full.rank();
  if (rank < 3)
    return std::nullopt;
  int64_t head = rank - 3;
  StringRef target = node.getTargetName();
  if (target == "aten.repeat_interleave.self_int") {
    if (x.rank() != rank)
      return std::nullopt;
    for (int64_t i = 0; i < rank; ++i)
      if (i != head && x.sizes[i] != full.sizes[i])
        return std::nullopt;
    std::optional<int64_t> a = x.sizes[head].getInteger(),
                           c = full.sizes[head].getInteger();
    if (!a || !c || *a < 1 || *c % *a || *c == *a)
      return std::nullopt;
    repeat = *c / *a;
    return x;
  }
  if (target != "aten.view.default" && target != "aten.reshape.default" &&
      target != "aten._unsafe_view.default" &&
      target != "aten.flatten.using_ints")
    return std::nullopt;
  // A view of [..., groups, repeat, S, E] as [..., groups * repeat, S, E],
  // where dimension `repeat` is a broadcast one.
  if (x.rank() != rank + 1 || x.dims[head + 1] >= 0)
    return std::nullopt;
  for (int64_t i = 0, j = 0; i < rank; ++i, ++j) {
    if (i == head)
      ++j;
    if (i != head && x.sizes[j] != full.sizes[i])
      return std::nullopt;
  }
  std::optional<int64_t> r = x.sizes[head + 1].getInteger();
  if (!r || *r < 2)
    return std::nullopt;
  repeat = *r;
  Tensor heads = x;
  heads.sizes.erase(heads.sizes.begin() + head + 1);
  heads.dims.erase(heads.dims.begin() + head + 1);
  return heads;
}

namespace {
/// The loops of one attention: first those of the batch (its last dimension is
/// split in two where heads are shared), then the one over queries, then two
/// over keys and over the elements of a head. The last loop is the reduction
/// loop: the elements in the first matmul, the keys in the second.
struct AttentionLoops {
  Sizes batch;   ///< of the queries
  Sizes kvBatch; ///< of keys and values
  Sizes outer;   ///< of the loops over the batch
  ExprAttr queries, keys;
  Type acc; ///< the dtype of scores and sums

  int64_t keyLoop() const { return outer.size() + 1; }
  unsigned numLoops() const { return outer.size() + 3; }
};
} // namespace

static Sizes withTail(ArrayRef<ExprAttr> head, ArrayRef<ExprAttr> tail) {
  Sizes sizes(head);
  sizes.append(tail.begin(), tail.end());
  return sizes;
}

/// Returns loops 0 to `count` - 1, then those of `tail`.
static SmallVector<unsigned, 6> firstLoops(unsigned count,
                                           ArrayRef<unsigned> tail) {
  SmallVector<unsigned, 6> result =
      llvm::to_vector<6>(llvm::seq<unsigned>(0, count));
  result.append(tail.begin(), tail.end());
  return result;
}

static AttentionLoops getLoops(Builder &b, const Attention &a,
                               ArrayRef<ExprAttr> batch, Type dtype) {
  unsigned nb = batch.size();
  AttentionLoops l;
  l.batch = Sizes(batch);
  l.kvBatch = l.batch;
  l.outer = l.batch;
  l.queries = a.q.sizes[nb];
  l.keys = a.k.sizes[nb];
  l.acc = opMathType(dtype);
  if (a.repeat > 1) {
    ExprAttr groups = b.expr(*batch.back().getInteger() / a.repeat);
    l.kvBatch.back() = groups;
    l.outer.back() = groups;
    l.outer.push_back(b.expr(a.repeat));
  }
  return l;
}

/// Splits the heads of `t`, which are those of the queries, into
/// [groups, repeat]: the heads of one group share keys and values.
static Tensor splitHeads(Builder &b, const Attention &a,
                         const AttentionLoops &l, const Tensor &t) {
  if (a.repeat <= 1)
    return t;
  return b.split(t, l.batch.size() - 1, {l.kvBatch.back(), b.expr(a.repeat)});
}

/// Returns the scores times the scale, plus the mask if it is a float. Sets
/// scores that a bool or causal mask hides to -inf.
static Tensor scaleAndMask(Builder &b, const Attention &a,
                           const AttentionLoops &l, const Tensor &scores) {
  SmallVector<Tensor> operands = {scores};
  if (a.mask) {
    Tensor mask = b.expand(*a.mask, withTail(l.batch, {l.queries, l.keys}));
    operands.push_back(splitHeads(b, a, l, mask));
  }
  Type acc = l.acc;
  Hoisted scale(b, a.scale, acc);
  auto body = [&](Scalars &s, ValueRange x, ArrayRef<Value> at) {
    Value r = s.mul(x[0], scale.in(s));
    if (a.mask && a.mask->dtype.isInteger(1))
      r = s.select(x[1], r, s.lowest());
    else if (a.mask)
      r = s.add(r, s.cast(x[1], a.mask->dtype, acc));
    if (a.causal) {
      Value row = at[l.keyLoop() - 1];
      if (a.firstRow) {
        Value first = arith::ConstantIndexOp::create(s.b, s.loc, a.firstRow);
        row = arith::AddIOp::create(s.b, s.loc, row, first);
      }
      Value seen = arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::sle,
                                         at[l.keyLoop()], row);
      r = s.select(seen, r, s.lowest());
    }
    return r;
  };
  return b.indexed(operands, scores.sizes, acc, Type(), body, acc);
}

/// Returns exp(score - maximum of the row): the softmax without its division.
/// Rows that a mask hides throughout give zeros, not NaN.
static Tensor exponentiate(Builder &b, const Attention &a,
                           const AttentionLoops &l, const Tensor &scores) {
  Tensor max = b.reduce(
      scores, {l.keyLoop()}, true, l.acc, [](Scalars &s) { return s.lowest(); },
      [](Scalars &s, Value m, Value x) { return s.max(m, x); });
  return b.pointwise({scores, max}, scores.sizes, l.acc, l.acc,
                     [&](Scalars &s, ValueRange x) {
                       Value m = x[1];
                       if (a.mask)
                         m = s.select(s.eq(m, s.lowest()), s.constant(0), m);
                       return s.exp(s.sub(x[0], m));
                     });
}

/// Applies dropout to the weights. Draws the mask in the shape
/// [batch..., queries, keys], before the heads are split.
static Tensor dropWeights(Builder &b, const Attention &a,
                          const AttentionLoops &l, const Tensor &weights) {
  Tensor mask =
      drawMask(b, withTail(l.batch, {l.queries, l.keys}), 1 - a.dropout);
  mask = splitHeads(b, a, l, mask);
  return b.pointwise({weights, mask}, weights.sizes, l.acc, Type(),
                     [&](Scalars &s, ValueRange x) {
                       return s.select(
                           x[1], s.mul(x[0], s.constant(1 / (1 - a.dropout))),
                           s.constant(0));
                     });
}

/// Computes softmax(q k^T * scale + mask) v. Divides by the sums of the softmax
/// after the second matmul.
static Tensor attend(Builder &b, const Attention &a, ArrayRef<ExprAttr> batch,
                     Type dtype) {
  unsigned nb = batch.size();
  AttentionLoops l = getLoops(b, a, batch, dtype);
  unsigned outer = l.outer.size();
  ExprAttr elements = a.q.sizes[nb + 1], valueElements = a.v.sizes[nb + 1];
  Tensor q = b.expand(a.q, withTail(batch, {l.queries, elements}));
  Tensor k = b.expand(a.k, withTail(l.kvBatch, {l.keys, elements}));
  Tensor v = b.expand(a.v, withTail(l.kvBatch, {l.keys, valueElements}));
  q = splitHeads(b, a, l, q);

  Tensor scores =
      b.contract({q, firstLoops(outer, {outer, outer + 2})},
                 {k, firstLoops(nb, {outer + 1, outer + 2})},
                 withTail(l.outer, {l.queries, l.keys}), l.numLoops(), l.acc);
  scores = scaleAndMask(b, a, l, scores);
  Tensor p = exponentiate(b, a, l, scores);
  Tensor sum = b.sum(p, {l.keyLoop()}, true, l.acc);
  if (a.dropout != 0)
    p = dropWeights(b, a, l, p);
  Tensor y = b.contract({p, firstLoops(outer, {outer, outer + 2})},
                        {v, firstLoops(nb, {outer + 2, outer + 1})},
                        withTail(l.outer, {l.queries, valueElements}),
                        l.numLoops(), l.acc);
  // A row that is masked throughout gives zeros, as in PyTorch.
  bool safe = a.mask.has_value();
  y = b.pointwise(
      {y, sum}, y.sizes, dtype, l.acc, [&](Scalars &s, ValueRange x) {
        Value r = s.divByShared(x[0], x[1]);
        return safe ? s.select(s.eq(x[1], s.constant(0)), s.constant(0), r) : r;
      });
  return a.repeat > 1
             ? b.reshape(y, withTail(batch, {l.queries, valueElements}))
             : y;
}

/// The size of the scores of all heads that stays in a cache between the first
/// matmul, the softmax and the second matmul.
static constexpr int64_t kScoreBytes = 8 << 20;
/// The maximum number of blocks of a causal attention. Each block has kernels
/// of its own.
static constexpr int64_t kCausalBlocks = 16;

/// Returns true if the target computes the attention in one kernel, without
/// storing scores.
static bool isOneKernel(const Attention &a, unsigned nb,
                        const TargetKernels &kernels) {
  Type dtype = a.q.dtype;
  int64_t whole = 0;
  if (dtype.isBF16() || dtype.isF16())
    whole = kernels.wholeHeads;
  else if (dtype.isF32())
    whole = kernels.wholeFloatHeads;
  return llvm::all_of(ArrayRef{&a.q, &a.v}, [&](const Tensor *t) {
    std::optional<int64_t> size = t->sizes[nb + 1].getInteger();
    return size && *size <= whole;
  });
}

/// Like `attend`, but computes large scores in blocks of queries: the rows of
/// scores are independent. A block of a causal attention leaves out the keys
/// that none of its queries attends to. Splits only where the sizes are static,
/// because each block is emitted separately. Does not split what the target
/// computes in one kernel.
static Tensor attendInBlocks(Builder &b, const Attention &a,
                             ArrayRef<ExprAttr> batch, Type dtype,
                             const TargetKernels &kernels) {
  unsigned nb = batch.size();
  // Dropout draws its random numbers for all queries at once.
  if (a.dropout != 0 || isOneKernel(a, nb, kernels))
    return attend(b, a, batch, dtype);
  std::optional<int64_t> rows = a.q.sizes[nb].getInteger(),
                         keys = a.k.sizes[nb].getInteger(),
                         heads = b.product(batch).getInteger();
  int64_t rowBytes;
  if (!rows || !keys || !heads || *heads < 1 || *keys < 1 ||
      llvm::MulOverflow(*heads * int64_t(sizeof(float)), *keys, rowBytes) ||
      *rows <= 2 * kScoreBytes / rowBytes)
    return attend(b, a, batch, dtype);
  int64_t block = std::max<int64_t>(32, kScoreBytes / rowBytes / 8 * 8);
  if (a.causal)
    block = std::max<int64_t>(
        block, llvm::alignTo(llvm::divideCeil(*rows, kCausalBlocks), 32));
  auto slice = [&](const Tensor &t, int64_t dim, int64_t start, int64_t size) {
    return b.slice(t, dim, b.expr(start), b.expr(size), b.expr(1));
  };
  SmallVector<Tensor> parts;
  for (int64_t first = 0; first < *rows; first += block) {
    int64_t count = std::min(block, *rows - first), seen = *keys;
    Attention part = a;
    part.firstRow = first;
    part.q = slice(a.q, nb, first, count);
    if (a.causal) {
      seen = std::min(*keys, first + count);
      part.k = slice(a.k, nb, 0, seen);
      part.v = slice(a.v, nb, 0, seen);
    }
    if (a.mask) {
      // A mask may be broadcast to queries, keys or both.
      int64_t rank = a.mask->rank();
      if (rank >= 2 && a.mask->sizes[rank - 2].getInteger() != 1)
        part.mask = slice(*part.mask, rank - 2, first, count);
      if (rank >= 1 && a.mask->sizes[rank - 1].getInteger() != 1)
        part.mask = slice(*part.mask, rank - 1, 0, seen);
    }
    parts.push_back(attend(b, part, batch, dtype));
  }
  Sizes sizes(batch);
  sizes.append({a.q.sizes[nb], a.v.sizes[nb + 1]});
  return b.concat(parts, nb, sizes);
}

/// Sets `a.repeat` where several heads of the queries share a head of keys and
/// values: because `isGrouped` (enable_gqa) says so, or because key and value
/// repeat their heads. In the second case, replaces key and value by the
/// tensors before the repetition.
static LogicalResult shareHeads(NodeLowering &n, Attention &a, bool isGrouped) {
  int64_t head = a.q.rank() - 3;
  if (head < 0)
    return success();
  std::optional<int64_t> heads = a.q.sizes[head].getInteger(),
                         kHeads = a.k.sizes[head].getInteger(),
                         vHeads = a.v.sizes[head].getInteger();
  if (isGrouped && heads && kHeads && kHeads == vHeads && *kHeads > 1 &&
      *heads != *kHeads) {
    if (*heads % *kHeads)
      return n.fail("the heads do not divide into the groups");
    a.repeat = *heads / *kHeads;
  } else if (!isGrouped && heads) {
    int64_t kr = 0, vr = 0;
    std::optional<Tensor> k = unrepeated(n, n.arg("key").getValue(), kr),
                          v = unrepeated(n, n.arg("value").getValue(), vr);
    if (k && v && kr == vr && *heads % kr == 0 && k->dtype == a.q.dtype &&
        v->dtype == a.q.dtype) {
      a.k = *k;
      a.v = *v;
      a.repeat = kr;
    }
  }
  return success();
}

/// Checks the shapes that `attend` relies on, and the mask's dtype.
static LogicalResult checkOperands(NodeLowering &n, const Attention &a,
                                   ArrayRef<ExprAttr> batch) {
  unsigned nb = batch.size();
  Sizes want(batch);
  if (a.repeat > 1)
    want.back() = n.b.expr(*batch.back().getInteger() / a.repeat);
  for (const Tensor *t : {&a.k, &a.v}) {
    Sizes full(want);
    full.append(t->sizes.end() - 2, t->sizes.end());
    if (!n.broadcasts(*t, full))
      return failure();
  }
  if (a.q.sizes[nb + 1].isProvablyDifferent(a.k.sizes[nb + 1]) ||
      a.k.sizes[nb].isProvablyDifferent(a.v.sizes[nb]))
    return n.fail("queries, keys and values do not fit each other");
  if (a.mask) {
    if (!n.broadcasts(*a.mask, withTail(batch, {a.q.sizes[nb], a.k.sizes[nb]})))
      return failure();
    if (!a.mask->dtype.isInteger(1) && !isa<FloatType>(a.mask->dtype))
      return n.fail("a mask of integers");
  }
  return success();
}

/// Reads the scale: 1 / sqrt(the head's size) unless it is given.
static LogicalResult readScale(NodeLowering &n, Attention &a) {
  if (n.has("scale")) {
    a.scale = n.number("scale");
    return failure(n.failed());
  }
  std::optional<int64_t> e = a.q.sizes.back().getInteger();
  if (!e || *e < 1)
    return n.fail("the head's size is not known");
  a.scale.kind = Number::Kind::Float;
  a.scale.expr = ExprAttr::real(n.context(), 1 / std::sqrt(double(*e)));
  return success();
}

/// Expands queries, keys and values to the batch dimensions of the result.
static void broadcastFront(NodeLowering &n, Attention &a) {
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (sizes.size() < 2)
    return;
  ArrayRef<ExprAttr> batch = sizes.drop_back(2);
  for (Tensor *t : {&a.q, &a.k, &a.v}) {
    if (t->rank() < 2)
      return;
    ArrayRef<ExprAttr> own = t->sizes;
    if (own.drop_back(2) != batch)
      *t = n.b.expand(*t, withTail(batch, Sizes(own.take_back(2))));
  }
}

static LogicalResult lowerAttention(NodeLowering &n) {
  Attention a;
  a.q = n.tensor("query");
  a.k = n.tensor("key");
  a.v = n.tensor("value");
  a.mask = n.optionalTensor("attn_mask");
  a.dropout = n.real("dropout_p");
  a.causal = n.boolean("is_causal");
  bool gqa = n.boolean("enable_gqa");
  if (n.failed())
    return failure();
  if (!(a.dropout >= 0 && a.dropout < 1))
    return n.fail("expected a probability in [0, 1)");
  if (!gqa && (a.q.rank() != a.k.rank() || a.q.rank() != a.v.rank()))
    broadcastFront(n, a);
  int64_t rank = a.q.rank();
  if (rank < 2 || a.k.rank() != rank || a.v.rank() != rank)
    return n.fail("queries, keys and values differ in rank");
  if (!isa<FloatType>(a.q.dtype) || a.k.dtype != a.q.dtype ||
      a.v.dtype != a.q.dtype)
    return n.fail("queries, keys and values differ in dtype");
  Builder &b = n.b;
  Sizes batch(ArrayRef<ExprAttr>(a.q.sizes).drop_back(2));
  if (failed(shareHeads(n, a, gqa)) || failed(checkOperands(n, a, batch)) ||
      failed(readScale(n, a)))
    return failure();

  // Tag all operations of one attention with its number.
  Operation *before = &*std::prev(b.b.getInsertionPoint());
  Tensor y = attendInBlocks(b, a, batch, a.q.dtype, n.graph.kernels);
  const TargetKernels &kernels = n.graph.kernels;
  bool keepsF32 = kernels.roundsFloats && a.q.dtype.isF32() &&
                  isOneKernel(a, batch.size(), kernels);
  if (n.graph.nextGroup) {
    Attribute id = b.b.getI64IntegerAttr((*n.graph.nextGroup)++);
    for (Operation &op : llvm::make_range(std::next(Block::iterator(before)),
                                          b.b.getInsertionPoint()))
      if (isa<linalg::LinalgOp>(op)) {
        op.setAttr("fx.attention", id);
        if (keepsF32)
          op.setAttr("fx.keep_f32", b.b.getUnitAttr());
      }
  }
  return n.result(y);
}

void registerAttention(Registry &r) {
  r.add("aten.scaled_dot_product_attention.default", lowerAttention);
}

} // namespace fx::lin
