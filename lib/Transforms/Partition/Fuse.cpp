//===- Fuse.cpp - producers and consumers in named groups -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are visited from the last to the first. A node whose users are all in
// one group joins this group if the kinds allow it; otherwise it begins a new
// group. So only the node that began a group, its last one in the graph, has
// users outside, and there are no cycles between groups.
//
//===----------------------------------------------------------------------===//

#include "Extract.h"
#include "fx/Operators/Cost.h"
#include "fx/Operators/Purity.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"

namespace fx {
#define GEN_PASS_DEF_FUSEPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
enum class Kind { None, View, Pointwise, Reduction, Contraction };

struct Group {
  /// In reverse order: the last node of the graph first.
  SmallVector<Operation *> nodes;
  bool hasContraction = false, hasReduction = false;
  /// The number of nodes that are no views.
  unsigned numComputing = 0;
};
} // namespace

/// Returns true for composite operators over rows. They count as reductions.
static bool isOverRows(StringRef target) {
  static constexpr StringLiteral names[] = {"aten.softmax.int",
                                            "aten._softmax.default",
                                            "aten.log_softmax.int",
                                            "aten._log_softmax.default",
                                            "aten.layer_norm.default",
                                            "aten.native_layer_norm.default",
                                            "aten.rms_norm.default",
                                            "aten.special_softmax.default",
                                            "aten.special_log_softmax.default"};
  return llvm::is_contained(names, target);
}

static Kind getKind(Operation *op) {
  auto node = dyn_cast<CallFunctionOp>(op);
  OperatorView call = node ? getOperatorView(op) : OperatorView();
  if (!call || op->getNumResults() == 0 || !isPure(call) ||
      drawsRandomNumbers(call) || definesSymbol(call))
    return Kind::None;
  for (Type type : op->getResultTypes())
    if (!isa<FakeTensorType>(type))
      return Kind::None;
  const OperatorSchema &schema = call.getSchema();
  if (schema.isView())
    return Kind::View;
  if (isOverRows(schema.getName()))
    return Kind::Reduction;
  ExprAttr contractions = getCost(call).contractions;
  if (contractions && contractions.getInteger() != 0)
    return Kind::Contraction;
  if (schema.has(OperatorSchema::Pointwise))
    return Kind::Pointwise;
  if (schema.has(OperatorSchema::Reduction))
    return Kind::Reduction;
  return Kind::None;
}

/// Returns the name of the operator without its namespace and overload.
static std::string getBaseName(Operation *op) {
  StringRef name = cast<NodeOpInterface>(op).getTargetName().split('.').second;
  return name.split('.').first.ltrim('_').rtrim('_').str();
}

namespace {
struct FusePass : fx::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    auto graph = getOperation().lookupSymbol<GraphOp>("main");
    if (!graph) {
      getOperation().emitError("expected an 'fx.graph @main'");
      return signalPassFailure();
    }
    if (!graph.getFunctional()) {
      graph.emitError("expected a functional graph; 'fx-functionalize' makes "
                      "one");
      return signalPassFailure();
    }
    if (minSize < 2 || maxSize < minSize) {
      getOperation().emitError("expected a 'min-size' of at least 2 and a "
                               "'max-size' of at least that, got ")
          << minSize.getValue() << " and " << maxSize.getValue();
      return signalPassFailure();
    }
    formGroups(graph);
    NodeNamer namer(graph);
    for (Group &group : llvm::reverse(groups)) {
      if (group.numComputing < minSize)
        continue;
      std::reverse(group.nodes.begin(), group.nodes.end());
      std::string base = nameGroup(group);
      std::string name = namer.getUnique(base);
      while (
          getOperation().lookupSymbol((graph.getSymName() + "." + name).str()))
        name = namer.getUnique(base);
      ++numGroups;
      numFused += group.nodes.size();
      partition::makeBlock(graph, group.nodes, name);
    }
    for (GetAttrOp op :
         llvm::make_early_inc_range(graph.getBlock().getOps<GetAttrOp>()))
      if (op->use_empty())
        op.erase();
  }

private:
  void formGroups(GraphOp graph);
  bool fits(Operation *op, Kind kind, const Group &group);

  /// Returns a name for the group, made of its first four operators that are no
  /// views.
  std::string nameGroup(const Group &group) {
    std::string name = prefix;
    unsigned n = 0;
    for (Operation *op : group.nodes)
      if (kinds.lookup(op) != Kind::View && n++ < 4)
        name += "_" + getBaseName(op);
    if (n > 4)
      name += "_etc";
    return name;
  }

  std::vector<Group> groups;
  llvm::DenseMap<Operation *, Kind> kinds;
};
} // namespace

/// Returns true if `op`, all users of which are in the group, can join it.
bool FusePass::fits(Operation *op, Kind kind, const Group &group) {
  if (group.nodes.size() >= maxSize)
    return false;
  for (Operation *user : op->getUsers()) {
    Kind of = kinds.lookup(user);
    // A contraction reads its operands many times, so they are computed before.
    if (of == Kind::Contraction)
      return false;
    // A contraction must not be recomputed for each element that its result is
    // broadcast to.
    if (kind == Kind::Contraction &&
        getElementCount(user->getResult(0).getType()) !=
            getElementCount(op->getResult(0).getType()))
      return false;
  }
  if (kind == Kind::Contraction)
    return !group.hasContraction && !group.hasReduction;
  return kind != Kind::Reduction || !group.hasContraction;
}

void FusePass::formGroups(GraphOp graph) {
  groups.clear();
  kinds.clear();
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (Operation &op : llvm::reverse(graph.getBlock())) {
    Kind kind = isa<NodeOpInterface>(op) ? getKind(&op) : Kind::None;
    kinds[&op] = kind;
    if (kind == Kind::None)
      continue;
    std::optional<unsigned> common;
    bool isOne = !op.use_empty();
    for (Operation *user : op.getUsers()) {
      auto it = numbers.find(user);
      isOne &= it != numbers.end() && common.value_or(it->second) == it->second;
      if (!isOne)
        break;
      common = it->second;
    }
    unsigned number;
    if (isOne && fits(&op, kind, groups[*common])) {
      number = *common;
    } else if (kind != Kind::View) {
      number = groups.size();
      groups.emplace_back();
    } else {
      continue; // a view does not begin a group
    }
    numbers[&op] = number;
    Group &group = groups[number];
    group.nodes.push_back(&op);
    group.hasContraction |= kind == Kind::Contraction;
    group.hasReduction |= kind == Kind::Reduction;
    group.numComputing += kind != Kind::View;
  }
}
