//===- SplitReduction.cpp - a reduction in two steps ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitReduction.h"

#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fx::kernel;

/// Returns the loops in the order of the dimensions of an input that has all of
/// them, if there is one.
static SmallVector<unsigned> orderLoops(linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() < op.getNumLoops())
      continue;
    SmallVector<unsigned> loops;
    for (unsigned d = 0; d < map.getNumResults(); ++d)
      loops.push_back(map.getDimPosition(d));
    return loops;
  }
  return llvm::to_vector(llvm::seq(op.getNumLoops()));
}

/// Returns the neutral element of each result's combiner. Fails if a combiner
/// has none, or if a result does not have all parallel loops.
static FailureOr<SmallVector<TypedAttr>>
getNeutralElements(linalg::GenericOp op, ArrayRef<Combiner> combiners) {
  unsigned parallel = op.getNumLoops() - op.getNumReductionLoops();
  SmallVector<TypedAttr> neutral;
  for (auto [i, combiner] : llvm::enumerate(combiners)) {
    std::optional<TypedAttr> attr = arith::getNeutralElement(combiner.op);
    AffineMap map = op.getIndexingMapMatchingResult(op->getResult(i));
    if (!attr || map.getNumResults() != parallel)
      return failure();
    neutral.push_back(*attr);
  }
  return neutral;
}

/// Creates the first step, which reduces along `loop` only. Its loops are those
/// of `op` in the given order, so that threads walk the memory. The results
/// have the dimensions of the other loops, in the same order.
static linalg::GenericOp reduceAlong(RewriterBase &rewriter,
                                     linalg::GenericOp op, unsigned loop,
                                     ArrayRef<unsigned> order,
                                     ArrayRef<TypedAttr> neutral) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc);
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> exprs, renamed(op.getNumLoops());
  for (auto [i, d] : llvm::enumerate(order)) {
    renamed[d] = getAffineDimExpr(i, context);
    if (d == loop)
      continue;
    sizes.push_back(ranges[d].size);
    exprs.push_back(renamed[d]);
  }
  SmallVector<Value> inits;
  for (TypedAttr attr : neutral) {
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, attr.getType());
    Value zero = arith::ConstantOp::create(rewriter, loc, attr);
    inits.push_back(
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0));
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [i, map] : llvm::enumerate(maps))
    map = i < op.getNumDpsInputs()
              ? map.replaceDimsAndSymbols(renamed, {}, op.getNumLoops(), 0)
              : AffineMap::get(op.getNumLoops(), 0, exprs, context);
  SmallVector<utils::IteratorType> kinds(op.getNumLoops(),
                                         utils::IteratorType::parallel);
  kinds[llvm::find(order, loop) - order.begin()] =
      utils::IteratorType::reduction;
  auto first =
      linalg::GenericOp::create(rewriter, loc, TypeRange(ValueRange(inits)),
                                op.getInputs(), inits, maps, kinds);
  rewriter.cloneRegionBefore(op.getRegion(), first.getRegion(),
                             first.getRegion().begin());
  for (auto index : first.getBody()->getOps<linalg::IndexOp>())
    index.setDim(cast<AffineDimExpr>(renamed[index.getDim()]).getPosition());
  return first;
}

/// Creates the second step, which reduces the results of `first`, whose
/// dimensions are the loops `kept` of `op`, along the other reduction loops.
static linalg::GenericOp reduceRest(RewriterBase &rewriter,
                                    linalg::GenericOp op,
                                    linalg::GenericOp first,
                                    ArrayRef<unsigned> kept,
                                    ArrayRef<Combiner> combiners) {
  MLIRContext *context = op.getContext();
  llvm::SmallDenseMap<unsigned, unsigned> position;
  for (auto [i, d] : llvm::enumerate(kept))
    position[d] = i;
  SmallVector<utils::IteratorType> oldKinds = op.getIteratorTypesArray();
  SmallVector<utils::IteratorType> kinds;
  for (unsigned d : kept)
    kinds.push_back(oldKinds[d]);
  SmallVector<AffineMap> maps(
      op->getNumResults(),
      AffineMap::getMultiDimIdentityMap(kept.size(), context));
  for (OpResult result : op->getResults()) {
    AffineMap map = op.getIndexingMapMatchingResult(result);
    SmallVector<AffineExpr> to;
    for (unsigned d = 0; d < map.getNumResults(); ++d)
      to.push_back(getAffineDimExpr(position[map.getDimPosition(d)], context));
    maps.push_back(AffineMap::get(kept.size(), 0, to, context));
  }
  return linalg::GenericOp::create(
      rewriter, op.getLoc(), op->getResultTypes(), first.getResults(),
      op.getDpsInits(), maps, kinds,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        SmallVector<Value> values;
        for (auto [i, combiner] : llvm::enumerate(combiners)) {
          IRMapping map;
          BlockArgument out =
              op.getBody()->getArgument(op.getNumDpsInputs() + i);
          map.map(combiner.input, args[i]);
          map.map(out, args[combiners.size() + i]);
          values.push_back(b.clone(*combiner.op, map)->getResult(0));
        }
        linalg::YieldOp::create(b, loc, values);
      });
}

linalg::GenericOp fx::kernel::splitReduction(RewriterBase &rewriter,
                                             linalg::GenericOp op,
                                             unsigned loop) {
  auto combiners = matchReduction(op);
  if (!combiners)
    return {};
  FailureOr<SmallVector<TypedAttr>> neutral =
      getNeutralElements(op, *combiners);
  if (failed(neutral))
    return {};
  rewriter.setInsertionPoint(op);
  SmallVector<unsigned> order = orderLoops(op), kept = order;
  llvm::erase(kept, loop);
  linalg::GenericOp first = reduceAlong(rewriter, op, loop, order, *neutral);
  linalg::GenericOp rest = reduceRest(rewriter, op, first, kept, *combiners);
  rewriter.replaceOp(op, rest.getResults());
  return rest;
}
