//===- Weights.cpp - weights as integers ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"
#include "fx/Support/HalfFloat.h"

#include <cmath>

using namespace fx;

float fx::roundScale(float scale) {
  float rounded = halfToFloat(floatToHalf(scale));
  return std::abs(rounded - scale) <= scale / 128 ? rounded : scale;
}

void fx::narrowScales(HostTensor &scales) {
  HostTensor halves = HostTensor::allocate(DType::F16, scales.sizes);
  auto *out = reinterpret_cast<uint16_t *>(halves.data.get());
  for (float scale :
       llvm::ArrayRef(reinterpret_cast<const float *>(scales.data.get()),
                      scales.getNumElements())) {
    *out = floatToHalf(scale);
    if (halfToFloat(*out++) != scale)
      return;
  }
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
