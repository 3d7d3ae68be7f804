//===- TensorMap.cpp - how a tensor is copied by boxes --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"

using namespace emulator;

bool TensorMap::isValid() const { return magic == kMagic; }

uint32_t TensorMap::getBoxBytes() const {
  uint32_t bytes = elementBytes;
  if (isImage)
    return bytes * box[0] * box[1];
  for (int d = 0; d < rank; ++d)
    bytes *= getCount(d);
  return bytes;
}

uint64_t TensorMap::getBytes() const {
  uint64_t bytes = elementBytes * sizes[0];
  for (int d = 1; d < rank; ++d)
    bytes += (sizes[d] - 1) * strides[d - 1];
  return bytes;
}

/// By CUtensorMapDataType, those that have no packed elements: 8-, 16-, 32- and
/// 64-bit integers, f16, f32, f64, bf16, and ways to read f32.
static constexpr uint8_t kElementBytes[] = {1, 2, 4, 4, 8, 8, 2,
                                            4, 8, 2, 4, 4, 4};
static constexpr int kFloat16 = 6, kTFloat32 = 11;

/// Of the numbers of a bounding box, for one to three spatial dimensions.
static constexpr int kLeastCorner[] = {-32768, -128, -16};

/// What the documentation of cuTensorMapEncodeTiled and of
/// cuTensorMapEncodeIm2col demands, and what the emulator has not.
std::string emulator::makeTensorMap(TensorMap &map,
                                    const TensorMapFields &fields) {
  const auto &[type, rank, data, sizes, strides, box, steps, interleave,
               swizzle, promotion, fill, lower, upper] = fields;
  bool isImage = fields.isImage();
  std::string why;
  auto demand = [&](bool is, const char *what, unsigned d, auto got) {
    if (!is && why.empty()) {
      std::string text = what;
      if (size_t at = text.find('#'); at != std::string::npos)
        text.replace(at, 1, std::to_string(d));
      why = "expected " + text + ", got " + std::to_string(got);
    }
    return why.empty();
  };
  if (!demand(type >= 0 && type < int(sizeof kElementBytes), "a known type", 0,
              type) ||
      !demand(rank >= 1 && rank <= 5, "1 to 5 dimensions", 0, rank) ||
      !demand(!isImage || rank >= 3, "3 to 5 dimensions of images", 0, rank) ||
      !demand(interleave >= 0 && interleave <= 2, "a known interleave", 0,
              interleave) ||
      !demand(interleave == 0 || rank >= 3, "3 to 5 interleaved dimensions", 0,
              rank) ||
      !demand(swizzle >= 0 && swizzle <= 3, "a known swizzle", 0, swizzle) ||
      !demand(promotion >= 0 && promotion <= 3, "a known promotion", 0,
              promotion) ||
      !demand(fill == 0 || (fill == 1 && type >= kFloat16),
              "zeros, or NaN of floating-point elements, outside", 0, fill))
    return why;
  unsigned unit = interleave == 2 ? 32 : 16;
  demand((uintptr_t)data % unit == 0,
         unit == 16 ? "an address aligned to 16" : "an address aligned to 32",
         0, (uintptr_t)data);
  map = {};
  map.magic = TensorMap::kMagic;
  map.data = (char *)data;
  map.rank = rank;
  map.elementBytes = kElementBytes[type];
  map.swizzle = swizzle;
  map.isNaNOutside = fill == 1;
  map.roundsToTF32 = type == kTFloat32;
  for (unsigned d = 0; d < rank; ++d) {
    demand(sizes[d] >= 1 && sizes[d] <= uint64_t(1) << 32,
           "a size of dimension # from 1 to 2^32", d, sizes[d]);
    if (!isImage)
      demand(box[d] >= 1 && box[d] <= 256, "a box of 1 to 256 in dimension #",
             d, box[d]);
    demand(steps[d] >= 1 && steps[d] <= 8,
           "a step of 1 to 8 elements in dimension #", d, steps[d]);
    map.sizes[d] = sizes[d];
    map.box[d] = !isImage || d < 2 ? box[d] : 1;
    // The innermost dimension has none where it is not interleaved.
    map.steps[d] = d ? steps[d] : 1;
  }
  for (unsigned d = 1; d < rank; ++d) {
    uint64_t stride = strides[d - 1];
    demand(stride % unit == 0,
           unit == 16 ? "a stride of dimension # that is a multiple of 16"
                      : "a stride of dimension # that is a multiple of 32",
           d, stride);
    demand(stride < uint64_t(1) << 40, "a stride of dimension # below 2^40", d,
           stride);
    map.strides[d - 1] = stride;
  }
  map.isImage = isImage;
  if (isImage) {
    demand(box[0] >= 1 && box[0] <= 256, "1 to 256 channels of a pixel", 0,
           box[0]);
    demand(box[1] >= 1 && box[1] <= 1024, "1 to 1024 pixels", 0, box[1]);
    int least = kLeastCorner[rank - 3];
    for (unsigned d = 0; d < rank - 2; ++d) {
      for (int corner : {lower[d], upper[d]})
        demand(corner >= least && corner < -least,
               "a corner of what fits in dimension #", d, corner);
      demand(int64_t(sizes[d + 1]) + upper[d] > lower[d],
             "a bounding box that is not empty in dimension #", d, upper[d]);
      map.lower[d] = lower[d];
      map.upper[d] = upper[d];
    }
  }
  uint64_t row = uint64_t(box[0]) * map.elementBytes;
  if (interleave == 0) {
    demand(row % 16 == 0, "a box whose rows are a multiple of 16 bytes", 0,
           row);
    if (swizzle == 1)
      demand(row <= 32, "rows of a box of at most 32 bytes", 0, row);
    if (swizzle == 2)
      demand(row <= 64, "rows of a box of at most 64 bytes", 0, row);
    if (swizzle == 3)
      demand(row <= 128, "rows of a box of at most 128 bytes", 0, row);
  }
  if (interleave == 2)
    demand(swizzle == 1, "a swizzle of 32 bytes of what is interleaved by 32",
           0, swizzle);
  if (interleave && why.empty())
    die("a tensor map that is interleaved, which the emulator has not");
  return why;
}
