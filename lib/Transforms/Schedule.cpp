//===- Schedule.cpp - order nodes for least memory ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "fx/Operators/Collectives.h"
#include "fx/Operators/Cost.h"
#include "fx/Transforms/NativeSupport.h"
#include "fx/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace fx {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {

/// Tracks the memory of the tensors that a graph computes, node by node. A view
/// keeps the viewed tensor alive. Inputs and states belong to the caller and do
/// not count.
class Memory {
public:
  Memory(GraphOp graph, const SizeMap &sizes) : sizes(sizes) {
    for (Operation &op : graph.getBlock())
      for (Value operand : op.getOperands())
        ++uses[getStorage(operand)];
    reset();
  }

  /// Returns false if the bytes of some tensor are not known.
  bool isKnown() const { return known; }
  int64_t getPeak() const { return peak; }
  void reset() {
    remaining = uses;
    live = peak = 0;
  }

  /// Returns the bytes that are live after `op` minus those live before it.
  int64_t getGrowth(Operation *op) {
    int64_t growth = getResultBytes(op);
    DenseMap<Value, unsigned> taken;
    for (Value operand : op->getOperands())
      ++taken[getStorage(operand)];
    for (auto [storage, count] : taken)
      if (remaining.lookup(storage) == count)
        growth -= getBytes(storage);
    for (Value result : op->getResults())
      if (getStorage(result) == result && !uses.contains(result))
        growth -= getBytes(result);
    return growth;
  }

  /// Updates the live and peak bytes for the execution of `op`.
  void run(Operation *op) {
    peak = std::max(peak, live + getResultBytes(op));
    live += getGrowth(op);
    for (Value operand : op->getOperands())
      --remaining[getStorage(operand)];
  }

private:
  /// Returns the value that owns the memory of `value`.
  Value getStorage(Value value) {
    while (true) {
      OperatorView view = getOperatorView(value.getDefiningOp());
      if (!view || !view.getSchema().isView() || view->getNumOperands() == 0)
        return value;
      value = view->getOperand(0);
    }
  }
  int64_t getBytes(Value storage) {
    if (storage.getDefiningOp<PlaceholderOp>() ||
        !isa<FakeTensorType>(storage.getType()))
      return 0;
    auto [it, isNew] = bytes.try_emplace(storage, 0);
    if (isNew) {
      std::optional<int64_t> n =
          evaluate(getByteCount(storage.getType()), sizes);
      known &= n.has_value();
      it->second = n.value_or(0);
    }
    return it->second;
  }
  int64_t getResultBytes(Operation *op) {
    int64_t n = 0;
    for (Value result : op->getResults())
      if (getStorage(result) == result)
        n += getBytes(result);
    return n;
  }

  const SizeMap &sizes;
  DenseMap<Value, unsigned> uses, remaining;
  DenseMap<Value, int64_t> bytes;
  int64_t live = 0, peak = 0;
  bool known = true;
};

struct SchedulePass : fx::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    FailureOr<SizeMap> parsed = parseSizes(getOperation(), sizeText);
    if (failed(parsed))
      return signalPassFailure();
    if (failed(mark()))
      return signalPassFailure();
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      if (graph.getFunctional())
        schedule(graph, *parsed);
  }

  LogicalResult mark();
  void schedule(GraphOp graph, const SizeMap &sizes);
};
} // namespace

/// Returns true for operations that must keep their order: all but references
/// and calls without side effects.
static bool isFixed(Operation *op) {
  return !isa<CallFunctionOp, GetAttrOp>(op) || !isMemoryEffectFree(op);
}

static bool isCollectiveCall(Operation *op) {
  auto call = dyn_cast<CallFunctionOp>(op);
  return call && isCollective(call.getTarget());
}

/// Returns true for nodes that return before they have finished, or that run
/// beside others.
static bool isAsync(Operation *op) {
  return op->hasAttr("fx.async") || isCollectiveCall(op);
}

/// The orders that passes must keep: that of the collectives, and that of all
/// other effects. Nodes whose effects are not known are in both.
enum Order : unsigned { Collectives = 1, OtherEffects = 2 };
static unsigned getOrders(Operation *op) {
  if (!isFixed(op))
    return 0;
  if (isCollectiveCall(op))
    return Collectives;
  return getOperatorView(op) ? OtherEffects : Collectives | OtherEffects;
}

/// Marks the calls that the option `async` names with `fx.async`, unless they
/// have side effects.
LogicalResult SchedulePass::mark() {
  FallbackReasons fallbacks;
  if (llvm::is_contained(async, "fallbacks")) {
    const auto *support =
        getContext()
            .getLoadedDialect<FXDialect>()
            ->getRegisteredInterface<NativeSupportInterface>();
    if (!support)
      return getOperation().emitError(
          "expected a registered NativeSupportInterface, got none: this "
          "program is built without the code generator");
    FailureOr<FallbackReasons> found = support->findFallbacks(getOperation());
    if (failed(found))
      return failure();
    fallbacks = std::move(*found);
  }
  SmallVector<std::string> targets(async.begin(), async.end());
  // Mark the named targets before the fallbacks: only a named operator without
  // a schema counts as pure.
  llvm::stable_sort(targets, [](const std::string &a, const std::string &b) {
    return a != "fallbacks" && b == "fallbacks";
  });
  for (const std::string &target : targets) {
    bool isKnown = target == "fallbacks";
    getOperation().walk([&](CallFunctionOp op) {
      bool isMeant = target == "fallbacks" ? fallbacks.contains(op)
                                           : op.getTarget() == target;
      isKnown |= isMeant;
      if (!isMeant || isAsync(op))
        return;
      auto graph = cast<GraphOp>(op->getParentOp());
      // By naming an operator without a schema the user declares it pure.
      bool isPure = isMemoryEffectFree(op) ||
                    (target != "fallbacks" && !getOperatorView(op));
      if (graph.getFunctional() && isPure)
        op->setAttr("fx.async", UnitAttr::get(&getContext()));
      else if (remarks)
        op.emitRemark("stays in its place: it has effects, or the graph is "
                      "not functional");
    });
    if (!isKnown)
      return getOperation().emitError("expected a target that is called, got '")
             << target << "'";
  }
  return success();
}

namespace {
/// The urgency of nodes, the most urgent first, so that asynchronous nodes
/// start early and are awaited late.
enum Urgency { Start, LeadsToStart, Other, Awaits };
} // namespace

/// Returns the urgency of each node. `needs` holds the dependencies of nodes.
static DenseMap<Operation *, Urgency> getUrgency(
    ArrayRef<Operation *> nodes,
    const DenseMap<Operation *, llvm::SmallSetVector<Operation *, 8>> &needs) {
  DenseMap<Operation *, Urgency> urgency;
  for (Operation *op : nodes) {
    bool awaits = llvm::any_of(needs.lookup(op), [&](Operation *need) {
      return isAsync(need) || urgency[need] == Awaits;
    });
    urgency[op] = isAsync(op) ? Start : awaits ? Awaits : Other;
  }
  for (Operation *op : llvm::reverse(nodes))
    if (urgency[op] == Start || urgency[op] == LeadsToStart)
      for (Operation *need : needs.lookup(op))
        if (urgency[need] != Start)
          urgency[need] = LeadsToStart;
  return urgency;
}

/// Orders the nodes greedily: of the ready nodes, takes the most urgent one,
/// then the one with the least growth of memory, then the first one in the
/// graph.
static SmallVector<Operation *> orderGreedily(ArrayRef<Operation *> nodes,
                                              Memory &memory) {
  DenseMap<Operation *, llvm::SmallSetVector<Operation *, 8>> allNeeds;
  DenseMap<Operation *, unsigned> waiting, place;
  DenseMap<Operation *, SmallVector<Operation *>> users;
  Operation *last[2] = {}; // of each order
  for (auto [i, op] : llvm::enumerate(nodes)) {
    place[op] = i;
    llvm::SmallSetVector<Operation *, 8> &needs = allNeeds[op];
    for (Value operand : op->getOperands())
      if (place.contains(operand.getDefiningOp()))
        needs.insert(operand.getDefiningOp());
    for (unsigned i : {0, 1})
      if (getOrders(op) & (1u << i)) {
        if (last[i])
          needs.insert(last[i]);
        last[i] = op;
      }
    waiting[op] = needs.size();
    for (Operation *need : needs)
      users[need].push_back(op);
  }
  DenseMap<Operation *, Urgency> urgency = getUrgency(nodes, allNeeds);
  SmallVector<Operation *> ready, order;
  for (Operation *op : nodes)
    if (waiting[op] == 0)
      ready.push_back(op);
  memory.reset();
  while (!ready.empty()) {
    auto getKey = [&](Operation *op) {
      return std::tuple(urgency[op], memory.getGrowth(op), place[op]);
    };
    auto best = ready.begin();
    auto least = getKey(*best);
    for (auto it = ready.begin() + 1; it != ready.end(); ++it)
      if (auto key = getKey(*it); key < least) {
        best = it;
        least = key;
      }
    Operation *op = *best;
    ready.erase(best);
    memory.run(op);
    order.push_back(op);
    for (Operation *user : users[op])
      if (--waiting[user] == 0)
        ready.push_back(user);
  }
  return order;
}

void SchedulePass::schedule(GraphOp graph, const SizeMap &sizes) {
  SmallVector<Operation *> nodes;
  for (Operation &op : graph.getBlock().without_terminator())
    if (!isa<PlaceholderOp>(op))
      nodes.push_back(&op);
  Memory memory(graph, sizes);
  for (Operation *op : nodes)
    memory.run(op);
  int64_t before = memory.getPeak();
  bool startsEarly = llvm::any_of(nodes, isAsync);
  if (!memory.isKnown() && !startsEarly) {
    if (remarks)
      graph.emitRemark("left as it is: the bytes of a value are not known; "
                       "'sizes' gives numbers for symbols");
    return;
  }
  SmallVector<Operation *> order = orderGreedily(nodes, memory);
  int64_t after = memory.getPeak();
  if (!startsEarly)
    after = std::min(before, after);
  if (after < before || (startsEarly && order != nodes)) {
    for (Operation *op : order)
      op->moveBefore(graph.getBlock().getTerminator());
    ++numScheduled;
  }
  if (remarks && memory.isKnown())
    graph.emitRemark("peak of ")
        << before << " bytes before, " << after << " after";
}
