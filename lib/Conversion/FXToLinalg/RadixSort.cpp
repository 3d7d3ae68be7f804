//===- RadixSort.cpp - the order of rows by their digits ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements become unsigned integers of the same order, which vectors compute.
// A pass for each byte, the lowest first, counts how often each value of the
// byte occurs in the row and moves keys and indices to their places: two walks
// without comparisons, stable, and of the same length for all data.
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

static constexpr int64_t kDigitBits = 8, kDigits = 1 << kDigitBits;

static Value constant(OpBuilder &b, Location loc, Type type, const APInt &v) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v));
}

/// An integer whose unsigned order is that of `x`; all NaNs are one, above all
/// numbers, and zeros are one.
static Value getKey(OpBuilder &b, Location loc, Value x, Type dtype,
                    bool isUnsigned, bool descending) {
  unsigned bits = std::max(dtype.getIntOrFloatBitWidth(), 8u);
  Type type = b.getIntegerType(bits);
  Value sign = constant(b, loc, type, APInt::getSignMask(bits)), key;
  if (isa<FloatType>(dtype)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(dtype));
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, zero);
    Value isNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    Value nan = arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(dtype, APFloat::getNaN(
                                  cast<FloatType>(dtype).getFloatSemantics())));
    x = arith::SelectOp::create(b, loc, isZero, zero, x);
    x = arith::SelectOp::create(b, loc, isNan, nan, x);
    key = arith::BitcastOp::create(b, loc, type, x);
    // Negative numbers: all bits inverted; others: the sign alone.
    Value shift = constant(b, loc, type, APInt(bits, bits - 1));
    Value spread = arith::ShRSIOp::create(b, loc, key, shift);
    key = arith::XOrIOp::create(b, loc, key,
                                arith::OrIOp::create(b, loc, spread, sign));
  } else if (dtype.isInteger(1)) {
    key = arith::ExtUIOp::create(b, loc, type, x);
  } else {
    key = isUnsigned ? x : arith::XOrIOp::create(b, loc, x, sign).getResult();
  }
  if (descending)
    key = arith::XOrIOp::create(
        b, loc, key, constant(b, loc, type, APInt::getAllOnes(bits)));
  return key;
}

namespace {
/// Code for one row.
struct Row {
  Builder &b;
  Type keyType;
  Value length, zero, one;

  Value empty(Type type) {
    return tensor::EmptyOp::create(
        b.b, b.loc, ArrayRef<OpFoldResult>{getAsOpFoldResult(length)}, type);
  }
  Value digit(OpBuilder &at, Location loc, Value key, unsigned shift) {
    unsigned bits = keyType.getIntOrFloatBitWidth();
    key = arith::ShRUIOp::create(
        at, loc, key, constant(at, loc, keyType, APInt(bits, shift)));
    key = arith::AndIOp::create(
        at, loc, key, constant(at, loc, keyType, APInt(bits, kDigits - 1)));
    return arith::IndexCastUIOp::create(at, loc, at.getIndexType(), key);
  }
  /// A loop to `end` that carries `init`.
  SmallVector<Value>
  loop(Value end, ValueRange init,
       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto op = scf::ForOp::create(b.b, b.loc, zero, end, one, init);
    OpBuilder::InsertionGuard guard(b.b);
    b.b.setInsertionPointToStart(op.getBody());
    scf::YieldOp::create(b.b, b.loc,
                         body(op.getInductionVar(), op.getRegionIterArgs()));
    return llvm::to_vector_of<Value>(op.getResults());
  }
  std::pair<Value, Value> pass(Value keys, Value indices, unsigned shift);
};
} // namespace

/// Sorts by the byte at `shift`.
std::pair<Value, Value> Row::pass(Value keys, Value indices, unsigned shift) {
  OpBuilder &o = b.b;
  Location loc = b.loc;
  Type index = o.getIndexType();
  Value counts =
      tensor::EmptyOp::create(o, loc, ArrayRef<int64_t>{kDigits}, index);
  Value digits = arith::ConstantIndexOp::create(o, loc, kDigits);
  counts = loop(digits, counts, [&](Value i, ValueRange c) {
    return SmallVector<Value>{tensor::InsertOp::create(o, loc, zero, c[0], i)};
  })[0];
  counts = loop(length, counts, [&](Value i, ValueRange c) {
    Value d = digit(o, loc, tensor::ExtractOp::create(o, loc, keys, i), shift);
    Value n = tensor::ExtractOp::create(o, loc, c[0], d);
    n = arith::AddIOp::create(o, loc, n, one);
    return SmallVector<Value>{tensor::InsertOp::create(o, loc, n, c[0], d)};
  })[0];
  // Where those of each digit begin.
  counts = loop(digits, {counts, zero}, [&](Value i, ValueRange c) {
    Value n = tensor::ExtractOp::create(o, loc, c[0], i);
    Value starts = tensor::InsertOp::create(o, loc, c[1], c[0], i);
    return SmallVector<Value>{starts, arith::AddIOp::create(o, loc, c[1], n)};
  })[0];
  Type i64 = o.getI64Type();
  SmallVector<Value> moved = loop(
      length, {empty(keyType), empty(i64), counts}, [&](Value i, ValueRange c) {
        Value key = tensor::ExtractOp::create(o, loc, keys, i);
        Value which = tensor::ExtractOp::create(o, loc, indices, i);
        Value d = digit(o, loc, key, shift);
        Value place = tensor::ExtractOp::create(o, loc, c[2], d);
        Value next = arith::AddIOp::create(o, loc, place, one);
        return SmallVector<Value>{
            tensor::InsertOp::create(o, loc, key, c[0], place),
            tensor::InsertOp::create(o, loc, which, c[1], place),
            tensor::InsertOp::create(o, loc, next, c[2], d)};
      });
  return {moved[0], moved[1]};
}

Tensor radixOrder(Builder &b, const Tensor &x, bool descending) {
  Type i64 = b.b.getI64Type(), dtype = x.dtype;
  unsigned bits = std::max(dtype.getIntOrFloatBitWidth(), 8u);
  Type keyType = b.b.getIntegerType(bits);
  Sizes rows{b.product(ArrayRef<ExprAttr>(x.sizes).drop_back()),
             x.sizes.back()};
  Tensor flat = b.reshape(x, rows);
  Tensor keys = b.contiguous(b.indexed(
      {flat}, rows, keyType, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value>) {
        bool isUnsigned = Scalars(s.b, s.loc, dtype).isUnsigned();
        return getKey(s.b, s.loc, v[0], dtype, isUnsigned, descending);
      },
      keyType));
  Value length = b.index(rows[1]);
  Row row{b, keyType, length, b.index(0), b.index(1)};
  Value all = row.loop(
      b.index(rows[0]), b.empty(rows, i64), [&](Value r, ValueRange carried) {
        Value line = b.materialize(b.select(keys, 0, r));
        Value indices =
            row.loop(length, row.empty(i64), [&](Value i, ValueRange c) {
              Value number = arith::IndexCastOp::create(b.b, b.loc, i64, i);
              return SmallVector<Value>{
                  tensor::InsertOp::create(b.b, b.loc, number, c[0], i)};
            })[0];
        for (unsigned shift = 0; shift < bits; shift += kDigitBits)
          std::tie(line, indices) = row.pass(line, indices, shift);
        SmallVector<OpFoldResult> offsets{r, b.b.getIndexAttr(0)},
            sizes{b.b.getIndexAttr(1), getAsOpFoldResult(length)},
            strides(2, b.b.getIndexAttr(1));
        return SmallVector<Value>{tensor::InsertSliceOp::create(
            b.b, b.loc, indices, carried[0], offsets, sizes, strides)};
      })[0];
  return b.reshape(Tensor(all, rows, i64), x.sizes);
}

} // namespace fx::lin
