//===- Shard.cpp - divide a program between ranks -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
  FailureOr<Plan> plan = readPlan();
  if (failed(plan))
    return failure();
  RankOptions options;
  options.rank = rank;
  options.ranks = ranks;
  options.group = group;
  FailureOr<PlacementMap> placements = applyPlan(*plan, whole, ranks);
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
