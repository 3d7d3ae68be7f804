//===- SplitK.cpp - matmuls whose K several blocks share ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a matmul has few tiles, most multiprocessors would be idle. Then several
// blocks compute parts of K of one tile, and store their sums to a workspace in
// device memory. A second launch adds the sums in a fixed order and passes them
// to the group's pointwise ops.
//
//===----------------------------------------------------------------------===//

#include "TileMatMul.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::Scope;

/// The maximum number of parts.
static constexpr int64_t kMaxParts = 16;
/// The number of blocks that keep a multiprocessor busy.
static constexpr int64_t kBlocks = 3;

void TileMatMul::chooseParts() {
  Index tileCount = countTiles(tiles.m, tiles.n);
  if (!tileCount.isStatic() || !kSize.isStatic() || !mSize.isStatic() ||
      !nSize.isStatic() || tileCount.constant <= 0)
    return;
  int64_t pieces = llvm::divideCeil(kSize.constant, tiles.k);
  // The second launch takes about as long as the products of 256 elements of K
  // in f32, or of 384 in other types.
  int64_t least = (core.element.isF32() ? 256 : 384) / tiles.k;
  int64_t most =
      std::min({kMaxParts, pieces / least,
                kBlocks * code.machine.multiprocessors / tileCount.constant});
  if (most < 2)
    return;
  partPieces = llvm::divideCeil(pieces, most);
  numParts = llvm::divideCeil(pieces, partPieces);
  workspace = code.addWorkspace(numParts * countResults(), code.b.getF32Type());
}

int64_t TileMatMul::countResults() const {
  int64_t count = mSize.constant * nSize.constant;
  for (const Index &size : batchSizes)
    count *= size.constant;
  return count;
}

Index TileMatMul::workspaceIndex(const Index &ofPart, const Index &row,
                                 const Index &column) {
  Index linear = ofPart;
  for (auto [loop, size] : llvm::zip(batch, batchSizes))
    linear = code.add(code.mul(linear, size), at[loop]);
  linear = code.add(code.mul(linear, mSize), row);
  return code.add(code.mul(linear, nSize), column);
}

void TileMatMul::storePart(const Index &row, const Index &column,
                           ArrayRef<Value> sums) {
  OpBuilder &b = code.b;
  Value to = code.materialize(workspaceIndex(part, row, column));
  if (sums.size() == 1) {
    memref::StoreOp::create(b, code.loc, sums.front(), workspace, to);
    return;
  }
  Value run = vector::FromElementsOp::create(
      b, code.loc, VectorType::get({kRun}, b.getF32Type()), sums);
  auto store = vector::StoreOp::create(b, code.loc, run, workspace, to);
  store.setAlignment(kAlignment);
}

SmallVector<Value> TileMatMul::addParts(const Index &row, const Index &column,
                                        int64_t width) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  SmallVector<Value> sums;
  for (int64_t p = 0; p < numParts; ++p) {
    Value from = code.materialize(workspaceIndex(Index::of(p), row, column));
    SmallVector<Value> mine;
    if (width == 1) {
      mine.push_back(memref::LoadOp::create(b, loc, workspace, from));
    } else {
      auto load = vector::LoadOp::create(
          b, loc, VectorType::get({width}, b.getF32Type()), workspace, from);
      load.setAlignment(kAlignment);
      for (int64_t e = 0; e < width; ++e)
        mine.push_back(vector::ExtractOp::create(b, loc, load, e));
    }
    if (p == 0)
      sums = mine;
    else
      for (auto [sum, v] : llvm::zip(sums, mine))
        sum = arith::AddFOp::create(b, loc, sum, v);
  }
  return sums;
}

void TileMatMul::combineParts() {
  OpBuilder &b = code.b;
  constexpr int64_t threads = 4 * kWarp;
  int64_t width = hasRuns ? kRun : 1, runs = countResults() / width;
  Launch launch(code, Index::of(llvm::divideCeil(runs, threads)), threads);
  if (hasRuns)
    launch.op->setAttr(kAlignmentAttr, b.getI64IntegerAttr(kAlignment));
  auto number = [&](int64_t n) { return b.getI64IntegerAttr(n); };
  launch.op->setAttr(
      kWorkAttr,
      b.getDictionaryAttr(
          {b.getNamedAttr("bytes", number((numParts + 1) * runs * width * 4)),
           b.getNamedAttr("operations", number(numParts * runs * width)),
           b.getNamedAttr("unit", b.getStringAttr("f32"))}));
  Index mine =
      code.add(code.mul(launch.block, Index::of(threads)), launch.thread);
  at.assign(info.op.getNumLoops(), Index::of(0));
  auto emit = [&](Scope &here) {
    SmallVector<Index> sizes = batchSizes;
    sizes.push_back(mSize);
    sizes.push_back(Index::of(nSize.constant / width));
    SmallVector<Index> where = delinearize(code, mine, sizes);
    for (auto [loop, x] : llvm::zip(batch, where))
      at[loop] = x;
    Index row = where[batch.size()],
          column = code.mul(where.back(), Index::of(width));
    SmallVector<Value> sums = addParts(row, column, width);
    if (hasRuns)
      storeRun(here, row, column, sums);
    else
      storeOutputs(here, row, column, sums.front());
  };
  guarded(code, launch.scope,
          {{mine, runs % threads ? Index::of(runs) : Index::of(-1)}}, emit);
  launch.close();
}
