//===- States.h - the weights of one rank -----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_SHARD_STATES_H
#define FX_LIB_TRANSFORMS_SHARD_STATES_H

#include "Placement.h"
#include "fx/IR/ExternalData.h"

#include "llvm/ADT/DenseMap.h"

#include <tuple>

namespace fx::shard {

/// Replaces the bytes of states by those of one rank. The bytes are copied into
/// resources of the context.
class StateDivider {
public:
  StateDivider(unsigned rank, unsigned ranks) : rank(rank), ranks(ranks) {}

  mlir::LogicalResult divide(StateOp state, const Placement &placement);

private:
  unsigned rank, ranks;
  ExternalData data;
  /// By the bytes, the type and the placement.
  llvm::DenseMap<std::tuple<mlir::Attribute, mlir::Type, mlir::Attribute>,
                 mlir::Attribute>
      divided;
};

} // namespace fx::shard

#endif // FX_LIB_TRANSFORMS_SHARD_STATES_H
