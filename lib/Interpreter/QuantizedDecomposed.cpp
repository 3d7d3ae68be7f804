//===- QuantizedDecomposed.cpp - affine quantization ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `quantized_decomposed` operators that PT2E quantization leaves in a
// graph. torch defines them in Python (torch/ao/quantization/fx/_decomposed.py
// is the reference for values and checks), so LibTorch alone lacks them.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <limits>
#include <stdexcept>

using at::Tensor;
using c10::ScalarType;
using torch::jit::Stack;

namespace fx::interp {

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string name(ScalarType type) { return c10::toString(type); }

/// Returns the least and greatest quantized value of a dtype.
static std::pair<int64_t, int64_t> getBounds(ScalarType dtype) {
  switch (dtype) {
  case ScalarType::Byte:
    return {0, 255};
  case ScalarType::Char:
    return {-128, 127};
  case ScalarType::UInt16:
    return {0, 65535};
  case ScalarType::Short:
    return {-32768, 32767};
  case ScalarType::Int:
    return {std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max()};
  case ScalarType::Float8_e5m2:
    return {-57344, 57344};
  case ScalarType::Float8_e4m3fn:
    return {-448, 448};
  default:
    throw std::runtime_error(
        "expected a quantized dtype of Byte, Char, UInt16, Short, Int, "
        "Float8_e5m2 or Float8_e4m3fn, got " +
        name(dtype));
  }
}

static void checkBounds(int64_t min, int64_t max, ScalarType dtype) {
  auto [low, high] = getBounds(dtype);
  require(min >= low && max <= high,
          "expected quant_min and quant_max from " + std::to_string(low) +
              " to " + std::to_string(high) + " for " + name(dtype) + ", got " +
              std::to_string(min) + " and " + std::to_string(max));
}

static Tensor toFloatInput(const Tensor &input) {
  ScalarType type = input.scalar_type();
  if (type == ScalarType::Half || type == ScalarType::BFloat16)
    return input.to(ScalarType::Float);
  require(type == ScalarType::Float,
          "expected an input of Float, Half or BFloat16, got " + name(type));
  return input;
}

static void checkDType(const Tensor &input, ScalarType dtype) {
  require(input.scalar_type() == dtype, "expected an input of " + name(dtype) +
                                            ", got " +
                                            name(input.scalar_type()));
}

static double getScale(const Tensor &scale) {
  require(scale.numel() == 1,
          "expected one scale, got " + std::to_string(scale.numel()));
  return scale.item().toDouble();
}
/// Returns the integer in a tensor with one element. `what` names it.
static int64_t getInteger(const Tensor &value, const std::string &what) {
  require(value.numel() == 1,
          "expected one " + what + ", got " + std::to_string(value.numel()));
  return value.item().toLong();
}
static int64_t getZeroPoint(const Tensor &zero) {
  return getInteger(zero, "zero point");
}

//===----------------------------------------------------------------------===//
// Per tensor
//===----------------------------------------------------------------------===//

static Tensor quantize(const Tensor &input, double scale, int64_t zero,
                       int64_t min, int64_t max, ScalarType dtype) {
  Tensor x = toFloatInput(input);
  checkBounds(min, max, dtype);
  double inverse = 1.0 / scale;
  return at::clamp((x * inverse).round() + zero, min, max).to(dtype);
}

static Tensor dequantize(const Tensor &input, double scale, int64_t zero,
                         ScalarType dtype, std::optional<ScalarType> out) {
  checkDType(input, dtype);
  getBounds(dtype);
  return (input.to(out.value_or(ScalarType::Float)) - zero) * scale;
}

//===----------------------------------------------------------------------===//
// Choosing parameters
//===----------------------------------------------------------------------===//

static std::pair<Tensor, Tensor> chooseParams(const Tensor &input, int64_t min,
                                              int64_t max, double eps,
                                              ScalarType dtype,
                                              bool symmetric) {
  toFloatInput(input);
  getBounds(dtype);
  require(min < max && min <= 0 && max >= 0,
          "expected quant_min <= 0 <= quant_max, got " + std::to_string(min) +
              " and " + std::to_string(max));
  auto [low, high] = at::aminmax(input);
  auto f64 = at::TensorOptions().dtype(ScalarType::Double);
  auto i64 = at::TensorOptions().dtype(ScalarType::Long);
  low = at::minimum(low, at::zeros_like(low));
  high = at::maximum(high, at::zeros_like(high));
  Tensor epsilon =
      at::full({1}, eps, at::TensorOptions().dtype(ScalarType::Float));
  Tensor scale, zero;
  if (symmetric) {
    high = at::maximum(-low, high);
    scale = at::maximum(high / (static_cast<double>(max - min) / 2), epsilon);
    zero = at::full({1}, dtype == ScalarType::Byte ? 128 : 0, i64);
  } else {
    scale = at::maximum((high - low) / static_cast<double>(max - min), epsilon);
    zero = -(low / scale).round().to(ScalarType::Int) + min;
    zero = at::clamp(zero, min, max);
  }
  return {scale.reshape({1}).to(f64), zero.reshape({1}).to(i64)};
}

static std::pair<Tensor, Tensor> choosePerToken(const Tensor &input,
                                                ScalarType dtype) {
  require(dtype == ScalarType::Char, "expected dtype Char, got " + name(dtype));
  Tensor scales = input.abs().amax(-1, /*keepdim=*/true);
  if (scales.scalar_type() == ScalarType::Half)
    scales = scales.to(ScalarType::Float);
  scales = scales.clamp_min(1e-5).div(127);
  return {scales, at::zeros_like(scales)};
}

static std::pair<Tensor, Tensor> choosePerTokenAsymmetric(const Tensor &input,
                                                          ScalarType) {
  const int64_t min = -128, max = 127;
  Tensor low = input.amin(-1, true), high = input.amax(-1, true);
  low = at::minimum(low, at::zeros_like(low));
  high = at::maximum(high, at::zeros_like(high));
  Tensor scale = ((high - low) / static_cast<double>(max - min))
                     .clamp_min(std::numeric_limits<float>::epsilon());
  Tensor fromLow = low / scale, fromHigh = high / scale;
  Tensor zero = at::where((fromLow + min) + (fromHigh + max) > 0,
                          -fromLow + min, -fromHigh + max);
  zero = at::clamp(zero, min, max).round();
  return {scale.to(ScalarType::Double), zero.to(ScalarType::Long)};
}

//===----------------------------------------------------------------------===//
// Per channel, token and group
//===----------------------------------------------------------------------===//

/// Reshapes per-channel values so that they broadcast along `axis` of `input`.
static Tensor alongAxis(const Tensor &perChannel, const Tensor &input,
                        int64_t axis) {
  require(axis < input.dim() && axis >= -input.dim(),
          "expected an axis of a tensor of rank " +
              std::to_string(input.dim()) + ", got " + std::to_string(axis));
  std::vector<int64_t> shape(input.dim(), 1);
  shape[axis < 0 ? axis + input.dim() : axis] = perChannel.size(0);
  return perChannel.view(shape);
}

static Tensor quantizePerChannel(const Tensor &input, const Tensor &scales,
                                 const Tensor &zeros, int64_t axis, int64_t min,
                                 int64_t max, ScalarType dtype) {
  Tensor x = toFloatInput(input);
  checkBounds(min, max, dtype);
  Tensor s = alongAxis(scales, x, axis), z = alongAxis(zeros, x, axis);
  return at::clamp((x * s.reciprocal()).round() + z, min, max).to(dtype);
}

static Tensor dequantizePerChannel(const Tensor &input, const Tensor &scales,
                                   const std::optional<Tensor> &zeros,
                                   int64_t axis, int64_t min, int64_t max,
                                   ScalarType dtype,
                                   std::optional<ScalarType> out) {
  checkDType(input, dtype);
  checkBounds(min, max, dtype);
  Tensor s = alongAxis(scales, input, axis);
  Tensor x = input;
  Tensor result =
      zeros && zeros->defined() ? (x - alongAxis(*zeros, x, axis)) * s : x * s;
  return result.to(out.value_or(ScalarType::Float));
}

static void checkTokens(const Tensor &input, const Tensor &scales,
                        const Tensor &zeros) {
  int64_t tokens = 1;
  for (int64_t i = 0; i + 1 < input.dim(); ++i)
    tokens *= input.size(i);
  require(tokens == scales.numel() && tokens == zeros.numel(),
          "expected " + std::to_string(tokens) +
              " scales and zero points, got " + std::to_string(scales.numel()) +
              " and " + std::to_string(zeros.numel()));
}

static int64_t getGroupSize(const Tensor &input, const Tensor &scales,
                            int64_t group) {
  require(group > 1,
          "expected a group size above 1, got " + std::to_string(group));
  require(input.dim() == 2,
          "expected rank 2, got " + std::to_string(input.dim()));
  if (group > input.size(-1) && scales.size(-1) == 1)
    group = input.size(-1);
  require(group > 0 && input.size(-1) % group == 0,
          "expected rows of groups of " + std::to_string(group) +
              " elements, got rows of " + std::to_string(input.size(-1)));
  return group;
}

//===----------------------------------------------------------------------===//
// Boxed entry points
//===----------------------------------------------------------------------===//

namespace {
/// Reads the arguments of a call from the stack in order. `finish` replaces
/// them by the results.
struct Frame {
  Stack &stack;
  size_t at;
  Frame(Stack &stack, size_t n) : stack(stack), at(stack.size() - n), n(n) {}
  const c10::IValue &next() { return stack[at++]; }
  Tensor tensor() { return next().toTensor(); }
  std::optional<Tensor> optionalTensor() { return next().toOptional<Tensor>(); }
  double real() { return next().toDouble(); }
  int64_t integer() { return next().toInt(); }
  ScalarType dtype() { return static_cast<ScalarType>(next().toInt()); }
  std::optional<ScalarType> optionalDType() {
    const c10::IValue &v = next();
    if (v.isNone())
      return std::nullopt;
    return static_cast<ScalarType>(v.toInt());
  }
  void finish(Tensor result) {
    torch::jit::drop(stack, n);
    stack.emplace_back(std::move(result));
  }
  void finish(std::pair<Tensor, Tensor> results) {
    torch::jit::drop(stack, n);
    stack.emplace_back(std::move(results.first));
    stack.emplace_back(std::move(results.second));
  }

private:
  size_t n;
};
} // namespace

static void quantizeScalar(Stack &stack) {
  Frame f(stack, 6);
  Tensor x = f.tensor();
  double scale = f.real();
  int64_t zero = f.integer(), min = f.integer(), max = f.integer();
  f.finish(quantize(x, scale, zero, min, max, f.dtype()));
}
static void quantizeTensor(Stack &stack) {
  Frame f(stack, 6);
  Tensor x = f.tensor();
  double scale = getScale(f.tensor());
  int64_t zero = getZeroPoint(f.tensor());
  int64_t min = f.integer(), max = f.integer();
  f.finish(quantize(x, scale, zero, min, max, f.dtype()));
}
static void quantizeTensor2(Stack &stack) {
  Frame f(stack, 6);
  Tensor x = f.tensor();
  double scale = getScale(f.tensor());
  int64_t zero = getZeroPoint(f.tensor());
  int64_t min = getInteger(f.tensor(), "quant_min");
  int64_t max = getInteger(f.tensor(), "quant_max");
  f.finish(quantize(x, scale, zero, min, max, f.dtype()));
}
static void dequantizeScalar(Stack &stack) {
  Frame f(stack, 7);
  Tensor x = f.tensor();
  double scale = f.real();
  int64_t zero = f.integer();
  f.at += 2;
  ScalarType dtype = f.dtype();
  f.finish(dequantize(x, scale, zero, dtype, f.optionalDType()));
}
static void dequantizeTensor(Stack &stack) {
  Frame f(stack, 7);
  Tensor x = f.tensor();
  double scale = getScale(f.tensor());
  int64_t zero = getZeroPoint(f.tensor());
  f.at += 2;
  ScalarType dtype = f.dtype();
  f.finish(dequantize(x, scale, zero, dtype, f.optionalDType()));
}
template <bool symmetric>
static void chooseTensor(Stack &stack) {
  Frame f(stack, 5);
  Tensor x = f.tensor();
  int64_t min = f.integer(), max = f.integer();
  double eps = f.real();
  f.finish(chooseParams(x, min, max, eps, f.dtype(), symmetric));
}
template <std::pair<Tensor, Tensor> (*fn)(const Tensor &, ScalarType)>
static void chooseToken(Stack &stack) {
  Frame f(stack, 2);
  Tensor x = f.tensor();
  f.finish(fn(x, f.dtype()));
}
static void quantizeChannel(Stack &stack) {
  Frame f(stack, 7);
  Tensor x = f.tensor(), s = f.tensor(), z = f.tensor();
  int64_t axis = f.integer(), min = f.integer(), max = f.integer();
  f.finish(quantizePerChannel(x, s, z, axis, min, max, f.dtype()));
}
static void dequantizeChannel(Stack &stack) {
  Frame f(stack, 8);
  Tensor x = f.tensor(), s = f.tensor();
  std::optional<Tensor> z = f.optionalTensor();
  int64_t axis = f.integer(), min = f.integer(), max = f.integer();
  ScalarType dtype = f.dtype();
  f.finish(
      dequantizePerChannel(x, s, z, axis, min, max, dtype, f.optionalDType()));
}
static void quantizeToken(Stack &stack) {
  Frame f(stack, 6);
  Tensor x = f.tensor(), s = f.tensor(), z = f.tensor();
  int64_t min = f.integer(), max = f.integer();
  ScalarType dtype = f.dtype();
  checkBounds(min, max, dtype);
  checkTokens(x, s, z);
  f.finish(x.mul(s.reciprocal()).add(z).round().clamp(min, max).to(dtype));
}
static void dequantizeToken(Stack &stack) {
  Frame f(stack, 7);
  Tensor x = f.tensor(), s = f.tensor(), z = f.tensor();
  f.at += 3;
  f.finish(((x - z) * s).to(f.dtype()));
}
static void quantizeGroup(Stack &stack) {
  Frame f(stack, 7);
  Tensor x = f.tensor(), s = f.tensor(), z = f.tensor();
  int64_t min = f.integer(), max = f.integer();
  ScalarType dtype = f.dtype();
  int64_t group = getGroupSize(x, s, f.integer());
  Tensor grouped = x.reshape({-1, group});
  require(!grouped.isnan().any().item().toBool(),
          "expected an input without NaN, got one with NaN");
  f.finish(grouped.mul(s.reshape({-1, 1}).reciprocal())
               .add(z.reshape({-1, 1}))
               .round()
               .clamp(min, max)
               .to(dtype)
               .reshape_as(x));
}
static void dequantizeGroup(Stack &stack) {
  Frame f(stack, 8);
  Tensor x = f.tensor(), s = f.tensor();
  std::optional<Tensor> zeros = f.optionalTensor();
  f.at += 3;
  int64_t group = getGroupSize(x, s, f.integer());
  Tensor z = zeros && zeros->defined()
                 ? zeros->reshape({-1, 1})
                 : at::zeros({}, at::TensorOptions().dtype(ScalarType::Int));
  f.finish(x.reshape({-1, group})
               .sub(z)
               .mul(s.reshape({-1, 1}))
               .reshape_as(x)
               .to(f.dtype()));
}
static void fakeQuantizeChannel(Stack &stack) {
  Frame f(stack, 6);
  Tensor x = f.tensor(), s = f.tensor().to(ScalarType::Float),
         z = f.tensor().to(ScalarType::Int);
  int64_t axis = f.integer(), min = f.integer(), max = f.integer();
  checkDType(x, ScalarType::Float);
  s = alongAxis(s, x, axis);
  z = alongAxis(z, x, axis);
  Tensor q = (x * s.reciprocal()).round() + z;
  f.finish((at::clamp(q, min, max) - z) * s);
}
static void convertElementType(Stack &stack) {
  Frame f(stack, 2);
  Tensor x = f.tensor();
  f.finish(x.to(f.dtype()));
}

const std::vector<OwnOperator> &getQuantizedOperators() {
  static const std::vector<OwnOperator> table = {
      {"quantized_decomposed::quantize_per_tensor(Tensor input, float scale, "
       "int zero_point, int quant_min, int quant_max, ScalarType dtype) -> "
       "Tensor",
       quantizeScalar},
      {"quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor "
       "scale, Tensor zero_point, int quant_min, int quant_max, ScalarType "
       "dtype) -> Tensor",
       quantizeTensor},
      {"quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor "
       "scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, "
       "ScalarType dtype) -> Tensor",
       quantizeTensor2},
      {"quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, "
       "int zero_point, int quant_min, int quant_max, ScalarType dtype, *, "
       "ScalarType? out_dtype=None) -> Tensor",
       dequantizeScalar},
      {"quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, "
       "Tensor scale, Tensor zero_point, int quant_min, int quant_max, "
       "ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
       dequantizeTensor},
      {"quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, "
       "Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, "
       "ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
       dequantizeTensor},
      {"quantized_decomposed::choose_qparams.tensor(Tensor input, int "
       "quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, "
       "Tensor)",
       chooseTensor<false>},
      {"quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, "
       "int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, "
       "Tensor)",
       chooseTensor<true>},
      {"quantized_decomposed::quantize_per_channel(Tensor input, Tensor "
       "scales, Tensor zero_points, int axis, int quant_min, int quant_max, "
       "ScalarType dtype) -> Tensor",
       quantizeChannel},
      {"quantized_decomposed::dequantize_per_channel(Tensor input, Tensor "
       "scales, Tensor? zero_points, int axis, int quant_min, int quant_max, "
       "ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
       dequantizeChannel},
      {"quantized_decomposed::choose_qparams_per_token(Tensor input, "
       "ScalarType dtype) -> (Tensor, Tensor)",
       chooseToken<choosePerToken>},
      {"quantized_decomposed::_choose_qparams_per_token_asymmetric_impl("
       "Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
       chooseToken<choosePerTokenAsymmetric>},
      {"quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor "
       "input, ScalarType dtype) -> (Tensor, Tensor)",
       chooseToken<choosePerTokenAsymmetric>},
      {"quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, "
       "Tensor zero_points, int quant_min, int quant_max, ScalarType dtype) -> "
       "Tensor",
       quantizeToken},
      {"quantized_decomposed::dequantize_per_token(Tensor input, Tensor "
       "scales, Tensor zero_points, int quant_min, int quant_max, ScalarType "
       "dtype, ScalarType output_dtype) -> Tensor",
       dequantizeToken},
      {"quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor "
       "scales, Tensor zero_points, int quant_min, int quant_max, ScalarType "
       "dtype, int group_size) -> Tensor",
       quantizeGroup},
      {"quantized_decomposed::dequantize_per_channel_group(Tensor input, "
       "Tensor scales, Tensor? zero_points, int quant_min, int quant_max, "
       "ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor",
       dequantizeGroup},
      {"quantized_decomposed::fake_quant_per_channel(Tensor input, Tensor "
       "scales, Tensor zero_points, int axis, int quant_min, int quant_max) -> "
       "Tensor",
       fakeQuantizeChannel},
      {"quantized_decomposed::convert_element_type.no_fuse(Tensor input, "
       "ScalarType dtype) -> Tensor",
       convertElementType}};
  return table;
}

} // namespace fx::interp
