//===- Quantization.cpp - affine quantization -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowerings of the `quantized_decomposed` operators:
//   q = clamp(round(x / scale) + zero, min, max)
//   x = (q - zero) * scale
// They compute in f32, round to even and follow the order of operations of
// PyTorch's definitions. The body of a dequantization is always
// `mulf(subf(si|uitofp(q), zero), scale)`, without the subtraction if the zero
// point is known to be 0: the kernels for integers match this form.
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace fx::lin {

static bool isQuantized(Type dtype) {
  return isa<IntegerType>(dtype) && dtype.getIntOrFloatBitWidth() > 1 &&
         dtype.getIntOrFloatBitWidth() <= 16;
}

/// Returns true if `real` is f32 and `quantized` an integer dtype of 8 or 16
/// bits; records a failure otherwise.
static bool checkTypes(NodeLowering &n, Type real, Type quantized) {
  if (!real.isF32()) {
    (void)n.fail("quantization of other than f32");
    return false;
  }
  if (!isQuantized(quantized)) {
    (void)n.fail("quantized to other than 8 or 16 bits");
    return false;
  }
  return true;
}

namespace {
/// A scale, zero point or bound of a whole tensor: a constant, or a value that
/// is computed at run time.
struct Parameter {
  std::optional<double> constant;
  Value value; // f32, set unless `constant` is

  Value in(Scalars &s) const {
    return constant ? s.constant(*constant) : value;
  }
};
} // namespace

/// Returns an argument that is a number or a tensor of one element. If
/// `inverted`, returns the reciprocal, which is computed in f64 and then
/// converted to f32, as in PyTorch.
static Parameter getParameter(NodeLowering &n, ArgName name, bool inverted) {
  Builder &b = n.b;
  Parameter p;
  Argument arg = n.arg(name);
  if (!n.isTensor(arg)) {
    double v = n.real(name, 0);
    p.constant = inverted ? 1.0 / v : v;
    return p;
  }
  Tensor t = n.asTensor(arg);
  for (ExprAttr size : t.sizes)
    if (size.getInteger() != 1) {
      (void)n.fail("a scale or zero point of other than one element");
      return p;
    }
  Scalars f64(b.b, b.loc, b.b.getF64Type());
  Value v = f64.cast(b.element(t), t.dtype, f64.dtype);
  if (inverted)
    v = f64.div(f64.constant(1), v);
  p.value = f64.cast(v, f64.dtype, b.b.getF32Type());
  return p;
}

/// Returns clamp(round(x * inverse) + zero, min, max); `min` for a NaN. `zero`
/// may be null.
static Value quantize(Scalars &s, Value x, Value inverse, Value zero,
                      int64_t min, int64_t max) {
  Value q = s.roundEven(s.mul(x, inverse));
  if (zero)
    q = s.add(q, zero);
  q = s.binary<arith::MaxNumFOp>(q, s.constant(double(min)));
  return s.binary<arith::MinNumFOp>(q, s.constant(double(max)));
}

/// Returns `x`, the integers to dequantize. Integers that are known to fit four
/// bits (`fx.bits`) are sign-extended from their low four bits. This changes no
/// value; it shows code generation that four bits suffice to store each
/// integer.
static Tensor getIntegers(NodeLowering &n, const Tensor &x) {
  auto bits = n.op->getAttrOfType<IntegerAttr>("fx.bits");
  if (n.failed() || !bits || bits.getInt() != 4 || !x.dtype.isInteger(8))
    return x;
  return n.b.pointwise({x}, x.sizes, x.dtype, x.dtype,
                       [&](Scalars &s, ValueRange v) {
                         Value four = s.integer(4);
                         return s.binary<arith::ShRSIOp>(
                             s.binary<arith::ShLIOp>(v[0], four), four);
                       });
}

static LogicalResult lowerQuantizePerTensor(NodeLowering &n) {
  Tensor x = n.tensor("input");
  Parameter inverse = getParameter(n, "scale", true),
            zero = getParameter(n, "zero_point", false);
  Parameter min = getParameter(n, "quant_min", false),
            max = getParameter(n, "quant_max", false);
  if (n.failed() || !checkTypes(n, x.dtype, n.resultDtype()))
    return failure();
  if (!min.constant || !max.constant)
    return n.fail("bounds that only the run knows");
  Type f32 = n.b.b.getF32Type();
  return n.pointwise(0, {x}, f32, [&](Scalars &s, ValueRange v) {
    bool isZero = zero.constant && *zero.constant == 0;
    return quantize(s, v[0], inverse.in(s), isZero ? Value() : zero.in(s),
                    int64_t(*min.constant), int64_t(*max.constant));
  });
}

static LogicalResult lowerDequantizePerTensor(NodeLowering &n) {
  Tensor x = getIntegers(n, n.tensor("input"));
  Parameter scale = getParameter(n, "scale", false),
            zero = getParameter(n, "zero_point", false);
  if (n.failed() || !checkTypes(n, n.resultDtype(), x.dtype))
    return failure();
  Type f32 = n.b.b.getF32Type();
  return n.pointwise(0, {x}, f32, [&](Scalars &s, ValueRange v) {
    Value r = v[0];
    if (!zero.constant || *zero.constant != 0)
      r = s.sub(r, zero.in(s));
    return s.mul(r, scale.in(s));
  });
}

//===----------------------------------------------------------------------===//
// Per channel and per group
//===----------------------------------------------------------------------===//

/// Quantizes `x` with parameters that broadcast to it. `early`: the zero point
/// is added before rounding, as in PyTorch's quantization per group.
static Tensor quantizeBy(Builder &b, const Tensor &x, const Tensor &scale,
                         const Tensor &zero, int64_t min, int64_t max,
                         Type dtype, bool early) {
  Type f32 = b.b.getF32Type();
  return b.pointwise(
      {x, scale, zero}, x.sizes, dtype, f32, [&](Scalars &s, ValueRange v) {
        Value inverse = s.div(s.constant(1), v[1]);
        if (!early)
          return quantize(s, v[0], inverse, v[2], min, max);
        Value q = s.roundEven(s.add(s.mul(v[0], inverse), v[2]));
        q = s.binary<arith::MaxNumFOp>(q, s.constant(double(min)));
        return s.binary<arith::MinNumFOp>(q, s.constant(double(max)));
      });
}

/// Dequantizes `x` with parameters that broadcast to it.
static Tensor dequantizeBy(Builder &b, const Tensor &x, const Tensor &scale,
                           std::optional<Tensor> zero) {
  Type f32 = b.b.getF32Type();
  SmallVector<Tensor> operands = {x, scale};
  if (zero)
    operands.push_back(*zero);
  return b.pointwise(operands, x.sizes, f32, f32,
                     [&](Scalars &s, ValueRange v) {
                       return s.mul(zero ? s.sub(v[0], v[2]) : v[0], v[1]);
                     });
}

/// Returns true if the scales are f32; records a failure otherwise. (With
/// scales of f64, PyTorch computes in f64.)
static bool checkScale(NodeLowering &n, const Tensor &scale) {
  if (scale.dtype.isF32())
    return true;
  (void)n.fail("scales of other than f32");
  return false;
}

/// Quantizes (`forward`) or dequantizes with vectors of parameters along
/// `axis`.
static LogicalResult lowerPerChannel(NodeLowering &n, bool forward) {
  Tensor x = forward ? n.tensor("input") : getIntegers(n, n.tensor("input")),
         scale = n.tensor("scales");
  std::optional<Tensor> zero = n.optionalTensor("zero_points");
  if (n.failed())
    return failure();
  int64_t rank = x.rank(), axis = n.dim("axis", rank);
  int64_t min = n.integer("quant_min"), max = n.integer("quant_max");
  Type result = n.resultDtype();
  if (n.failed() || !checkScale(n, scale) ||
      !checkTypes(n, forward ? x.dtype : result, forward ? result : x.dtype))
    return failure();
  if (scale.rank() != 1 || (zero && zero->rank() != 1))
    return n.fail("the scales or zero points are no vectors");
  scale = n.b.alongAxis(scale, axis, rank);
  if (zero)
    zero = n.b.alongAxis(*zero, axis, rank);
  if (!n.broadcasts(scale, x.sizes) || (zero && !n.broadcasts(*zero, x.sizes)))
    return failure();
  if (forward)
    return n.result(
        quantizeBy(n.b, x, scale, *zero, min, max, result, /*early=*/false));
  return n.result(dequantizeBy(n.b, x, scale, zero));
}

static LogicalResult lowerQuantizePerChannel(NodeLowering &n) {
  return lowerPerChannel(n, true);
}
static LogicalResult lowerDequantizePerChannel(NodeLowering &n) {
  return lowerPerChannel(n, false);
}

/// Quantizes (`forward`) or dequantizes a matrix [rows, groups * size] with
/// parameters [rows, groups].
static LogicalResult lowerPerGroup(NodeLowering &n, bool forward) {
  Builder &b = n.b;
  // Kernels match integers, scales and zero points in this order of dimensions.
  Tensor x = n.tensor("input"), scale = n.tensor("scales");
  std::optional<Tensor> zero = n.optionalTensor("zero_points");
  if (n.failed())
    return failure();
  if (!forward) {
    x = getIntegers(n, b.contiguous(x));
    scale = b.contiguous(scale);
    if (zero)
      zero = b.contiguous(*zero);
  }
  int64_t min = n.integer("quant_min"), max = n.integer("quant_max");
  int64_t group = n.integer("group_size");
  Type result = n.resultDtype();
  if (n.failed() || !checkScale(n, scale) ||
      !checkTypes(n, forward ? x.dtype : result, forward ? result : x.dtype))
    return failure();
  if (x.rank() != 2 || scale.rank() != 2 || !x.sizes[1].isInteger() ||
      !scale.sizes[1].isInteger())
    return n.fail("the input or the scales are no matrix of known width");
  int64_t width = x.sizes[1].getValue();
  if (group > width && scale.sizes[1].getValue() == 1)
    group = width;
  if (group < 2 || width % group || scale.sizes[1].getValue() != width / group)
    return n.fail("the groups do not fit the input");
  Tensor grouped = b.split(x, 1, {b.expr(width / group), b.expr(group)});
  Tensor s = b.unsqueeze(scale, 2);
  std::optional<Tensor> z;
  if (zero && zero->rank() == 2)
    z = b.unsqueeze(*zero, 2);
  else if (zero)
    return n.fail("the zero points are no matrix");
  if (!n.broadcasts(s, grouped.sizes) ||
      (z && !n.broadcasts(*z, grouped.sizes)))
    return failure();
  Tensor y = forward ? quantizeBy(b, grouped, s, *z, min, max, result,
                                  /*early=*/true)
                     : dequantizeBy(b, grouped, s, z);
  return n.result(b.reshape(y, x.sizes));
}

static LogicalResult lowerQuantizePerGroup(NodeLowering &n) {
  return lowerPerGroup(n, true);
}
static LogicalResult lowerDequantizePerGroup(NodeLowering &n) {
  return lowerPerGroup(n, false);
}

//===----------------------------------------------------------------------===//
// Choosing parameters
//===----------------------------------------------------------------------===//

/// Computes scale and zero point from the minimum and maximum of the input.
static LogicalResult lowerChoose(NodeLowering &n, bool symmetric) {
  Builder &b = n.b;
  Tensor x = n.tensor("input");
  int64_t min = n.integer("quant_min"), max = n.integer("quant_max");
  double eps = n.real("eps");
  Type dtype = n.dtype("dtype", Type());
  if (n.failed())
    return failure();
  if (!x.dtype.isF32() || !dtype || min >= max || min > 0 || max < 0)
    return n.fail("parameters that torch refuses, or an input other than f32");
  // Reduce the last dimension first: reductions of rows vectorize.
  auto extreme = [&](bool isMax) {
    Tensor t = x;
    auto reduce = [&](ArrayRef<int64_t> dims) {
      t = b.reduce(
          t, dims, false, x.dtype,
          [&](Scalars &s) { return isMax ? s.lowest() : s.highest(); },
          [&](Scalars &s, Value a, Value v) {
            return isMax ? s.max(a, v) : s.min(a, v);
          });
    };
    if (x.rank() > 1)
      reduce({x.rank() - 1});
    reduce(llvm::to_vector(llvm::seq<int64_t>(0, t.rank())));
    return b.element(t);
  };
  Value low = extreme(false), high = extreme(true);
  Scalars s(b.b, b.loc, x.dtype);
  b.check(s.le(low, high),
          "expected a minimum below the maximum, got NaN or no elements");
  Value none = s.constant(0), least = s.constant(eps), scale, zero;
  low = s.min(low, none);
  high = s.max(high, none);
  Type i64 = b.b.getI64Type();
  Scalars ints(b.b, b.loc, i64);
  if (symmetric) {
    high = s.max(s.neg(low), high);
    scale = s.max(s.div(high, s.constant(double(max - min) / 2)), least);
    zero = ints.integer(dtype.isUnsignedInteger(8) ? 128 : 0);
  } else {
    scale =
        s.max(s.div(s.sub(high, low), s.constant(double(max - min))), least);
    Value steps = s.cast(s.roundEven(s.div(low, scale)), x.dtype, i64);
    zero = ints.sub(ints.integer(min), steps);
    zero = ints.min(ints.max(zero, ints.integer(min)), ints.integer(max));
  }
  Type f64 = b.b.getF64Type();
  if (failed(n.set(0, Tensor(b.filled(n.resultSizes(0), f64,
                                      s.cast(scale, x.dtype, f64)),
                             n.resultSizes(0), f64))))
    return failure();
  return n.set(
      1, Tensor(b.filled(n.resultSizes(1), i64, zero), n.resultSizes(1), i64));
}

static LogicalResult lowerChooseAffine(NodeLowering &n) {
  return lowerChoose(n, false);
}
static LogicalResult lowerChooseSymmetric(NodeLowering &n) {
  return lowerChoose(n, true);
}

void registerQuantization(Registry &r) {
  r.add({"quantized_decomposed.quantize_per_tensor.default",
         "quantized_decomposed.quantize_per_tensor.tensor",
         "quantized_decomposed.quantize_per_tensor.tensor2"},
        lowerQuantizePerTensor);
  r.add({"quantized_decomposed.dequantize_per_tensor.default",
         "quantized_decomposed.dequantize_per_tensor.tensor",
         "quantized_decomposed.dequantize_per_tensor.tensor2"},
        lowerDequantizePerTensor);
  r.add("quantized_decomposed.quantize_per_channel.default",
        lowerQuantizePerChannel);
  r.add("quantized_decomposed.dequantize_per_channel.default",
        lowerDequantizePerChannel);
  r.add("quantized_decomposed.quantize_per_channel_group.default",
        lowerQuantizePerGroup);
  r.add("quantized_decomposed.dequantize_per_channel_group.default",
        lowerDequantizePerGroup);
  r.add("quantized_decomposed.choose_qparams.tensor", lowerChooseAffine);
  r.add("quantized_decomposed.choose_qparams_symmetric.tensor",
        lowerChooseSymmetric);
}

} // namespace fx::lin
