//===- StateElements.cpp - the elements of a state ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateElements.h"

using namespace mlir;
using namespace fx;

llvm::Expected<DenseElementsAttr> fx::readStateElements(StateOp state,
                                                        RankedTensorType type,
                                                        ExternalData &files) {
  auto fx = cast<FakeTensorType>(state.getType());
  MetaAttr meta = fx.getMeta();
  int64_t offset = 0;
  if (meta && meta.getStorageOffset())
    offset = meta.getStorageOffset().getInteger().value_or(-1);
  if (offset < 0)
    return llvm::createStringError("expected a static storage offset");
  SmallVector<int64_t> strides;
  if (meta)
    for (ExprAttr stride : meta.getStrides())
      strides.push_back(stride.getInteger().value_or(-1));
  // Without recorded strides, the state is contiguous.
  ArrayRef<int64_t> sizes = type.getShape();
  if (strides.empty()) {
    strides.resize(sizes.size(), 1);
    for (size_t d = sizes.size(); d-- > 1;)
      strides[d - 1] = strides[d] * sizes[d];
  }
  if (strides.size() != sizes.size() ||
      llvm::any_of(strides, [](int64_t s) { return s < 0; }))
    return llvm::createStringError("expected static strides");
  llvm::Expected<ArrayRef<char>> storage = files.get(state);
  if (!storage)
    return storage.takeError();
  Type element = type.getElementType(), part = element;
  size_t numParts = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    part = complex.getElementType();
    numParts = 2;
  }
  size_t bytes =
      element.isInteger(1) ? 1 : numParts * part.getIntOrFloatBitWidth() / 8;
  std::vector<char> data;
  data.reserve(type.getNumElements() * bytes);
  SmallVector<int64_t> at(sizes.size(), 0);
  for (int64_t n = type.getNumElements(); n-- > 0;) {
    int64_t from = offset;
    for (auto [index, stride] : llvm::zip(at, strides))
      from += index * stride;
    if ((from + 1) * bytes > storage->size())
      return llvm::createStringError("it ends beyond its storage");
    data.insert(data.end(), storage->begin() + from * bytes,
                storage->begin() + (from + 1) * bytes);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < sizes[d])
        break;
      at[d] = 0;
    }
  }
  if (!element.isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, data);
  SmallVector<bool> bits(data.begin(), data.end());
  return DenseElementsAttr::get(type, bits);
}
