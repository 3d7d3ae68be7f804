//===- FormKernels.cpp - group linalg ops ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/Attention.h"
#include "fx/Kernels/FewRows.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/Outline.h"
#include "fx/Kernels/Passes.h"
#include "fx/Kernels/RowGather.h"
#include "fx/Kernels/StateAnalysis.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

namespace fx::kernel {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

/// Maximum number of ops of a group: emission unrolls their bodies.
static constexpr unsigned kMaxGroup = 40;
/// Maximum number of ops between the first and the last op of a group. Bounds
/// the search of isConvex.
static constexpr unsigned kMaxSpan = 1000;
/// Maximum cost of a body that may be recomputed for each element that it is
/// broadcast to.
static constexpr int64_t kCheap = 4;

static bool isUnitSlice(tensor::ExtractSliceOp op) {
  return llvm::all_of(op.getMixedStrides(),
                      [](OpFoldResult s) { return isConstantIntValue(s, 1); });
}

/// Clones the op that defines `operand` if it has other uses. Returns it.
static Operation *ownDefinition(OpOperand &operand) {
  Operation *def = operand.get().getDefiningOp();
  if (operand.get().hasOneUse())
    return def;
  OpBuilder b(def);
  Operation *copy = b.clone(*def);
  operand.set(copy->getResult(0));
  return copy;
}

namespace {
using Group = llvm::SmallSetVector<Operation *, 16>;
using Fits = llvm::function_ref<bool(const Group &)>;

class KernelFormation {
public:
  KernelFormation(Block &block, const TargetInfo &target,
                  StateAnalysis *states = nullptr)
      : block(block), target(target), states(states) {}
  SmallVector<Group> run();
  /// Returns groups of attentions only, of f32.
  SmallVector<Group> runAttention();

private:
  void take(Group group);
  Operation *soleUser(Value v);
  bool isBroadcastState(OpOperand &operand);
  bool isFree(Operation *op) {
    return op && op->getBlock() == &block && !taken.contains(op);
  }
  bool isConvex(const Group &group);
  bool isCyclic(const Group &group);
  std::optional<LoopLabels> labelsOf(const Group &group);
  std::optional<LoopLabels> rowLabels(const Group &group);
  void addChain(Group &group, Fits fits);
  void addProducers(Group &group, Fits fits, Value expanded = {});
  SmallVector<Operation *> findReaders(Attention &match);
  Group attention(Attention match);
  Group contraction(const Contraction &match);
  Group rows(linalg::GenericOp op);
  Group window(linalg::GenericOp op);
  Group pointwise(Operation *op);

  Block &block;
  const TargetInfo &target;
  /// If there are states, what depends on them alone.
  StateAnalysis *states;
  SmallVector<Group> groups;
  /// The ops of `groups`, and the index of their group.
  llvm::DenseMap<Operation *, unsigned> taken;
};
} // namespace

/// Adds `group` to the groups. Removes the ops that were added last while the
/// group and another one depend on each other.
void KernelFormation::take(Group group) {
  while (group.size() > 1 && isCyclic(group))
    group.pop_back();
  for (Operation *op : group)
    taken[op] = groups.size();
  groups.push_back(std::move(group));
}

Operation *KernelFormation::soleUser(Value v) {
  return v.hasOneUse() ? *v.user_begin() : nullptr;
}

/// Returns true if the operand, which is read for several elements, depends on
/// states alone, as the scales of a batch norm do. It is computed once, by
/// HoistPrepare, if it is not part of a kernel.
bool KernelFormation::isBroadcastState(OpOperand &operand) {
  auto generic = cast<linalg::GenericOp>(operand.getOwner());
  return states && states->isStateOnly(operand.get()) &&
         states->mayPrepare(operand.get().getDefiningOp()) &&
         generic.getMatchingIndexingMap(&operand).getNumResults() <
             generic.getNumLoops();
}

/// Returns false if an op outside is on a path between two members.
bool KernelFormation::isConvex(const Group &group) {
  Operation *first = nullptr, *last = nullptr;
  for (Operation *op : group) {
    if (!first || op->isBeforeInBlock(first))
      first = op;
    if (!last || last->isBeforeInBlock(op))
      last = op;
  }
  llvm::SmallPtrSet<Operation *, 16> outside;
  unsigned span = 0;
  for (Operation *op = first; op != last->getNextNode();
       op = op->getNextNode()) {
    if (++span > kMaxSpan)
      return false;
    bool isMember = group.contains(op);
    bool reads = false, readsOutside = false;
    op->walk([&](Operation *inner) {
      for (Value v : inner->getOperands())
        if (Operation *def = v.getDefiningOp()) {
          reads |= group.contains(def);
          readsOutside |= outside.contains(def);
        }
    });
    if (isMember && readsOutside)
      return false;
    if (!isMember && (reads || readsOutside))
      outside.insert(op);
  }
  return true;
}

/// Returns true if a path of uses leads from `group` back to it through other
/// ops. All members of a group are computed at the same time: a path that
/// reaches one member of another group continues from all its members.
bool KernelFormation::isCyclic(const Group &group) {
  SmallVector<Operation *> reached;
  llvm::SmallPtrSet<Operation *, 32> seen;
  bool isBack = false;
  auto follow = [&](Operation *op, bool isMember) {
    for (Operation *user : op->getUsers()) {
      Operation *next = block.findAncestorOpInBlock(*user);
      if (next && group.contains(next))
        isBack |= !isMember;
      else if (next && seen.insert(next).second)
        reached.push_back(next);
    }
  };
  for (Operation *op : group)
    follow(op, /*isMember=*/true);
  while (!reached.empty() && !isBack) {
    Operation *op = reached.pop_back_val();
    auto it = taken.find(op);
    if (it == taken.end()) {
      follow(op, /*isMember=*/false);
      continue;
    }
    for (Operation *together : groups[it->second]) {
      seen.insert(together);
      follow(together, /*isMember=*/false);
    }
  }
  return isBack;
}

/// Returns the labels of a group whose first member is the root; none if loops
/// disagree.
std::optional<LoopLabels> KernelFormation::labelsOf(const Group &group) {
  auto root = cast<linalg::GenericOp>(group[0]);
  LoopLabels labels;
  SmallVector<int> loops;
  for (auto [d, range] : llvm::enumerate(root.getStaticLoopRanges()))
    loops.push_back(range == 1 ? LoopLabels::kUnit : int(d));
  if (!labels.label(root, loops, group.getArrayRef()))
    return std::nullopt;
  return labels;
}

/// Repeatedly adds the pointwise op that is the only user of the last op.
void KernelFormation::addChain(Group &group, Fits fits) {
  Operation *last = group[0];
  while (group.size() < kMaxGroup && last->getNumResults() == 1) {
    Operation *user = soleUser(last->getResult(0));
    if (!isFree(user) || !isPointwise(user) || user->getNumResults() != 1)
      return;
    Group more = group;
    more.insert(user);
    if (!isConvex(more) || !fits(more))
      return;
    group = more;
    last = user;
  }
}

/// Adds slices, and pointwise ops that only the group uses. The one that
/// defines `expanded` may be costly or depend on states alone.
void KernelFormation::addProducers(Group &group, Fits fits, Value expanded) {
  for (unsigned i = 0; i < group.size() && group.size() < kMaxGroup; ++i) {
    auto generic = dyn_cast<linalg::GenericOp>(group[i]);
    if (!generic)
      continue;
    for (OpOperand *operand : generic.getDpsInputOperands()) {
      Operation *def = operand->get().getDefiningOp();
      if (!isFree(def) || group.contains(def))
        continue;
      bool slice = isa<tensor::ExtractSliceOp>(def) && isPointwise(generic) &&
                   isUnitSlice(cast<tensor::ExtractSliceOp>(def));
      if (slice) {
        def = ownDefinition(*operand);
      } else {
        bool isExpanded = operand->get() == expanded;
        if (!isPointwise(def) || (!isExpanded && isBroadcastState(*operand)) ||
            !llvm::all_of(def->getUsers(),
                          [&](Operation *u) { return group.contains(u); }))
          continue;
        AffineMap map = generic.getMatchingIndexingMap(operand);
        if (!isExpanded && !map.isPermutation() &&
            bodyCost(cast<linalg::GenericOp>(def)) > kCheap)
          continue;
      }
      Group more = group;
      more.insert(def);
      if (isConvex(more) && fits(more))
        group = more;
    }
  }
}

/// Returns true if `op` computes its result from a tensor of the same rank with
/// narrower elements.
static bool isExpansion(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic->getNumResults() != 1)
    return false;
  auto bits = [](Value v) {
    Type element = getElementTypeOrSelf(v.getType());
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  };
  return llvm::any_of(generic.getInputs(), [&](Value v) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return type && type.getRank() == int64_t(generic.getNumLoops()) &&
           bits(v) >= 8 && bits(v) < bits(generic.getResult(0));
  });
}

/// Returns true if pointwise ops compute the result of `op`, which nothing else
/// reads, from a tensor of the same rank with narrower elements.
static bool isExpansionByOps(Operation *op) {
  if (!op || !isPointwise(op) || op->getNumResults() != 1 ||
      !op->getResult(0).hasOneUse())
    return false;
  return isExpansion(op) || llvm::any_of(op->getOperands(), [](Value v) {
           return isExpansionByOps(v.getDefiningOp());
         });
}

/// Returns the ops that gather or expand the keys and the values of an
/// attention, if its kernel should compute them as it reads them. A GPU gathers
/// both or none. An expansion is repeated for each tile of rows.
SmallVector<Operation *> KernelFormation::findReaders(Attention &match) {
  bool hasFew = hasFewQueries(match);
  if (target.isGPU && !hasFew)
    return {};
  SmallVector<Operation *> readers;
  for (Value v : {match.scores.rhs(), match.values.rhs()}) {
    Operation *def = v.getDefiningOp();
    bool expands = !target.isGPU && hasFew && isExpansionByOps(def);
    if (v.hasOneUse() && isFree(def) && (expands || matchRowGather(def)))
      readers.push_back(def);
  }
  return target.isGPU && readers.size() < 2 ? SmallVector<Operation *>()
                                            : readers;
}

Group KernelFormation::attention(Attention match) {
  Group group(match.ops.begin(), match.ops.end());
  SmallVector<Operation *> readers = findReaders(match);
  auto fits = [&](const Group &g) {
    // Queries must be read from memory.
    for (Value v : {match.scores.lhs(), match.scores.rhs(), match.values.rhs()})
      if (Operation *def = v.getDefiningOp();
          def && g.contains(def) && !llvm::is_contained(readers, def))
        return false;
    return match.label(g.getArrayRef()).has_value();
  };
  if (!llvm::all_of(group, [&](Operation *op) { return isFree(op); }) ||
      !isConvex(group) || !fits(group))
    return Group();
  Group more = group;
  more.insert(readers.begin(), readers.end());
  if (isConvex(more) && fits(more))
    group = more;
  else
    readers.clear();
  addChain(group, fits);
  addProducers(group, fits);
  // Results of ops before the second matmul are not stored to memory.
  Operation *values = group[0];
  for (Operation *op : match.ops)
    if (op != values && !llvm::all_of(op->getUsers(), [&](Operation *user) {
          return group.contains(user);
        }))
      return Group();
  return group;
}

Group KernelFormation::contraction(const Contraction &match) {
  Group group;
  Contraction c = match;
  AffineMap map = c.rhsMap();
  bool fewRows = hasFewRows(c, target);
  // The right operand must be packed or have contiguous columns, unless the
  // target reads it in any order.
  if (!c.rhs().getDefiningOp<UnpackOp>() && !fewRows &&
      !target.readsAnyOrder() &&
      map.getDimPosition(map.getNumResults() - 1) != c.lastN())
    return group;
  if (!target.isGPU && isRowTimesRows(c))
    return group;
  group.insert(c.op);
  int column = c.lastN();
  auto fits = [&](const Group &g) {
    auto labels = labelsOf(g);
    if (!labels)
      return false;
    if (c.op.getStaticLoopRanges()[column] == 1)
      return g.size() == 1;
    // The columns stay the last dimension, except for an operand that the
    // kernel expands.
    for (Operation *op : g)
      if (isa<linalg::GenericOp>(op) &&
          !(fewRows && op->getResult(0) == c.rhs())) {
        ArrayRef<int> dims = labels->ofTensor(op->getResult(0));
        if (llvm::is_contained(dims, column) && dims.back() != column)
          return false;
      }
    return true;
  };
  addChain(group, fits);
  Value expanded =
      fewRows && isExpansion(c.rhs().getDefiningOp()) ? c.rhs() : Value();
  auto fitsProducers = [&](const Group &g) {
    // Operands must be read from memory, except for weights to be expanded.
    for (Value v : c.op.getInputs())
      if (v != expanded && g.contains(v.getDefiningOp()))
        return false;
    return fits(g);
  };
  addProducers(group, fitsProducers, expanded);
  OpOperand &images = *c.op.getDpsInputOperand(c.a);
  if (Operation *pad = images.get().getDefiningOp();
      isFree(pad) && isReadWithPadding(pad, c, target))
    group.insert(ownDefinition(images));
  return group;
}

/// Returns the labels of a group of reductions along the same rows and of
/// pointwise ops; the first member is the root. Returns none if the ops do not
/// share their rows.
std::optional<LoopLabels> KernelFormation::rowLabels(const Group &group) {
  auto root = cast<linalg::GenericOp>(group[0]);
  LoopLabels labels(/*shareInputs=*/true);
  SmallVector<int> loops(root.getNumLoops(), LoopLabels::kUnit);
  int next = 0;
  SmallVector<int64_t> ranges = root.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = root.getIteratorTypesArray();
  for (unsigned d = 0; d < loops.size(); ++d)
    if (kinds[d] == utils::IteratorType::parallel && ranges[d] != 1)
      loops[d] = next++;
  int inner = next;
  for (unsigned d = 0; d < loops.size(); ++d)
    if (kinds[d] == utils::IteratorType::reduction)
      loops[d] = inner;
  labels.setRoot(root, loops);
  if (!labels.propagate(group.getArrayRef()))
    return std::nullopt;
  for (Operation *op : group) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    if (!labels.isComplete(op))
      return std::nullopt;
    // Reject two loops with the same label. They compute an outer product of
    // values of the rows, of which a row's kernel computes only the diagonal.
    llvm::SmallSet<int, 8> seen;
    for (int label : labels.ofLoops(op))
      if (label >= 0 && !seen.insert(label).second)
        return std::nullopt;
    bool isReduction = generic.getNumReductionLoops() > 0;
    SmallVector<utils::IteratorType> kinds = generic.getIteratorTypesArray();
    for (auto [d, label] : llvm::enumerate(labels.ofLoops(op)))
      if (isReduction &&
          (kinds[d] == utils::IteratorType::reduction) != (label == inner))
        return std::nullopt;
    for (Value result : op->getResults()) {
      ArrayRef<int> dims = labels.ofTensor(result);
      if (llvm::is_contained(dims, inner) && dims.back() != inner)
        return std::nullopt;
    }
    // Reject an operand whose row is not its last dimension: it would be read
    // by gathers.
    for (OpOperand *operand : generic.getDpsInputOperands()) {
      AffineMap map = generic.getMatchingIndexingMap(operand);
      ArrayRef<int> of = labels.ofLoops(op);
      for (unsigned r = 0; r + 1 < map.getNumResults(); ++r)
        for (unsigned d = 0; d < of.size(); ++d)
          if (of[d] == inner && map.getResult(r).isFunctionOfDim(d))
            return std::nullopt;
    }
  }
  return labels;
}

Group KernelFormation::rows(linalg::GenericOp op) {
  Group group;
  if (!isRowReduction(op) || !matchReduction(op))
    return group;
  group.insert(op);
  auto fits = [&](const Group &g) { return bool(rowLabels(g)); };
  if (!fits(group))
    return Group();
  // Numbers are computed, and stored, for each row. There must be one.
  bool isOneRow = llvm::all_of(
      llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()),
      [](auto loop) {
        auto [size, kind] = loop;
        return size == 1 || kind == utils::IteratorType::reduction;
      });
  auto isNumber = [](Operation *other) {
    auto generic = dyn_cast<linalg::GenericOp>(other);
    return generic && generic.getNumLoops() == 0;
  };
  bool changed = true;
  while (changed && group.size() < kMaxGroup) {
    changed = false;
    for (unsigned i = 0; i < group.size() && group.size() < kMaxGroup; ++i) {
      auto consider = [&](Operation *other) {
        if (!isFree(other) || group.contains(other) ||
            (isNumber(other) && !isOneRow))
          return;
        bool isPart = isPointwise(other);
        if (auto g = dyn_cast<linalg::GenericOp>(other);
            g && g.getNumReductionLoops())
          isPart = isRowReduction(g) && matchReduction(g).has_value();
        if (!isPart)
          return;
        Group more = group;
        more.insert(other);
        if (isConvex(more) && fits(more)) {
          group = more;
          changed = true;
        }
      };
      for (Value v : group[i]->getOperands())
        if (Operation *def = v.getDefiningOp())
          consider(def);
      for (Value v : group[i]->getResults())
        for (Operation *user : llvm::to_vector(v.getUsers()))
          consider(user);
    }
  }
  return group;
}

Group KernelFormation::window(linalg::GenericOp op) {
  Group group;
  if (!matchReduction(op) || !isWindowReduction(op))
    return group;
  group.insert(op);
  auto fits = [&](const Group &g) {
    auto labels = labelsOf(g);
    if (!labels)
      return false;
    AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
    int lane = map.getDimPosition(map.getNumResults() - 1);
    for (Operation *member : g)
      if (isa<linalg::GenericOp>(member)) {
        ArrayRef<int> dims = labels->ofTensor(member->getResult(0));
        if (dims.empty() || dims.back() != lane)
          return false;
      }
    return true;
  };
  if (!fits(group))
    return Group();
  addChain(group, fits);
  // Windows that overlap would compute elements several times.
  if (llvm::all_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isProjectedPermutation(); }))
    addProducers(group, fits);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Operation *def = operand->get().getDefiningOp();
    if (isFree(def) && operand->get().hasOneUse() && isEasyPad(def, target))
      group.insert(def);
  }
  return group;
}

Group KernelFormation::pointwise(Operation *op) {
  Group group;
  group.insert(op);
  // A pad joins the pointwise op that defines its source.
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Operation *def = pad.getSource().getDefiningOp();
    if (isFree(def) && pad.getSource().hasOneUse() && isPointwise(def) &&
        def->getNumResults() == 1)
      group.insert(def);
  }
  if (!isPointwise(op) && !isa<tensor::PadOp>(op))
    return group;
  for (unsigned i = 0; i < group.size() && group.size() < kMaxGroup; ++i) {
    auto generic = dyn_cast<linalg::GenericOp>(group[i]);
    if (!generic)
      continue;
    for (OpOperand *operand : generic.getDpsInputOperands()) {
      Operation *def = operand->get().getDefiningOp();
      if (!isFree(def) || group.contains(def))
        continue;
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def)) {
        if (isUnitSlice(slice))
          group.insert(ownDefinition(*operand));
        continue;
      }
      if (!isPointwise(def) || isBroadcastState(*operand) ||
          !llvm::all_of(def->getUsers(),
                        [&](Operation *u) { return group.contains(u); }))
        continue;
      AffineMap map = generic.getMatchingIndexingMap(operand);
      if (!map.isPermutation() &&
          bodyCost(cast<linalg::GenericOp>(def)) > kCheap)
        continue;
      Group more = group;
      more.insert(def);
      if (isConvex(more))
        group = more;
    }
  }
  return group;
}

SmallVector<Group> KernelFormation::run() {
  auto generics = llvm::to_vector(block.getOps<linalg::GenericOp>());
  auto tryTake = [&](Group group) {
    if (!group.empty())
      take(std::move(group));
  };
  for (linalg::GenericOp op : generics)
    if (target.matrixUnit != MatrixUnit::None && isFree(op))
      if (auto match = matchAttention(op))
        tryTake(attention(std::move(*match)));
  for (linalg::GenericOp op : generics)
    if (isFree(op))
      if (auto match = matchContraction(op, target))
        tryTake(contraction(*match));
  for (linalg::GenericOp op : generics)
    if (isFree(op) && op.getNumReductionLoops())
      tryTake(rows(op));
  for (linalg::GenericOp op : generics)
    if (isFree(op) && op.getNumReductionLoops())
      tryTake(window(op));
  for (Operation &op : block)
    if (isa<SortOp, ScanOp>(op)) {
      Group group;
      group.insert(&op);
      take(std::move(group));
    }
  for (Operation &op : llvm::reverse(block))
    if (isFree(&op) &&
        (isPointwise(&op) || isa<linalg::PackOp>(op) || isEasyPad(&op, target)))
      tryTake(pointwise(&op));
  return groups;
}

SmallVector<Group> KernelFormation::runAttention() {
  for (auto op : llvm::to_vector(block.getOps<linalg::GenericOp>()))
    if (auto match = matchAnyAttention(op); match && isFasterAsOne(*match))
      if (Group group = attention(std::move(*match)); !group.empty())
        take(std::move(group));
  return groups;
}

namespace {
struct FormKernels : fx::kernel::impl::FormKernelsPassBase<FormKernels> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<func::FuncOp> funcs;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && !func->hasAttr(kKernelAttr))
        funcs.push_back(func);
    TargetInfo target;
    if (gpu)
      target = TargetInfo::getGPU(matrixUnit);
    Outliner outliner(getOperation(), /*stridedViews=*/gpu);
    for (func::FuncOp func : funcs) {
      SmallVector<Block *> blocks;
      func.walk([&](Block *block) {
        if (!isa<linalg::LinalgOp, tensor::PadOp, ScanOp>(block->getParentOp()))
          blocks.push_back(block);
      });
      for (Block *block : blocks) {
        // Only ops of main's entry block become a part of @prepare.
        std::optional<StateAnalysis> states;
        if (gpu && func.getSymName() == "main" &&
            block == &func.getBody().front())
          states.emplace(func);
        KernelFormation formation(*block, target, states ? &*states : nullptr);
        for (Group &group :
             attention ? formation.runAttention() : formation.run()) {
          SmallVector<Operation *> ops(group.begin(), group.end());
          outliner.outline(ops);
        }
        sortTopologically(block);
      }
    }
    numKernels += outliner.numKernels();
    numShared += outliner.numShared();
  }
};
} // namespace
