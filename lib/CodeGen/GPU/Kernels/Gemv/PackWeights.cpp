//===- PackWeights.cpp - weights of four bits for matmuls of few rows -----===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Nibbles.h"

#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/FewRows.h"
#include "fx/Kernels/Nibbles.h"
#include "fx/Kernels/StateAnalysis.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace fx::gpu {
#define GEN_PASS_DEF_FXGPUPACKWEIGHTS
#include "fx/CodeGen/GPU/Passes.h.inc"
} // namespace fx::gpu

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using kernel::Contraction;

/// The most pointwise ops between the weight and the contraction.
static constexpr unsigned kMaxOps = 4;

/// Returns the op that extracts the four bits from which pointwise ops compute
/// `v`, in the same order of the elements; null if there is none. Adds these
/// ops to `chain`, the last first.
static linalg::GenericOp
findNibbles(Value v, SmallVectorImpl<linalg::GenericOp> &chain) {
  if (linalg::GenericOp nibbles = kernel::getNibbles(v))
    return nibbles;
  auto op = v.getDefiningOp<linalg::GenericOp>();
  if (!op || chain.size() == kMaxOps || op->getNumResults() != 1 ||
      !kernel::isPointwise(op))
    return {};
  chain.push_back(op);
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  for (OpOperand *operand : op.getDpsInputOperands())
    if (map.isIdentity() && op.getMatchingIndexingMap(operand) == map)
      if (linalg::GenericOp nibbles = findNibbles(operand->get(), chain))
        return nibbles;
  chain.pop_back();
  return {};
}

/// Adds the pointwise ops and views that compute `v` from bytes of the same
/// order to `ops`. Returns false, and adds nothing, if there are none.
static bool findDequantization(Value v, SetVector<Operation *> &ops) {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  if (type && type.getElementType().isInteger(8))
    return true;
  Operation *def = v.getDefiningOp();
  bool isFound = false;
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def)) {
    isFound = findDequantization(def->getOperand(0), ops);
  } else if (auto op = dyn_cast_or_null<linalg::GenericOp>(def);
             op && kernel::isPointwise(op)) {
    for (OpOperand *operand : op.getDpsInputOperands())
      isFound |= op.getMatchingIndexingMap(operand).isIdentity() &&
                 findDequantization(operand->get(), ops);
  }
  if (isFound)
    ops.insert(def);
  return isFound;
}

/// Moves views between a weight of `c` and the ops that dequantize it to the
/// bytes and to the other operand of `c`. fx-align-shapes leaves such views if
/// both the columns and the terms of a weight are divided: the columns because
/// the next matmul has groups of terms, the terms because this one has. The
/// kernel of `c` could not contain the ops.
static void moveWeightViews(Contraction &c) {
  SetVector<Operation *> weight;
  if (!findDequantization(c.rhs(), weight))
    return;
  RewritePatternSet patterns(c.op.getContext());
  tensor::populateBubbleUpExpandShapePatterns(patterns);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [](OpOperand *fused) {
        SetVector<Operation *> ops;
        return kernel::getExtension(fused->get()) ||
               findDequantization(fused->get(), ops);
      });
  weight.insert(c.op);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(weight.getArrayRef(), std::move(patterns),
                                config);
}

/// Merges `producer`, which only `consumer` reads, into `consumer`. Returns the
/// op that defines the result then.
static linalg::GenericOp merge(RewriterBase &rewriter,
                               linalg::GenericOp producer,
                               linalg::GenericOp consumer) {
  // One operand is merged at a time, so each needs a producer of its own.
  llvm::SmallPtrSet<Operation *, 4> producers;
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    if (operand->get().getDefiningOp() != producer)
      continue;
    if (producers.empty()) {
      producers.insert(producer);
      continue;
    }
    rewriter.setInsertionPoint(consumer);
    Operation *copy = rewriter.clone(*producer);
    operand->set(copy->getResult(0));
    producers.insert(copy);
  }
  auto next = [&]() -> OpOperand * {
    for (OpOperand *operand : consumer.getDpsInputOperands())
      if (producers.contains(operand->get().getDefiningOp()) &&
          linalg::areElementwiseOpsFusable(operand))
        return operand;
    return nullptr;
  };
  while (OpOperand *operand = next()) {
    Operation *merging = operand->get().getDefiningOp();
    rewriter.setInsertionPoint(consumer);
    auto merged = linalg::fuseElementwiseOps(rewriter, operand);
    if (failed(merged))
      break;
    Value result = merged->replacements.lookup(consumer->getResult(0));
    rewriter.eraseOp(consumer);
    producers.erase(merging);
    rewriter.eraseOp(merging);
    consumer = result.getDefiningOp<linalg::GenericOp>();
  }
  return consumer;
}

/// Merges ops that extend f16 or bf16 to f32, as those on scales, into `op`, so
/// that the kernel reads 16 bits. Returns the result.
static Value mergeExtensions(RewriterBase &rewriter, linalg::GenericOp op) {
  llvm::SmallSetVector<Value, 4> inputs(llvm::from_range, op.getInputs());
  for (Value input : inputs) {
    linalg::GenericOp extension = kernel::getExtension(input);
    if (!extension)
      continue;
    rewriter.setInsertionPoint(op);
    auto copy = cast<linalg::GenericOp>(rewriter.clone(*extension));
    rewriter.replaceUsesWithIf(
        extension->getResults(), copy->getResults(),
        [&](OpOperand &use) { return use.getOwner() == op; });
    op = merge(rewriter, copy, op);
    if (extension->use_empty())
      rewriter.eraseOp(extension);
  }
  return op->getResult(0);
}

namespace {
struct PackWeights : fx::gpu::impl::FXGPUPackWeightsBase<PackWeights> {
  using Base::Base;
  llvm::DenseMap<Value, Value> packs;

  /// Packs the rows of `bytes` directly behind its definition.
  Value pack(Value bytes) {
    Value &packed = packs[bytes];
    if (packed)
      return packed;
    OpBuilder b(bytes.getContext());
    b.setInsertionPointAfterValue(bytes);
    auto type = cast<RankedTensorType>(bytes.getType());
    int64_t rank = type.getRank();
    SmallVector<int64_t> shape(type.getShape());
    shape.back() /= kTile;
    shape.push_back(kTile);
    SmallVector<ReassociationIndices> dims;
    for (int64_t d = 0; d < rank; ++d)
      dims.push_back({d});
    dims.back().push_back(rank);
    Value tiles = tensor::ExpandShapeOp::create(b, bytes.getLoc(),
                                                type.clone(shape), bytes, dims);
    return packed = kernel::joinNibbles(b, bytes.getLoc(), tiles, rank - 1);
  }

  /// Lets `c` read the weight from packed memory through copies of the ops of
  /// `chain`, merged to one. So other users of the weight do not matter.
  void readPacked(Contraction &c, linalg::GenericOp nibbles,
                  ArrayRef<linalg::GenericOp> chain) {
    IRRewriter rewriter(c.op);
    Value packed = pack(nibbles.getInputs()[0]);
    auto type = cast<RankedTensorType>(nibbles->getResult(0).getType());
    int64_t rank = type.getRank();
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    Value value = kernel::UnpackOp::create(
        rewriter, c.op.getLoc(), type, packed, ValueRange(), perm,
        ArrayRef<int64_t>{rank - 1}, ArrayRef<int64_t>{kTile},
        /*nibbles=*/true);
    Value old = nibbles->getResult(0);
    linalg::GenericOp last;
    for (linalg::GenericOp op : llvm::reverse(chain)) {
      IRMapping mapping;
      mapping.map(old, value);
      rewriter.setInsertionPoint(c.op);
      auto copy = cast<linalg::GenericOp>(rewriter.clone(*op, mapping));
      last = last ? merge(rewriter, last, copy) : copy;
      old = op->getResult(0);
      value = last->getResult(0);
    }
    if (last)
      value = mergeExtensions(rewriter, last);
    c.op->setOperand(c.b, value);
  }

  /// Returns the matmuls of few rows.
  SmallVector<Contraction, 0> findMatMuls(func::FuncOp func) {
    auto target = kernel::TargetInfo::getGPU(matrixUnit);
    SmallVector<Contraction, 0> found;
    func.walk([&](linalg::GenericOp op) {
      if (auto match = kernel::matchContraction(op, target);
          match && kernel::hasFewRows(*match, target))
        found.push_back(*match);
    });
    return found;
  }

  void runOnOperation() override {
    auto func = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!func || func.isExternal() || matrixUnit == kernel::MatrixUnit::None)
      return;
    packs.clear();
    for (Contraction &c : findMatMuls(func))
      moveWeightViews(c);
    kernel::moveNibblesBehindViews(func);
    kernel::StateAnalysis states(func);
    for (Contraction &c : findMatMuls(func)) {
      SmallVector<linalg::GenericOp> chain;
      linalg::GenericOp nibbles = findNibbles(c.rhs(), chain);
      if (!nibbles || !states.isStateOnly(nibbles.getInputs()[0]))
        continue;
      auto type = cast<RankedTensorType>(nibbles->getResult(0).getType());
      if (!type.hasStaticShape() || type.getShape().back() % kWordNumbers != 0)
        continue;
      readPacked(c, nibbles, chain);
      ++numPacked;
      chain.push_back(nibbles);
      for (linalg::GenericOp op : chain)
        if (op->use_empty())
          op->erase();
    }
  }

  /// The numbers that the low halves of a word hold.
  static constexpr int64_t kTile = kWordNumbers / 2;
};
} // namespace
