//===- ContractionTiles.cpp - contractions in AMX tiles -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile has up to 16 rows of up to 64 bytes. An instruction multiplies a tile
// of the left operand (rows of words, 32 bits with two or four terms each) by a
// tile of a panel (a row holds a word of each of 16 columns) and adds the
// products to a tile of sums. Panels have this layout for vpdpbusd and
// vdpbf16ps, too, so the few rows for which tiles do not pay use these.
//
// Two by two tiles of sums use each tile that is loaded twice. The sums are
// stored to memory, from which the epilogue reads them row by row.
//
// The tile registers have fixed numbers: sums in 0 to 3, the left operand in 4
// and 5, the panel in 6 and 7. LLVM's register allocator for tiles would
// configure them at points that it chooses, and the heights of the last rows
// must be known there.
//
//===----------------------------------------------------------------------===//

#include "../Tiles.h"
#include "ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <deque>

using namespace mlir;
using namespace fx::cpu;

/// Up to this number of remaining rows are multiplied without tiles.
static constexpr int64_t kDotRows = 4;

int64_t fx::cpu::getTileWords(int64_t words) {
  int64_t most = std::min<int64_t>(words, kTileRows);
  while (most > 1 && words % most)
    --most;
  return most;
}

// A tile instruction takes 16 cycles for 16 columns, whatever number of rows
// and words it has. The other instructions multiply a word of 16 columns, two
// in a cycle. Tiles must be twice as fast, since their sums take a way through
// memory.
bool fx::cpu::paysTiles(int64_t rows, int64_t words) {
  if (ShapedType::isDynamic(rows))
    rows = 2 * kTileRows;
  int64_t tiles = llvm::divideCeil(rows, kTileRows);
  return rows > 0 && words > 0 && rows * getTileWords(words) > 64 * tiles;
}

StringRef ContractionEmitter::tileInstruction() {
  return info.isInteger()      ? "llvm.x86.tdpbusd"
         : a->element.isBF16() ? "llvm.x86.tdpbf16ps"
                               : "llvm.x86.tdpfp16ps";
}

bool ContractionEmitter::hasDots() {
  return info.isInteger() || (a->element.isBF16() && code.machine.hasBF16Dot);
}

bool ContractionEmitter::fitsTiles() {
  return packed && !nibbles && depth() > 1 && !info.groupSize && mLoop &&
         panel() % kTileColumns == 0 && panel() <= 2 * kTileColumns &&
         !reductions.empty() && reductions.back().size.isStatic() &&
         reductions.back().size.constant > 0 &&
         reductions.back().a.isStatic(depth()) &&
         reductions.back().b.isStatic(panel() * depth());
}

void ContractionEmitter::configureTiles(const Index &first,
                                        const Index &second) {
  int64_t words = getTileWords(reductions.back().size.constant);
  TileShapes shapes;
  for (int64_t j = 0; j < panel() / kTileColumns; ++j) {
    shapes.set(j, first, kTileRowBytes);
    shapes.set(2 + j, second, kTileRowBytes);
    shapes.set(kRightTile + j, Index::of(words), kTileRowBytes);
  }
  shapes.set(kLeftTile, first, 4 * words);
  shapes.set(kLeftTile + 1, second, 4 * words);
  shapes.load(code, tileConfig);
}

void ContractionEmitter::emitTileStep(int64_t blocks, const Index &aOff,
                                      const Index &bOff) {
  int64_t aBytes = a->element.getIntOrFloatBitWidth() / 8;
  Value aRow = tileStride(code, code.mul(Index::of(aBytes), aStride[*mLoop]));
  Value bRow = tileStride(code, Index::of(4 * panel()));
  for (int64_t i = 0; i < blocks; ++i) {
    Index from =
        code.add(aOff, code.mul(Index::of(i * kTileRows), aStride[*mLoop]));
    callTile(code, "llvm.x86.tileloadd64", kLeftTile + i,
             {addressOf(code, a->flat, from), aRow});
    for (int64_t j = 0; j < panel() / kTileColumns; ++j) {
      if (i == 0) {
        Index part = code.add(bOff, Index::of(j * kTileColumns * depth()));
        callTile(code, "llvm.x86.tileloadd64", kRightTile + j,
                 {addressOf(code, this->b->flat, part), bRow});
      }
      callTile(code, tileInstruction(),
               {2 * i + j, kLeftTile + i, kRightTile + j}, {});
    }
  }
}

void ContractionEmitter::sumInTiles(Scope &scope, const Index &row,
                                    int64_t blocks) {
  Index aOff = code.add(aBase, code.mul(row, aStride[*mLoop])), bOff = bBase;
  for (int64_t i = 0; i < blocks; ++i)
    for (int64_t j = 0; j < panel() / kTileColumns; ++j)
      callTile(code, "llvm.x86.tilezero", 2 * i + j, {});
  SmallVector<scf::ForOp> nest;
  std::deque<Scope> scopes;
  Scope *current = &scope;
  for (auto [d, r] : llvm::enumerate(reductions)) {
    bool isLast = d + 1 == reductions.size();
    scopes.emplace_back();
    nest.push_back(code.beginFor(*current, scopes.back(), Index::of(0), r.size,
                                 isLast ? getTileWords(r.size.constant) : 1));
    current = &scopes.back();
    Index iv(nest.back().getInductionVar());
    aOff = code.add(aOff, code.mul(iv, r.a));
    bOff = code.add(bOff, code.mul(iv, r.b));
  }
  emitTileStep(blocks, aOff, bOff);
  for (scf::ForOp loop : llvm::reverse(nest))
    code.endFor(loop);
}

void ContractionEmitter::emitTileRows(Scope &scope, const Index &row,
                                      const Index &first, const Index &second) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  int64_t blocks = second == Index::of(0) ? 1 : 2;
  Index end = code.add(row, code.add(first, second));
  {
    Scope ahead;
    auto loop = code.beginFor(scope, ahead, row, end, 1);
    prefetchEpilogue(Index(loop.getInductionVar()), 1);
    code.endFor(loop);
  }
  sumInTiles(scope, row, blocks);
  Value rowBytes =
      arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(4 * panel()));
  for (int64_t i = 0; i < blocks; ++i)
    for (int64_t j = 0; j < panel() / kTileColumns; ++j)
      callTile(
          code, "llvm.x86.tilestored64", 2 * i + j,
          {addressOf(code, tileSums,
                     Index::of(i * kTileRows * panel() + j * kTileColumns)),
           rowBytes});
  Scope inner;
  auto loop = code.beginFor(scope, inner, row, end, 1);
  Index at(loop.getInductionVar());
  Index from = code.mul(code.sub(at, row), Index::of(panel()));
  SmallVector<Value> sums;
  for (int64_t v = 0; v < vectors; ++v)
    sums.push_back(vector::LoadOp::create(
        b, loc, code.vectorType(sumType()), tileSums,
        ValueRange{
            code.materialize(code.add(from, Index::of(v * code.lanes)))}));
  emitEpilogue(inner, at, 1, sums);
  code.endFor(loop);
}

void ContractionEmitter::emitLastTileRows(Scope &scope, const Index &row,
                                          const Index &count) {
  auto emitRows = [&](Scope &in, const Index &first, const Index &second) {
    configureTiles(first, second);
    emitTileRows(in, row, first, second);
  };
  int64_t dots = hasDots() ? kDotRows : 0;
  Index full = Index::of(kTileRows), none = Index::of(0);
  if (count.isStatic()) {
    if (count.constant <= dots)
      return emitTile(scope, row, count.constant);
    if (count.constant <= kTileRows)
      return emitRows(scope, count, none);
    return emitRows(scope, full, code.sub(count, full));
  }
  Value height = code.materialize(count);
  SmallVector<int64_t> cases;
  for (int64_t r = 0; r <= dots; ++r)
    cases.push_back(r);
  auto pick = scf::IndexSwitchOp::create(code.b, code.loc, TypeRange(), height,
                                         cases, cases.size());
  for (int64_t r : cases)
    code.fillRegion(scope, pick, pick.getCaseRegions()[r], [&](Scope &in) {
      if (r)
        emitTile(in, row, r);
    });
  code.fillRegion(scope, pick, pick.getDefaultRegion(), [&](Scope &in) {
    if (rows == kTileRows)
      return emitRows(in, count, none);
    Value isLow =
        arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::ule,
                              height, code.constant(kTileRows));
    auto either = scf::IfOp::create(code.b, code.loc, TypeRange(), isLow,
                                    /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
    code.fillRegion(in, either, either.getThenRegion(),
                    [&](Scope &low) { emitRows(low, count, none); });
    code.fillRegion(in, either, either.getElseRegion(), [&](Scope &high) {
      emitRows(high, full, code.sub(count, full));
    });
  });
}

void ContractionEmitter::emitTiles(Scope &scope, const Index &from,
                                   const Index &count) {
  tileConfig = allocateForTiles(code, kTileRowBytes, code.b.getI8Type());
  tileSums = allocateForTiles(code, rows * panel(), sumType());
  Index whole = code.mul(code.floorDiv(count, rows), Index::of(rows));
  if (!(whole == Index::of(0))) {
    Index first = Index::of(kTileRows), second = Index::of(rows - kTileRows);
    configureTiles(first, second);
    Scope inner;
    auto loop = code.beginFor(scope, inner, from, code.add(from, whole), rows);
    emitTileRows(inner, Index(loop.getInductionVar()), first, second);
    code.endFor(loop);
  }
  Index rest = code.sub(count, whole);
  if (!(rest == Index::of(0)))
    emitLastTileRows(scope, code.add(from, whole), rest);
  callTile(code, "llvm.x86.tilerelease", {}, {});
}
