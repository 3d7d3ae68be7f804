//===- ContractionFixedPoint.cpp - one row of f32 by integer weights ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row of f32 is multiplied by weights of four or eight bits, as in the step
// of a language model. A conversion of each weight to f32 takes longer than
// reading it from memory. Instead, the row is converted to integers q of 24
// bits once, with a scale for each block of 32 terms. The rounding of a term is
// that of an f32 of the size of the block's largest term. With three signed
// bytes
//
//   q = 65536 h + 256 m + l
//
// and unsigned weights u = w + o, where o is 8 or 128, the exact sum of a block
// is
//
//   sum q w = 65536 (sum h u - o sum h)
//             + 256 sum m u + sum l u - o sum (256 m + l).
//
// For four bits it fits into 32 bits. For eight bits, the two lines do, which
// are added as f32. x86 multiplies unsigned by signed bytes: vpdpbusd adds four
// products, vpmaddubsw two. The sums of 16 products by four bits, below
// 16 * 15 * 128, fit into the 16 bits of the latter. Those by eight bits do
// not: such weights need vpdpbusd.
//
// A row with an infinity or a NaN is computed in f32.
//
// If the row may be rounded to 8 bits (kInt8Attr), q has one byte; see
// ContractionRounded.cpp.
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace fx::cpu;

/// The terms of a block.
static constexpr int64_t kBlockTerms = kFixedPointTerms;

/// Returns true if `bits`, those of an absolute value, are of a finite f32.
static Value isFiniteBits(KernelCode &code, Value bits) {
  return arith::CmpIOp::create(
      code.b, code.loc, arith::CmpIPredicate::ult, bits,
      arith::ConstantOp::create(code.b, code.loc,
                                code.b.getI32IntegerAttr(0x7f800000)));
}

bool ContractionEmitter::multipliesIntegers() {
  bool hasProducts =
      code.machine.hasByteDot || (nibbles && code.machine.hasByteProducts);
  if (!hasProducts || !(nibbles || byteQuads) || !info.hasByteWeights() ||
      !packed || tiles || code.machine.isNEON || code.lanes < 8 ||
      info.groupSize % kBlockTerms || reductions.size() != 1)
    return false;
  const ReductionLoop &r = reductions[0];
  return r.size.isStatic() && r.size.constant * depth() % kBlockTerms == 0 &&
         r.a.isStatic(depth());
}

bool ContractionEmitter::hasOneRow() {
  return !mLoop && llvm::all_of(outer, [&](unsigned loop) {
    return aStride[loop].isStatic(0);
  });
}

bool ContractionEmitter::usesFixedPoint() {
  return multipliesIntegers() && hasOneRow();
}

void ContractionEmitter::allocateRounded(const Index &terms) {
  auto allocate = [&](const Index &size, Type element) -> Value {
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    return memref::AllocOp::create(code.b, code.loc, type,
                                   ValueRange{code.materialize(size)},
                                   ValueRange(), code.b.getI64IntegerAttr(64));
  };
  Index blocks = code.floorDiv(terms, kBlockTerms);
  fixed.bytes =
      allocate(code.mul(terms, Index::of(numBytes())), code.b.getI8Type());
  fixed.scales = allocate(blocks, code.b.getF32Type());
  fixed.offsets =
      allocate(code.mul(blocks, Index::of(numOffsets())), code.b.getI32Type());
}

Value ContractionEmitter::roundBlock(const Index &from, const Index &block,
                                     const Index &plane) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type i8 = b.getI8Type(), i32 = b.getI32Type(), f32 = b.getF32Type();
  auto vectorOf = [](Type element) {
    return VectorType::get({kBlockTerms}, element);
  };
  auto splat = [&](int32_t v) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(vectorOf(i32), b.getI32IntegerAttr(v)));
  };
  auto number = [&](TypedAttr v) -> Value {
    return arith::ConstantOp::create(b, loc, v);
  };
  Index first = code.mul(block, Index::of(kBlockTerms));
  Value x = vector::LoadOp::create(b, loc, vectorOf(f32), a->flat,
                                   code.materialize(from));
  // As integers, the absolute values are ordered, with NaN above infinity.
  Value bits = vector::BitCastOp::create(b, loc, vectorOf(i32), x);
  bits = arith::AndIOp::create(b, loc, bits, splat(0x7fffffff));
  Value most =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXUI, bits);
  Value largestBits = most;
  // Neither the scale nor its inverse are subnormal or infinite.
  float least = 0x1p-100f;
  most = arith::MaxUIOp::create(
      b, loc, most,
      number(b.getI32IntegerAttr(llvm::bit_cast<int32_t>(least))));
  // The largest |q|: a rounding of the scale does not carry it beyond the
  // bytes.
  float largest = numBytes() == 1 ? 127 : 127 * 65536;
  Value scale =
      arith::MulFOp::create(b, loc, arith::BitcastOp::create(b, loc, f32, most),
                            number(b.getF32FloatAttr(1 / largest)));
  Value inverse =
      arith::DivFOp::create(b, loc, number(b.getF32FloatAttr(1)), scale);
  Value q = arith::MulFOp::create(
      b, loc, x, vector::BroadcastOp::create(b, loc, vectorOf(f32), inverse));
  q = math::RoundEvenOp::create(b, loc, q);
  if (numBytes() == 1) {
    // There is no sum in f32 for rows with an infinity or a NaN.
    Value isFinite = isFiniteBits(code, largestBits);
    scale = arith::SelectOp::create(b, loc, isFinite, scale,
                                    number(b.getF32FloatAttr(std::nanf(""))));
    Value zero = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(vectorOf(f32), 0.0f));
    q = arith::SelectOp::create(b, loc, isFinite, q, zero);
  }
  q = arith::FPToSIOp::create(b, loc, vectorOf(i32), q);
  auto storeOffset = [&](int64_t number, Value terms) {
    Value sum =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, terms);
    sum = arith::MulIOp::create(
        b, loc, sum,
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(-offset())));
    memref::StoreOp::create(b, loc, sum, fixed.offsets,
                            code.materialize(offsetOf(block, number)));
  };
  Value whole = q;
  for (int64_t byte = 0; byte < numBytes(); ++byte) {
    Value low = arith::TruncIOp::create(b, loc, vectorOf(i8), q);
    Index at = code.add(first, code.mul(Index::of(byte), plane));
    vector::StoreOp::create(b, loc, low, fixed.bytes, code.materialize(at));
    if (byte + 1 == numBytes())
      break;
    q = arith::SubIOp::create(
        b, loc, q, arith::ExtSIOp::create(b, loc, vectorOf(i32), low));
    q = arith::ShRSIOp::create(b, loc, q, splat(8));
  }
  // The high byte is what remains.
  if (numOffsets() == 2) {
    whole = arith::SubIOp::create(b, loc, whole,
                                  arith::ShLIOp::create(b, loc, q, splat(16)));
    storeOffset(1, q);
  }
  storeOffset(0, whole);
  memref::StoreOp::create(b, loc, scale, fixed.scales, code.materialize(block));
  return largestBits;
}

void ContractionEmitter::roundLeft(Scope &scope) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  int64_t terms = reductions[0].size.constant * depth();
  allocateRounded(Index::of(terms));
  Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Scope inner;
  auto loop = code.beginFor(scope, inner, Index::of(0),
                            Index::of(terms / kBlockTerms), 1, none);
  Index block(loop.getInductionVar());
  Index from = code.add(aBase, code.mul(block, Index::of(kBlockTerms)));
  Value most = roundBlock(from, block, Index::of(terms));
  Value all = arith::MaxUIOp::create(b, loc, loop.getRegionIterArg(0), most);
  code.endFor(loop, all);
  fixed.isFinite = isFiniteBits(code, loop.getResult(0));
}

void ContractionEmitter::freeRounded() {
  for (Value memory : {fixed.bytes, fixed.scales, fixed.offsets})
    memref::DeallocOp::create(code.b, code.loc, memory);
}

Value ContractionEmitter::addByteProducts(Value sum, Value unsignedBytes,
                                          Value signedBytes) {
  OpBuilder &b = code.b;
  bool isWide = code.lanes >= 16;
  if (code.machine.hasByteDot) {
    if (!sum)
      sum = code.splatConstant(b.getI32IntegerAttr(0));
    return addDotProducts(code, sum, unsignedBytes, signedBytes);
  }
  Value pairs = callIntrinsic(code,
                              isWide ? "llvm.x86.avx512.pmaddubs.w.512"
                                     : "llvm.x86.avx2.pmadd.ub.sw",
                              VectorType::get({2 * code.lanes}, b.getI16Type()),
                              {unsignedBytes, signedBytes});
  return sum ? arith::AddIOp::create(b, code.loc, sum, pairs) : pairs;
}

Value ContractionEmitter::scaleByteSum(Value sum, int64_t factor) {
  OpBuilder &b = code.b;
  VectorType words = code.vectorType(b.getI32Type());
  auto shift = [&](Value v, int64_t factor) -> Value {
    if (factor == 1)
      return v;
    return arith::ShLIOp::create(
        b, code.loc, v,
        code.splatConstant(b.getI32IntegerAttr(llvm::Log2_64(factor))));
  };
  if (code.machine.hasByteDot)
    return shift(sum, factor);
  // vpmaddwd adds the two sums of a column. It multiplies by up to 2^14.
  int64_t here = factor < (1 << 15) ? factor : 1;
  auto type = cast<VectorType>(sum.getType());
  Value factors = arith::ConstantOp::create(
      b, code.loc, DenseElementsAttr::get(type, b.getI16IntegerAttr(here)));
  Value v = callIntrinsic(code,
                          code.lanes >= 16 ? "llvm.x86.avx512.pmaddw.d.512"
                                           : "llvm.x86.avx2.pmadd.wd",
                          words, {sum, factors});
  return shift(v, factor / here);
}

SmallVector<Value> ContractionEmitter::getUnsigned(const Index &at, int64_t v) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto type = VectorType::get({width()}, b.getI8Type());
  auto splat = [&](int8_t v) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getI8IntegerAttr(v)));
  };
  Value u = arith::XOrIOp::create(b, loc, loadRight(at, v),
                                  splat(byteQuads ? -0x80 : -0x78));
  if (byteQuads)
    return {u};
  return {arith::AndIOp::create(b, loc, u, splat(15)),
          arith::ShRUIOp::create(b, loc, u, splat(4))};
}

Value ContractionEmitter::loadOffset(const Index &block, int64_t number) {
  return code.splat(
      memref::LoadOp::create(code.b, code.loc, fixed.offsets,
                             code.materialize(offsetOf(block, number))));
}

Value ContractionEmitter::loadRounded(const Index &at) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value word = vector::BitCastOp::create(
      b, loc, VectorType::get({1}, b.getI32Type()),
      vector::LoadOp::create(b, loc, VectorType::get({4}, b.getI8Type()),
                             fixed.bytes, code.materialize(at)));
  return vector::BitCastOp::create(
      b, loc, VectorType::get({width()}, b.getI8Type()),
      code.splat(vector::ExtractOp::create(b, loc, word, 0)));
}

SmallVector<Value> ContractionEmitter::sumBlock(const Index &block, Index bOff,
                                                Index pOff, bool fetches) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  int64_t terms = reductions[0].size.constant * depth();
  // The sums of the low bytes come first.
  SmallVector<Value> sums(numBytes() * vectors);
  if (code.machine.hasByteDot)
    for (int64_t v = 0; v < vectors; ++v) {
      sums[v] = loadOffset(block, 0);
      if (numOffsets() == 2)
        sums[2 * vectors + v] = loadOffset(block, 1);
    }
  for (int64_t step = 0; step < kBlockTerms / depth(); ++step) {
    const ReductionLoop &r = reductions[0];
    Index at = code.add(bOff, code.mul(Index::of(step), r.b));
    if (fetches)
      emitPrefetch(at,
                   code.add(pOff, code.mul(Index::of(step), fetchStride(r.b))),
                   step);
    SmallVector<SmallVector<Value>> right;
    for (int64_t v = 0; v < vectors; ++v)
      right.push_back(getUnsigned(at, v));
    for (int64_t part = 0; part < depth() / 4; ++part)
      for (int64_t byte = 0; byte < numBytes(); ++byte) {
        int64_t term = byte * terms + step * depth() + 4 * part;
        Value x = loadRounded(
            code.add(code.mul(block, Index::of(kBlockTerms)), Index::of(term)));
        for (int64_t v = 0; v < vectors; ++v) {
          Value &sum = sums[byte * vectors + v];
          sum = addByteProducts(sum, right[v][part], x);
        }
      }
  }
  VectorType floats = code.vectorType(b.getF32Type());
  SmallVector<Value> result;
  for (int64_t v = 0; v < vectors; ++v) {
    Value sum;
    int64_t bytes = numOffsets() == 2 ? numBytes() - 1 : numBytes();
    for (int64_t byte = 0; byte < bytes; ++byte) {
      Value part =
          scaleByteSum(sums[byte * vectors + v], int64_t(1) << (8 * byte));
      sum = sum ? arith::AddIOp::create(b, loc, sum, part) : part;
    }
    if (!code.machine.hasByteDot)
      sum = arith::AddIOp::create(b, loc, sum, loadOffset(block, 0));
    sum = arith::SIToFPOp::create(b, loc, floats, sum);
    if (numOffsets() == 2)
      sum = vector::FMAOp::create(
          b, loc,
          arith::SIToFPOp::create(b, loc, floats, sums[bytes * vectors + v]),
          code.splatConstant(b.getF32FloatAttr(65536)), sum);
    result.push_back(sum);
  }
  return result;
}

SmallVector<Value> ContractionEmitter::sumBlocks(Scope &scope, Index bOff,
                                                 Index pOff, bool fetches) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  const ReductionLoop &r = reductions[0];
  int64_t steps = kBlockTerms / depth();
  SmallVector<Value> totals(vectors,
                            code.splatConstant(b.getF32FloatAttr(0.0)));
  Scope inner;
  auto loop = code.beginFor(scope, inner, Index::of(0),
                            Index::of(r.size.constant / steps), 1, totals);
  totals.assign(loop.getRegionIterArgs().begin(),
                loop.getRegionIterArgs().end());
  Index block(loop.getInductionVar());
  Index first = code.mul(block, Index::of(steps));
  bOff = code.add(bOff, code.mul(first, r.b));
  if (fetches && prefetch > 1)
    pOff = code.add(pOff, code.mul(first, fetchStride(r.b)));
  SmallVector<Value> sums = sumBlock(block, bOff, pOff, fetches);
  Value mine = code.splat(
      memref::LoadOp::create(b, loc, fixed.scales, code.materialize(block)));
  SmallVector<Value> ofGroup;
  if (info.groupSize)
    ofGroup = loadScales(code.floorDiv(block, info.groupSize / kBlockTerms));
  for (int64_t v = 0; v < vectors; ++v) {
    Value scale = mine;
    if (info.groupSize)
      scale = arith::MulFOp::create(b, loc, mine, ofGroup[v]);
    totals[v] = vector::FMAOp::create(b, loc, sums[v], scale, totals[v]);
  }
  code.endFor(loop, totals);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> ContractionEmitter::sumFixedPoint(Scope &scope, Index aOff,
                                                     Index bOff, Index pOff,
                                                     bool fetches) {
  if (!fixed.isFinite)
    return sumBlocks(scope, bOff, pOff, fetches);
  OpBuilder &b = code.b;
  Location loc = code.loc;
  SmallVector<Type> types(vectors, code.vectorType(b.getF32Type()));
  auto branch = scf::IfOp::create(b, loc, types, fixed.isFinite,
                                  /*withElseRegion=*/true);
  auto fill = [&](Block *block, auto emit) {
    b.setInsertionPointToStart(block);
    Scope inner;
    inner.parent = &scope;
    inner.loop = branch;
    scf::YieldOp::create(b, loc, emit(inner));
  };
  fill(branch.thenBlock(),
       [&](Scope &inner) { return sumBlocks(inner, bOff, pOff, fetches); });
  fill(branch.elseBlock(), [&](Scope &inner) {
    if (info.groupSize)
      return sumGroups(inner, aOff, bOff, pOff, fetches, /*count=*/1);
    return sum(inner, reductions, aOff, bOff, pOff, fetches, /*count=*/1);
  });
  b.setInsertionPointAfter(branch);
  return SmallVector<Value>(branch.getResults());
}
