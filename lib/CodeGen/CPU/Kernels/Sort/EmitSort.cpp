//===- EmitSort.cpp - sorts of rows ---------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane sorts a row, by a network of comparisons (SortNetwork.h). The items
// are 64-bit integers of an element's 32-bit key and, below it, its index. So
// all items of a row differ, and the order is stable. With the exponent of 1
// the integers are f64 between 1 and 2 of the same order, for which all vector
// units have minima and maxima.
//
//===----------------------------------------------------------------------===//

#include "SortNetwork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// The number of bits below the key, which hold the index.
static constexpr int64_t kIndexBits = 20;
static constexpr int64_t kExponent = int64_t(0x3FF) << 52;
/// Greater than all items, since no index has all bits set.
static constexpr int64_t kGreatest = kExponent | ((int64_t(1) << 52) - 1);

namespace {
class SortEmitter {
public:
  SortEmitter(KernelCode &code, SortOp op);
  void run();

private:
  Value splat(Type element, int64_t v);
  /// Returns the keys of the elements `v`: i32 whose unsigned order is that of
  /// the elements. All NaNs have one key, and both zeros have one.
  Value getKeys(Value v);
  /// Writes the items of `rows` to memory.
  void encode();
  /// Stores the outputs of `rows`.
  void decode();
  void storeOutputs(unsigned row, const Index &column, Value items);

  KernelCode &code;
  SortOp op;
  const Buffer *x, *values = nullptr, *order = nullptr;
  int64_t length, count;
  int64_t padded; ///< number of vectors in memory
  VectorType items, ints;
  Value memory;
  SmallVector<Index> rows; ///< of the lanes
  Scope task;
};
} // namespace

SortEmitter::SortEmitter(KernelCode &code, SortOp op)
    : code(code), op(op), x(code.buffer(op.getX())),
      length(cast<RankedTensorType>(op.getX().getType()).getDimSize(1)),
      count(cast<RankedTensorType>(op.getValues().getType()).getDimSize(1)),
      padded(
          std::max<int64_t>(llvm::PowerOf2Ceil(length), SortNetwork::kBlock)) {
  // f64 has half as many lanes as f32.
  code.lanes = std::max<int64_t>(2, code.lanes / 2);
  items = code.vectorType(code.b.getF64Type());
  ints = code.vectorType(code.b.getI64Type());
  for (unsigned i = 0; i < code.numOutputs(); ++i) {
    const Buffer *to = code.buffer(code.outputArg(i));
    (code.output(i) == op.getSorted() ? values : order) = to;
  }
}

Value SortEmitter::splat(Type element, int64_t v) {
  return code.splatConstant(cast<TypedAttr>(code.b.getIntegerAttr(element, v)));
}

Value SortEmitter::getKeys(Value v) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type element = x->element, i32 = b.getI32Type();
  VectorType words = code.vectorType(i32);
  if (isa<FloatType>(element)) {
    Type f32 = b.getF32Type();
    if (element != f32)
      v = arith::ExtFOp::create(b, loc, code.vectorType(f32), v);
    // The sum of -0 and 0 is 0.
    v = arith::AddFOp::create(b, loc, v,
                              code.splatConstant(b.getF32FloatAttr(0)));
    Value isNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, v, v);
    v = arith::BitcastOp::create(b, loc, words, v);
    v = arith::SelectOp::create(b, loc, isNan, splat(i32, 0x7fc00000), v);
    // Invert all bits of negative numbers and the sign bit of the others.
    Value sign = arith::ShRSIOp::create(b, loc, v, splat(i32, 31));
    Value flip = arith::OrIOp::create(b, loc, sign, splat(i32, INT32_MIN));
    v = arith::XOrIOp::create(b, loc, v, flip);
  } else if (element.isInteger(1) || op.getUnsignedOrder()) {
    if (element != i32)
      v = arith::ExtUIOp::create(b, loc, words, v);
  } else {
    if (element != i32)
      v = arith::ExtSIOp::create(b, loc, words, v);
    v = arith::XOrIOp::create(b, loc, v, splat(i32, INT32_MIN));
  }
  if (op.getDescending())
    v = arith::XOrIOp::create(b, loc, v, splat(i32, -1));
  return v;
}

void SortEmitter::encode() {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type i64 = b.getI64Type();
  Value step = arith::IndexCastOp::create(
      b, loc, ints,
      vector::StepOp::create(b, loc, code.vectorType(b.getIndexType())));
  code.forVectors(
      task, Index::of(0), Index::of(length), [&](Scope &, const Index &column) {
        Value at =
            arith::IndexCastOp::create(b, loc, i64, code.materialize(column));
        Value low = arith::AddIOp::create(
            b, loc, step, vector::BroadcastOp::create(b, loc, ints, at));
        low = arith::OrIOp::create(b, loc, low, splat(i64, kExponent));
        SmallVector<Value> lanes;
        for (const Index &row : rows) {
          Value key = getKeys(code.load(*x, {{row, 0}, {column, 1}}));
          Value item = arith::ExtUIOp::create(b, loc, ints, key);
          item = arith::ShLIOp::create(b, loc, item, splat(i64, kIndexBits));
          item = arith::OrIOp::create(b, loc, item, low);
          if (code.mask)
            item = arith::SelectOp::create(b, loc, code.mask, item,
                                           splat(i64, kGreatest));
          lanes.push_back(arith::BitcastOp::create(b, loc, items, item));
        }
        transposeVectors(code, lanes);
        for (auto [i, v] : llvm::enumerate(lanes)) {
          Index to =
              code.mul(code.add(column, Index::of(i)), Index::of(code.lanes));
          vector::StoreOp::create(b, loc, v, memory,
                                  ValueRange{code.materialize(to)});
        }
      });
  int64_t written = llvm::alignTo(length, code.lanes);
  if (written == padded)
    return;
  Value greatest =
      arith::BitcastOp::create(b, loc, items, splat(i64, kGreatest));
  Scope inner;
  scf::ForOp loop = code.beginFor(task, inner, Index::of(written * code.lanes),
                                  Index::of(padded * code.lanes), code.lanes);
  vector::StoreOp::create(b, loc, greatest, memory, loop.getInductionVar());
  code.endFor(loop);
}

/// Stores the outputs for one vector of items of a row.
void SortEmitter::storeOutputs(unsigned row, const Index &column,
                               Value vector) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value at = arith::BitcastOp::create(b, loc, ints, vector);
  at = arith::AndIOp::create(
      b, loc, at, splat(b.getI64Type(), (int64_t(1) << kIndexBits) - 1));
  if (order)
    code.store(*order, {{rows[row], 0}, {column, 1}}, at);
  if (!values)
    return;
  // The elements are near: loads of single elements are faster than a gather.
  int64_t valid = code.mask ? count % code.lanes : code.lanes;
  Value mask = std::exchange(code.mask, Value());
  for (int64_t i = 0; i < valid; ++i) {
    Value index = arith::IndexCastOp::create(
        b, loc, b.getIndexType(), vector::ExtractOp::create(b, loc, at, i));
    Value v = memref::LoadOp::create(
        b, loc, x->flat,
        code.materialize(
            code.add(code.mul(rows[row], Index::of(length)), Index(index))));
    Index to = code.add(code.mul(rows[row], Index::of(count)),
                        code.add(column, Index::of(i)));
    memref::StoreOp::create(b, loc, v, values->flat, code.materialize(to));
  }
  code.mask = mask;
}

void SortEmitter::decode() {
  code.forVectors(
      task, Index::of(0), Index::of(count), [&](Scope &, const Index &column) {
        SmallVector<Value> lanes;
        for (int64_t i = 0; i < code.lanes; ++i) {
          Index from =
              code.mul(code.add(column, Index::of(i)), Index::of(code.lanes));
          lanes.push_back(
              vector::LoadOp::create(code.b, code.loc, items, memory,
                                     ValueRange{code.materialize(from)}));
        }
        transposeVectors(code, lanes);
        for (auto [row, v] : llvm::enumerate(lanes))
          storeOutputs(row, column, v);
      });
}

void SortEmitter::run() {
  if (!x)
    return code.fail("sorting of a computed tensor");
  Index numRows = code.size(op.getX(), 0);
  Scope top;
  SmallVector<Index> ivs;
  // A comparison takes a few times as long as an addition.
  int64_t work = length * code.lanes * 4;
  Operation *forall = code.beginForall(
      top, task, {code.ceilDiv(numRows, code.lanes)}, ivs, work);
  auto type = MemRefType::get({padded * code.lanes}, code.b.getF64Type());
  memory = memref::AllocaOp::create(code.b, code.loc, type,
                                    code.b.getI64IntegerAttr(64));
  // The last lanes repeat the last row.
  Index last = code.sub(numRows, Index::of(1));
  for (int64_t i = 0; i < code.lanes; ++i)
    rows.push_back(code.min(
        code.add(code.mul(ivs[0], Index::of(code.lanes)), Index::of(i)), last));
  encode();
  int64_t sorted =
      std::min<int64_t>(padded, std::max<int64_t>(llvm::PowerOf2Ceil(count),
                                                  SortNetwork::kBlock));
  SortNetwork(code, memory, items, llvm::alignTo(length, SortNetwork::kBlock))
      .emit(sorted);
  decode();
  code.endForall(forall);
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static void emitSort(KernelCode &code) {
  auto op = code.output(0).getDefiningOp<SortOp>();
  SortEmitter(code, op).run();
}

static std::optional<KernelMatch> matchSort(func::FuncOp kernel,
                                            const TargetInfo &) {
  Block &body = kernel.getBody().front();
  auto op = body.getTerminator()->getOperand(0).getDefiningOp<SortOp>();
  if (!op)
    return std::nullopt;
  return KernelMatch{op, SortAttr::get(kernel.getContext())};
}

namespace fx::cpu {
KernelClass getSortClass() {
  return {SortAttr::getMnemonic(), /*benefit=*/2, matchSort, emitSort};
}
} // namespace fx::cpu
