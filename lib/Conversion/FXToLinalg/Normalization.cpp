//===- Normalization.cpp - normalizations and softmax ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

using namespace mlir;

namespace fx::lin {

//===----------------------------------------------------------------------===//
// Batch norm
//===----------------------------------------------------------------------===//

/// Sets result 0 to x * scale + shift with scale = weight / sqrt(var + eps) and
/// shift = bias - mean * scale. The vectors depend on states only, so they can
/// be computed once or folded into the weights of a convolution.
static LogicalResult batchNorm(NodeLowering &n, const Tensor &x,
                               std::optional<Tensor> weight,
                               std::optional<Tensor> bias, const Tensor &mean,
                               const Tensor &var, double eps) {
  Builder &b = n.b;
  if (x.rank() < 2 || mean.rank() != 1 || var.rank() != 1 ||
      (weight && weight->rank() != 1) || (bias && bias->rank() != 1))
    return n.fail("the statistics are no vectors");
  Type dtype = n.resultDtype(), compute = opMathType(dtype);
  Sizes channel = {x.sizes[1]};
  for (const Tensor &t : {mean, var})
    if (!n.broadcasts(t, channel))
      return failure();
  for (const auto &t : {weight, bias})
    if (t && !n.broadcasts(*t, channel))
      return failure();
  SmallVector<Tensor> operands = {var};
  if (weight)
    operands.push_back(*weight);
  Tensor scale = b.pointwise(operands, channel, compute, compute,
                             [&](Scalars &s, ValueRange v) {
                               Value r = s.rsqrt(s.add(v[0], s.constant(eps)));
                               return weight ? s.mul(r, v[1]) : r;
                             });
  operands = {mean, scale};
  if (bias)
    operands.push_back(*bias);
  Tensor shift = b.pointwise(operands, channel, compute, compute,
                             [&](Scalars &s, ValueRange v) {
                               Value p = s.mul(v[0], v[1]);
                               return bias ? s.sub(v[2], p) : s.neg(p);
                             });
  return n.pointwise(
      0, {x, b.alongAxis(scale, 1, x.rank()), b.alongAxis(shift, 1, x.rank())},
      compute,
      [](Scalars &s, ValueRange v) { return s.add(s.mul(v[0], v[1]), v[2]); });
}

static LogicalResult lowerBatchStats(NodeLowering &n);

static LogicalResult lowerBatchNorm(NodeLowering &n) {
  // Without running statistics, normalize with those of the batch.
  StringRef target = n.target();
  if ((target == "aten.batch_norm.default" ||
       target == "aten.native_batch_norm.default") &&
      !n.has("running_mean"))
    return lowerBatchStats(n);
  Tensor x = n.tensor("input");
  if (isEmpty(x.sizes))
    return n.set(0, x);
  auto weight = n.optionalTensor("weight"), bias = n.optionalTensor("bias");
  Tensor mean = n.tensor("running_mean"), var = n.tensor("running_var");
  bool legit =
      n.target() == "aten._native_batch_norm_legit_no_training.default";
  bool training = !legit && n.boolean("training", false);
  double eps = n.real("eps");
  if (training)
    return n.fail("batch norm in training");
  if (n.failed() || failed(batchNorm(n, x, weight, bias, mean, var, eps)))
    return failure();
  // In inference, the results for the saved statistics are empty vectors.
  for (unsigned i = 1; i < n.numResults(); ++i) {
    FakeTensorType type = n.resultType(i);
    if (!type || !n.isUsed(i))
      continue;
    if (failed(n.set(i, Tensor(n.b.empty(type.getSizes(), type.getDtype()),
                               type.getSizes(), type.getDtype()))))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Layer, RMS, group and instance norm; batch norm in training
//===----------------------------------------------------------------------===//

namespace {
struct Moments {
  Tensor mean, var, rstd; // reduced dimensions have size 1
};
} // namespace

/// Returns the mean, the variance and 1 / sqrt(variance + eps). Computes the
/// variance in a second pass over the elements, which avoids cancellation.
static Moments moments(Builder &b, const Tensor &x, ArrayRef<int64_t> dims,
                       Type acc, double eps) {
  Tensor mean = b.mean(x, dims, true, acc);
  Tensor square =
      b.pointwise({x, mean}, x.sizes, acc, acc, [](Scalars &s, ValueRange v) {
        Value d = s.sub(v[0], v[1]);
        return s.mul(d, d);
      });
  Tensor var = b.mean(square, dims, true, acc);
  Tensor rstd =
      b.pointwise({var}, var.sizes, acc, acc, [&](Scalars &s, ValueRange v) {
        return s.rsqrt(s.add(v[0], s.constant(eps)));
      });
  return {mean, var, rstd};
}

/// Returns (x - mean) * rstd [* weight] [+ bias].
static Tensor normalize(Builder &b, const Tensor &x, const Moments &m,
                        const std::optional<Tensor> &weight,
                        const std::optional<Tensor> &bias, Type dtype,
                        Type compute) {
  SmallVector<Tensor> operands = {x, m.mean, m.rstd};
  if (weight)
    operands.push_back(*weight);
  if (bias)
    operands.push_back(*bias);
  return b.pointwise(operands, x.sizes, dtype, compute,
                     [&](Scalars &s, ValueRange v) {
                       Value r = s.mul(s.sub(v[0], v[1]), v[2]);
                       if (weight)
                         r = s.mul(r, v[3]);
                       if (bias)
                         r = s.add(r, v[weight ? 4 : 3]);
                       return r;
                     });
}

/// Lowers layer_norm and native_layer_norm, which normalize over the last
/// dimensions.
static LogicalResult lowerLayerNorm(NodeLowering &n) {
  Tensor x = n.tensor("input");
  int64_t count = n.sizes("normalized_shape").size();
  auto weight = n.optionalTensor("weight"), bias = n.optionalTensor("bias");
  double eps = n.real("eps");
  if (n.failed() || count < 1 || count > x.rank() || !isa<FloatType>(x.dtype))
    return n.fail("the normalized shape does not fit the tensor");
  for (const auto &t : {weight, bias})
    if (t && !n.broadcasts(*t, x.sizes))
      return failure();
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(x.rank() - count, x.rank()));
  Type acc = opMathType(x.dtype);
  Moments m = moments(n.b, x, dims, acc, eps);
  if (failed(
          n.set(0, normalize(n.b, x, m, weight, bias, n.resultDtype(), acc))))
    return failure();
  if (n.numResults() == 3)
    if (failed(n.set(1, m.mean)) || failed(n.set(2, m.rstd)))
      return failure();
  return success();
}

/// Computes x / sqrt(mean(x^2) + eps) [* weight].
static LogicalResult lowerRMSNorm(NodeLowering &n) {
  Tensor x = n.tensor("input");
  int64_t count = n.sizes("normalized_shape").size();
  auto weight = n.optionalTensor("weight");
  bool given = n.has("eps");
  double eps = n.real("eps", 0);
  if (n.failed() || count < 1 || count > x.rank() || !isa<FloatType>(x.dtype))
    return n.fail("the normalized shape does not fit the tensor");
  if (!given) // the machine epsilon of the compute type
    eps = x.dtype.isF64() ? 0x1p-52 : 0x1p-23;
  if (weight && !n.broadcasts(*weight, x.sizes))
    return failure();
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(x.rank() - count, x.rank()));
  Type acc = opMathType(x.dtype);
  Tensor square =
      n.b.pointwise({x}, x.sizes, acc, acc,
                    [](Scalars &s, ValueRange v) { return s.mul(v[0], v[0]); });
  Tensor mean = n.b.mean(square, dims, true, acc);
  Tensor rstd = n.b.pointwise({mean}, mean.sizes, acc, acc,
                              [&](Scalars &s, ValueRange v) {
                                return s.rsqrt(s.add(v[0], s.constant(eps)));
                              });
  SmallVector<Tensor> operands = {x, rstd};
  if (weight)
    operands.push_back(*weight);
  return n.pointwise(0, operands, acc, [&](Scalars &s, ValueRange v) {
    Value r = s.mul(v[0], v[1]);
    return weight ? s.mul(r, v[2]) : r;
  });
}

/// Lowers group_norm and native_group_norm: normalizes each group of channels
/// over its channels and all spatial dimensions.
static LogicalResult lowerGroupNorm(NodeLowering &n) {
  Tensor x = n.tensor("input");
  int64_t groups = n.integer(n.oneOf({"group", "num_groups"}));
  auto weight = n.optionalTensor("weight"), bias = n.optionalTensor("bias");
  double eps = n.real("eps");
  if (n.failed() || x.rank() < 2 || !isa<FloatType>(x.dtype))
    return n.fail("fewer than two dimensions");
  std::optional<int64_t> channels = x.sizes[1].getInteger();
  if (!channels || groups < 1 || *channels % groups)
    return n.fail("the channels do not divide into the groups");
  if ((weight && weight->rank() != 1) || (bias && bias->rank() != 1))
    return n.fail("the weight is no vector");
  Builder &b = n.b;
  Sizes split = {x.sizes[0], b.expr(groups), b.expr(*channels / groups)};
  split.append(x.sizes.begin() + 2, x.sizes.end());
  Tensor grouped = b.reshape(x, split);
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(2, grouped.rank()));
  Type acc = opMathType(x.dtype);
  Moments m = moments(b, grouped, dims, acc, eps);
  // Weight and bias are per channel: [groups, channels of a group, 1...].
  auto affine = [&](std::optional<Tensor> t) -> std::optional<Tensor> {
    if (!t)
      return t;
    Tensor r = b.reshape(*t, {split[1], split[2]});
    for (int64_t i = 3; i < grouped.rank(); ++i)
      r = b.unsqueeze(r, r.rank());
    return r;
  };
  Tensor y = normalize(b, grouped, m, affine(weight), affine(bias),
                       n.resultDtype(), acc);
  if (failed(n.set(0, b.reshape(y, x.sizes))))
    return failure();
  if (n.numResults() == 3) {
    Sizes stats = {split[0], split[1]};
    if (failed(n.set(1, b.reshape(m.mean, stats))) ||
        failed(n.set(2, b.reshape(m.rstd, stats))))
      return failure();
  }
  return success();
}

/// Lowers instance_norm, with statistics of each sample and channel unless the
/// running statistics are used.
static LogicalResult lowerInstanceNorm(NodeLowering &n) {
  Tensor x = n.tensor("input");
  auto weight = n.optionalTensor("weight"), bias = n.optionalTensor("bias");
  bool useInput = n.boolean("use_input_stats");
  double eps = n.real("eps");
  if (!useInput) {
    Tensor mean = n.tensor("running_mean"), var = n.tensor("running_var");
    return n.failed() ? failure()
                      : batchNorm(n, x, weight, bias, mean, var, eps);
  }
  if (n.failed() || x.rank() < 3 || n.has("running_mean"))
    return n.fail("instance norm that updates running statistics");
  if ((weight && weight->rank() != 1) || (bias && bias->rank() != 1))
    return n.fail("the weight is no vector");
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(2, x.rank()));
  Type acc = opMathType(x.dtype);
  Moments m = moments(n.b, x, dims, acc, eps);
  if (weight)
    weight = n.b.alongAxis(*weight, 1, x.rank());
  if (bias)
    bias = n.b.alongAxis(*bias, 1, x.rank());
  return n.set(0, normalize(n.b, x, m, weight, bias, n.resultDtype(), acc));
}

/// Sets result `i`, whose elements are never read, to a `tensor.empty`.
static LogicalResult setEmpty(NodeLowering &n, unsigned i) {
  Sizes none(n.resultSizes(i));
  Type dtype = n.resultDtype(i);
  return n.set(i, Tensor(n.b.empty(none, dtype), none, dtype));
}

/// Lowers functional batch norm in inference: the saved statistics are empty,
/// and the running statistics do not change.
static LogicalResult lowerFunctionalInference(NodeLowering &n, const Tensor &x,
                                              std::optional<Tensor> weight,
                                              std::optional<Tensor> bias,
                                              double eps) {
  Tensor mean = n.tensor("running_mean"), var = n.tensor("running_var");
  if (failed(batchNorm(n, x, weight, bias, mean, var, eps)))
    return failure();
  for (unsigned i : {1, 2})
    if (failed(setEmpty(n, i)))
      return failure();
  return failed(n.set(3, mean)) ? failure() : n.set(4, var);
}

/// Sets a result to (1 - momentum) * old + momentum * now(old, batch). `old` is
/// a running statistic; `now` gets the elements of `old` and `batch`.
static LogicalResult moveRunning(NodeLowering &n, unsigned result,
                                 const Tensor &old, const Tensor &batch,
                                 Type acc, double momentum, ScalarFn now) {
  if (!n.isUsed(result))
    return success();
  return n.set(result,
               n.b.map({old, batch}, acc, [&](Scalars &s, ValueRange v) {
                 Value kept = s.mul(v[0], s.constant(1 - momentum));
                 return s.add(kept, s.mul(now(s, v), s.constant(momentum)));
               }));
}

/// Sets results `running` and `running` + 1 to the new running mean and
/// variance. `batch` has the statistics of the batch as vectors; `reduced` are
/// the sizes of the dimensions over which they were computed.
static LogicalResult updateRunning(NodeLowering &n, unsigned running,
                                   const Moments &batch,
                                   ArrayRef<ExprAttr> reduced, Type acc,
                                   double momentum) {
  Number count;
  count.expr = n.b.product(reduced);
  Hoisted size(n.b, count, acc);
  Tensor oldMean = n.tensor("running_mean"), oldVar = n.tensor("running_var");
  if (n.failed() ||
      failed(moveRunning(n, running, oldMean, batch.mean, acc, momentum,
                         [](Scalars &, ValueRange v) { return v[1]; })))
    return failure();
  return moveRunning(n, running + 1, oldVar, batch.var, acc, momentum,
                     [&](Scalars &s, ValueRange v) {
                       // The running variance is the unbiased one.
                       Value all = size.in(s);
                       return s.mul(v[1],
                                    s.div(all, s.sub(all, s.constant(1))));
                     });
}

/// Lowers batch norm with the statistics of the batch. The results, as far as
/// the operator has them, are the output, the mean, 1 / sqrt(variance + eps),
/// and the updated running statistics.
static LogicalResult lowerBatchStats(NodeLowering &n) {
  StringRef name = n.target();
  // This operator always trains: it has no argument `training`, and one more
  // result before the running statistics.
  bool updates = name == "aten._batch_norm_with_update_functional.default";
  bool functional =
      updates || name == "aten._native_batch_norm_legit_functional.default";
  Tensor x = n.tensor("input");
  auto weight = n.optionalTensor("weight"), bias = n.optionalTensor("bias");
  bool training = updates || n.boolean("training");
  double momentum = n.real("momentum"), eps = n.real("eps");
  if (isEmpty(x.sizes) && n.numResults() == 1)
    return n.set(0, x);
  if (n.failed() || x.rank() < 2 || !isa<FloatType>(x.dtype))
    return n.fail("fewer than two dimensions");
  if (functional && !training)
    return lowerFunctionalInference(n, x, weight, bias, eps);
  if ((weight && weight->rank() != 1) || (bias && bias->rank() != 1))
    return n.fail("the weight is no vector");
  SmallVector<int64_t> dims = {0};
  Sizes reduced = {x.sizes[0]};
  for (int64_t i = 2; i < x.rank(); ++i) {
    dims.push_back(i);
    reduced.push_back(x.sizes[i]);
  }
  Type acc = opMathType(x.dtype);
  Moments m = moments(n.b, x, dims, acc, eps);
  if (weight)
    weight = n.b.alongAxis(*weight, 1, x.rank());
  if (bias)
    bias = n.b.alongAxis(*bias, 1, x.rank());
  if (failed(
          n.set(0, normalize(n.b, x, m, weight, bias, n.resultDtype(), acc))))
    return failure();
  Sizes channels = {x.sizes[1]};
  Moments batch = {n.b.reshape(m.mean, channels), n.b.reshape(m.var, channels),
                   n.b.reshape(m.rstd, channels)};
  for (unsigned i = 1; i < n.numResults() && i < 3; ++i)
    if (n.isUsed(i) && failed(n.set(i, i == 1 ? batch.mean : batch.rstd)))
      return failure();
  if (!functional)
    return success();
  // The reserve for the backward kernels of other devices is empty on the CPU.
  if (updates && n.isUsed(3) && failed(setEmpty(n, 3)))
    return failure();
  return updateRunning(n, updates ? 4 : 3, batch, reduced, acc, momentum);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Lowers softmax, e / sum(e) with e = exp(x - max), and log_softmax,
/// (x - max) - log(sum(e)).
template <bool log>
static LogicalResult lowerSoftmax(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("softmax of integers");
  Type dtype = n.resultDtype(), acc = opMathType(dtype);
  Builder &b = n.b;
  if (x.rank() == 0)
    x = b.unsqueeze(x, 0);
  // The operand is converted to the argument `dtype` first.
  x = b.cast(x, dtype);
  Tensor max = b.reduce(
      x, {dim}, true, acc, [](Scalars &s) { return s.lowest(); },
      [](Scalars &s, Value a, Value v) { return s.max(a, v); });
  Tensor y =
      b.pointwise({x, max}, x.sizes, acc, acc, [](Scalars &s, ValueRange v) {
        Value d = s.sub(v[0], v[1]);
        return log ? d : s.exp(d);
      });
  Tensor sum = b.reduce(
      y, {dim}, true, acc, [](Scalars &s) { return s.constant(0); },
      [](Scalars &s, Value a, Value v) { return s.add(a, v); },
      [](Scalars &s, Value v) { return log ? s.exp(v) : v; });
  Tensor r =
      b.pointwise({y, sum}, x.sizes, dtype, acc, [](Scalars &s, ValueRange v) {
        return log ? s.sub(v[0], s.log(v[1])) : s.divByShared(v[0], v[1]);
      });
  if (n.resultSizes().empty())
    r = b.squeeze(r, 0);
  return n.result(r);
}

/// Lowers _safe_softmax: the softmax of a row of only -inf is 0.
static LogicalResult lowerSafeSoftmax(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed() || !isa<FloatType>(n.resultDtype()) || x.rank() == 0)
    return n.fail("softmax of integers, or of a 0-d tensor");
  Type acc = opMathType(n.resultDtype());
  Builder &b = n.b;
  x = b.cast(x, n.resultDtype());
  Tensor max = b.reduce(
      x, {dim}, true, acc, [](Scalars &s) { return s.lowest(); },
      [](Scalars &s, Value a, Value v) { return s.max(a, v); });
  Tensor y = b.map({x, max}, acc, [](Scalars &s, ValueRange v) {
    Value none = s.eq(v[1], s.lowest());
    return s.exp(s.sub(v[0], s.select(none, s.constant(0), v[1])));
  });
  Tensor sum = b.sum(y, {dim}, true, acc);
  return n.pointwise(0, {y, sum}, acc, [](Scalars &s, ValueRange v) {
    Value none = s.eq(v[1], s.constant(0));
    return s.divByShared(v[0], s.select(none, s.constant(1), v[1]));
  });
}

/// Computes y * (g - sum(y * g)) as p - y * sum(p) with p = y * g.
static LogicalResult lowerSoftmaxBackward(NodeLowering &n) {
  Tensor g = n.tensor("grad_output"), y = n.tensor("output");
  int64_t dim = n.dim("dim", y.rank());
  if (n.failed() || y.rank() == 0)
    return n.fail("a 0-d tensor");
  Type acc = opMathType(y.dtype);
  Tensor p = n.b.map(
      {g, y}, acc, [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
  Tensor sum = n.b.sum(p, {dim}, true, acc);
  return n.pointwise(0, {p, y, sum}, acc, [](Scalars &s, ValueRange v) {
    return s.sub(v[0], s.mul(v[1], v[2]));
  });
}

/// Computes v * g / norm(v), with the norm over all dimensions but `dim`.
static LogicalResult lowerWeightNorm(NodeLowering &n) {
  Tensor v = n.tensor("v"), g = n.tensor("g");
  int64_t dim = n.dim("dim", v.rank());
  if (n.failed() || !isa<FloatType>(v.dtype))
    return n.fail("a weight of integers");
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < v.rank(); ++i)
    if (i != dim)
      dims.push_back(i);
  Type acc = opMathType(v.dtype);
  Tensor square = n.b.reduce(
      v, dims, true, acc, [](Scalars &s) { return s.constant(0); },
      [](Scalars &s, Value a, Value x) { return s.add(a, x); },
      [](Scalars &s, Value x) { return s.mul(x, x); });
  return n.pointwise(0, {v, g, square}, acc, [](Scalars &s, ValueRange x) {
    return s.mul(x[0], s.div(x[1], s.sqrt(x[2])));
  });
}

void registerNormalizations(Registry &r) {
  r.add({"aten.batch_norm.default", "aten.native_batch_norm.default",
         "aten._native_batch_norm_legit_no_training.default"},
        lowerBatchNorm);
  r.add({"aten.layer_norm.default", "aten.native_layer_norm.default"},
        lowerLayerNorm);
  r.add("aten.rms_norm.default", lowerRMSNorm);
  r.add({"aten.group_norm.default", "aten.native_group_norm.default"},
        lowerGroupNorm);
  r.add("aten.instance_norm.default", lowerInstanceNorm);
  r.add({"aten._native_batch_norm_legit.no_stats",
         "aten._native_batch_norm_legit_functional.default",
         "aten._batch_norm_with_update_functional.default"},
        lowerBatchStats);
  r.add("aten._softmax_backward_data.default", lowerSoftmaxBackward);
  r.add("aten._safe_softmax.default", lowerSafeSoftmax);
  r.add({"aten.softmax.int", "aten._softmax.default",
         "aten.special_softmax.default"},
        lowerSoftmax<false>);
  r.add({"aten.log_softmax.int", "aten._log_softmax.default",
         "aten.special_log_softmax.default"},
        lowerSoftmax<true>);
  r.add("aten._weight_norm.default", lowerWeightNorm);
}

} // namespace fx::lin
