//===- TileFetch.cpp - copies of tiles to shared memory -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileMatMul.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

Value TileMatMul::locate(const SharedTile &tile, Value memory, Value row,
                         int64_t below, Value chunk, int64_t across) {
  if (tile.pairs) {
    row = i.add(row, below);
    below = 0;
  }
  // The permutation of chunks repeats after 8 rows.
  int64_t offset = 0;
  if (tile.isPermuted()) {
    row = i.add(row, below % 8);
    chunk = i.add(chunk, across);
    offset = (below - below % 8) * tile.pitch();
  } else {
    offset = below * tile.pitch() + across;
  }
  Value address = core.pointer(memory, tile.offset(i, row, chunk), 3);
  return offset ? core.pointer(address, i.of(offset * kChunkBytes), 3)
                : address;
}

/// Replaces coordinates in an operand by those in the tensor in memory. Returns
/// whether they are within it, a boolean, or null if there is no padding.
Value TileMatMul::removePadding(bool isLhs, Coords &where) {
  Value isStored;
  for (auto [d, coord] : llvm::enumerate(where)) {
    auto [low, high] = paddingOf(isLhs, d);
    if (low == 0 && high == 0)
      continue;
    coord.base = code.sub(coord.base, Index::of(low));
    // One unsigned comparison says whether 0 <= coordinate < size.
    Value inside =
        arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::ult,
                              code.materialize(coord.base),
                              code.materialize(code.size(stored(isLhs), d)));
    isStored =
        isStored
            ? Value(arith::AndIOp::create(code.b, code.loc, isStored, inside))
            : inside;
  }
  return isStored;
}

/// Replaces coordinates in the result of a gather by those in its source.
static void readTable(KernelCode &code, Scope &scope,
                      const kernel::RowGather &gather, Coords &where) {
  Coords source;
  tensor::ExtractOp extract = gather.extract;
  for (Value index : extract.getIndices())
    source.push_back({Index(code.evalBody(scope, gather.op, index, where)), 0});
  // The columns are the same. An offset that is a constant stays one.
  source.back() = where.back();
  where = source;
}

Value TileMatMul::elementPointer(const TileOperand &operand, const Index &x,
                                 const Index &atK, Value &isStored,
                                 Scope *scope) {
  Coords where = operandCoords(operand.isLhs, x, atK);
  isStored = Value();
  if (auto gather = gatherOf(operand.isLhs)) {
    assert(scope && "a table is read in a scope");
    readTable(code, *scope, *gather, where);
  } else {
    isStored = removePadding(operand.isLhs, where);
  }
  Index offset;
  for (auto [coord, stride] :
       llvm::zip(where, code.buffer(stored(operand.isLhs))->strides))
    offset = code.add(offset, code.mul(coord.base, stride));
  offset = code.mul(offset, Index::of(elementBytes()));
  Value wide = arith::IndexCastOp::create(code.b, code.loc, code.b.getI64Type(),
                                          code.materialize(offset));
  return core.pointer(operand.pointer, wide, 1);
}

/// The chunks that a thread copies in an iteration of a loop if it reads their
/// places from a table. Without a loop, all places would be in registers.
static constexpr int64_t kGatheredChunks = 4;

void TileMatMul::copyChunks(Scope &scope, const TileOperand &operand,
                            const Index &first, const Index &k0, Value to) {
  int64_t chunks = operand.tile.chunks(), threads = tiles.threads(),
          count = operand.tile.rows * chunks / threads;
  assert(operand.tile.rows * chunks % threads == 0 &&
         "every thread copies as much");
  auto copySome = [&](Scope &here, Value start, int64_t copies) {
    for (int64_t c = 0; c < copies; ++c) {
      // If threads copy whole rows, the next chunk of a thread is a constant
      // number of rows below.
      bool isBelow = threads % chunks == 0;
      int64_t below = isBelow ? c * threads / chunks : 0;
      Value linear = isBelow ? start : i.add(start, c * threads);
      copyChunk(here, operand, first, k0, to, i.div(linear, chunks), below,
                i.rem(linear, chunks));
    }
  };
  if (!gatherOf(operand.isLhs) || count % kGatheredChunks != 0)
    return copySome(scope, thread, count);
  Scope inner;
  auto loop = code.beginFor(scope, inner, Index::of(0), Index::of(count),
                            kGatheredChunks);
  Value before = i.from(loop.getInductionVar());
  copySome(inner, i.add(thread, i.mul(before, threads)), kGatheredChunks);
  code.endFor(loop);
}

void TileMatMul::copyChunk(Scope &scope, const TileOperand &operand,
                           const Index &first, const Index &k0, Value to,
                           Value row, int64_t below, Value chunk) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  const SharedTile &tile = operand.tile;
  Index size = operand.isLhs ? mSize : nSize;
  int64_t width = operand.isLhs ? tiles.m : tiles.n;
  Index slow(i.toIndex(row), below),
      fast(i.toIndex(i.mul(chunk, tile.chunk())));
  Index x = code.add(first, operand.isAlongK ? slow : fast),
        atK = code.add(k0, operand.isAlongK ? fast : slow);
  const Index &along = operand.isAlongK ? kSize : size,
              &across = operand.isAlongK ? size : kSize;
  bool isWhole = isMultiple(along, operand.isAlongK ? tiles.k : width),
       isInside = isMultiple(across, operand.isAlongK ? width : tiles.k);
  // A table has no entries for rows outside of the operand.
  Index thereX = x, thereK = atK;
  if (gatherOf(operand.isLhs) && !isInside) {
    Index &slowest = operand.isAlongK ? thereX : thereK;
    slowest = code.min(slowest, code.sub(across, Index::of(1)));
  }
  Value isStored;
  Value from = elementPointer(operand, thereX, thereK, isStored, &scope);
  // Count the bytes of the chunk that lie within the operand: none if the whole
  // row of the tile is outside.
  Value bytes;
  if (!isWhole || !isInside || isStored) {
    Value zero = code.constant(0);
    bytes = code.constant(kChunkBytes);
    if (!isWhole) {
      Index left = code.mul(code.sub(along, operand.isAlongK ? atK : x),
                            Index::of(elementBytes()));
      bytes = arith::MinSIOp::create(b, loc, code.materialize(left), bytes);
      bytes = arith::MaxSIOp::create(b, loc, bytes, zero);
    }
    if (!isInside) {
      Value inside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                code.materialize(operand.isAlongK ? x : atK),
                                code.materialize(across));
      bytes = arith::SelectOp::create(b, loc, inside, bytes, zero);
    }
    if (isStored)
      bytes = arith::SelectOp::create(b, loc, isStored, bytes, zero);
    bytes = i.from(bytes);
  }
  core.copyAsync(locate(tile, to, row, below, chunk), from, bytes);
}

void TileMatMul::copyElements(Scope &scope, Launch &launch,
                              const TileOperand &operand, const Index &first,
                              const Index &k0, Value to) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  const SharedTile &tile = operand.tile;
  Scope inner;
  auto loop =
      code.beginFor(scope, inner, launch.thread,
                    Index::of(tile.rows * tile.columns), tiles.threads());
  // Neighboring threads copy neighbors in memory.
  bool isTransposed = !operand.isAlongK && tiles.areAlongK;
  SmallVector<Index> sizes = {Index::of(tile.rows), Index::of(tile.columns)};
  if (isTransposed)
    std::swap(sizes[0], sizes[1]);
  SmallVector<Index> split =
      delinearize(code, Index(loop.getInductionVar()), sizes);
  Index x = code.add(first, split[operand.isAlongK ? 0 : 1]),
        atK = code.add(k0, split[operand.isAlongK ? 1 : 0]);
  Value xInside = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::slt, code.materialize(x),
      code.materialize(operand.isLhs ? mSize : nSize));
  Value kInside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                            code.materialize(atK), code.materialize(kSize));
  Value inside = arith::AndIOp::create(b, loc, xInside, kInside);
  Type stored = cast<RankedTensorType>(this->operand(operand.isLhs).getType())
                    .getElementType();
  auto branch = scf::IfOp::create(b, loc, stored, inside,
                                  /*withElseRegion=*/true);
  Scope here;
  here.parent = &inner;
  here.loop = branch;
  here.isGuarded = true;
  b.setInsertionPointToStart(branch.thenBlock());
  Value element = code.eval(here, this->operand(operand.isLhs),
                            operandCoords(operand.isLhs, x, atK));
  scf::YieldOp::create(b, loc, element);
  b.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(stored));
  scf::YieldOp::create(b, loc, zero);
  b.setInsertionPointAfter(branch);
  if (isTransposed)
    std::swap(split[0], split[1]);
  Value row = i.from(code.materialize(split[0])),
        column = i.from(code.materialize(split[1]));
  Value offset = elementOffset(operand, row, column);
  LLVM::StoreOp::create(b, loc, branch.getResult(0),
                        core.pointer(to, offset, 3));
  code.endFor(loop);
}

void TileMatMul::copyTile(Scope &scope, Launch &launch,
                          const TileOperand &operand, const Index &first,
                          const Index &k0, Value to) {
  if (operand.isAsync)
    copyChunks(scope, operand, first, k0, to);
  else
    copyElements(scope, launch, operand, first, k0, to);
}
