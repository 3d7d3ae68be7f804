//===- PackWeights.cpp - operands of contractions in panels ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"
#include "StateOnly.h"
#include "fx/CodeGen/CPU/KernelPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUPACKWEIGHTS
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::cpu;

/// Rows from which packing an operand on every call pays.
static constexpr int64_t kRowsToPack = 6;

void fx::cpu::generalizeNamedOps(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::LinalgOp> named;
  module.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

namespace {
struct PackWeights : fx::cpu::impl::FXCPUPackWeightsBase<PackWeights> {
  using Base::Base;

  // (source, dimensions, width) -> packed
  using Key = std::tuple<void *, int64_t, int64_t, std::vector<int64_t>>;
  std::map<Key, Value> packs;

  bool isWanted(Contraction &c, bool isWeight) {
    SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
    if (ranges[c.lastN()] == 1 || c.rhs().getDefiningOp<linalg::UnPackOp>())
      return false;
    if (isWeight || c.isInteger)
      return true;
    AffineMap map = c.rhsMap();
    if (map.getDimPosition(map.getNumResults() - 1) == c.lastN())
      return false;
    int64_t rows = 1;
    for (unsigned loop : c.m) {
      if (ShapedType::isDynamic(ranges[loop]))
        return true;
      rows *= ranges[loop];
    }
    return rows >= kRowsToPack;
  }

  void pack(Contraction &c) {
    OpBuilder b(c.op);
    Location loc = c.op.getLoc();
    Value source = c.rhs();
    auto type = cast<RankedTensorType>(source.getType());
    AffineMap map = c.rhsMap(), lhs = c.lhsMap();
    int64_t n = c.op.getStaticLoopRanges()[c.lastN()];
    int64_t width = !ShapedType::isDynamic(n) && n <= lanes ? lanes : 2 * lanes;
    // Outer dimensions: batches and other columns, the panels, then the
    // reductions in the order in which the left operand has them.
    int64_t pos = 0;
    SmallVector<int64_t> perm, reductions;
    for (unsigned d = 0; d < map.getNumResults(); ++d) {
      unsigned loop = map.getDimPosition(d);
      if (loop == c.lastN())
        pos = d;
      else if (llvm::is_contained(c.k, loop))
        reductions.push_back(d);
      else
        perm.push_back(d);
    }
    perm.push_back(pos);
    auto place = [&](int64_t d) {
      unsigned loop = map.getDimPosition(d);
      for (unsigned i = 0; i < lhs.getNumResults(); ++i)
        if (lhs.getResult(i).isFunctionOfDim(loop))
          return i;
      return lhs.getNumResults();
    };
    llvm::stable_sort(
        reductions, [&](int64_t x, int64_t y) { return place(x) < place(y); });
    perm.append(reductions);

    SmallVector<OpFoldResult> tiles{b.getIndexAttr(width)};
    SmallVector<int64_t> inner{pos};
    if (c.isInteger) {
      // Four terms of a column lie together, the last of the reductions.
      tiles.push_back(b.getIndexAttr(4));
      inner.push_back(perm.back());
    }
    Value &packed = packs[Key(source.getAsOpaquePointer(), pos, width,
                              std::vector<int64_t>(perm.begin(), perm.end()))];
    if (!packed) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfterValue(source);
      Value dest = linalg::PackOp::createDestinationTensor(b, loc, source,
                                                           tiles, inner, perm);
      std::optional<Value> padding;
      if (ShapedType::isDynamic(n) || n % width)
        padding = arith::ConstantOp::create(
            b, loc, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
      packed = linalg::PackOp::create(b, loc, source, dest, inner, tiles,
                                      padding, perm)
                   ->getResult(0);
    }
    Value dest = tensor::EmptyOp::create(
        b, loc, tensor::getMixedSizes(b, loc, source), type.getElementType());
    Value unpacked =
        linalg::UnPackOp::create(b, loc, packed, dest, inner, tiles, perm)
            ->getResult(0);
    c.op->setOperand(c.b, unpacked);
  }

  void runOnOperation() override {
    generalizeNamedOps(getOperation());
    if (!packsWeights)
      return;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || func->hasAttr(kKernelAttr))
        continue;
      StateOnly states(func);
      packs.clear();
      SmallVector<Contraction, 0> found;
      func.walk([&](linalg::GenericOp op) {
        if (auto match = matchContraction(op))
          found.push_back(*match);
      });
      for (Contraction &c : found) {
        // Both operands the same value: keep one as it is.
        if (isWanted(c, states.isStateOnly(c.rhs())))
          pack(c);
      }
    }
  }
};
} // namespace
