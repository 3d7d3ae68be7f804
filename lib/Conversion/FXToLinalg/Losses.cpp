//===- Losses.cpp - loss functions ----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

/// Sets the result to `loss` after `reduction` (at::Reduction: 0 none, 1 mean,
/// 2 sum).
static LogicalResult finish(NodeLowering &n, const Tensor &loss,
                            int64_t reduction) {
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  Type acc = opMathType(n.resultDtype());
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, loss.rank()));
  if (reduction == 0)
    return n.result(loss);
  return n.result(reduction == 1 ? n.b.mean(loss, dims, false, acc)
                                 : n.b.sum(loss, dims, false, acc));
}

/// Lowers a loss that is a function of `self` and `target`, element by element.
static LogicalResult pairLoss(NodeLowering &n,
                              function_ref<Value(Scalars &, Value, Value)> fn) {
  Tensor x = n.tensor("self"), y = n.tensor("target");
  int64_t kind = n.integer("reduction");
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  Type acc = opMathType(n.resultDtype());
  return finish(
      n,
      n.b.map({x, y}, acc,
              [&](Scalars &s, ValueRange v) { return fn(s, v[0], v[1]); }),
      kind);
}

static LogicalResult lowerHuber(NodeLowering &n) {
  double delta = n.real("delta");
  return pairLoss(n, [&](Scalars &s, Value x, Value y) {
    Value d = s.abs(s.sub(x, y)), t = s.constant(delta);
    Value half = s.constant(0.5);
    return s.select(s.lt(d, t), s.mul(s.mul(half, d), d),
                    s.mul(t, s.sub(d, s.constant(0.5 * delta))));
  });
}

static LogicalResult lowerSmoothL1(NodeLowering &n) {
  double beta = n.real("beta");
  return pairLoss(n, [&](Scalars &s, Value x, Value y) {
    Value d = s.abs(s.sub(x, y));
    if (beta == 0)
      return d;
    Value square = s.div(s.mul(s.mul(s.constant(0.5), d), d), s.constant(beta));
    return s.select(s.lt(d, s.constant(beta)), square,
                    s.sub(d, s.constant(0.5 * beta)));
  });
}

static LogicalResult lowerSoftMargin(NodeLowering &n) {
  return pairLoss(n, [](Scalars &s, Value x, Value y) {
    return s.unary<math::Log1pOp>(s.exp(s.neg(s.mul(x, y))));
  });
}

static LogicalResult lowerPoissonNLL(NodeLowering &n) {
  Tensor x = n.tensor("input"), y = n.tensor("target");
  bool log = n.boolean("log_input"), full = n.boolean("full");
  double eps = n.real("eps");
  int64_t kind = n.integer("reduction");
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  return finish(
      n,
      n.b.map({x, y}, opMathType(n.resultDtype()),
              [&](Scalars &s, ValueRange v) {
                Value p = s.mul(
                    v[1], log ? v[0] : s.log(s.add(v[0], s.constant(eps))));
                Value r = s.sub(log ? s.exp(v[0]) : v[0], p);
                if (!full)
                  return r;
                Value stirling =
                    s.add(s.sub(s.mul(v[1], s.log(v[1])), v[1]),
                          s.mul(s.constant(0.5),
                                s.log(s.mul(s.constant(2 * M_PI), v[1]))));
                return s.add(r, s.select(s.le(v[1], s.constant(1)),
                                         s.constant(0), stirling));
              }),
      kind);
}

/// target * (log(target) - input), or exp(target) * (target - input) if
/// `log_target`.
static LogicalResult lowerKLDiv(NodeLowering &n) {
  bool log = n.boolean("log_target");
  return pairLoss(n, [&](Scalars &s, Value x, Value y) {
    if (log)
      return s.mul(s.exp(y), s.sub(y, x));
    Value zero = s.constant(0);
    Value entropy = s.select(s.eq(y, zero), zero, s.mul(y, s.log(y)));
    return s.sub(entropy, s.mul(y, x));
  });
}

/// -weight * (y * log(x) + (1 - y) * log(1 - x)), logarithms at least -100.
static LogicalResult lowerBCE(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("target");
  std::optional<Tensor> w = n.optionalTensor("weight");
  int64_t kind = n.integer("reduction");
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  SmallVector<Tensor> operands = {x, y};
  if (w)
    operands.push_back(*w);
  return finish(
      n,
      n.b.map(operands, opMathType(n.resultDtype()),
              [&](Scalars &s, ValueRange v) {
                Value one = s.constant(1), low = s.constant(-100);
                Value yes = s.max(s.log(v[0]), low);
                Value no = s.max(s.unary<math::Log1pOp>(s.neg(v[0])), low);
                Value r = s.sub(s.mul(s.sub(v[1], one), no), s.mul(v[1], yes));
                return w ? s.mul(r, v[2]) : r;
              }),
      kind);
}

/// (1 - y) * x + (1 + (posWeight - 1) * y) * log(1 + exp(-x)), times weight.
static LogicalResult lowerBCEWithLogits(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("target");
  std::optional<Tensor> w = n.optionalTensor("weight"),
                        pos = n.optionalTensor("pos_weight");
  int64_t kind = n.integer("reduction");
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  SmallVector<Tensor> operands = {x, y};
  if (w)
    operands.push_back(*w);
  if (pos)
    operands.push_back(*pos);
  return finish(
      n,
      n.b.map(operands, opMathType(n.resultDtype()),
              [&](Scalars &s, ValueRange v) {
                Value one = s.constant(1);
                Value soft = s.softplus(s.neg(v[0]));
                if (pos)
                  soft = s.mul(
                      soft, s.add(one, s.mul(s.sub(v[w ? 3 : 2], one), v[1])));
                Value r = s.add(s.mul(s.sub(one, v[1]), v[0]), soft);
                return w ? s.mul(r, v[2]) : r;
              }),
      kind);
}

static LogicalResult lowerHingeEmbedding(NodeLowering &n) {
  double margin = n.real("margin");
  return pairLoss(n, [&](Scalars &s, Value x, Value y) {
    Value zero = s.constant(0);
    Value far = s.max(s.sub(s.constant(margin), x), zero);
    return s.add(s.select(s.ne(y, s.constant(1)), far, zero),
                 s.select(s.ne(y, s.constant(-1)), x, zero));
  });
}

static LogicalResult lowerMarginRanking(NodeLowering &n) {
  Tensor a = n.tensor("input1"), b = n.tensor("input2"), y = n.tensor("target");
  double margin = n.real("margin");
  int64_t kind = n.integer("reduction");
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  return finish(n,
                n.b.map({a, b, y}, opMathType(n.resultDtype()),
                        [&](Scalars &s, ValueRange v) {
                          Value d = s.mul(s.neg(v[2]), s.sub(v[0], v[1]));
                          return s.max(s.add(d, s.constant(margin)),
                                       s.constant(0));
                        }),
                kind);
}

/// Lowers cosine_embedding_loss. As in ATen, eps is added to the squared norms.
static LogicalResult lowerCosineEmbedding(NodeLowering &n) {
  Tensor a = n.tensor("input1"), c = n.tensor("input2"), y = n.tensor("target");
  double margin = n.real("margin");
  int64_t kind = n.integer("reduction");
  if (n.failed() || !isa<FloatType>(n.resultDtype()) || y.rank() > 1 ||
      a.rank() != y.rank() + 1)
    return n.fail("the target's rank is not what the operator takes");
  Type acc = opMathType(n.resultDtype());
  Builder &b = n.b;
  auto dot = [&](const Tensor &x, const Tensor &z) {
    Tensor p = b.map({x, z}, acc, [](Scalars &s, ValueRange v) {
      return s.mul(v[0], v[1]);
    });
    return b.sum(p, {p.rank() - 1}, false, acc);
  };
  return finish(
      n,
      b.map({dot(a, c), dot(a, a), dot(c, c), y}, acc,
            [&](Scalars &s, ValueRange v) {
              Value eps = s.constant(1e-12), zero = s.constant(0);
              Value cosine = s.div(
                  v[0], s.sqrt(s.mul(s.add(v[1], eps), s.add(v[2], eps))));
              Value near = s.sub(s.constant(1), cosine);
              Value far = s.max(s.sub(cosine, s.constant(margin)), zero);
              return s.add(s.select(s.eq(v[3], s.constant(1)), near, zero),
                           s.select(s.eq(v[3], s.constant(-1)), far, zero));
            }),
      kind);
}

/// max(0, d(anchor, positive) - d(anchor, negative) + margin); if `swap`, with
/// d(positive, negative) where it is smaller than d(anchor, negative).
static LogicalResult lowerTripletMargin(NodeLowering &n) {
  Tensor anchor = n.tensor("anchor"), positive = n.tensor("positive"),
         negative = n.tensor("negative");
  double margin = n.real("margin"), p = n.real("p"), eps = n.real("eps");
  bool swap = n.boolean("swap");
  int64_t kind = n.integer("reduction");
  if (n.failed() || !isa<FloatType>(n.resultDtype()) || anchor.rank() == 0 ||
      p <= 0 || std::isinf(p))
    return n.fail("a norm of that order, or integers");
  Builder &b = n.b;
  Type acc = opMathType(n.resultDtype());
  auto distance = [&](const Tensor &x, const Tensor &y) {
    Tensor d = b.map({x, y}, acc, [&](Scalars &s, ValueRange v) {
      Value d = s.abs(s.add(s.sub(v[0], v[1]), s.constant(eps)));
      return p == 1 ? d : s.powConstant(d, p);
    });
    Tensor sum = b.sum(d, {d.rank() - 1}, false, acc);
    return b.map({sum}, acc, [&](Scalars &s, ValueRange v) {
      return p == 1 ? v[0] : s.powConstant(v[0], 1 / p);
    });
  };
  Tensor far = distance(anchor, negative);
  if (swap)
    far = b.map({far, distance(positive, negative)}, acc,
                [](Scalars &s, ValueRange v) { return s.min(v[0], v[1]); });
  return finish(n,
                b.map({distance(anchor, positive), far}, acc,
                      [&](Scalars &s, ValueRange v) {
                        Value d = s.sub(v[0], v[1]);
                        return s.max(s.add(d, s.constant(margin)),
                                     s.constant(0));
                      }),
                kind);
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Sets result 0 to the loss -weight[target] * x[target] of log probabilities
/// `x` along dimension 1 (or 0 of a vector). The mean divides by the sum of the
/// weights. Targets that are `ignore` have loss and weight 0. `smoothing` is
/// cross_entropy_loss's label smoothing.
static LogicalResult nll(NodeLowering &n, const Tensor &x, const Tensor &target,
                         const std::optional<Tensor> &weight, int64_t reduction,
                         int64_t ignore, double smoothing) {
  Builder &b = n.b;
  if (n.failed() || x.rank() < 1 || !isa<FloatType>(x.dtype) ||
      !isa<IntegerType>(target.dtype) || (weight && weight->rank() != 1))
    return n.fail("the target does not fit the input");
  int64_t dim = x.rank() == 1 ? 0 : 1;
  if (target.rank() != x.rank() - 1)
    return n.fail("the target's rank is not what the operator takes");
  Type acc = opMathType(x.dtype), i64 = b.b.getI64Type(), i1 = b.b.getI1Type();
  // An ignored target may be out of range: read it as class 0.
  Tensor kept = b.pointwise(
      {target}, target.sizes, i1, i64,
      [&](Scalars &s, ValueRange v) { return s.ne(v[0], s.integer(ignore)); },
      i1);
  Tensor at = b.pointwise(
      {target}, target.sizes, i64, i64, [&](Scalars &s, ValueRange v) {
        return s.select(s.ne(v[0], s.integer(ignore)), v[0], s.integer(0));
      });
  b.checkIndices(at, x.sizes[dim],
                 n.target().str() + ": a target is out of range", false);
  Value source = b.materialize(b.cast(x, acc));
  Value weights = weight ? b.materialize(b.cast(*weight, acc)) : Value();
  auto weightOf = [&](Scalars &s, Value c) -> Value {
    return weights
               ? tensor::ExtractOp::create(s.b, s.loc, weights, c).getResult()
               : s.constant(1);
  };
  auto toIndex = [&](Scalars &s, Value v) {
    return Scalars(s.b, s.loc, i64).toIndex(v);
  };
  Tensor loss = b.indexed(
      {at, kept}, target.sizes, acc, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> Value {
        SmallVector<Value> place(i);
        Value c = toIndex(s, v[0]);
        place.insert(place.begin() + dim, c);
        Value p = tensor::ExtractOp::create(s.b, s.loc, source, place);
        return s.select(v[1], s.neg(s.mul(p, weightOf(s, c))), s.constant(0));
      });
  Tensor share = b.pointwise(
      {at, kept}, target.sizes, acc, Type(), [&](Scalars &s, ValueRange v) {
        return s.select(v[1], weightOf(s, toIndex(s, v[0])), s.constant(0));
      });
  if (smoothing != 0) {
    // Distribute a part of the target's probability over all classes.
    Tensor all = b.cast(x, acc);
    if (weight) {
      Tensor w = *weight;
      for (int64_t i = dim + 1; i < x.rank(); ++i)
        w = b.unsqueeze(w, w.rank());
      all = b.map({all, w}, acc,
                  [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
    }
    Tensor sum = b.sum(all, {dim}, false, acc);
    Number count;
    count.expr = x.sizes[dim];
    Hoisted classes(b, count, acc);
    loss = b.pointwise(
        {loss, sum, kept}, loss.sizes, acc, Type(),
        [&](Scalars &s, ValueRange v) {
          Value smooth = s.select(v[2], s.neg(v[1]), s.constant(0));
          smooth = s.div(s.mul(smooth, s.constant(smoothing)), classes.in(s));
          return s.add(s.mul(v[0], s.constant(1 - smoothing)), smooth);
        });
  }
  if (reduction == 0)
    return n.set(0, loss);
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, loss.rank()));
  Tensor total = b.sum(loss, dims, false, acc);
  if (reduction == 2)
    return n.set(0, total);
  Tensor by = b.sum(share, dims, false, acc);
  return n.set(0, b.map({total, by}, acc, [](Scalars &s, ValueRange v) {
    return s.div(v[0], v[1]);
  }));
}

static LogicalResult lowerNLL(NodeLowering &n) {
  Tensor x = n.tensor("self"), target = n.tensor("target");
  std::optional<Tensor> weight = n.optionalTensor("weight");
  int64_t reduction = n.integer("reduction"),
          ignore = n.integer("ignore_index");
  if (n.numResults() > 1 && n.isUsed(1))
    return n.fail("the total weight is asked for");
  return nll(n, x, target, weight, reduction, ignore, 0);
}

static Tensor logSoftmax(Builder &b, const Tensor &x, int64_t dim, Type acc) {
  Tensor max = b.reduce(
      x, {dim}, true, acc, [](Scalars &s) { return s.lowest(); },
      [](Scalars &s, Value a, Value v) { return s.max(a, v); });
  Tensor d = b.map({x, max}, acc,
                   [](Scalars &s, ValueRange v) { return s.sub(v[0], v[1]); });
  Tensor sum = b.reduce(
      d, {dim}, true, acc, [](Scalars &s) { return s.constant(0); },
      [](Scalars &s, Value a, Value v) { return s.add(a, v); },
      [](Scalars &s, Value v) { return s.exp(v); });
  return b.map({d, sum}, acc, [](Scalars &s, ValueRange v) {
    return s.sub(v[0], s.log(v[1]));
  });
}

static LogicalResult lowerCrossEntropy(NodeLowering &n) {
  Tensor x = n.tensor("self"), target = n.tensor("target");
  std::optional<Tensor> weight = n.optionalTensor("weight");
  int64_t reduction = n.integer("reduction"),
          ignore = n.integer("ignore_index");
  double smoothing = n.real("label_smoothing");
  if (n.failed() || x.rank() < 1 || !isa<FloatType>(x.dtype))
    return n.fail("the input is no float");
  Builder &b = n.b;
  int64_t dim = x.rank() == 1 ? 0 : 1;
  Type acc = opMathType(x.dtype);
  Tensor log = logSoftmax(b, x, dim, acc);
  if (!isa<FloatType>(target.dtype))
    return nll(n, log, target, weight, reduction, ignore, smoothing);
  // The target has the probabilities of all classes.
  if (target.rank() != x.rank() || (weight && weight->rank() != 1))
    return n.fail("the target's rank is not what the operator takes");
  SmallVector<Tensor> operands = {log, target};
  if (weight) {
    Tensor w = *weight;
    for (int64_t i = dim + 1; i < x.rank(); ++i)
      w = b.unsqueeze(w, w.rank());
    operands.push_back(w);
  }
  Number count;
  count.expr = x.sizes[dim];
  Hoisted classes(b, count, acc);
  Tensor p = b.map(operands, acc, [&](Scalars &s, ValueRange v) {
    Value y = v[1];
    if (smoothing != 0)
      y = s.add(s.mul(y, s.constant(1 - smoothing)),
                s.div(s.constant(smoothing), classes.in(s)));
    Value r = s.neg(s.mul(v[0], y));
    return weight ? s.mul(r, v[2]) : r;
  });
  Tensor loss = b.sum(p, {dim}, false, acc);
  return finish(n, loss, reduction);
}

void registerLosses(Registry &r) {
  r.add("aten.huber_loss.default", lowerHuber);
  r.add("aten.smooth_l1_loss.default", lowerSmoothL1);
  r.add("aten.soft_margin_loss.default", lowerSoftMargin);
  r.add("aten.poisson_nll_loss.default", lowerPoissonNLL);
  r.add("aten.kl_div.default", lowerKLDiv);
  r.add("aten.binary_cross_entropy.default", lowerBCE);
  r.add("aten.binary_cross_entropy_with_logits.default", lowerBCEWithLogits);
  r.add("aten.hinge_embedding_loss.default", lowerHingeEmbedding);
  r.add("aten.margin_ranking_loss.default", lowerMarginRanking);
  r.add("aten.cosine_embedding_loss.default", lowerCosineEmbedding);
  r.add("aten.triplet_margin_loss.default", lowerTripletMargin);
  r.add({"aten.nll_loss_nd.default", "aten.nll_loss.default",
         "aten.nll_loss2d.default", "aten.nll_loss_forward.default",
         "aten.nll_loss2d_forward.default"},
        lowerNLL);
  r.add("aten.cross_entropy_loss.default", lowerCrossEntropy);
}

} // namespace fx::lin
