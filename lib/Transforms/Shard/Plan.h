//===- Plan.h - which weights are divided, and how --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is text. Each line names modules, parameters, buffers or inputs, and
// a style:
//
//   layers.*.attention.wq: colwise      # the rows of a linear's weight
//   layers.*.attention.wo: rowwise      # its columns
//   tok_embeddings: rowwise             # the vocabulary
//   h.*.attn.c_attn: colwise [64, 32, 32]   # three weights in one
//   experts.gate_up: shard 1            # a dimension of a parameter or input
//   layers.0.**: replicate
//   auto memory=8G latency=20 link=10   # find more weights, by costs
//
// `*` stands for any characters within one part of a path, as in torch's
// parallelize_module, and `**` for any number of parts. The first line that
// matches counts.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_SHARD_PLAN_H
#define FX_LIB_TRANSFORMS_SHARD_PLAN_H

#include "Placement.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace fx::shard {

enum class Style : uint8_t { Colwise, Rowwise, Replicate, Shard };

struct PlanEntry {
  std::string pattern;
  /// The line, for messages.
  std::string text;
  Style style = Style::Replicate;
  /// Of `shard`.
  unsigned dim = 0;
  llvm::SmallVector<int64_t, 3> sections;
  /// Of `packed_colwise`: two sections of equal size.
  bool isPacked = false;
};

/// The rates of a rank for `auto`, in FLOP/s, bytes/s and seconds.
struct Machine {
  double peak = 100e9, bandwidth = 20e9, latency = 20e-6, link = 10e9;
  /// The most bytes that the states of a rank may have.
  std::optional<int64_t> memory;
  /// Integers for symbols.
  llvm::StringMap<int64_t> sizes;
};

struct Plan {
  std::vector<PlanEntry> entries;
  /// The line `auto`: divide more weights if it pays off.
  std::optional<Machine> automatic;
};

/// Parses the lines of `text`, which a `;` may separate, too. Errors begin with
/// `where` and the number of the line.
llvm::Expected<Plan> parsePlan(llvm::StringRef text, llvm::StringRef where);

/// Returns true if the pattern matches a path.
bool matchesPath(llvm::StringRef pattern, llvm::StringRef path);

/// The placements of states, by the names of their symbols, and of inputs of
/// the user, by the names of their placeholders.
using PlacementMap = llvm::StringMap<Placement>;

/// Returns the key of a placeholder in a placement map.
llvm::StringRef getKey(PlaceholderOp op);

/// Applies a plan to the placeholders of a graph. Emits an error for an entry
/// that matches nothing, and for a size that the ranks do not divide.
mlir::FailureOr<PlacementMap> applyPlan(const Plan &plan, GraphOp graph,
                                        unsigned ranks);

/// Returns the division of a weight in its output features, or of an embedding
/// in its vocabulary; nullopt if the placeholder is no weight.
std::optional<Placement> getOutputPlacement(PlaceholderOp op);

} // namespace fx::shard

#endif // FX_LIB_TRANSFORMS_SHARD_PLAN_H
