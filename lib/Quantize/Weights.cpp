//===- Weights.cpp - weights as integers ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace fx;

// A normal number of f16 has 13 bits of the fraction less than one of f32, and
// a bias that is smaller by 112. Smaller numbers are multiples of 2^-24.
static constexpr uint32_t kDropped = 0x1fff, kBias = uint32_t(112) << 23;
static constexpr float kLeastNormal = 0x1p-14f, kLargest = 65504;
/// Smaller scales are not rounded, because the error could be seen: it is up to
/// 2^-7 of this one.
static constexpr float kLeastRounded = 0x1p-18f;

/// Returns true if f16 has the number, which is positive. The scale of a group
/// of zeros, 2^-23, is such a number.
static bool isHalf(float x) {
  if (x < kLeastNormal)
    return x * 0x1p24f == std::nearbyint(x * 0x1p24f);
  return x <= kLargest && !(llvm::bit_cast<uint32_t>(x) & kDropped);
}

float fx::roundScale(float scale) {
  if (scale < kLeastNormal)
    return scale < kLeastRounded ? scale
                                 : std::nearbyint(scale * 0x1p24f) * 0x1p-24f;
  auto bits = llvm::bit_cast<uint32_t>(scale);
  // Round to nearest, ties to even.
  bits += kDropped / 2 + (bits >> 13 & 1);
  auto rounded = llvm::bit_cast<float>(bits & ~kDropped);
  return isHalf(rounded) ? rounded : scale;
}

void fx::narrowScales(HostTensor &scales) {
  llvm::ArrayRef<float> values(
      reinterpret_cast<const float *>(scales.data.get()),
      scales.getNumElements());
  if (!llvm::all_of(values, isHalf))
    return;
  HostTensor halves = HostTensor::allocate(DType::F16, scales.sizes);
  auto *out = reinterpret_cast<uint16_t *>(halves.data.get());
  for (float x : values)
    *out++ = x < kLeastNormal ? uint16_t(x * 0x1p24f)
                              : (llvm::bit_cast<uint32_t>(x) - kBias) >> 13;
  scales = std::move(halves);
}

std::optional<QuantizedWeight>
fx::quantizeWeight(const HostTensor &weight, std::optional<unsigned> axis,
                   const QuantizationConfig &config) {
  QuantType type = QuantType::weight(config.weightBits);
  int64_t count = weight.getNumElements();
  llvm::ArrayRef<float> values(
      reinterpret_cast<const float *>(weight.data.get()), count);
  // View the tensor as [outer, channels, inner]. The `inner` elements of a
  // channel are split into groups.
  int64_t channels = 1, inner = count;
  bool perChannel = config.perChannel && axis;
  if (perChannel) {
    channels = weight.sizes[*axis];
    inner = 1;
    for (size_t d = *axis + 1; d < weight.sizes.size(); ++d)
      inner *= weight.sizes[d];
  }
  int64_t groupSize = config.groupSize ? config.groupSize : inner;
  int64_t groups = inner / groupSize;
  auto getPart = [&](int64_t i) {
    return (i / inner) % channels * groups + i % inner / groupSize;
  };

  std::vector<FloatRange> ranges(channels * groups);
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i]))
      return std::nullopt;
    FloatRange &range = ranges[getPart(i)];
    range.min = std::min(range.min, values[i]);
    range.max = std::max(range.max, values[i]);
  }
  std::vector<QuantParams> params;
  for (const FloatRange &range : ranges) {
    params.push_back(chooseParams(range, type));
    if (config.groupSize)
      params.back().scale = roundScale(params.back().scale);
  }

  QuantizedWeight result;
  result.values = HostTensor::allocate(DType::I8, weight.sizes);
  auto *out = reinterpret_cast<int8_t *>(result.values.data.get());
  for (int64_t i = 0; i < count; ++i)
    out[i] =
        static_cast<int8_t>(quantizeValue(values[i], params[getPart(i)], type));
  if (!perChannel) {
    result.scale = params.front().scale;
    return result;
  }
  llvm::SmallVector<int64_t> sizes = {channels};
  if (config.groupSize)
    sizes.push_back(groups);
  result.scales = HostTensor::allocate(DType::F32, sizes);
  auto *scales = reinterpret_cast<float *>(result.scales->data.get());
  for (size_t i = 0; i < params.size(); ++i)
    scales[i] = params[i].scale;
  if (config.groupSize)
    narrowScales(*result.scales);
  return result;
}
