//===- WidenHalves.cpp - the left operand of matmuls in f32 ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUWIDENHALVES
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::kernel;
using namespace fx::cpu;

/// Returns true if the right operand is packed in pairs of terms.
static bool hasPairs(Contraction &c) {
  auto unpack = c.rhs().getDefiningOp<linalg::UnPackOp>();
  return unpack && unpack.getInnerDimsPos().size() == 2;
}

/// Converts `half` to f32.
static Value widen(OpBuilder &b, Location loc, Value half) {
  auto type = cast<RankedTensorType>(half.getType());
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, half), b.getF32Type());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), half, empty, maps, kinds,
             [](OpBuilder &nested, Location at, ValueRange args) {
               Value x = arith::ExtFOp::create(nested, at, nested.getF32Type(),
                                               args[0]);
               linalg::YieldOp::create(nested, at, x);
             })
      .getResult(0);
}

namespace {
struct WidenHalves : fx::cpu::impl::FXCPUWidenHalvesBase<WidenHalves> {
  using Base::Base;
  DenseMap<Value, Value> widened;

  Value get(Value half) {
    Value &wide = widened[half];
    if (wide)
      return wide;
    OpBuilder b(half.getContext());
    b.setInsertionPointAfterValue(half);
    // Widen the source of a pad instead of its result: the kernel that computes
    // the source can write f32.
    auto pad = half.getDefiningOp<tensor::PadOp>();
    Value filling =
        pad && half.hasOneUse() ? pad.getConstantPaddingValue() : Value();
    Attribute number;
    if (!filling || !matchPattern(filling, m_Constant(&number)))
      return wide = widen(b, half.getLoc(), half);
    bool losesInfo;
    APFloat value = cast<FloatAttr>(number).getValue();
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    Value constant = arith::ConstantOp::create(
        b, pad.getLoc(), FloatAttr::get(b.getF32Type(), value));
    Value source = widen(b, pad.getLoc(), pad.getSource());
    auto type = cast<RankedTensorType>(half.getType()).clone(b.getF32Type());
    return wide = tensor::PadOp::create(b, pad.getLoc(), type, source,
                                        pad.getMixedLowPad(),
                                        pad.getMixedHighPad(), constant);
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || func->hasAttr(kKernelAttr))
        continue;
      SmallVector<Contraction, 0> found;
      func.walk([&](linalg::GenericOp op) {
        auto match = matchContraction(op);
        if (match && match->isHalf() && !hasPairs(*match) &&
            !getElementTypeOrSelf(match->lhs().getType()).isF32())
          found.push_back(*match);
      });
      widened.clear();
      for (Contraction &c : found) {
        c.op->setOperand(c.a, get(c.lhs()));
        BlockArgument x = c.op.getBody()->getArgument(c.a);
        Operation *extend = *x.user_begin();
        x.setType(extend->getResult(0).getType());
        extend->getResult(0).replaceAllUsesWith(x);
        extend->erase();
      }
    }
  }
};
} // namespace
