//===- WidenFloat8.cpp - eight-bit floats as f16 --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two f8E4M3FN are converted together: eight instructions for a number that
// becomes f32, three of f8E5M2, and thirteen by arithmetic of 32 bits
// (LowerFloat8.cpp). These are instructions of PTX; ptxas joins some of them.
// Instructions for the conversion need sm_89, and one PTX serves all chips from
// sm_80 on.
//
//===----------------------------------------------------------------------===//

#include "WidenFloat8.h"
#include "TensorCore/TensorCore.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace fx::gpu {
#define GEN_PASS_DEF_FXGPUWIDENFLOAT8
#include "fx/CodeGen/GPU/Passes.h.inc"
} // namespace fx::gpu

using namespace mlir;
using namespace fx::gpu;

std::pair<Value, Value> fx::gpu::widenFloat8(OpBuilder &b, Location loc,
                                             Value bytes, Type float8) {
  Int32 i{b, loc};
  auto both = [&](uint32_t half) { return i.of(int32_t(half << 16 | half)); };
  auto mask = [&](Value v, uint32_t half) {
    return arith::AndIOp::create(b, loc, v, both(half));
  };
  auto shift = [&](Value v, int64_t by) -> Value {
    return arith::ShRUIOp::create(b, loc, v, i.of(by));
  };
  auto join = [&](Value x, Value y) -> Value {
    return arith::OrIOp::create(b, loc, x, y);
  };
  // Returns bytes `first` and `first` + 1 as the upper bytes of the halves.
  auto pick = [&](int64_t first) -> Value {
    auto left = [&](int64_t by) {
      return arith::ShLIOp::create(b, loc, bytes, i.of(by));
    };
    Value low = first == 0 ? Value(left(8)) : shift(bytes, 8),
          high = first == 0 ? Value(left(16)) : bytes;
    return join(arith::AndIOp::create(b, loc, low, i.of(0xff00)),
                arith::AndIOp::create(b, loc, high, i.of(int32_t(0xff000000))));
  };
  auto convert = [&](int64_t first) -> Value {
    Value x = pick(first);
    // The upper half of f16.
    if (isa<Float8E5M2Type>(float8))
      return x;
    // f8E4M3FN has one bit less in the exponent, whose bias is less by 8.
    auto pair = VectorType::get({2}, b.getF16Type());
    Value number = join(mask(x, 0x8000), shift(mask(x, 0x7f00), 1));
    Value scale = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(pair, b.getF16FloatAttr(256.0f)));
    Value scaled = arith::MulFOp::create(
        b, loc, LLVM::BitcastOp::create(b, loc, pair, number), scale);
    // NaN has become 480, the only number with these bits of the exponent.
    Value isNaN = mask(
        arith::AddIOp::create(b, loc, mask(x, 0x7f00), both(0x100)), 0x8000);
    return join(LLVM::BitcastOp::create(b, loc, b.getI32Type(), scaled),
                shift(isNaN, 2));
  };
  return {convert(0), convert(2)};
}

namespace {
struct WidenFloat8 : fx::gpu::impl::FXGPUWidenFloat8Base<WidenFloat8> {
  using Base::Base;
  /// The pairs of a vector of bytes, by its type of eight-bit floats.
  llvm::DenseMap<std::pair<Value, Type>, SmallVector<Value>> pairs;

  void runOnOperation() override {
    pairs.clear();
    SmallVector<arith::ExtFOp> ops;
    getOperation().walk([&](arith::ExtFOp op) {
      if (isa<Float8E4M3FNType, Float8E5M2Type>(op.getIn().getType()) &&
          op.getIn().getDefiningOp<arith::BitcastOp>())
        ops.push_back(op);
    });
    llvm::for_each(ops, [&](arith::ExtFOp op) { widen(op); });
  }

  /// Returns the pairs of f16 of `bytes`, a vector, where it is defined.
  ArrayRef<Value> widenAll(OpBuilder b, Location loc, Value bytes,
                           Type float8) {
    SmallVector<Value> &known = pairs[{bytes, float8}];
    if (!known.empty())
      return known;
    b.setInsertionPointAfterValue(bytes);
    int64_t words = cast<VectorType>(bytes.getType()).getNumElements() / 4;
    Value all = vector::BitCastOp::create(
        b, loc, VectorType::get({words}, b.getI32Type()), bytes);
    for (int64_t w = 0; w < words; ++w) {
      auto [low, high] = widenFloat8(
          b, loc, vector::ExtractOp::create(b, loc, all, w), float8);
      known.append({low, high});
    }
    return known;
  }

  void widen(arith::ExtFOp op) {
    auto cast = op.getIn().getDefiningOp<arith::BitcastOp>();
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value byte = cast.getIn(), pair;
    int64_t place = 0;
    auto extract = byte.getDefiningOp<vector::ExtractOp>();
    auto vector =
        extract ? dyn_cast<VectorType>(extract.getSource().getType()) : nullptr;
    if (vector && vector.getRank() == 1 && vector.getNumElements() % 4 == 0 &&
        extract.getStaticPosition().size() == 1 &&
        !extract.hasDynamicPosition()) {
      place = extract.getStaticPosition()[0];
      pair = widenAll(b, loc, extract.getSource(), cast.getType())[place / 2];
    } else {
      pair = widenFloat8(b, loc,
                         arith::ExtUIOp::create(b, loc, b.getI32Type(), byte),
                         cast.getType())
                 .first;
    }
    Value both = LLVM::BitcastOp::create(
        b, loc, VectorType::get({2}, b.getF16Type()), pair);
    Value half = vector::ExtractOp::create(b, loc, both, place % 2);
    Value wide = convert(b, loc, half, op.getType());
    if (op.getType().isF32())
      skipRounding(op, wide);
    op.replaceAllUsesWith(wide);
    op.erase();
    if (cast->use_empty())
      cast.erase();
  }

  /// Replaces what is rounded to bf16 and extended again by `wide`. All values
  /// are exact in bf16.
  static void skipRounding(Value from, Value wide) {
    for (Operation *user : from.getUsers()) {
      auto truncate = dyn_cast<arith::TruncFOp>(user);
      if (!truncate || !truncate.getType().isBF16())
        continue;
      for (Operation *next : llvm::make_early_inc_range(truncate->getUsers()))
        if (auto extend = dyn_cast<arith::ExtFOp>(next);
            extend && extend.getType().isF32())
          extend.replaceAllUsesWith(wide);
    }
  }

  static Value convert(OpBuilder &b, Location loc, Value half, Type to) {
    if (to.isF16())
      return half;
    Type f32 = b.getF32Type();
    Value wide = arith::ExtFOp::create(b, loc, to.isF64() ? to : f32, half);
    return to.isBF16() ? Value(arith::TruncFOp::create(b, loc, to, wide))
                       : wide;
  }
};
} // namespace
