//===- Blocks.cpp - groups of nodes without cycles ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <functional>
#include <queue>

using namespace mlir;
using namespace fx;
using namespace fx::partition;

namespace {
/// Builds units and their dependencies node by node, in the order of the graph.
/// When a node is added, no other node depends on it yet, so only its own
/// dependencies can close a cycle.
class Grouper {
public:
  explicit Grouper(Coloring &coloring) : coloring(coloring) {}

  void add(Operation *op);
  void takeApart(unsigned minSize);
  std::vector<Unit> takeInOrder(ArrayRef<Operation *> nodes);

private:
  using Needs = llvm::SmallSetVector<unsigned, 8>;
  Needs getNeeds(Operation *op) const;
  bool mayJoin(unsigned unit, const Needs &needs) const;
  std::optional<unsigned> findBlock(StringRef color, const Needs &needs) const;
  void join(unsigned unit, Operation *op, const Needs &needs);

  Coloring &coloring;
  std::vector<Unit> units;
  /// The units that each unit depends on, directly or indirectly.
  std::vector<llvm::BitVector> ancestors;
  DenseMap<Operation *, unsigned> unitOf;
  /// Nodes with side effects keep their order: each depends on the previous
  /// one.
  DenseMap<Operation *, Operation *> previousEffect;
  Operation *lastEffect = nullptr;
};
} // namespace

/// Returns the units that `op` depends on directly.
Grouper::Needs Grouper::getNeeds(Operation *op) const {
  Needs needs;
  auto add = [&](Operation *other) {
    if (auto it = unitOf.find(other); it != unitOf.end())
      needs.insert(it->second);
  };
  for (Value operand : op->getOperands())
    add(operand.getDefiningOp());
  if (auto it = previousEffect.find(op); it != previousEffect.end())
    add(it->second);
  return needs;
}

/// Returns true if a node with these dependencies can join the unit without a
/// cycle: no other unit that the node depends on may depend on the unit.
bool Grouper::mayJoin(unsigned unit, const Needs &needs) const {
  return llvm::all_of(needs, [&](unsigned need) {
    return need == unit || !ancestors[need].test(unit);
  });
}

/// Returns the block that a node joins: a block that it depends on, or else the
/// first block of its color, which has the fewest dependencies.
std::optional<unsigned> Grouper::findBlock(StringRef color,
                                           const Needs &needs) const {
  auto fits = [&](unsigned unit) {
    const Unit &block = units[unit];
    return block.isBlock() && (color == kAnyColor || block.color == color) &&
           mayJoin(unit, needs);
  };
  for (unsigned need : needs)
    if (fits(need))
      return need;
  if (color == kAnyColor)
    return std::nullopt;
  for (unsigned unit = 0; unit < units.size(); ++unit)
    if (fits(unit))
      return unit;
  return std::nullopt;
}

void Grouper::join(unsigned unit, Operation *op, const Needs &needs) {
  units[unit].nodes.push_back(op);
  unitOf[op] = unit;
  llvm::BitVector added(ancestors[unit].size());
  for (unsigned need : needs)
    if (need != unit) {
      added.set(need);
      added |= ancestors[need];
    }
  if (!added.test(ancestors[unit]))
    return;
  ancestors[unit] |= added;
  for (llvm::BitVector &others : ancestors)
    if (others.test(unit))
      others |= added;
}

void Grouper::add(Operation *op) {
  if (!isMemoryEffectFree(op)) {
    if (lastEffect)
      previousEffect[op] = lastEffect;
    lastEffect = op;
  }
  Needs needs = getNeeds(op);
  std::string color = coloring.colors.lookup(op);
  std::optional<unsigned> block;
  if (!color.empty())
    block = findBlock(color, needs);
  if (!block) {
    block = units.size();
    // Arithmetic on sizes does not begin a block.
    if (color == kAnyColor) {
      color.clear();
      coloring.reasons[op] = "computes a size that no block has";
    }
    units.push_back({color, {}});
    for (llvm::BitVector &others : ancestors)
      others.resize(units.size());
    ancestors.emplace_back(units.size());
  }
  join(*block, op, needs);
}

/// Splits blocks of fewer than `minSize` nodes into single nodes.
void Grouper::takeApart(unsigned minSize) {
  std::vector<Unit> kept;
  for (Unit &unit : units) {
    if (!unit.isBlock() || unit.nodes.size() >= minSize) {
      kept.push_back(std::move(unit));
      continue;
    }
    for (Operation *op : unit.nodes) {
      coloring.reasons[op] = "a block of " + std::to_string(unit.nodes.size()) +
                             " is smaller than " + std::to_string(minSize);
      kept.push_back({"", {op}});
    }
  }
  units = std::move(kept);
  for (auto [i, unit] : llvm::enumerate(units))
    for (Operation *op : unit.nodes)
      unitOf[op] = i;
}

/// Moves the units out of the grouper, in a topological order.
std::vector<Unit> Grouper::takeInOrder(ArrayRef<Operation *> nodes) {
  DenseMap<Operation *, unsigned> place;
  for (auto [i, op] : llvm::enumerate(nodes))
    place[op] = i;
  std::vector<unsigned> waiting(units.size());
  std::vector<SmallVector<unsigned>> users(units.size());
  for (auto [i, unit] : llvm::enumerate(units)) {
    Needs needs;
    for (Operation *op : unit.nodes)
      needs.insert_range(getNeeds(op));
    needs.remove(i);
    waiting[i] = needs.size();
    for (unsigned need : needs)
      users[need].push_back(i);
  }
  // Of the units that are ready, take the one that comes first in the graph.
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  auto push = [&](unsigned unit) {
    ready.emplace(place[units[unit].nodes.front()], unit);
  };
  for (unsigned i = 0; i < units.size(); ++i)
    if (waiting[i] == 0)
      push(i);
  std::vector<Unit> order;
  while (!ready.empty()) {
    unsigned i = ready.top().second;
    ready.pop();
    for (unsigned user : users[i])
      if (--waiting[user] == 0)
        push(user);
    order.push_back(std::move(units[i]));
  }
  return order;
}

std::vector<Unit> partition::group(ArrayRef<Operation *> nodes,
                                   Coloring &coloring, unsigned minSize) {
  Grouper grouper(coloring);
  for (Operation *op : nodes)
    grouper.add(op);
  grouper.takeApart(minSize);
  return grouper.takeInOrder(nodes);
}
