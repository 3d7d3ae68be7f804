//===- Pointwise.cpp - shape rules of elementwise operators ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes of the result are the broadcast sizes of all tensor arguments. The
// dtype is promoted from the arguments that promoteOperands names; others, such
// as `alpha` and slopes, do not take part in promotion.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

/// Returns the broadcast sizes of all tensor arguments. Sets `first` to the
/// first tensor that is not 0-d, or to a 0-d tensor if there is no other.
static std::optional<Sizes> broadcastAll(const OperatorView &call,
                                         FakeTensorType &first) {
  std::optional<Sizes> sizes = Sizes();
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    if (!call.getSchema().getArguments()[i].isTensor())
      continue;
    FakeTensorType tensor = getTensor(call.getArg(i));
    if (!tensor)
      continue;
    // `first` gives the device of the result. PyTorch accepts a 0-d CPU tensor
    // together with tensors on another device.
    if (!first || first.getRank() == 0)
      first = tensor;
    sizes = broadcast(*sizes, tensor.getSizes());
    if (!sizes)
      return std::nullopt;
  }
  return first ? sizes : std::nullopt;
}

/// Returns the dtype that the arguments with the given names promote to.
static Type promote(const OperatorView &call, ArrayRef<StringRef> names) {
  SmallVector<Argument> arguments;
  for (StringRef name : names)
    if (Argument argument = call.findArg(name))
      arguments.push_back(argument);
  return getPromotedDtype(arguments);
}

static InferredTypes infer(const OperatorView &call, Type dtype) {
  FakeTensorType first;
  std::optional<Sizes> sizes = broadcastAll(call, first);
  if (!sizes || !dtype)
    return failure();
  return result(makeTensor(first, *sizes, dtype));
}

static Type promoteOperands(const OperatorView &call) {
  return promote(call, {"self", "input", "other", "exponent", "min", "max", "x",
                        "tensor1", "tensor2", "end", "weight"});
}

static InferredTypes inferPromoted(const OperatorView &call) {
  return infer(call, promoteOperands(call));
}
static InferredTypes inferFloat(const OperatorView &call) {
  Type dtype = promoteOperands(call);
  if (!dtype)
    return failure();
  return infer(call, promoteIntToFloat(dtype));
}
static InferredTypes inferBool(const OperatorView &call) {
  return infer(call, IntegerType::get(call.getContext(), 1));
}
/// The dtype is that of the first tensor; numbers do not take part in
/// promotion.
static InferredTypes inferSelf(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  return infer(call, self.getDtype());
}
static InferredTypes inferReal(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  return infer(call, toRealDtype(self.getDtype()));
}
static InferredTypes inferRealFloat(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  return infer(call, promoteIntToFloat(toRealDtype(self.getDtype())));
}
static InferredTypes inferWhere(const OperatorView &call) {
  return infer(call, promote(call, {"self", "other"}));
}

/// Division with a rounding mode keeps integer dtypes, true division does not.
static InferredTypes inferDivMode(const OperatorView &call) {
  return call.getArg("rounding_mode").isNone() ? inferFloat(call)
                                               : inferPromoted(call);
}

/// `square` is a power: bool operands give int64.
static InferredTypes inferSquare(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  Type dtype = self.getDtype();
  return infer(call, dtype.isInteger(1) ? promoteIntToLong(dtype) : dtype);
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

static InferredTypes inferQuantize(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  if (!input)
    return failure();
  return result(
      makeTensor(input, input.getSizes(), call.getArg("dtype").getDtype()));
}
/// torchao names the dtype of the result `output_dtype` in both directions.
static InferredTypes inferAffine(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  if (!input)
    return failure();
  // The default of the schema is a number: float32.
  Type dtype = call.getArg("output_dtype").getDtype();
  return result(
      makeTensor(input, input.getSizes(),
                 dtype ? dtype : Float32Type::get(call.getContext())));
}
static InferredTypes inferDequantize(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  if (!input)
    return failure();
  Type dtype = call.getArg("out_dtype").getDtype();
  if (!dtype)
    dtype = call.getArg("output_dtype").getDtype();
  return result(
      makeTensor(input, input.getSizes(),
                 dtype ? dtype : Float32Type::get(call.getContext())));
}

void fx::registerPointwiseShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferSquare, {"aten.square.default"});
  hooks.add(inferPromoted, {"aten.addcmul.default",
                            "aten.add.Tensor",
                            "aten.add.Scalar",
                            "aten.sub.Tensor",
                            "aten.sub.Scalar",
                            "aten.rsub.Tensor",
                            "aten.rsub.Scalar",
                            "aten.mul.Tensor",
                            "aten.mul.Scalar",
                            "aten.multiply.Tensor",
                            "aten.multiply.Scalar",
                            "aten.subtract.Tensor",
                            "aten.maximum.default",
                            "aten.minimum.default",
                            "aten.max.other",
                            "aten.min.other",
                            "aten.fmax.default",
                            "aten.fmin.default",
                            "aten.remainder.Tensor",
                            "aten.remainder.Scalar",
                            "aten.remainder.Scalar_Tensor",
                            "aten.fmod.Tensor",
                            "aten.fmod.Scalar",
                            "aten.floor_divide.default",
                            "aten.floor_divide.Scalar",
                            "aten.pow.Tensor_Tensor",
                            "aten.pow.Tensor_Scalar",
                            "aten.pow.Scalar",
                            "aten.clamp.default",
                            "aten.clamp.Tensor",
                            "aten.clamp_min.default",
                            "aten.clamp_min.Tensor",
                            "aten.clamp_max.default",
                            "aten.clamp_max.Tensor",
                            "aten.bitwise_and.Tensor",
                            "aten.bitwise_and.Scalar",
                            "aten.bitwise_or.Tensor",
                            "aten.bitwise_or.Scalar",
                            "aten.bitwise_xor.Tensor",
                            "aten.bitwise_xor.Scalar",
                            "aten.__and__.Tensor",
                            "aten.__and__.Scalar",
                            "aten.__or__.Tensor",
                            "aten.__or__.Scalar",
                            "aten.__xor__.Tensor",
                            "aten.__xor__.Scalar",
                            "aten.bitwise_left_shift.Tensor",
                            "aten.bitwise_left_shift.Tensor_Scalar",
                            "aten.bitwise_right_shift.Tensor",
                            "aten.bitwise_right_shift.Tensor_Scalar",
                            "aten.lerp.Scalar",
                            "aten.lerp.Tensor",
                            "aten.hypot.default",
                            "aten.nextafter.default",
                            "aten.heaviside.default"});
  hooks.add(inferFloat, {"aten.div.Tensor",
                         "aten.div.Scalar",
                         "aten.divide.Tensor",
                         "aten.true_divide.Tensor",
                         "aten.sin.default",
                         "aten.cos.default",
                         "aten.tan.default",
                         "aten.asin.default",
                         "aten.acos.default",
                         "aten.atan.default",
                         "aten.sinh.default",
                         "aten.cosh.default",
                         "aten.tanh.default",
                         "aten.asinh.default",
                         "aten.acosh.default",
                         "aten.atanh.default",
                         "aten.atan2.default",
                         "aten.exp.default",
                         "aten.exp2.default",
                         "aten.expm1.default",
                         "aten.log.default",
                         "aten.log2.default",
                         "aten.log10.default",
                         "aten.log1p.default",
                         "aten.sqrt.default",
                         "aten.rsqrt.default",
                         "aten.reciprocal.default",
                         "aten.sigmoid.default",
                         "aten.erf.default",
                         "aten.erfc.default",
                         "aten.erfinv.default",
                         "aten.lgamma.default",
                         "aten.digamma.default",
                         "aten.logit.default",
                         "aten.sinc.default",
                         "aten.special_expit.default",
                         "aten.special_exp2.default",
                         "aten.special_expm1.default",
                         "aten.special_log1p.default",
                         "aten.special_erf.default",
                         "aten.special_erfc.default",
                         "aten.logaddexp.default",
                         "aten.copysign.Tensor",
                         "aten.copysign.Scalar",
                         "aten.xlogy.Tensor",
                         "aten.deg2rad.default",
                         "aten.rad2deg.default",
                         "aten.addcdiv.default"});
  hooks.add(inferBool, {"aten.eq.Tensor",           "aten.eq.Scalar",
                        "aten.ne.Tensor",           "aten.ne.Scalar",
                        "aten.lt.Tensor",           "aten.lt.Scalar",
                        "aten.le.Tensor",           "aten.le.Scalar",
                        "aten.gt.Tensor",           "aten.gt.Scalar",
                        "aten.ge.Tensor",           "aten.ge.Scalar",
                        "aten.logical_and.default", "aten.logical_or.default",
                        "aten.logical_xor.default", "aten.logical_not.default",
                        "aten.isnan.default",       "aten.isinf.default",
                        "aten.isfinite.default",    "aten.signbit.default",
                        "aten.isclose.default",     "aten.isposinf.default",
                        "aten.isneginf.default",    "aten.isreal.default"});
  hooks.add(inferSelf,
            {"aten.neg.default",           "aten.negative.default",
             "aten.relu.default",          "aten.relu6.default",
             "aten.gelu.default",          "aten.silu.default",
             "aten.mish.default",          "aten.selu.default",
             "aten.celu.default",          "aten.elu.default",
             "aten.leaky_relu.default",    "aten.hardtanh.default",
             "aten.hardswish.default",     "aten.hardsigmoid.default",
             "aten.softplus.default",      "aten.log_sigmoid.default",
             "aten.softshrink.default",    "aten.hardshrink.default",
             "aten.threshold.default",     "aten._prelu_kernel.default",
             "aten.ceil.default",          "aten.floor.default",
             "aten.round.default",         "aten.round.decimals",
             "aten.special_round.default", "aten.trunc.default",
             "aten.frac.default",          "aten.sign.default",
             "aten.sgn.default",           "aten.bitwise_not.default",
             "aten.positive.default",      "aten.nan_to_num.default",
             "aten.dropout.default",       "aten.feature_dropout.default",
             "aten.alpha_dropout.default", "aten.masked_fill.Scalar",
             "aten.masked_fill.Tensor",    "aten.fill.Scalar",
             "aten.conj.default",          "aten._conj.default",
             "aten.conj_physical.default", "aten.resolve_conj.default",
             "aten.resolve_neg.default",   "aten.bernoulli.default",
             "aten.bernoulli.p",           "aten.tril.default",
             "aten.triu.default"});
  hooks.add(inferReal, {"aten.abs.default", "aten.absolute.default",
                        "aten.real.default", "aten.imag.default"});
  hooks.add(inferRealFloat, {"aten.angle.default"});
  hooks.add(inferWhere, {"aten.where.self", "aten.where.ScalarOther",
                         "aten.where.ScalarSelf", "aten.where.Scalar"});
  // The weight of prelu has one element per channel and is not broadcast.
  hooks.add(sameAsFirst, {"aten.prelu.default"});
  hooks.add(inferDivMode, {"aten.div.Tensor_mode", "aten.div.Scalar_mode"});
  hooks.add(inferQuantize,
            {"quantized_decomposed.quantize_per_tensor.default",
             "quantized_decomposed.quantize_per_tensor.tensor",
             "quantized_decomposed.quantize_per_tensor.tensor2",
             "quantized_decomposed.quantize_per_channel.default",
             "quantized_decomposed.quantize_per_channel_group.default",
             "quantized_decomposed.quantize_per_token.default"});
  hooks.add(inferDequantize,
            {"quantized_decomposed.dequantize_per_tensor.default",
             "quantized_decomposed.dequantize_per_tensor.tensor",
             "quantized_decomposed.dequantize_per_tensor.tensor2",
             "quantized_decomposed.dequantize_per_channel.default",
             "quantized_decomposed.dequantize_per_channel_group.default",
             "quantized_decomposed.dequantize_per_token.default"});
  hooks.add(inferAffine, {"torchao.quantize_affine.default",
                          "torchao.dequantize_affine.default"});
}
