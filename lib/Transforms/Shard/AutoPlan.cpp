//===- AutoPlan.cpp - find a plan by costs and memory ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a model are alike, so weights whose paths differ in numbers
// only are divided together. The first weights of a pair, and the projections
// of attention, are divided in their output features. The weights that then
// get divided operands follow (see `buildRank`).
//
//===----------------------------------------------------------------------===//

#include "AutoPlan.h"
#include "../Sizes.h"
#include "fx/Operators/Collectives.h"
#include "fx/Operators/Cost.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

namespace {
/// Weights of all layers that are divided together.
struct WeightGroup {
  std::string line;
  SmallVector<std::pair<StringRef, Placement>> weights;
};

struct Estimate {
  double seconds = 0;
  int64_t bytes = 0;
};
} // namespace

/// Returns the path with `*` for each part that is a number.
static std::string getPattern(StringRef path) {
  SmallVector<StringRef> parts;
  path.split(parts, '.');
  for (StringRef &part : parts)
    if (llvm::all_of(part, llvm::isDigit))
      part = "*";
  return llvm::join(parts, ".");
}

static double getTime(Operation &op, unsigned ranks, const Machine &machine) {
  OperatorView call = getOperatorView(&op);
  if (!call)
    return 0;
  auto count = [&](ExprAttr formula) -> double {
    return formula ? evaluate(formula, machine.sizes).value_or(0) : 0;
  };
  if (isCollective(call.getSchema().getName())) {
    double bytes = count(getByteCount(op.getResult(0).getType()));
    // A ring. An all-reduce goes around twice.
    bool isGather = call.getSchema().getName().contains("all_gather");
    double rounds = isGather ? 1 : 2;
    return rounds * (ranks - 1) *
           (machine.latency + bytes / ranks / machine.link);
  }
  Cost cost = getCost(call);
  return std::max(count(cost.total) / machine.peak,
                  count(cost.bytes) / machine.bandwidth);
}

/// Returns the time of a rank and the bytes of its states; nullopt after an
/// error.
static std::optional<Estimate> estimate(GraphOp whole, PlacementMap placements,
                                        const RankOptions &options,
                                        const Machine &machine) {
  std::unique_ptr<Sharder> sharder = buildRank(whole, placements, options);
  if (!sharder)
    return std::nullopt;
  GraphOp graph = sharder->getGraph();
  Estimate result;
  for (Operation &op : graph.getBlock()) {
    auto placeholder = dyn_cast<PlaceholderOp>(op);
    if (!placeholder) {
      result.seconds += getTime(op, options.ranks, machine);
    } else if (placeholder.getTargetAttr()) {
      ExprAttr bytes = getByteCount(placeholder.getResult().getType());
      result.bytes += bytes ? bytes.getInteger().value_or(0) : 0;
    }
  }
  graph.erase();
  return result;
}

/// Returns the groups of weights that the plan leaves, in the order of the
/// graph.
static SmallVector<WeightGroup> getGroups(const Plan &plan, GraphOp whole,
                                          unsigned ranks) {
  llvm::MapVector<StringAttr, WeightGroup> groups;
  for (PlaceholderOp op : whole.getPlaceholders()) {
    auto type = dyn_cast<FakeTensorType>(op.getResult().getType());
    if (!type || op.getKind() != InputKind::Parameter || type.getRank() < 2)
      continue;
    StringRef path = getKey(op);
    auto [module, name] = path.rsplit('.');
    bool isPlanned = llvm::any_of(plan.entries, [&](const PlanEntry &entry) {
      return matchesPath(entry.pattern, path) ||
             matchesPath(entry.pattern, module);
    });
    std::optional<Placement> placement = getOutputPlacement(op);
    if (isPlanned || !placement || !isDivisible(*placement, type, ranks))
      continue;
    std::string pattern = getPattern(path);
    WeightGroup &group = groups[StringAttr::get(op.getContext(), pattern)];
    group.line = pattern + ": shard " + std::to_string(placement->dim);
    group.weights.emplace_back(path, *placement);
  }
  SmallVector<WeightGroup> list;
  for (auto &[pattern, group] : groups)
    list.push_back(std::move(group));
  return list;
}

FailureOr<std::string> shard::findPlan(GraphOp whole, const Plan &plan,
                                       RankOptions options,
                                       PlacementMap &placements) {
  // All ranks must find the same plan.
  options.rank = 0;
  const Machine &machine = *plan.automatic;
  std::string lines;
  for (const PlanEntry &entry : plan.entries)
    lines += entry.text + "\n";
  std::optional<Estimate> current =
      estimate(whole, placements, options, machine);
  if (!current)
    return failure();
  SmallVector<WeightGroup> left = getGroups(plan, whole, options.ranks);
  auto with = [&](const WeightGroup &group) {
    PlacementMap more = placements;
    for (auto &[path, placement] : group.weights)
      more[path] = placement;
    return more;
  };
  auto take = [&](size_t i, const Estimate &next) {
    placements = with(left[i]);
    lines += left[i].line + "\n";
    current = next;
    left.erase(left.begin() + i);
  };
  // What saves time, in the order of the graph. A group may pay off only after
  // a later one, so go on until none does.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < left.size();) {
      std::optional<Estimate> next =
          estimate(whole, with(left[i]), options, machine);
      if (!next)
        return failure();
      if (next->seconds < current->seconds) {
        take(i, *next);
        changed = true;
      } else {
        ++i;
      }
    }
  }
  // What saves memory, the cheapest first.
  while (machine.memory && current->bytes > *machine.memory) {
    std::optional<size_t> best;
    Estimate bestEstimate;
    double bestCost = 0;
    for (auto [i, group] : llvm::enumerate(left)) {
      std::optional<Estimate> next =
          estimate(whole, with(group), options, machine);
      if (!next)
        return failure();
      if (next->bytes >= current->bytes)
        continue;
      double cost = (next->seconds - current->seconds) /
                    double(current->bytes - next->bytes);
      if (!best || cost < bestCost) {
        best = i;
        bestCost = cost;
        bestEstimate = *next;
      }
    }
    if (!best)
      return whole.emitError("expected weights of at most ")
             << *machine.memory << " bytes for each of " << options.ranks
             << " ranks, got " << current->bytes;
    take(*best, bestEstimate);
  }
  return lines;
}
