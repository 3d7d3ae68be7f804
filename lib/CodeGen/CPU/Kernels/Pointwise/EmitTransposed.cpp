//===- EmitTransposed.cpp - pointwise kernels that turn an operand --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the last dimension of an operand is not that of the output, vectors of the
// operand would have to be gathered, with every element in another cache line.
// Instead, the emitter loads a square of as many contiguous vectors as each has
// lanes, transposes it in registers, and gives the transposed vectors to the
// evaluation of the outputs as known values.
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "fx/CodeGen/Common/TransposedOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// Maximum cost of the bodies: their code is repeated for each vector of a
/// square.
static constexpr int64_t kMaxCost = 12;

namespace {
struct TransposedEmitter {
  KernelCode &code;
  int64_t rank, merged;
  TransposedOperands found;

  void emitSquare(Scope &scope, ArrayRef<Index> at);
  void emit();
};
} // namespace

void fx::cpu::transposeVectors(KernelCode &code, SmallVector<Value> &rows) {
  int64_t n = rows.size();
  auto type = cast<VectorType>(rows.front().getType());
  // LLVM scalarizes shuffles of bf16 vectors on a CPU without AVX512-BF16, but
  // not those of i16 vectors.
  auto view = [&](VectorType as) {
    for (Value &row : rows)
      row = arith::BitcastOp::create(code.b, code.loc, as, row);
  };
  bool isBF16 = type.getElementType().isBF16();
  if (isBF16)
    view(type.clone(code.b.getI16Type()));
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < n; ++i) {
    low.push_back(i / 2 + (i % 2) * n);
    high.push_back(n / 2 + i / 2 + (i % 2) * n);
  }
  for (int64_t round = 1; round < n; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < n / 2; ++i)
      for (const SmallVector<int64_t> &mask : {low, high})
        next.push_back(vector::ShuffleOp::create(code.b, code.loc, rows[i],
                                                 rows[i + n / 2], mask));
    rows = next;
  }
  if (isBF16)
    view(type);
}

/// Computes a square of the output at `at`, of `lanes` by `lanes` elements.
void TransposedEmitter::emitSquare(Scope &scope, ArrayRef<Index> at) {
  SmallVector<Index> place(at);
  int64_t lane = rank - 1, rowDim = found.rowDim;
  for (const TransposedOperands::Operand &t : found.operands) {
    SmallVector<Value> rows;
    // The operand before left the last row.
    place[rowDim] = at[rowDim];
    for (int64_t i = 0; i < code.lanes; ++i) {
      place[lane] = code.add(at[lane], Index::of(i));
      rows.push_back(
          code.load(*code.buffer(t.tensor), getCoords(t.dims, place, rowDim)));
    }
    transposeVectors(code, rows);
    place[lane] = at[lane];
    for (int64_t i = 0; i < code.lanes; ++i) {
      place[rowDim] = code.add(at[rowDim], Index::of(i));
      code.know(scope, t.tensor, getCoords(t.dims, place, lane), rows[i]);
    }
  }
  auto all = llvm::to_vector(llvm::seq<int>(0, rank));
  for (int64_t i = 0; i < code.lanes; ++i) {
    place[rowDim] = code.add(at[rowDim], Index::of(i));
    storeOutputs(code, scope, getCoords(all, place, lane));
  }
}

void TransposedEmitter::emit() {
  int64_t lane = rank - 1, rowDim = found.rowDim, L = code.lanes;
  Scope top, task;
  SmallVector<Index> sizes, ivs;
  Index width = Index::of(1);
  for (int64_t d = 0; d < rank; ++d) {
    Index size = code.size(code.outputArg(0), d);
    if (d >= rank - merged)
      width = code.mul(width, size);
    else
      sizes.push_back(d == rowDim ? code.ceilDiv(size, L) : size);
  }
  Index length = code.size(code.outputArg(0), rowDim);
  Operation *forall = code.beginForall(
      top, task, sizes, ivs, width.isStatic() ? L * width.constant : 0);
  SmallVector<Index> at(ivs);
  at.resize(rank, Index::of(0));
  Index from = code.mul(ivs[rowDim], Index::of(L));
  Index whole = code.mul(code.floorDiv(width, L), Index::of(L));
  bool isExact = length.isStatic() && length.constant % L == 0;
  if (!isExact) {
    // Rows that do not fill a square are computed one by one.
    Value isFull =
        arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::sle,
                              code.materialize(code.add(from, Index::of(L))),
                              code.materialize(length));
    whole = Index(arith::SelectOp::create(
        code.b, code.loc, isFull, code.materialize(whole), code.constant(0)));
  }
  {
    Scope inner;
    auto loop = code.beginFor(task, inner, Index::of(0), whole, L);
    at[rowDim] = from;
    at[lane] = Index(loop.getInductionVar());
    emitSquare(inner, at);
    code.endFor(loop);
  }
  if (!isExact || !(whole == width)) {
    Index to = code.add(from, Index::of(L));
    if (!isExact)
      to = code.min(to, length);
    Scope row;
    auto loop = code.beginFor(task, row, from, to, 1);
    at[rowDim] = Index(loop.getInductionVar());
    auto all = llvm::to_vector(llvm::seq<int>(0, rank));
    code.forVectors(row, whole, width, [&](Scope &scope, const Index &i) {
      at[lane] = i;
      storeOutputs(code, scope, getCoords(all, at, lane));
    });
    code.endFor(loop);
  }
  code.endForall(forall);
}

bool fx::cpu::emitTransposed(KernelCode &code, int64_t merged) {
  std::optional<TransposedOperands> found =
      TransposedOperands::find(code, merged, code.lanes);
  if (!found || found->cost > kMaxCost)
    return false;
  int64_t rank = cast<RankedTensorType>(code.output(0).getType()).getRank();
  TransposedEmitter{code, rank, merged, std::move(*found)}.emit();
  return true;
}
