//===- Placement.cpp - how a value is divided between ranks ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

std::string Placement::describe() const {
  if (isReplicate())
    return "Replicate";
  if (isPartial())
    return "Partial";
  std::string text = "Shard(" + std::to_string(dim);
  for (auto [i, section] : llvm::enumerate(sections))
    text += (i ? ", " : ", [") + std::to_string(section);
  return text + (sections.empty() ? ")" : "])");
}

bool shard::isDivisible(const Placement &placement, FakeTensorType type,
                        unsigned ranks) {
  if (!placement.isShard())
    return true;
  if (placement.dim >= type.getRank())
    return false;
  int64_t size = type.getDimSize(placement.dim);
  if (ShapedType::isDynamic(size) || size == 0 || size % ranks != 0)
    return false;
  int64_t sum = 0;
  for (int64_t section : placement.sections) {
    if (section % ranks != 0)
      return false;
    sum += section;
  }
  return placement.sections.empty() || sum == size;
}

FakeTensorType shard::getLocalType(FakeTensorType type,
                                   const Placement &placement, unsigned ranks) {
  if (placement.isReplicate())
    return type;
  SmallVector<ExprAttr> sizes(type.getSizes());
  if (placement.isShard())
    sizes[placement.dim] = ExprAttr::integer(
        type.getContext(), type.getDimSize(placement.dim) / ranks);
  return type.withSizes(sizes);
}
