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

#include "ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <deque>

using namespace mlir;
using namespace fx::cpu;

/// The rows and columns of a tile of sums, and the bytes of a row.
static constexpr int64_t kRows = 16, kColumns = 16, kRowBytes = 64;
/// The numbers of the first tile of the left operand and of the panel.
static constexpr int64_t kLeft = 4, kRight = 6;
/// Up to this number of remaining rows are multiplied without tiles.
static constexpr int64_t kDotRows = 4;

int64_t fx::cpu::getTileWords(int64_t words) {
  int64_t most = std::min<int64_t>(words, kRows);
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
    rows = 2 * kRows;
  int64_t tiles = llvm::divideCeil(rows, kRows);
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
         panel() % kColumns == 0 && panel() <= 2 * kColumns &&
         !reductions.empty() && reductions.back().size.isStatic() &&
         reductions.back().size.constant > 0 &&
         reductions.back().a.isStatic(depth()) &&
         reductions.back().b.isStatic(panel() * depth());
}

void ContractionEmitter::callTile(StringRef name, ArrayRef<int64_t> tiles,
                                  ValueRange operands) {
  SmallVector<Value> args;
  for (int64_t tile : tiles)
    args.push_back(arith::ConstantOp::create(code.b, code.loc,
                                             code.b.getI8IntegerAttr(tile)));
  llvm::append_range(args, operands);
  LLVM::CallIntrinsicOp::create(code.b, code.loc, code.b.getStringAttr(name),
                                args);
}

Value ContractionEmitter::addressOf(Value flat, const Index &at) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type word = b.getI64Type(), ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type = cast<MemRefType>(flat.getType());
  auto meta = memref::ExtractStridedMetadataOp::create(b, loc, flat);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, flat);
  base = arith::IndexCastOp::create(b, loc, word, base);
  base = LLVM::IntToPtrOp::create(b, loc, ptr, base);
  Index bytes = code.mul(code.add(Index(meta.getOffset()), at),
                         Index::of(type.getElementTypeBitWidth() / 8));
  Value offset =
      arith::IndexCastOp::create(b, loc, word, code.materialize(bytes));
  return LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

void ContractionEmitter::configureTiles(const Index &first,
                                        const Index &second) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  int64_t words = getTileWords(reductions.back().size.constant);
  SmallVector<int8_t> bytes(kRowBytes, 0);
  bytes[0] = 1; // the palette
  SmallVector<std::pair<int64_t, Index>> heights;
  auto shape = [&](int64_t tile, const Index &height, int64_t rowBytes) {
    if (height == Index::of(0))
      return;
    bytes[16 + 2 * tile] = rowBytes;
    if (height.isStatic())
      bytes[48 + tile] = height.constant;
    else
      heights.emplace_back(48 + tile, height);
  };
  for (int64_t j = 0; j < panel() / kColumns; ++j) {
    shape(j, first, kRowBytes);
    shape(2 + j, second, kRowBytes);
    shape(kRight + j, Index::of(words), kRowBytes);
  }
  shape(kLeft, first, 4 * words);
  shape(kLeft + 1, second, 4 * words);
  auto type = VectorType::get({kRowBytes}, b.getI8Type());
  Value fixed = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
  vector::StoreOp::create(b, loc, fixed, tileConfig,
                          ValueRange{code.constant(0)});
  for (auto [at, height] : heights) {
    Value byte = arith::IndexCastOp::create(b, loc, b.getI8Type(),
                                            code.materialize(height));
    memref::StoreOp::create(b, loc, byte, tileConfig, code.constant(at));
  }
  callTile("llvm.x86.ldtilecfg", {}, addressOf(tileConfig, Index::of(0)));
}

void ContractionEmitter::emitTileStep(int64_t blocks, const Index &aOff,
                                      const Index &bOff) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto stride = [&](const Index &bytes) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                      code.materialize(bytes));
  };
  int64_t aBytes = a->element.getIntOrFloatBitWidth() / 8;
  Value aRow = stride(code.mul(Index::of(aBytes), aStride[*mLoop]));
  Value bRow = stride(Index::of(4 * panel()));
  for (int64_t i = 0; i < blocks; ++i) {
    Index from =
        code.add(aOff, code.mul(Index::of(i * kRows), aStride[*mLoop]));
    callTile("llvm.x86.tileloadd64", kLeft + i,
             {addressOf(a->flat, from), aRow});
    for (int64_t j = 0; j < panel() / kColumns; ++j) {
      if (i == 0) {
        Index part = code.add(bOff, Index::of(j * kColumns * depth()));
        callTile("llvm.x86.tileloadd64", kRight + j,
                 {addressOf(this->b->flat, part), bRow});
      }
      callTile(tileInstruction(), {2 * i + j, kLeft + i, kRight + j}, {});
    }
  }
}

void ContractionEmitter::sumInTiles(Scope &scope, const Index &row,
                                    int64_t blocks) {
  Index aOff = code.add(aBase, code.mul(row, aStride[*mLoop])), bOff = bBase;
  for (int64_t i = 0; i < blocks; ++i)
    for (int64_t j = 0; j < panel() / kColumns; ++j)
      callTile("llvm.x86.tilezero", 2 * i + j, {});
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
    for (int64_t j = 0; j < panel() / kColumns; ++j)
      callTile(
          "llvm.x86.tilestored64", 2 * i + j,
          {addressOf(tileSums, Index::of(i * kRows * panel() + j * kColumns)),
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
  Index full = Index::of(kRows), none = Index::of(0);
  if (count.isStatic()) {
    if (count.constant <= dots)
      return emitTile(scope, row, count.constant);
    if (count.constant <= kRows)
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
    if (rows == kRows)
      return emitRows(in, count, none);
    Value isLow =
        arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::ule,
                              height, code.constant(kRows));
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
  auto allocate = [&](int64_t size, Type element) {
    auto op = memref::AllocaOp::create(code.b, code.loc,
                                       MemRefType::get({size}, element));
    op.setAlignment(kRowBytes);
    return op;
  };
  tileConfig = allocate(kRowBytes, code.b.getI8Type());
  tileSums = allocate(rows * panel(), sumType());
  Index whole = code.mul(code.floorDiv(count, rows), Index::of(rows));
  if (!(whole == Index::of(0))) {
    Index first = Index::of(kRows), second = Index::of(rows - kRows);
    configureTiles(first, second);
    Scope inner;
    auto loop = code.beginFor(scope, inner, from, code.add(from, whole), rows);
    emitTileRows(inner, Index(loop.getInductionVar()), first, second);
    code.endFor(loop);
  }
  Index rest = code.sub(count, whole);
  if (!(rest == Index::of(0)))
    emitLastTileRows(scope, code.add(from, whole), rest);
  callTile("llvm.x86.tilerelease", {}, {});
}
