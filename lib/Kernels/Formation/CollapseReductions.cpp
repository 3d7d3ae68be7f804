//===- CollapseReductions.cpp - reductions over one loop ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges adjacent loops of a reduction, also in the pointwise ops that share
// its kernel. Reduces the loops that remain one after another, innermost first.
//
//===----------------------------------------------------------------------===//

#include "SplitReduction.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace fx::kernel {
#define GEN_PASS_DEF_COLLAPSEREDUCTIONSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

/// Maximum number of ops that are considered for one reduction.
static constexpr unsigned kMaxOps = 64;
/// Minimum number of elements of a reduction for which more rows are worth a
/// further kernel, and of elements that a row, or a column, then keeps.
static constexpr int64_t kLarge = 64 * 1024, kMinRow = 256, kMinColumn = 16;

namespace {
/// Two loops, the second inside the first, that are merged.
using Pair = std::pair<unsigned, unsigned>;
using Pairs = SmallVector<Pair, 4>;

/// Finds, for one reduction, the ops whose loops are merged together with those
/// of the reduction, and these loops.
class Component {
public:
  Component(const DenseSet<Operation *> &taken) : taken(taken) {}
  void grow(linalg::GenericOp root, ArrayRef<Pair> pairs);
  void collapse(RewriterBase &rewriter, DenseSet<Operation *> &done,
                DenseSet<Operation *> &erased);

private:
  void addReaders(linalg::GenericOp reduction);
  bool isInside(Operation *op) {
    return members.count(op) || readers.contains(op);
  }
  void consider(linalg::GenericOp op, AffineMap map, ArrayRef<unsigned> joined);
  void visit(linalg::GenericOp op);

  const DenseSet<Operation *> &taken;
  llvm::MapVector<Operation *, Pairs> members;
  /// Ops that depend on a reduction among the members.
  llvm::SmallPtrSet<Operation *, 32> readers;
  SmallVector<linalg::GenericOp> open;
};
} // namespace

static bool hasSimpleMaps(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && !op.hasIndexSemantics() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Returns true if the loops are of the same kind, and wherever the first loop
/// walks a dimension, the second one walks the next dimension.
static bool canJoin(linalg::GenericOp op, Pair pair) {
  auto kinds = op.getIteratorTypesArray();
  if (kinds[pair.first] != kinds[pair.second])
    return false;
  auto at = [](AffineMap map, unsigned loop) {
    return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
  };
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    auto first = at(map, pair.first), second = at(map, pair.second);
    return first ? second && *second == *first + 1 : !second;
  });
}

/// Returns the dimensions of a tensor with indexing map `map` that `pairs`
/// merge with the next dimension.
static SmallVector<unsigned> joinedDims(AffineMap map, ArrayRef<Pair> pairs) {
  SmallVector<unsigned> joined;
  for (unsigned d = 0; d + 1 < map.getNumResults(); ++d)
    if (llvm::is_contained(
            pairs, Pair(map.getDimPosition(d), map.getDimPosition(d + 1))))
      joined.push_back(d);
  return joined;
}

/// Returns true if `op` reads no slices and its results are not inserted into
/// other tensors. Its operands and results are then contiguous, and reshaping
/// them costs nothing.
static bool takesShapes(linalg::GenericOp op) {
  return llvm::none_of(op.getInputs(),
                       [](Value input) {
                         return isa_and_nonnull<tensor::ExtractSliceOp>(
                             input.getDefiningOp());
                       }) &&
         llvm::none_of(op->getUsers(), llvm::IsaPred<tensor::InsertSliceOp>);
}

/// Returns true if `op` will be part of the kernel of a contraction or a
/// window.
static bool followsProduct(linalg::GenericOp op) {
  for (Value input : op.getInputs()) {
    auto def = input.getDefiningOp<linalg::LinalgOp>();
    if (!def || !input.hasOneUse())
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(def.getOperation());
    if (!generic ? !isa<linalg::FillOp>(def)
                 : matchContraction(generic) ||
                       !llvm::all_of(generic.getIndexingMapsArray(),
                                     [](AffineMap map) {
                                       return map.isProjectedPermutation();
                                     }))
      return true;
    if (generic && isPointwise(generic) && followsProduct(generic))
      return true;
  }
  return false;
}

void Component::addReaders(linalg::GenericOp reduction) {
  SmallVector<Operation *> stack{reduction};
  while (!stack.empty() && readers.size() < kMaxOps)
    for (Operation *user : stack.pop_back_val()->getUsers()) {
      auto generic = dyn_cast<linalg::GenericOp>(user);
      if (generic && !matchContraction(generic) && readers.insert(user).second)
        stack.push_back(user);
    }
}

void Component::consider(linalg::GenericOp op, AffineMap map,
                         ArrayRef<unsigned> joined) {
  if (members.count(op) || taken.contains(op) || members.size() >= kMaxOps ||
      !hasSimpleMaps(op))
    return;
  Pairs pairs;
  for (unsigned d : joined)
    pairs.push_back({map.getDimPosition(d), map.getDimPosition(d + 1)});
  if (!takesShapes(op) ||
      !llvm::all_of(pairs, [&](Pair pair) { return canJoin(op, pair); }))
    return;
  members[op] = pairs;
  open.push_back(op);
}

void Component::visit(linalg::GenericOp op) {
  Pairs pairs = members[op];
  if (op.getNumReductionLoops())
    addReaders(op);
  auto look = [&](Value tensor, AffineMap map) {
    SmallVector<unsigned> joined = joinedDims(map, pairs);
    if (joined.empty())
      return;
    // Consider the op that defines the tensor, if no other op needs its shape.
    if (auto def = tensor.getDefiningOp<linalg::GenericOp>();
        def && isPointwise(def) && !followsProduct(def) &&
        llvm::all_of(def->getUsers(), [&](Operation *user) {
          auto generic = dyn_cast<linalg::GenericOp>(user);
          return isInside(user) || (generic && generic.getNumReductionLoops());
        }))
      consider(def, def.getIndexingMapMatchingResult(cast<OpResult>(tensor)),
               joined);
    // Consider reductions that read the tensor, and pointwise ops that read it
    // and depend on a reduction.
    for (OpOperand &use : tensor.getUses()) {
      auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (!user || !user.isDpsInput(&use))
        continue;
      if (user.getNumReductionLoops()
              ? matchReduction(user) && !matchContraction(user)
              : isPointwise(user) && readers.contains(user))
        consider(user, user.getMatchingIndexingMap(&use), joined);
    }
  };
  for (OpOperand *input : op.getDpsInputOperands())
    look(input->get(), op.getMatchingIndexingMap(input));
  for (OpResult result : op->getResults())
    look(result, op.getIndexingMapMatchingResult(result));
}

void Component::grow(linalg::GenericOp root, ArrayRef<Pair> pairs) {
  members[root] = Pairs(pairs);
  addReaders(root);
  // Members that are found later may admit more ops.
  for (unsigned size = 0; size != members.size();) {
    size = members.size();
    for (auto &[op, of] : members)
      open.push_back(cast<linalg::GenericOp>(op));
    while (!open.empty())
      visit(open.pop_back_val());
  }
}

void Component::collapse(RewriterBase &rewriter, DenseSet<Operation *> &done,
                         DenseSet<Operation *> &erased) {
  for (auto &[op, pairs] : members) {
    auto generic = cast<linalg::GenericOp>(op);
    SmallVector<ReassociationIndices> sequences;
    for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop) {
      if (llvm::any_of(pairs, [&](Pair p) { return p.second == loop; }))
        continue;
      ReassociationIndices sequence{int64_t(loop)};
      for (bool more = true; more;) {
        more = false;
        for (Pair pair : pairs)
          if (pair.first == sequence.back()) {
            sequence.push_back(pair.second);
            more = true;
            break;
          }
      }
      if (sequence.size() > 1)
        sequences.push_back(sequence);
    }
    rewriter.setInsertionPoint(op);
    auto result = linalg::collapseOpIterationDims(generic, sequences, rewriter);
    if (failed(result))
      continue;
    done.insert(result->collapsedOp);
    erased.insert(op);
    rewriter.replaceOp(op, result->results);
  }
}

/// Returns the product of the sizes of `loops`. Assumes that dynamic sizes are
/// large.
static int64_t sizeOf(linalg::GenericOp op, ArrayRef<unsigned> loops) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t all = 1;
  for (unsigned loop : loops)
    all = std::min<int64_t>(
        all * (ShapedType::isDynamic(ranges[loop]) ? 4096 : ranges[loop]),
        int64_t(1) << 40);
  return all;
}

namespace {
/// The loops of a reduction, in the order of an operand's dimensions.
struct Order {
  SmallVector<unsigned> kept, reduced;
  /// The loop of the last dimension.
  unsigned last = 0;
  /// Whether `last` is one of `reduced`.
  bool isRow = false;

  /// Returns the order of the first input that has all reduction loops; none
  /// if no input has them.
  static std::optional<Order> of(linalg::GenericOp op);
  /// Returns how many of `reduced` become rows of a first step, because there
  /// are fewer than `wanted` rows; 0 if a first step does not pay off.
  unsigned numRowLoops(linalg::GenericOp op, int64_t wanted) const;
};
} // namespace

std::optional<Order> Order::of(linalg::GenericOp op) {
  auto kinds = op.getIteratorTypesArray();
  Order order;
  for (unsigned loop = 0; loop < kinds.size(); ++loop)
    if (kinds[loop] == utils::IteratorType::parallel)
      order.kept.push_back(loop);
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    order.reduced.clear();
    for (unsigned d = 0; d < map.getNumResults(); ++d)
      if (kinds[map.getDimPosition(d)] == utils::IteratorType::reduction)
        order.reduced.push_back(map.getDimPosition(d));
    if (order.reduced.size() != op.getNumReductionLoops())
      continue;
    order.last = map.getDimPosition(map.getNumResults() - 1);
    order.isRow = order.last == order.reduced.back();
    return order;
  }
  return std::nullopt;
}

unsigned Order::numRowLoops(linalg::GenericOp op, int64_t wanted) const {
  // A kernel that keeps the last dimension walks it in one task.
  SmallVector<unsigned> tasks(kept);
  llvm::erase(tasks, last);
  ArrayRef<unsigned> loops(reduced);
  int64_t rows = sizeOf(op, tasks);
  if (rows >= wanted / 2 || sizeOf(op, kept) * sizeOf(op, loops) < kLarge)
    return 0;
  unsigned apart = 0;
  for (unsigned count = 1; count < loops.size(); ++count) {
    if (sizeOf(op, loops.drop_front(count)) < (isRow ? kMinRow : kMinColumn))
      break;
    apart = count;
    if (rows * sizeOf(op, loops.take_front(count)) >= wanted)
      break;
  }
  return apart;
}

namespace {
struct CollapseReductions
    : fx::kernel::impl::CollapseReductionsPassBase<CollapseReductions> {
  using Base::Base;

  /// Returns true for products of one row with several others, which are
  /// reductions of rows.
  static bool isRowOfDots(Contraction c) {
    AffineMap map = c.rhsMap();
    return countPoints(c.op, c.m) == 1 && !c.groupSize &&
           map.isProjectedPermutation() && map.getNumResults() > 0 &&
           llvm::is_contained(c.k, map.getDimPosition(map.getNumResults() - 1));
  }
  static bool isCandidate(linalg::GenericOp op) {
    if (!hasSimpleMaps(op) || !matchReduction(op))
      return false;
    auto match = matchContraction(op);
    return !match || isRowOfDots(*match);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> roots;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.getNumReductionLoops() > 1)
        roots.push_back(op);
    });
    DenseSet<Operation *> done, erased;
    for (linalg::GenericOp root : roots) {
      if (erased.contains(root) || !isCandidate(root))
        continue;
      std::optional<Order> order = Order::of(root);
      if (!order || !order->isRow || !takesShapes(root))
        continue;
      unsigned apart = order->numRowLoops(root, rows);
      Pairs pairs;
      for (unsigned i = 0; i + 1 < order->reduced.size(); ++i)
        if (Pair pair(order->reduced[i], order->reduced[i + 1]);
            i + 1 != apart && canJoin(root, pair))
          pairs.push_back(pair);
      if (pairs.empty())
        continue;
      Component component(done);
      component.grow(root, pairs);
      component.collapse(rewriter, done, erased);
    }
    // Reduce the remaining loops, one in each step.
    roots.clear();
    getOperation().walk([&](linalg::GenericOp op) { roots.push_back(op); });
    while (!roots.empty()) {
      linalg::GenericOp op = roots.pop_back_val();
      if (op.getNumReductionLoops() < 2 || !isCandidate(op))
        continue;
      std::optional<Order> order = Order::of(op);
      if (!order || (!order->isRow && !order->numRowLoops(op, rows)))
        continue;
      if (linalg::GenericOp rest =
              splitReduction(rewriter, op, order->reduced.back()))
        roots.push_back(rest);
    }
  }
};
} // namespace
