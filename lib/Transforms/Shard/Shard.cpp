//===- Shard.cpp - divide a program between ranks -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoPlan.h"
#include "Sharder.h"
#include "States.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fx {
#define GEN_PASS_DEF_SHARDPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
using namespace fx::shard;

namespace {
struct ShardPass : fx::impl::ShardPassBase<ShardPass> {
  using ShardPassBase::ShardPassBase;

  void runOnOperation() override {
    if (failed(divide()))
      signalPassFailure();
  }

private:
  LogicalResult divide();
  FailureOr<Plan> readPlan();
  FailureOr<PlacementMap> place(GraphOp whole, const RankOptions &options);
};
} // namespace

FailureOr<Plan> ShardPass::readPlan() {
  std::string where = "rules", text = rules;
  if (!planFile.empty()) {
    auto buffer = llvm::MemoryBuffer::getFile(planFile, /*IsText=*/true);
    if (!buffer)
      return getOperation().emitError("cannot read the plan '")
             << planFile << "': " << buffer.getError().message();
    where = planFile;
    text = ((*buffer)->getBuffer() + "\n" + text).str();
  }
  llvm::Expected<Plan> plan = parsePlan(text, where);
  if (!plan)
    return getOperation().emitError(llvm::toString(plan.takeError()));
  return std::move(*plan);
}

/// Remarks on the nodes that get whole operands.
static void emitRemarks(const Sharder &sharder) {
  for (const GatherNote &note : sharder.getNotes()) {
    std::string where;
    if (SmallVector<std::string> stack = getPythonStack(note.node->getLoc());
        !stack.empty())
      where = " (" + stack.front() + ")";
    note.node->emitRemark("no rule divides this node: ") << note.text << where;
  }
}

/// Returns the placements of the plan, and of those that are found.
FailureOr<PlacementMap> ShardPass::place(GraphOp whole,
                                         const RankOptions &options) {
  FailureOr<Plan> plan = readPlan();
  if (failed(plan))
    return failure();
  FailureOr<PlacementMap> placements = applyPlan(*plan, whole, ranks);
  if (failed(placements) || !plan->automatic || ranks == 1)
    return placements;
  FailureOr<std::string> found = findPlan(whole, *plan, options, *placements);
  if (failed(found))
    return failure();
  if (found->empty())
    whole.emitRemark("the plan divides nothing");
  else
    whole.emitRemark("the plan is\n") << *found;
  return placements;
}

LogicalResult ShardPass::divide() {
  ModuleOp module = getOperation();
  auto whole = module.lookupSymbol<GraphOp>("main");
  if (!whole)
    return module.emitError("expected an 'fx.graph @main'");
  if (!whole.getFunctional())
    return whole.emitError("expected a functional graph; 'fx-functionalize' "
                           "makes one");
  if (ranks == 0 || rank >= ranks)
    return module.emitError("expected 'ranks' of at least 1 and a 'rank' below "
                            "it, got ")
           << ranks.getValue() << " and " << rank.getValue();
  RankOptions options;
  options.rank = rank;
  options.ranks = ranks;
  options.group = group;
  FailureOr<PlacementMap> placements = place(whole, options);
  if (failed(placements))
    return failure();
  if (ranks == 1)
    return success();
  std::unique_ptr<Sharder> sharder = buildRank(whole, *placements, options);
  if (!sharder)
    return failure();
  emitRemarks(*sharder);
  numReductions += sharder->getCommunication().numReductions;
  numGathers += sharder->getCommunication().numGathers;
  StateDivider divider(rank, ranks);
  for (auto state : module.getOps<StateOp>())
    if (auto it = placements->find(state.getSymName());
        it != placements->end() && it->second.isShard()) {
      if (failed(divider.divide(state, it->second)))
        return failure();
      ++numDivided;
    }
  whole.erase();
  return success();
}
