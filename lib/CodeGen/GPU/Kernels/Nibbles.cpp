//===- Nibbles.cpp - weights of four bits in registers --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nibbles.h"
#include "Runs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Buffer;
using codegen::Coord;
using codegen::Coords;
using codegen::KernelCode;
using codegen::Scope;

kernel::UnpackOp fx::gpu::getNibbleRows(Value v) {
  auto unpack = v.getDefiningOp<kernel::UnpackOp>();
  if (!unpack || !unpack.getNibbles())
    return {};
  ArrayRef<int64_t> perm = unpack.getOuterDimsPerm();
  int64_t last = perm.size() - 1;
  bool isInOrder = llvm::equal(perm, llvm::seq<int64_t>(perm.size()));
  return isInOrder && unpack.getInnerDimsPos() == ArrayRef(last) ? unpack
                                                                 : nullptr;
}

SmallVector<Value> fx::gpu::splitWord(OpBuilder &b, Location loc, Value word) {
  auto number = [&](int64_t n) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), n);
  };
  SmallVector<Value> numbers;
  for (int64_t e = 0; e < kWordNumbers; ++e) {
    int64_t bit = 8 * (e % 4) + 4 * (e / 4);
    Value up = arith::ShLIOp::create(b, loc, word, number(28 - bit));
    Value down = arith::ShRSIOp::create(b, loc, up, number(28));
    numbers.push_back(arith::TruncIOp::create(b, loc, b.getI8Type(), down));
  }
  return numbers;
}

Value Runs::loadNibbles(Scope &home, kernel::UnpackOp unpack,
                        const Buffer &buffer, ArrayRef<Coord> coords) {
  const Coord &last = coords.back();
  int64_t bytes = width / 2;
  if (width % kWordNumbers || !getNibbleRows(unpack.getResult()) ||
      !last.base.value || !bases.contains(last.base.value) ||
      (last.base.constant - current) % width)
    return {};
  // Rows begin at multiples of the vector.
  for (auto [d, stride] : llvm::enumerate(buffer.strides))
    if (d + 1 < coords.size() && (stride.value || stride.constant % bytes))
      return {};
  OpBuilder &b = code.b;
  Coords at(coords);
  at.back().base.constant -= current;
  Coords bytesAt(at);
  bytesAt.back().base = code.floorDiv(at.back().base, kWordNumbers);
  bytesAt.push_back({});
  Value words = vector::BitCastOp::create(
      b, code.loc, VectorType::get({width / kWordNumbers}, b.getI32Type()),
      loadVector(buffer, bytes, offset(buffer, bytesAt)));
  Value result;
  for (int64_t w = 0; w < width / kWordNumbers; ++w) {
    Value word = vector::ExtractOp::create(b, code.loc, words, w);
    for (auto [e, v] : llvm::enumerate(splitWord(b, code.loc, word))) {
      code.remember(home, unpack.getResult(), at, v);
      ++at.back().base.constant;
      if (w * kWordNumbers + int64_t(e) == current)
        result = v;
    }
  }
  return result;
}

/// The word and the position of the four bits that `v` sign-extends.
static std::optional<std::pair<Value, int64_t>> matchNibble(Value v) {
  auto truncate = v.getDefiningOp<arith::TruncIOp>();
  auto down =
      truncate ? truncate.getIn().getDefiningOp<arith::ShRSIOp>() : nullptr;
  auto up = down ? down.getLhs().getDefiningOp<arith::ShLIOp>() : nullptr;
  APInt left, right;
  if (!up || !up.getType().isInteger(32) ||
      !matchPattern(up.getRhs(), m_ConstantInt(&left)) ||
      !matchPattern(down.getRhs(), m_ConstantInt(&right)) || right != 28 ||
      left.ugt(28) || left.urem(4) != 0)
    return std::nullopt;
  return std::pair(up.getLhs(), 28 - left.getSExtValue());
}

/// Returns `word`, an i32 whose bits from `bit` on hold an unsigned integer of
/// `width` bits, masked, as that integer minus `offset` in f32. The integer
/// becomes the low bits of a power of two.
static Value toFloat(OpBuilder &b, Location loc, Value word, int64_t bit,
                     int64_t offset) {
  int64_t exponent = 23 - bit;
  Value power = arith::ConstantIntOp::create(b, loc, b.getI32Type(),
                                             (127 + exponent) << 23);
  Value large = arith::BitcastOp::create(
      b, loc, b.getF32Type(), arith::OrIOp::create(b, loc, word, power));
  Value both = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(float(int64_t(1) << exponent) + offset));
  return arith::SubFOp::create(b, loc, large, both);
}

static Value convertByte(OpBuilder &b, Location loc, Value v) {
  Value flipped = arith::XOrIOp::create(
      b, loc, v, arith::ConstantIntOp::create(b, loc, b.getI8Type(), -128));
  return toFloat(b, loc,
                 arith::ExtUIOp::create(b, loc, b.getI32Type(), flipped),
                 /*bit=*/0, /*offset=*/128);
}

static Value convertNibble(OpBuilder &b, Location loc, Value word,
                           int64_t bit) {
  auto bits = [&](int64_t n) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), n);
  };
  word = arith::XOrIOp::create(b, loc, word, bits(int32_t(0x88888888)));
  // The significand has 23 bits.
  if (bit >= 20) {
    word = arith::ShRUIOp::create(b, loc, word, bits(16));
    bit -= 16;
  }
  return toFloat(b, loc,
                 arith::AndIOp::create(b, loc, word, bits(int64_t(15) << bit)),
                 bit, /*offset=*/8);
}

void fx::gpu::convertIntegers(KernelCode &code) {
  SmallVector<arith::SIToFPOp> ops;
  code.target.walk([&](arith::SIToFPOp op) {
    if (op.getType().isF32() && op.getIn().getType().isInteger(8))
      ops.push_back(op);
  });
  for (arith::SIToFPOp op : ops) {
    OpBuilder b(op);
    auto nibble = matchNibble(op.getIn());
    op.replaceAllUsesWith(
        nibble ? convertNibble(b, op.getLoc(), nibble->first, nibble->second)
               : convertByte(b, op.getLoc(), op.getIn()));
    op.erase();
  }
}
