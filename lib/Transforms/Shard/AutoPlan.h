//===- AutoPlan.h - find a plan by costs and memory -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_SHARD_AUTOPLAN_H
#define FX_LIB_TRANSFORMS_SHARD_AUTOPLAN_H

#include "Sharder.h"

namespace fx::shard {

/// Adds the placements of weights for which a division pays off to those of
/// `plan`, which has a line `auto`. Returns the lines of a plan with all.
mlir::FailureOr<std::string> findPlan(GraphOp whole, const Plan &plan,
                                      RankOptions options,
                                      PlacementMap &placements);

} // namespace fx::shard

#endif // FX_LIB_TRANSFORMS_SHARD_AUTOPLAN_H
