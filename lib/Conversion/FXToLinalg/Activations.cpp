//===- Activations.cpp - activation functions -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

/// Lowers a node that applies `fn` to each element of `self`.
static LogicalResult activation(NodeLowering &n,
                                function_ref<Value(Scalars &, Value)> fn) {
  Tensor x = n.tensor("self");
  if (n.failed())
    return failure();
  return n.pointwise(0, {x}, opMathType(n.resultDtype()),
                     [&](Scalars &s, ValueRange v) { return fn(s, v[0]); });
}

static LogicalResult lowerGelu(NodeLowering &n) {
  StringRef approximate = n.string("approximate");
  return activation(n, [&](Scalars &s, Value x) {
    Value half = s.constant(0.5), one = s.constant(1);
    if (approximate == "tanh") {
      Value cube = s.mul(s.mul(x, x), x);
      Value inner = s.mul(s.constant(M_SQRT2 * M_2_SQRTPI * 0.5),
                          s.add(x, s.mul(s.constant(0.044715), cube)));
      return s.mul(s.mul(half, x), s.add(one, s.tanh(inner)));
    }
    Value e = s.erf(s.mul(x, s.constant(M_SQRT1_2)));
    return s.mul(s.mul(half, x), s.add(one, e));
  });
}

/// scale * (x > 0 ? x : alpha * (exp(inputScale * x) - 1))
static Value elu(Scalars &s, Value x, double alpha, double scale,
                 double inputScale) {
  Value scaled = inputScale == 1 ? x : s.mul(x, s.constant(inputScale));
  Value low = s.mul(s.unary<math::ExpM1Op>(scaled), s.constant(alpha * scale));
  Value high = scale == 1 ? x : s.mul(x, s.constant(scale));
  return s.select(s.gt(x, s.constant(0)), high, low);
}

static LogicalResult lowerElu(NodeLowering &n) {
  double alpha = n.real("alpha"), scale = n.real("scale"),
         inputScale = n.real("input_scale");
  return activation(n, [&](Scalars &s, Value x) {
    return elu(s, x, alpha, scale, inputScale);
  });
}

static LogicalResult lowerCelu(NodeLowering &n) {
  double alpha = n.real("alpha");
  return activation(
      n, [&](Scalars &s, Value x) { return elu(s, x, alpha, 1, 1 / alpha); });
}

static LogicalResult lowerSelu(NodeLowering &n) {
  return activation(n, [&](Scalars &s, Value x) {
    return elu(s, x, 1.6732632423543772848170429916717,
               1.0507009873554804934193349852946, 1);
  });
}

static LogicalResult lowerHardtanh(NodeLowering &n) {
  bool relu6 = n.target() == "aten.relu6.default";
  double low = relu6 ? 0 : n.real("min_val", -1),
         high = relu6 ? 6 : n.real("max_val", 1);
  return activation(n, [&](Scalars &s, Value x) {
    return s.min(s.max(x, s.constant(low)), s.constant(high));
  });
}

static LogicalResult lowerLeakyRelu(NodeLowering &n) {
  double slope = n.real("negative_slope");
  return activation(n, [&](Scalars &s, Value x) {
    return s.select(s.gt(x, s.constant(0)), x, s.mul(x, s.constant(slope)));
  });
}

static LogicalResult lowerSoftplus(NodeLowering &n) {
  double beta = n.real("beta"), threshold = n.real("threshold");
  return activation(n, [&](Scalars &s, Value x) {
    Value scaled = beta == 1 ? x : s.mul(x, s.constant(beta));
    Value soft = s.unary<math::Log1pOp>(s.exp(scaled));
    if (beta != 1)
      soft = s.div(soft, s.constant(beta));
    return s.select(s.gt(scaled, s.constant(threshold)), x, soft);
  });
}

/// clamp(x + 3, 0, 6)
static Value hardRamp(Scalars &s, Value x) {
  Value shifted = s.add(x, s.constant(3));
  return s.min(s.max(shifted, s.constant(0)), s.constant(6));
}

static Value hardsigmoid(Scalars &s, Value x) {
  return s.div(hardRamp(s, x), s.constant(6));
}

static LogicalResult lowerHardshrink(NodeLowering &n) {
  double lambda = n.real("lambd");
  return activation(n, [&](Scalars &s, Value x) {
    Value inside =
        s.logicalAnd(s.ge(x, s.constant(-lambda)), s.le(x, s.constant(lambda)));
    return s.select(inside, s.constant(0), x);
  });
}

static LogicalResult lowerSoftshrink(NodeLowering &n) {
  double lambda = n.real("lambd");
  return activation(n, [&](Scalars &s, Value x) {
    Value l = s.constant(lambda), low = s.constant(-lambda);
    Value zero = s.mul(x, s.constant(0)); // NaN stays NaN
    return s.select(s.gt(x, l), s.sub(x, l),
                    s.select(s.lt(x, low), s.add(x, l), zero));
  });
}

static LogicalResult lowerThreshold(NodeLowering &n) {
  double threshold = n.real("threshold"), value = n.real("value");
  return activation(n, [&](Scalars &s, Value x) {
    return s.select(s.le(x, s.constant(threshold)), s.constant(value), x);
  });
}

/// Lowers prelu. The weight has one element, or one for each channel
/// (dimension 1).
static LogicalResult lowerPrelu(NodeLowering &n) {
  Tensor x = n.tensor("self"), w = n.tensor("weight");
  if (n.failed())
    return failure();
  if (x.rank() == 0 && w.rank() == 1 && w.sizes[0].getInteger() == 1)
    w = n.b.squeeze(w, 0);
  if (w.rank() == 1)
    for (int64_t i = 2; i < x.rank(); ++i)
      w = n.b.unsqueeze(w, w.rank());
  return n.pointwise(
      0, {x, w}, opMathType(n.resultDtype()), [&](Scalars &s, ValueRange v) {
        return s.select(s.gt(v[0], s.constant(0)), v[0], s.mul(v[0], v[1]));
      });
}

static LogicalResult lowerGlu(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed() || n.resultSizes().size() != size_t(x.rank()))
    return n.fail("the result's rank is not what the operator gives");
  ExprAttr half = n.resultSizes()[dim], one = n.b.expr(1);
  Tensor a = n.b.slice(x, dim, n.b.expr(0), half, one);
  Tensor gate = n.b.slice(x, dim, half, half, one);
  return n.pointwise(
      0, {a, gate}, opMathType(n.resultDtype()),
      [&](Scalars &s, ValueRange v) { return s.mul(v[0], s.sigmoid(v[1])); });
}

/// Lowers an activation without parameters.
template <Value (*fn)(Scalars &, Value)>
static LogicalResult plain(NodeLowering &n) {
  return activation(n, fn);
}

void registerActivations(Registry &r) {
  r.add("aten.relu.default",
        plain<[](Scalars &s, Value x) { return s.max(x, s.integer(0)); }>);
  r.add({"aten.sigmoid.default", "aten.special_expit.default"},
        plain<[](Scalars &s, Value x) { return s.sigmoid(x); }>);
  r.add("aten.silu.default", plain<[](Scalars &s, Value x) {
          return s.div(x, s.add(s.constant(1), s.exp(s.neg(x))));
        }>);
  r.add("aten.mish.default", plain<[](Scalars &s, Value x) {
          return s.mul(x, s.tanh(s.softplus(x)));
        }>);
  r.add("aten.hardsigmoid.default", plain<hardsigmoid>);
  r.add("aten.hardswish.default", plain<[](Scalars &s, Value x) {
          // Multiply before dividing, as PyTorch does: the product may
          // overflow.
          return s.div(s.mul(x, hardRamp(s, x)), s.constant(6));
        }>);
  r.add("aten.log_sigmoid.default",
        plain<[](Scalars &s, Value x) { return s.neg(s.softplus(s.neg(x))); }>);
  r.add("aten.gelu.default", lowerGelu);
  r.add("aten.elu.default", lowerElu);
  r.add("aten.celu.default", lowerCelu);
  r.add("aten.selu.default", lowerSelu);
  r.add({"aten.hardtanh.default", "aten.relu6.default"}, lowerHardtanh);
  r.add("aten.leaky_relu.default", lowerLeakyRelu);
  r.add("aten.softplus.default", lowerSoftplus);
  r.add("aten.hardshrink.default", lowerHardshrink);
  r.add("aten.softshrink.default", lowerSoftshrink);
  r.add("aten.threshold.default", lowerThreshold);
  r.add({"aten.prelu.default", "aten._prelu_kernel.default"}, lowerPrelu);
  r.add("aten.glu.default", lowerGlu);
}

} // namespace fx::lin
