//===- Placement.h - how a value is divided between ranks -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_SHARD_PLACEMENT_H
#define FX_LIB_TRANSFORMS_SHARD_PLACEMENT_H

#include "fx/IR/FXDialect.h"

#include <string>

namespace fx::shard {

/// What a rank has of a value, in the terms of torch's DTensor: the whole value
/// (Replicate), a part of one dimension (Shard), or a summand (Partial).
struct Placement {
  enum class Kind : uint8_t { Replicate, Shard, Partial };

  static Placement replicate() { return {}; }
  static Placement partial() { return {Kind::Partial, 0, {}}; }
  static Placement shard(unsigned dim, llvm::ArrayRef<int64_t> sections = {}) {
    Placement placement{Kind::Shard, dim, {}};
    if (sections.size() > 1)
      placement.sections.assign(sections.begin(), sections.end());
    return placement;
  }

  Kind kind = Kind::Replicate;
  unsigned dim = 0;
  /// The dimension consists of sections of these sizes, each of which is
  /// divided between the ranks (the fused weight of queries, keys and values).
  /// Empty: one section.
  llvm::SmallVector<int64_t, 3> sections;

  bool isReplicate() const { return kind == Kind::Replicate; }
  bool isShard() const { return kind == Kind::Shard; }
  bool isPartial() const { return kind == Kind::Partial; }
  bool operator==(const Placement &other) const {
    return kind == other.kind && dim == other.dim && sections == other.sections;
  }
  bool operator!=(const Placement &other) const { return !(*this == other); }

  /// Returns "Replicate", "Shard(1)", "Shard(0, [8, 4, 4])" or "Partial".
  std::string describe() const;
};

/// Returns true if `ranks` divides the dimension, and each section of it.
bool isDivisible(const Placement &placement, FakeTensorType type,
                 unsigned ranks);

/// Returns the type of a rank's part. The strides of the whole are dropped: the
/// part has others.
FakeTensorType getLocalType(FakeTensorType type, const Placement &placement,
                            unsigned ranks);

} // namespace fx::shard

#endif // FX_LIB_TRANSFORMS_SHARD_PLACEMENT_H
