//===- LowerPrecision.cpp - f32 matmuls with rounded operands -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/ConvertElements.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/Passes.h"
#include "fx/Kernels/StateAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/SetVector.h"

namespace fx::kernel {
#define GEN_PASS_DEF_LOWERPRECISIONPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;

/// How many times a matmul must use each element of an operand that is no
/// weight, so that rounding the operand in each run pays off. A decoder's step
/// uses each element of its caches once or a few times.
static constexpr int64_t kUses = 16;

static bool isF32(Value v) {
  return isa<RankedTensorType>(v.getType()) &&
         getElementTypeOrSelf(v.getType()).isF32();
}

/// Returns true if the elements of `v` are converted integers. A kernel of a
/// quantized model computes on the integers instead.
static bool isDequantized(Value v, unsigned depth = 4) {
  Operation *op = v.getDefiningOp();
  if (getElementTypeOrSelf(v.getType()).isInteger(8))
    return true;
  return op && depth &&
         isa<linalg::GenericOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
             op) &&
         llvm::any_of(op->getOperands(), [&](Value from) {
           return isDequantized(from, depth - 1);
         });
}

/// Returns true if the op uses each element of operand `i` at least kUses
/// times. Dynamic sizes are assumed to be large.
static bool isReused(linalg::LinalgOp op, unsigned i) {
  AffineMap map = op.getIndexingMapsArray()[i];
  int64_t uses = 1;
  for (auto [d, size] : llvm::enumerate(op.getStaticLoopRanges())) {
    if (map.isFunctionOfDim(d))
      continue;
    if (ShapedType::isDynamic(size))
      return true;
    uses *= size;
  }
  return uses >= kUses;
}

/// Returns true for out + a * b of f32, where `a` and `b` are not computed from
/// each other.
static bool isMatMul(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics() ||
      !llvm::all_of(op->getOperands(), isF32))
    return false;
  Block *body = op.getBlock();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || body->getOperations().size() != 3)
    return false;
  auto product = dyn_cast<arith::MulFOp>(&body->front());
  Value a = body->getArgument(0), b = body->getArgument(1),
        out = body->getArgument(2);
  auto is = [](Operation *op, Value x, Value y) {
    return (op->getOperand(0) == x && op->getOperand(1) == y) ||
           (op->getOperand(0) == y && op->getOperand(1) == x);
  };
  return product && is(product, a, b) && is(sum, product.getResult(), out);
}

/// Returns true if the op slides a window over operand `i`.
static bool isImage(linalg::LinalgOp op, unsigned i) {
  return llvm::any_of(op.getIndexingMapsArray()[i].getResults(),
                      [](AffineExpr e) { return isa<AffineBinaryOpExpr>(e); });
}

/// Returns the tensor that `v` is a padded copy of.
static Value getUnpadded(Value v) {
  while (auto pad = v.getDefiningOp<tensor::PadOp>())
    v = pad.getSource();
  return v;
}

/// Lets pointwise ops read `narrow`, the rounded tensor, instead of `v`. The
/// sum of a residual block is the image of the next convolution and a term of
/// the next sum, so it is stored once, in 2 bytes, instead of in 4 and in 2.
static void readRounded(Value v, Value narrow,
                        fx::kernel::ElementConverter &widened) {
  auto reads = [&](OpOperand &use) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    return generic && generic != narrow.getDefiningOp() &&
           generic.isDpsInput(&use) && generic.getNumReductionLoops() == 0;
  };
  if (v.getDefiningOp() && llvm::any_of(v.getUses(), reads))
    v.replaceUsesWithIf(widened.get(narrow), reads);
}

namespace {
struct LowerPrecision
    : fx::kernel::impl::LowerPrecisionPassBase<LowerPrecision> {
  using LowerPrecisionPassBase::LowerPrecisionPassBase;

  void convert(linalg::GenericOp op, fx::kernel::ElementConverter &rounded) {
    Block *body = op.getBody();
    OpBuilder b = OpBuilder::atBlockBegin(body);
    for (unsigned i = 0; i < 2; ++i) {
      op->setOperand(i, rounded.get(op->getOperand(i)));
      BlockArgument x = body->getArgument(i);
      x.setType(b.getBF16Type());
      auto wide = arith::ExtFOp::create(b, op.getLoc(), b.getF32Type(), x);
      x.replaceAllUsesExcept(wide, wide);
    }
    ++numMatMuls;
  }

  /// Returns the op as a generic one, or null.
  linalg::GenericOp generalize(linalg::LinalgOp op, IRRewriter &rewriter) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
      return generic;
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    return succeeded(made) ? *made : linalg::GenericOp();
  }

  /// Adds the attributes with `true` to the product in the op.
  void mark(linalg::LinalgOp op, ArrayRef<std::pair<bool, StringRef>> names,
            IRRewriter &rewriter) {
    if (linalg::GenericOp generic = generalize(op, rewriter))
      for (auto product : generic.getBody()->getOps<arith::MulFOp>())
        for (auto [isSet, name] : names)
          if (isSet)
            product->setAttr(name, rewriter.getUnitAttr());
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> found, kept, quantized;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      fx::kernel::StateAnalysis states(func);
      func.walk([&](linalg::LinalgOp op) {
        auto pays = [&](unsigned i) {
          return states.isStateOnly(op->getOperand(i)) || isReused(op, i);
        };
        bool keepsF32 = bool(op->removeDiscardableAttr("fx.keep_f32"));
        if (!isMatMul(op) || !pays(0) || !pays(1))
          return;
        bool isQuantized = isDequantized(op->getOperand(0)) ||
                           isDequantized(op->getOperand(1));
        (isQuantized ? quantized : keepsF32 ? kept : found).push_back(op);
      });
    }
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : quantized)
      mark(op, {{bf16, fx::kernel::kBF16Attr}, {int8, fx::kernel::kInt8Attr}},
           rewriter);
    if (!bf16)
      return;
    for (linalg::LinalgOp op : kept)
      mark(op, {{true, fx::kernel::kBF16Attr}}, rewriter);
    fx::kernel::ElementConverter rounded(BFloat16Type::get(&getContext()));
    llvm::SetVector<Value> images;
    for (linalg::LinalgOp op : found) {
      linalg::GenericOp generic = generalize(op, rewriter);
      if (!generic)
        continue;
      for (unsigned i = 0; i < 2; ++i)
        if (isImage(generic, i))
          images.insert(getUnpadded(generic->getOperand(i)));
      convert(generic, rounded);
    }
    fx::kernel::ElementConverter widened(Float32Type::get(&getContext()));
    for (Value image : images)
      readRounded(image, rounded.get(image), widened);
  }
};
} // namespace
