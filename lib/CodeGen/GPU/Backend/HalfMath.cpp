//===- HalfMath.cpp - functions of kernels with 16-bit results ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that store bf16 and f16 are limited by arithmetic, not by memory, if
// exponentials are as accurate as f32. GPUs have an instruction for 2^x. Here,
// functions have relative errors below 2^-17, while f16 is rounded by up to
// 2^-12. Only 1 + erf(x) has larger ones, where it is below 3e-9.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

static bool isHalf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

/// Returns true if a store to `memory` stays within the block.
static bool isLocal(MemRefType memory) {
  auto space =
      dyn_cast_if_present<mlir::gpu::AddressSpaceAttr>(memory.getMemorySpace());
  return space && space.getValue() != mlir::gpu::AddressSpace::Global;
}

bool fx::gpu::storesHalf(Operation *kernel) {
  bool stores = false;
  auto wider = [&](bool isLocal, Type type) {
    stores |= !isLocal;
    return !isLocal && !isHalf(type) ? WalkResult::interrupt()
                                     : WalkResult::advance();
  };
  WalkResult result = kernel->walk([&](Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return wider(isLocal(store.getMemRefType()), store.getValue().getType());
    if (auto store = dyn_cast<vector::StoreOp>(op))
      return wider(isLocal(store.getMemRefType()),
                   store.getValueToStore().getType());
    if (auto store = dyn_cast<LLVM::StoreOp>(op))
      return wider(store.getAddr().getType().getAddressSpace() == 3,
                   store.getValue().getType());
    if (isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp,
            vector::MaskedStoreOp, vector::ScatterOp>(op))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return stores && !result.wasInterrupted();
}

namespace {
class HalfMath {
public:
  explicit HalfMath(Operation *op) : b(op->getLoc(), op) {}

  /// Returns e^x.
  Value exp(Value x) { return exp2(mul(x, number(1.44269504f))); }

  /// Returns 1 + erf(x). With a = |x|, erfc(a) is 2^(-a P(a)); P was fitted to
  /// a relative error of erfc of 4e-6 for a <= 4.2, and grows beyond.
  Value erfPlusOne(Value x) {
    static constexpr float terms[] = {
        0x1.a0c8b8p+0f, 0x1.d58c22p-1f,   0x1.3829bep-3f, -0x1.15bec2p-5f,
        0x1.5629c4p-8f, -0x1.fd1afep-12f, 0x1.54147cp-16f};
    Value a = math::AbsFOp::create(b, x), p = number(terms[6]);
    for (float term : llvm::reverse(ArrayRef(terms).drop_back()))
      p = math::FmaOp::create(b, p, a, number(term));
    Value minus = arith::NegFOp::create(b, mul(a, p)), e = exp2(minus);
    Value isLess =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, number(0.0f));
    Value rest = arith::SubFOp::create(b, number(2.0f), e);
    return arith::SelectOp::create(b, isLess, e, rest);
  }

  /// Returns 1 + tanh(x).
  Value tanhPlusOne(Value x) {
    Value e = exp2(mul(x, number(-2.88539008f)));
    return divide(number(2.0f), arith::AddFOp::create(b, e, number(1.0f)));
  }

  /// Returns the quotient with an error of 2 units in the last place of f32. It
  /// is zero if `y` is larger than 2^126.
  Value divide(Value x, Value y) {
    return arith::DivFOp::create(b, x, y, approximate());
  }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value number(float value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }

private:
  arith::FastMathFlagsAttr approximate() {
    return arith::FastMathFlagsAttr::get(b.getContext(),
                                         arith::FastMathFlags::afn);
  }
  Value exp2(Value x) { return math::Exp2Op::create(b, x, approximate()); }

  ImplicitLocOpBuilder b;
};
} // namespace

static bool isOne(Value v) { return matchPattern(v, m_OneFloat()); }

/// Returns true for a sum of 1 and another number, as in a sigmoid.
static bool isOneMore(Value v) {
  auto add = v.getDefiningOp<arith::AddFOp>();
  return add && (isOne(add.getLhs()) || isOne(add.getRhs()));
}

/// Returns true if a number that may be close to that of `v` is subtracted from
/// it, or `v` from that. The difference has the error of `v`.
static bool mayCancel(Value v) {
  return llvm::any_of(v.getUsers(), [&](Operation *user) {
    if (isa<arith::SubFOp>(user))
      return true;
    FloatAttr number;
    return isa<arith::AddFOp>(user) &&
           llvm::any_of(user->getOperands(), [&](Value operand) {
             return matchPattern(operand, m_Constant(&number)) &&
                    number.getValue().isNegative();
           });
  });
}

/// Returns what replaces the result of `op`, or null.
static Value shorten(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isF32())
    return Value();
  HalfMath math(op);
  if (auto exp = dyn_cast<math::ExpOp>(op))
    return mayCancel(exp) ? Value() : math.exp(exp.getOperand());
  // GELU.
  if (auto add = dyn_cast<arith::AddFOp>(op)) {
    Value x = add.getLhs(), y = add.getRhs();
    if (isOne(x))
      std::swap(x, y);
    if (!isOne(y))
      return Value();
    if (auto erf = x.getDefiningOp<math::ErfOp>())
      return math.erfPlusOne(erf.getOperand());
    if (auto tanh = x.getDefiningOp<math::TanhOp>())
      return math.tanhPlusOne(tanh.getOperand());
    return Value();
  }
  auto div = dyn_cast<arith::DivFOp>(op);
  if (!div)
    return Value();
  // The sum of a softmax, and the reciprocal of a sigmoid.
  if (arith::bitEnumContainsAll(div.getFastmath(), arith::FastMathFlags::arcp))
    return math.mul(div.getLhs(), math.divide(math.number(1.0f), div.getRhs()));
  if (isOne(div.getLhs()) && isOneMore(div.getRhs()))
    return math.divide(div.getLhs(), div.getRhs());
  return Value();
}

void fx::gpu::shortenMath(Operation *kernel) {
  SmallVector<Operation *> ops;
  kernel->walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (Value v = shorten(op)) {
      op->getResult(0).replaceAllUsesWith(v);
      op->erase();
    }
}
