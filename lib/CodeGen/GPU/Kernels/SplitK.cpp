//===- SplitK.cpp - matmuls whose K several blocks share ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a matmul has few tiles, most multiprocessors would be idle. Then several
// blocks compute parts of K of one tile, and store their sums to a workspace in
// device memory. A second launch adds them (CombineParts.cpp).
//
//===----------------------------------------------------------------------===//

#include "TileMatMul.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;

/// The maximum number of parts.
static constexpr int64_t kMaxParts = 16;
/// The number of blocks that keep a multiprocessor busy.
static constexpr int64_t kBlocks = 3;

void TileMatMul::chooseParts(std::optional<int64_t> asked) {
  std::optional<int64_t> results = countResults();
  if (!results || !kSize.isStatic() || *results == 0)
    return;
  int64_t rows = mSize.isStatic() ? mSize.constant : maxRows;
  int64_t tileCount = *results / (rows * nSize.constant) *
                      llvm::divideCeil(rows, tiles.m) *
                      llvm::divideCeil(nSize.constant, tiles.n);
  int64_t pieces = llvm::divideCeil(kSize.constant, tiles.k);
  // The second launch takes about as long as the products of 256 elements of K
  // in f32, or of 384 in other types.
  int64_t least =
      std::max<int64_t>((core.element.isF32() ? 256 : 384) / tiles.k, 1);
  int64_t most = std::min({kMaxParts, pieces / least,
                           kBlocks * code.machine.multiprocessors / tileCount});
  if (asked)
    most = std::min(*asked, pieces);
  if (most < 2)
    return;
  partPieces = llvm::divideCeil(pieces, most);
  numParts = llvm::divideCeil(pieces, partPieces);
  workspace = code.addWorkspace(numParts * *results, getSumType(core.element));
}

Index TileMatMul::placePart(const Index &block, const Index &tileCount) {
  part = Index::of(0);
  if (numParts == 1)
    return block;
  SmallVector<Index> split =
      delinearize(code, block, {Index::of(numParts), tileCount});
  part = split[0];
  return split[1];
}

void TileMatMul::placePieces(Index &first, Index &pieces) {
  pieces = code.ceilDiv(kSize, tiles.k);
  first = firstK = Index::of(0);
  endK = kSize;
  if (numParts == 1)
    return;
  first = code.mul(part, Index::of(partPieces));
  firstK = code.mul(first, Index::of(tiles.k));
  endK = code.min(code.add(firstK, Index::of(partPieces * tiles.k)), kSize);
  pieces = pieces.constant % partPieces == 0
               ? Index::of(partPieces)
               : code.min(code.sub(pieces, first), Index::of(partPieces));
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
      b, code.loc, VectorType::get({kRun}, getSumType(core.element)), sums);
  auto store = vector::StoreOp::create(b, code.loc, run, workspace, to);
  store.setAlignment(kAlignment);
}
