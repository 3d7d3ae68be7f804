//===- Rearrange.cpp - operators that only move elements ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "fx/Operators/aten/cat.h"
#include "fx/Operators/aten/channel_shuffle.h"
#include "fx/Operators/aten/conv1d.h"
#include "fx/Operators/aten/conv_tbc.h"
#include "fx/Operators/aten/expand.h"
#include "fx/Operators/aten/flatten.h"
#include "fx/Operators/aten/meshgrid.h"
#include "fx/Operators/aten/permute.h"
#include "fx/Operators/aten/pixel_shuffle.h"
#include "fx/Operators/aten/pixel_unshuffle.h"
#include "fx/Operators/aten/repeat_interleave.h"
#include "fx/Operators/aten/reshape.h"
#include "fx/Operators/aten/roll.h"
#include "fx/Operators/aten/slice.h"
#include "fx/Operators/aten/unflatten.h"
#include "fx/Operators/aten/unsqueeze.h"
#include "fx/Operators/aten/view.h"

using namespace mlir;
using namespace fx;

namespace {

/// Repeats each element `repeats` times: unsqueeze, expand, reshape.
LogicalResult decomposeRepeatInterleave(aten::RepeatInterleaveSelfInt op,
                                        Decomposer &d,
                                        SmallVectorImpl<Value> &results) {
  std::optional<int64_t> repeats = op.repeats().getInt();
  Value self = op.self();
  if (!repeats || *repeats < 0 || !self)
    return failure();
  if (op.dim().isNone())
    self = d.call<aten::Reshape>(self, ArrayRef<int64_t>{-1});
  if (!self)
    return failure();
  int64_t rank = d.rank(self);
  std::optional<int64_t> dim =
      d.wrap(op.dim().isNone() ? 0 : op.dim().getInt().value_or(rank), rank);
  if (!dim || rank == 0)
    return failure();
  SmallVector<ArgumentRef> expanded, merged;
  for (int64_t i = 0; i < rank; ++i) {
    expanded.push_back(-1);
    merged.push_back(i == *dim ? ArgumentRef(-1) : d.size(self, i));
    if (i == *dim)
      expanded.push_back(*repeats);
  }
  // Reshape cannot infer -1 for an empty tensor. ATen runs this case.
  if (*repeats == 0)
    return failure();
  Value copies = d.call<aten::Unsqueeze>(self, *dim + 1);
  copies = d.call<aten::Expand>(copies, expanded);
  results.push_back(d.call<aten::Reshape>(copies, merged));
  return success();
}

/// Views each tensor along its own dimension and expands it to the grid.
LogicalResult decomposeMeshgrid(const OperatorView &op, Decomposer &d,
                                SmallVectorImpl<Value> &results) {
  OperandRange tensors = op.getArg("tensors").operands;
  auto indexing = dyn_cast_if_present<StringAttr>(op.getArg("indexing").tree);
  bool swap = indexing && indexing.getValue() == "xy" && tensors.size() > 1;
  SmallVector<ArgumentRef> sizes;
  for (Value tensor : tensors) {
    if (d.rank(tensor) > 1)
      return failure();
    sizes.push_back(d.rank(tensor) == 1 ? d.size(tensor, 0) : ArgumentRef(1));
  }
  if (swap)
    std::swap(sizes[0], sizes[1]);
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    size_t dim = swap && i < 2 ? 1 - i : i;
    SmallVector<ArgumentRef> shape(tensors.size(), ArgumentRef(1));
    shape[dim] = -1;
    Value viewed = d.call<aten::View>(tensor, shape);
    results.push_back(d.call<aten::Expand>(viewed, sizes));
  }
  return success();
}

/// Rearranges (N.., C*r*r, H, W) to (N.., C, H*r, W*r), as in
/// ATen/native/PixelShuffle.cpp.
LogicalResult decomposePixelShuffle(aten::PixelShuffle op, Decomposer &d,
                                    SmallVectorImpl<Value> &results) {
  std::optional<int64_t> r = op.upscale_factor().getInt();
  Value self = op.self();
  int64_t rank = d.rank(self);
  if (!r || *r <= 0 || rank < 3)
    return failure();
  int64_t c = rank - 3; // split into C, r, r, H, W
  std::optional<int64_t> channels = d.staticSize(self, c);
  if (!channels || *channels % (*r * *r) != 0)
    return failure();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(c));
  order.append({c, c + 3, c + 1, c + 4, c + 2});
  Value parts = d.call<aten::UnflattenInt>(
      self, c, SmallVector<int64_t>{*channels / (*r * *r), *r, *r});
  parts = d.call<aten::Permute>(parts, order);
  // Flatten needs no sizes, so the height and the width can be dynamic.
  parts = d.call<aten::FlattenUsingInts>(parts, c + 3, c + 4);
  results.push_back(d.call<aten::FlattenUsingInts>(parts, c + 1, c + 2));
  return success();
}

LogicalResult decomposePixelUnshuffle(aten::PixelUnshuffle op, Decomposer &d,
                                      SmallVectorImpl<Value> &results) {
  std::optional<int64_t> r = op.downscale_factor().getInt();
  Value self = op.self();
  int64_t rank = d.rank(self);
  if (!r || *r <= 0 || rank < 3)
    return failure();
  int64_t c = rank - 3; // split into C, H, r, W, r
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(c));
  order.append({c, c + 2, c + 4, c + 1, c + 3});
  SmallVector<int64_t> sizes = {-1, *r};
  Value parts = d.call<aten::UnflattenInt>(self, c + 2, sizes);
  parts = d.call<aten::UnflattenInt>(parts, c + 1, sizes);
  parts = d.call<aten::Permute>(parts, order);
  results.push_back(d.call<aten::FlattenUsingInts>(parts, c, c + 2));
  return success();
}

LogicalResult decomposeChannelShuffle(aten::ChannelShuffle op, Decomposer &d,
                                      SmallVectorImpl<Value> &results) {
  std::optional<int64_t> groups = op.groups().getInt();
  Value self = op.self();
  int64_t rank = d.rank(self);
  std::optional<int64_t> channels =
      rank > 2 ? d.staticSize(self, 1) : std::nullopt;
  if (!groups || *groups <= 0 || !channels || *channels % *groups != 0)
    return failure();
  SmallVector<ArgumentRef> split{d.size(self, 0), *groups, *channels / *groups};
  SmallVector<ArgumentRef> merged{d.size(self, 0), *channels};
  SmallVector<int64_t> order{0, 2, 1};
  for (int64_t i = 2; i < rank; ++i) {
    ArgumentRef size = d.size(self, i);
    split.push_back(size);
    merged.push_back(size);
    order.push_back(i + 1);
  }
  Value parts = d.call<aten::Reshape>(self, split);
  parts = d.call<aten::Permute>(parts, order);
  results.push_back(d.call<aten::Reshape>(parts, merged));
  return success();
}

/// Concatenates the last `shift` elements of a dimension and the rest.
LogicalResult decomposeRoll(aten::Roll op, Decomposer &d,
                            SmallVectorImpl<Value> &results) {
  std::optional<SmallVector<int64_t>> shifts = op.shifts().getInts();
  std::optional<SmallVector<int64_t>> dims = op.dims().getInts();
  Value self = op.self();
  if (!shifts || !dims || shifts->size() != dims->size() || dims->empty())
    return failure();
  for (auto [shift, givenDim] : llvm::zip(*shifts, *dims)) {
    std::optional<int64_t> dim = d.wrap(givenDim, d.rank(self));
    std::optional<int64_t> size =
        dim && d.rank(self) > 0 ? d.staticSize(self, *dim) : std::nullopt;
    if (!size)
      return failure();
    int64_t by = *size == 0 ? 0 : (shift % *size + *size) % *size;
    if (by == 0)
      continue;
    Value tail = d.call<aten::SliceTensor>(self, *dim, *size - by);
    Value head = d.call<aten::SliceTensor>(self, *dim, 0, *size - by);
    if (!tail || !head)
      return failure();
    self = d.call<aten::Cat>(ArrayRef<Value>{tail, head}, *dim);
  }
  results.push_back(self);
  return success();
}

/// Permutes the input (time, batch, channels) and the weight (time, channels
/// in, channels out) to those of conv1d, and the result back.
LogicalResult decomposeConvTbc(aten::ConvTbc op, Decomposer &d,
                               SmallVectorImpl<Value> &results) {
  std::optional<int64_t> pad = op.pad().getInt();
  if (!pad)
    return failure();
  Value x = d.call<aten::Permute>(op.self(), ArrayRef<int64_t>{1, 2, 0});
  Value w = d.call<aten::Permute>(op.weight(), ArrayRef<int64_t>{2, 1, 0});
  Value y = d.call<aten::Conv1d>(x, w, op.bias(), ArrayRef<int64_t>{1},
                                 ArrayRef<int64_t>{*pad});
  results.push_back(d.call<aten::Permute>(y, ArrayRef<int64_t>{2, 0, 1}));
  return success();
}

} // namespace

void fx::registerRearrangeDecompositions(HookTable<Decomposition> &hooks) {
  hooks.add<aten::ConvTbc, decomposeConvTbc>();
  hooks.add<aten::RepeatInterleaveSelfInt, decomposeRepeatInterleave>();
  hooks.add(decomposeMeshgrid,
            {aten::Meshgrid::target, aten::MeshgridIndexing::target});
  hooks.add<aten::PixelShuffle, decomposePixelShuffle>();
  hooks.add<aten::PixelUnshuffle, decomposePixelUnshuffle>();
  hooks.add<aten::ChannelShuffle, decomposeChannelShuffle>();
  hooks.add<aten::Roll, decomposeRoll>();
}
