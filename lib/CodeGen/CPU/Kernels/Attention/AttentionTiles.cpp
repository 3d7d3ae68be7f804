//===- AttentionTiles.cpp - the matmuls of an attention in AMX tiles ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of a task has pairs of bf16 in the layout of tiles: rows of words
// of the queries and of the terms of the softmax are left operands; panels of
// keys and pairs of values are right ones, a row of which has a word of each of
// 16 keys or columns. So tiles are loaded from there, and their sums are stored
// where the code for vectors expects them.
//
//===----------------------------------------------------------------------===//

#include "../Tiles.h"
#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;

void AttentionEmitter::configureTiles() {
  TileShapes shapes;
  for (int64_t tile = 0; tile < 8; ++tile)
    shapes.set(tile, Index::of(kTileRows), kTileRowBytes);
  shapes.load(code, allocateForTiles(code, kTileRowBytes, code.b.getI8Type()));
}

void AttentionEmitter::multiplyTiles(Scope &scope, const TileRows &left,
                                     const TileRows &right,
                                     const TileRows &into, int64_t tileColumns,
                                     const Range &words, bool addsToSums) {
  int64_t blocks = tileRows / kTileRows;
  auto stride = [&](const TileRows &rows) {
    return tileStride(code, Index::of(4 * rows.stride));
  };
  Value leftStride = stride(left), rightStride = stride(right),
        sumStride = stride(into);
  auto addressOfTile = [&](const TileRows &rows, const Index &row,
                           const Index &column) {
    Index at = code.add(code.mul(row, Index::of(rows.stride)), column);
    return addressOf(code, rows.memory, code.add(rows.first, at));
  };
  auto forSums = [&](StringRef name) {
    for (int64_t i = 0; i < blocks; ++i)
      for (int64_t j = 0; j < tileColumns; ++j) {
        Value at = addressOfTile(into, Index::of(i * kTileRows),
                                 Index::of(j * kTileColumns));
        callTile(code, name, 2 * i + j, {at, sumStride});
      }
  };
  if (addsToSums) {
    forSums("llvm.x86.tileloadd64");
  } else {
    for (int64_t i = 0; i < blocks; ++i)
      for (int64_t j = 0; j < tileColumns; ++j)
        callTile(code, "llvm.x86.tilezero", 2 * i + j);
  }
  Scope steps;
  auto loop = code.beginFor(scope, steps, words.from, words.to, kTileRows);
  Index word(loop.getInductionVar());
  for (int64_t i = 0; i < blocks; ++i) {
    Value at = addressOfTile(left, Index::of(i * kTileRows), word);
    callTile(code, "llvm.x86.tileloadd64", kLeftTile + i, {at, leftStride});
    for (int64_t j = 0; j < tileColumns; ++j) {
      if (i == 0) {
        at = addressOfTile(right, word, Index::of(j * kTileColumns));
        callTile(code, "llvm.x86.tileloadd64", kRightTile + j,
                 {at, rightStride});
      }
      callTile(code, "llvm.x86.tdpbf16ps",
               {2 * i + j, kLeftTile + i, kRightTile + j});
    }
  }
  code.endFor(loop);
  forSums("llvm.x86.tilestored64");
}

void AttentionEmitter::multiplyPanelInTiles(Scope &scope, const Index &i,
                                            const Index &panel) {
  int64_t width = panelVectors * code.lanes, words = innerSize / depth();
  TileRows left{rowsOfQueries, mul(i, queryStride), queryStride};
  TileRows right{panels, mul(panel, words * width), width};
  TileRows into{scores, add(mul(i, scoreStride), mul(panel, width)),
                scoreStride};
  multiplyTiles(scope, left, right, into, width / kTileColumns,
                {Index::of(0), Index::of(words)}, /*addsToSums=*/false);
}

// Words of terms beyond the last key are zeros. Those of values are zeros, too:
// zero times NaN would be NaN.
void AttentionEmitter::clearLastWords(Scope &scope) {
  if (count.isStatic() && count.constant % (2 * kTileRows) == 0)
    return;
  Value zero = code.splatConstant(code.b.getF32FloatAttr(0));
  Index end = mul(code.ceilDiv(count, 2 * kTileRows), kTileRows);
  Scope pairs;
  auto loop = code.beginFor(scope, pairs, code.ceilDiv(count, 2), end, 1);
  Index pair(loop.getInductionVar());
  for (int64_t c = 0; c < sumStride; c += code.lanes)
    storeVector(pairsOfValues, add(mul(pair, sumStride), Index::of(c)), zero);
  code.endFor(loop);
  // The last vector of terms ends at a whole number of vectors.
  Index first = mul(code.ceilDiv(count, code.lanes), code.lanes / 2);
  forEach(scope, rowsPadded, 1, [&](Scope &, const Index &i) {
    for (int64_t w = 0; w < kTileRows; w += code.lanes)
      storeVector(scores, add(mul(i, scoreStride), add(first, Index::of(w))),
                  zero);
  });
}

void AttentionEmitter::multiplyValuesInTiles(Scope &scope) {
  clearLastWords(scope);
  int64_t tiles = llvm::divideCeil(columns, kTileColumns);
  auto multiply = [&](Scope &in, const Index &column, int64_t tileColumns) {
    forEach(in, rowsPadded, tileRows, [&](Scope &here, const Index &i) {
      TileRows left{scores, mul(i, scoreStride), scoreStride};
      TileRows right{pairsOfValues, column, sumStride};
      TileRows into{sums, add(mul(i, sumStride), column), sumStride};
      // Ranges begin and end at panels, or with the last key.
      Range range = rangeOf(i);
      Range words{code.floorDiv(range.from, 2),
                  mul(code.ceilDiv(range.to, 2 * kTileRows), kTileRows)};
      ifSeen(here, range, [&](Scope &seen) {
        multiplyTiles(seen, left, right, into, tileColumns, words,
                      /*addsToSums=*/true);
      });
    });
  };
  if (int64_t whole = tiles / 2 * 2 * kTileColumns)
    forEach(scope, Index::of(whole), 2 * kTileColumns,
            [&](Scope &in, const Index &column) { multiply(in, column, 2); });
  if (tiles % 2)
    multiply(scope, Index::of((tiles - 1) * kTileColumns), 1);
}
