//===- States.cpp - the weights of one rank -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "States.h"
#include "fx/IR/ExternalData.h"
#include "fx/Support/HostTensor.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

namespace {
/// The elements of a state that a rank has.
struct Part {
  SmallVector<int64_t> sizes, strides;
  int64_t offset = 0;
  /// For each index in the divided dimension, the index in the whole.
  unsigned dim = 0;
  SmallVector<int64_t> indices;
};
} // namespace

static Part getPart(FakeTensorType type, const Placement &placement,
                    unsigned rank, unsigned ranks) {
  Part part;
  part.dim = placement.dim;
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    part.sizes.insert(part.sizes.begin(), type.getDimSize(dim));
    part.strides.insert(part.strides.begin(), stride);
    stride *= type.getDimSize(dim);
  }
  if (MetaAttr meta = type.getMeta()) {
    for (auto [dim, each] : llvm::enumerate(meta.getStrides()))
      part.strides[dim] = each.getInteger().value_or(0);
    if (ExprAttr offset = meta.getStorageOffset())
      part.offset = offset.getInteger().value_or(0);
  }
  SmallVector<int64_t> sections = llvm::to_vector(placement.sections);
  if (sections.empty())
    sections.push_back(part.sizes[part.dim]);
  int64_t begin = 0;
  for (int64_t section : sections) {
    int64_t count = section / ranks;
    for (int64_t i = 0; i < count; ++i)
      part.indices.push_back(begin + rank * count + i);
    begin += section;
  }
  part.sizes[part.dim] = part.indices.size();
  return part;
}

/// Copies the elements from dimension `dim` on. Returns the end of the copy.
static char *copyElements(const Part &part, ArrayRef<char> bytes,
                          unsigned width, unsigned dim, int64_t at, char *to) {
  if (dim == part.sizes.size()) {
    memcpy(to, bytes.data() + at * width, width);
    return to + width;
  }
  // Rows that are contiguous in the storage are copied as a whole.
  bool isRow =
      dim + 1 == part.sizes.size() && dim != part.dim && part.strides[dim] == 1;
  if (isRow) {
    memcpy(to, bytes.data() + at * width, part.sizes[dim] * width);
    return to + part.sizes[dim] * width;
  }
  for (int64_t i = 0; i < part.sizes[dim]; ++i) {
    int64_t index = dim == part.dim ? part.indices[i] : i;
    to = copyElements(part, bytes, width, dim + 1,
                      at + index * part.strides[dim], to);
  }
  return to;
}

LogicalResult StateDivider::divide(StateOp state, const Placement &placement) {
  auto type = cast<FakeTensorType>(state.getType());
  FakeTensorType local = getLocalType(type, placement, ranks);
  if (MetaAttr meta = type.getMeta(); meta && meta.getRequiresGrad())
    local = FakeTensorType::get(
        state.getContext(), local.getSizes(), local.getDtype(),
        local.getDevice(), MetaAttr::get(state.getContext(), {}, {}, true, {}));
  state.setTypeAttr(TypeAttr::get(local));
  if (!state.getInitAttr())
    return success();
  // States that share their bytes still do.
  std::string key = placement.describe();
  Attribute &init = divided[{state.getInitAttr(), type,
                             StringAttr::get(state.getContext(), key)}];
  if (!init) {
    llvm::Expected<ArrayRef<char>> bytes = data.get(state);
    if (!bytes)
      return state.emitError(llvm::toString(bytes.takeError()));
    std::optional<DType> dtype = getDType(type.getDtype());
    if (!dtype || !type.hasStaticShape())
      return state.emitError("expected a state of a static size and a known "
                             "dtype, got ")
             << type;
    unsigned width = getByteSize(*dtype);
    Part part = getPart(type, placement, rank, ranks);
    int64_t last = part.offset, count = 1;
    for (auto [size, stride] : llvm::zip_equal(part.sizes, part.strides)) {
      count *= size;
      last += (size - 1) * stride;
    }
    last += (part.indices.back() - (part.sizes[part.dim] - 1)) *
            part.strides[part.dim];
    if (uint64_t(last + 1) * width > bytes->size())
      return state.emitError("expected ")
             << (last + 1) * width << " bytes, got " << bytes->size();
    // Bytecode is read into memory of this alignment.
    AsmResourceBlob blob = HeapAsmResourceBlob::allocate(
        count * width, alignof(std::max_align_t), /*dataIsMutable=*/true);
    copyElements(part, *bytes, width, 0, part.offset,
                 blob.getMutableData().data());
    auto shape = RankedTensorType::get(
        {count * width},
        IntegerType::get(state.getContext(), 8, IntegerType::Unsigned));
    init = DenseUI8ResourceElementsAttr::get(shape, state.getSymName(),
                                             std::move(blob));
  }
  state.setInitAttr(init);
  return success();
}
