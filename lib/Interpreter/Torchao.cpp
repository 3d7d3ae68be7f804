//===- Torchao.cpp - the affine operators of torchao ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in torchao/quantization/quant_primitives.py.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clamp_max.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/log2.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/round.h>
#include <cmath>
#include <limits>

using at::Tensor;
using c10::IValue;
using c10::ScalarType;
using torch::jit::Stack;

namespace fx::interp {

namespace {
/// The sizes of the view that has a dimension for each block, those with one
/// element a block, and the dimensions of the blocks' elements.
struct Blocks {
  std::vector<int64_t> split, kept, inner, counts;

  Blocks(const Tensor &x, const std::vector<int64_t> &sizes) {
    require(int64_t(sizes.size()) == x.dim(),
            "expected a block size for each dimension");
    for (int64_t d = 0; d < x.dim(); ++d) {
      int64_t size = x.size(d), block = sizes[d];
      require(block > 0 && size % block == 0,
              "expected sizes that are multiples of the block's, got " +
                  std::to_string(size) + " and " + std::to_string(block));
      counts.push_back(size / block);
      if (block != size && block > 1) {
        inner.push_back(split.size() + 1);
        split.insert(split.end(), {size / block, block});
        kept.insert(kept.end(), {size / block, 1});
        continue;
      }
      if (block != 1)
        inner.push_back(split.size());
      split.push_back(size);
      kept.push_back(block == 1 ? size : 1);
    }
  }
};

/// The bounds of a dtype, unless others are given.
struct Bounds {
  double min, max;

  Bounds(ScalarType dtype, const IValue &givenMin, const IValue &givenMax) {
    switch (dtype) {
    case ScalarType::Byte:
      min = 0, max = 255;
      break;
    case ScalarType::Char:
      min = -128, max = 127;
      break;
    case ScalarType::Short:
      min = -32768, max = 32767;
      break;
    case ScalarType::Int:
      min = std::numeric_limits<int32_t>::min();
      max = std::numeric_limits<int32_t>::max();
      break;
    default:
      require(false, "expected a dtype of integers of 8 to 32 bits");
    }
    if (!givenMin.isNone())
      min = givenMin.toScalar().toDouble();
    if (!givenMax.isNone())
      max = givenMax.toScalar().toDouble();
  }
};
} // namespace

static ScalarType getDtype(const IValue &value) {
  return static_cast<ScalarType>(value.toInt());
}
static std::vector<int64_t> getSizes(const IValue &value) {
  return value.toIntVector();
}

static void quantizeAffine(Stack &stack) {
  IValue *args = &stack[stack.size() - 7];
  Tensor x = args[0].toTensor();
  Blocks blocks(x, getSizes(args[1]));
  ScalarType dtype = getDtype(args[4]);
  Bounds bounds(dtype, args[5], args[6]);
  Tensor scale = args[2].toTensor().view(blocks.kept);
  require(args[3].isTensor(), "expected a zero point");
  Tensor zero = args[3].toTensor().view(blocks.kept);
  Tensor q = at::round(x.reshape(blocks.split) * scale.reciprocal()) + zero;
  q = at::clamp(q, bounds.min, bounds.max).view(x.sizes()).to(dtype);
  torch::jit::drop(stack, 7);
  stack.emplace_back(std::move(q));
}

static void dequantizeAffine(Stack &stack) {
  IValue *args = &stack[stack.size() - 8];
  Tensor q = args[0].toTensor();
  Blocks blocks(q, getSizes(args[1]));
  ScalarType dtype = getDtype(args[7]);
  Tensor x = q.reshape(blocks.split).to(dtype);
  if (args[3].isTensor())
    x = x - args[3].toTensor().view(blocks.kept).to(dtype);
  x = x * args[2].toTensor().view(blocks.kept);
  x = x.view(q.sizes()).to(dtype);
  torch::jit::drop(stack, 8);
  stack.emplace_back(std::move(x));
}

static void chooseAffine(Stack &stack) {
  IValue *args = &stack[stack.size() - 10];
  require(args[0].isTensor(), "expected a tensor to choose parameters for");
  Tensor x = args[0].toTensor();
  std::string mapping = args[1].toStringRef();
  Blocks blocks(x, getSizes(args[2]));
  Bounds bounds(getDtype(args[3]), args[4], args[5]);
  double eps = x.scalar_type() == ScalarType::Half
                   ? std::ldexp(1.0, -14)
                   : double(std::numeric_limits<float>::min());
  if (!args[6].isNone())
    eps = args[6].toDouble();
  bool keepdim = args[9].toBool();
  Tensor view = x.reshape(blocks.split);
  Tensor low = at::clamp_max(at::amin(view, blocks.inner, keepdim), 0),
         high = at::clamp_min(at::amax(view, blocks.inner, keepdim), 0);
  Tensor scale, zero;
  if (mapping == "ASYMMETRIC") {
    scale = at::clamp_min((high - low) / (bounds.max - bounds.min), eps);
    zero = at::clamp(at::round(low / scale).neg() + bounds.min, bounds.min,
                     bounds.max);
  } else {
    if (mapping == "SYMMETRIC") {
      scale = at::maximum(low.neg(), high) / ((bounds.max - bounds.min) / 2);
    } else {
      require(mapping == "SYMMETRIC_NO_CLIPPING_ERR",
              "expected a known mapping, got " + mapping);
      scale = at::maximum(low / bounds.min, high / bounds.max);
    }
    zero = at::full_like(scale, int64_t((bounds.max + bounds.min + 1) / 2));
    scale = at::clamp_min(scale, eps);
  }
  if (keepdim) {
    scale = scale.reshape(blocks.counts);
    zero = zero.reshape(blocks.counts);
  }
  scale = scale.to(args[7].isNone() ? x.scalar_type() : getDtype(args[7]));
  if (!args[8].isNone())
    zero = zero.to(getDtype(args[8]));
  else if (mapping == "ASYMMETRIC")
    zero = zero.to(ScalarType::Int);
  torch::jit::drop(stack, 10);
  stack.emplace_back(std::move(scale));
  stack.emplace_back(std::move(zero));
}

static void chooseScale(Stack &stack) {
  IValue *args = &stack[stack.size() - 6];
  Tensor x = args[0].toTensor();
  Blocks blocks(x, getSizes(args[1]));
  double most = 0;
  switch (getDtype(args[2])) {
  case ScalarType::Float8_e4m3fn:
    most = 448;
    break;
  case ScalarType::Float8_e4m3fnuz:
    most = 240;
    break;
  case ScalarType::Float8_e5m2:
  case ScalarType::Float8_e5m2fnuz:
    most = 57344;
    break;
  default:
    require(false, "expected a dtype of eight bits");
  }
  Tensor size = at::amax(at::abs(x.reshape(blocks.split)), blocks.inner, true);
  if (!args[4].isNone())
    size = at::clamp_min(size, args[4].toDouble());
  if (!args[5].isNone())
    size = at::clamp_max(size, args[5].toDouble());
  Tensor scale = (size / most).reshape(blocks.counts);
  if (getDtype(args[3]) != ScalarType::Float)
    scale = at::exp2(at::round(at::log2(scale)));
  torch::jit::drop(stack, 6);
  stack.emplace_back(scale.to(ScalarType::Float));
}

const std::vector<OwnOperator> &getTorchaoOperators() {
  static const std::vector<OwnOperator> table = {
      {"torchao::quantize_affine(Tensor input, SymInt[] block_size, Tensor "
       "scale, Tensor? zero_point, ScalarType output_dtype, Scalar? "
       "quant_min=None, Scalar? quant_max=None) -> Tensor",
       quantizeAffine},
      {"torchao::dequantize_affine(Tensor input, SymInt[] block_size, Tensor "
       "scale, Tensor? zero_point, ScalarType input_dtype, Scalar? "
       "quant_min=None, Scalar? quant_max=None, ScalarType output_dtype=6) -> "
       "Tensor",
       dequantizeAffine},
      {"torchao::choose_qparams_affine(Tensor? input, str mapping_type, "
       "SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, "
       "Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, "
       "ScalarType? zero_point_dtype=None, bool keepdim=False) -> (Tensor, "
       "Tensor)",
       chooseAffine},
      {"torchao::choose_scale_float8(Tensor tensor, SymInt[] block_size, "
       "ScalarType float8_dtype=24, ScalarType scale_dtype=6, float? "
       "hp_value_lb=None, float? hp_value_ub=None) -> Tensor",
       chooseScale}};
  return table;
}

} // namespace fx::interp
