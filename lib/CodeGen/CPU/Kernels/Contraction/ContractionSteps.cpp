//===- ContractionSteps.cpp - what a step of a sum computes ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of floats, a step multiplies a vector of the right operand, which may be
// stored as bytes or halves, by one element of the left operand. Of integers, a
// step has four terms: vpdpbusd multiplies four signed bytes for each column by
// the same four unsigned bytes of the left operand, and adds the products to a
// vector of sums. Of pairs of bf16, a step has two terms: vdpbf16ps does the
// same with two elements for each column and sums of f32. It treats subnormal
// numbers as zeros, as oneDNN's kernels for PyTorch do. On NEON, sdot or usdot,
// and bfdot do the same.
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::cpu;

Type ContractionEmitter::sumType() {
  return getElementTypeOrSelf(info.op.getResult(0).getType());
}

TypedAttr ContractionEmitter::zeroSum() {
  if (info.isInteger())
    return code.b.getI32IntegerAttr(0);
  return code.b.getFloatAttr(sumType(), 0.0);
}

Value ContractionEmitter::add(Value x, Value y) {
  if (getElementTypeOrSelf(x.getType()).isInteger())
    return arith::AddIOp::create(code.b, code.loc, x, y);
  return arith::AddFOp::create(code.b, code.loc, x, y);
}

/// Loads vector number `vector` of the right operand for the step at `at`.
Value ContractionEmitter::loadRight(const Index &at, int64_t vector) {
  Value offset = code.materialize(code.add(at, Index::of(vector * width())));
  if (depth() > 1)
    return vector::LoadOp::create(code.b, code.loc,
                                  VectorType::get({width()}, b->element),
                                  b->flat, ValueRange{offset});
  VectorType type = code.vectorType(sumType());
  if (info.hasByteWeights()) {
    Value bytes = vector::LoadOp::create(code.b, code.loc,
                                         code.vectorType(code.b.getI8Type()),
                                         b->flat, ValueRange{offset});
    return arith::SIToFPOp::create(code.b, code.loc, type, bytes);
  }
  VectorType stored = code.vectorType(b->element);
  Value v;
  if (masked && !packed)
    v = vector::MaskedLoadOp::create(
        code.b, code.loc, stored, b->flat, ValueRange{offset}, masks[vector],
        code.splatConstant(code.b.getZeroAttr(b->element)));
  else
    v = vector::LoadOp::create(code.b, code.loc, stored, b->flat,
                               ValueRange{offset});
  return info.isHalf() ? Value(arith::ExtFOp::create(code.b, code.loc, type, v))
                       : v;
}

// A 32-bit word of a column holds terms 0 to 3 in the low nibbles of its bytes
// and terms 4 to 7 in the high nibbles. For integers, a nibble is shifted to
// the highest bits of its byte, where it keeps its sign, and the other bits are
// masked off: the factor is 16 times the term. For floats, it is shifted to the
// highest bits of the word and back, as is a byte of a quad. A factor of 2^28,
// without the second shift, would make sums of large elements infinite.
SmallVector<Value> ContractionEmitter::getPart(ArrayRef<Value> right,
                                               int64_t part) {
  if (!nibbles && !byteQuads)
    return SmallVector<Value>(right);
  OpBuilder &builder = code.b;
  Location loc = code.loc;
  VectorType words = code.vectorType(builder.getI32Type());
  int64_t up = info.isInteger() ? 4 - 4 * part
               : byteQuads      ? 24 - 8 * part
                                : 28 - 8 * (part % 4) - 4 * (part / 4);
  auto constant = [&](uint32_t v) {
    return code.splatConstant(
        builder.getI32IntegerAttr(static_cast<int32_t>(v)));
  };
  SmallVector<Value> result;
  for (Value bytes : right) {
    Value v = vector::BitCastOp::create(builder, loc, words, bytes);
    if (up)
      v = arith::ShLIOp::create(builder, loc, v, constant(up));
    if (info.isInteger()) {
      v = arith::AndIOp::create(builder, loc, v, constant(0xf0f0f0f0u));
      v = vector::BitCastOp::create(builder, loc, bytes.getType(), v);
    } else {
      v = arith::ShRSIOp::create(builder, loc, v,
                                 constant(byteQuads ? 24 : 28));
      v = arith::SIToFPOp::create(builder, loc,
                                  code.vectorType(builder.getF32Type()), v);
    }
    result.push_back(v);
  }
  return result;
}

/// Loads the left operand's element for a step; of integers and pairs, the four
/// bytes of its terms as i32.
Value ContractionEmitter::loadLeft(const Index &at) {
  Value offset = code.materialize(at);
  if (!info.isInteger() && !pairs) {
    Value x = memref::LoadOp::create(code.b, code.loc, a->flat, offset);
    if (x.getType() != sumType())
      x = arith::ExtFOp::create(code.b, code.loc, sumType(), x);
    return x;
  }
  auto type = VectorType::get({innerTerms()}, a->element);
  Value terms = vector::LoadOp::create(code.b, code.loc, type, a->flat,
                                       ValueRange{offset});
  Value word = vector::BitCastOp::create(
      code.b, code.loc, VectorType::get({1}, code.b.getI32Type()), terms);
  return flipSigns(vector::ExtractOp::create(code.b, code.loc, word, 0));
}

int64_t ContractionEmitter::getQuadSteps(ArrayRef<ReductionLoop> loops) {
  if (!code.machine.isNEON || loops.empty() || info.isDouble())
    return 1;
  const ReductionLoop &r = loops.back();
  int64_t steps = std::max<int64_t>(1, 4 / numParts());
  bool isLong = !r.size.isStatic() || r.size.constant >= steps;
  return r.a.isStatic(depth()) && isLong ? steps : 1;
}

Value ContractionEmitter::loadQuad(const Index &at) {
  OpBuilder &b = code.b;
  bool isWords = info.isInteger() || pairs;
  int64_t terms = !isWords ? 4 : info.isInteger() ? 16 : 8;
  Value quad =
      vector::LoadOp::create(b, code.loc, VectorType::get({terms}, a->element),
                             a->flat, code.materialize(at));
  if (!isWords) {
    auto type = VectorType::get({4}, sumType());
    return quad.getType() == type
               ? quad
               : arith::ExtFOp::create(b, code.loc, type, quad);
  }
  quad = vector::BitCastOp::create(b, code.loc,
                                   VectorType::get({4}, b.getI32Type()), quad);
  return flipSigns(quad);
}

Value ContractionEmitter::flipSigns(Value words) {
  if (!isOffset())
    return words;
  TypedAttr flip = code.b.getI32IntegerAttr(static_cast<int32_t>(0x80808080u));
  if (auto type = dyn_cast<VectorType>(words.getType()))
    flip = DenseElementsAttr::get(type, flip);
  return arith::XOrIOp::create(
      code.b, code.loc, words,
      arith::ConstantOp::create(code.b, code.loc, flip));
}

void ContractionEmitter::multiplyNEON(ArrayRef<Value> right, Value left,
                                      MutableArrayRef<Value> sums) {
  OpBuilder &builder = code.b;
  Location loc = code.loc;
  Value x = vector::BitCastOp::create(builder, loc, right[0].getType(),
                                      code.splat(left));
  StringRef name = pairs        ? "llvm.aarch64.neon.bfdot.v4f32.v8bf16"
                   : isOffset() ? "llvm.aarch64.neon.sdot.v4i32.v16i8"
                                : "llvm.aarch64.neon.usdot.v4i32.v16i8";
  for (auto [sum, y] : llvm::zip(sums, right)) {
    // usdot takes the unsigned factor first; the lane of the other two is a
    // part of their second factor.
    Value first = pairs || isOffset() ? y : x, second = first == y ? x : y;
    sum = callIntrinsic(code, name, sum.getType(), {sum, first, second});
  }
}

void ContractionEmitter::multiply(ArrayRef<Value> right, Value left,
                                  MutableArrayRef<Value> sums) {
  OpBuilder &builder = code.b;
  Location loc = code.loc;
  if (!info.isInteger() && !pairs) {
    Value x = code.splat(left);
    for (auto [sum, y] : llvm::zip(sums, right))
      sum = vector::FMAOp::create(builder, loc, x, y, sum);
    return;
  }
  VectorType words = code.vectorType(builder.getI32Type());
  if (code.machine.isNEON && (pairs || code.machine.hasByteDot))
    return multiplyNEON(right, left, sums);
  if (pairs || code.machine.hasByteDot) {
    Value x = vector::BitCastOp::create(builder, loc, right[0].getType(),
                                        code.splat(left));
    for (auto [sum, y] : llvm::zip(sums, right))
      sum = addDotProducts(code, sum, x, y);
    return;
  }
  // Without such instructions, multiply the four bytes one by one as i32.
  auto number = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(v));
  };
  for (int64_t i = 0; i < 4; ++i) {
    auto of = [&](int64_t v) {
      return isa<VectorType>(left.getType()) ? code.splat(number(v))
                                             : number(v);
    };
    Value x = arith::ShRUIOp::create(builder, loc, left, of(8 * i));
    x = code.splat(arith::AndIOp::create(builder, loc, x, of(255)));
    for (auto [sum, bytes] : llvm::zip(sums, right)) {
      Value y = vector::BitCastOp::create(builder, loc, words, bytes);
      Value up = code.splat(number(24 - 8 * i)), down = code.splat(number(24));
      y = arith::ShLIOp::create(builder, loc, y, up);
      y = arith::ShRSIOp::create(builder, loc, y, down);
      Value product = arith::MulIOp::create(builder, loc, x, y);
      sum = arith::AddIOp::create(builder, loc, sum, product);
    }
  }
}
