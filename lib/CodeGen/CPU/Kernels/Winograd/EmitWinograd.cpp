//===- EmitWinograd.cpp - convolutions by Winograd's method ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration of the forall computes a block of tiles and a group of panels of
// the filters. It transforms the pixels of the tiles to a buffer, multiplies
// the buffer's n x n matrices of tiles by channels with the transformed filters
// to a second buffer, and transforms the products to results, on which it
// evaluates the pointwise ops of the group. The buffers are small enough for
// the second-level cache. The lanes walk the channels, then the columns.
//
//===----------------------------------------------------------------------===//

#include "../Contraction/ContractionEmitter.h"
#include "../Emitters.h"
#include "Winograd.h"

#include "fx/Kernels/IR/Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::cpu;

/// Elements between the matrices of a buffer, besides their own. Without them,
/// elements of all matrices at the same place could fall into the same set of
/// the first-level cache.
static constexpr int64_t kGap = 16;

namespace {
/// A buffer of n x n matrices of a block's tiles by channels or columns.
struct Matrices {
  Value memory;
  Index columns, stride; ///< of a matrix; the elements between two matrices

  Index at(KernelCode &code, const Index &matrix, const Index &row,
           const Index &column) const {
    Index offset = code.add(code.mul(matrix, stride), code.mul(row, columns));
    return code.add(offset, column);
  }
};

/// The place of a tile.
struct Tile {
  Index image, y, x;
};

/// Emits one kernel. Call `analyse`, then `emit`.
struct WinogradEmitter {
  KernelCode &code;
  ContractionEmitter products;
  Convolution conv;
  const Buffer *pixels = nullptr, *filters = nullptr;
  int64_t m = 0, n = 0; ///< a tile has m x m results of n x n pixels
  int64_t block = 0, groups = 0, rows = 0;
  int64_t tilesY = 0, tilesX = 0, panels = 0, panelsOfGroup = 0;
  Index numTiles;
  Matrices transformed, multiplied;
  // Of the iteration of the forall.
  Index firstTile, firstPanel, endPanel;

  explicit WinogradEmitter(KernelCode &code) : code(code), products(code) {}
  /// Returns false if the kernel has another form.
  bool analyse();
  /// Returns a buffer for matrices of `columns` columns.
  Matrices allocate(int64_t columns);
  /// Returns tile number `number`.
  Tile placeTile(const Index &number);
  void emitPixels(Scope &task);
  void emitProducts(Scope &task);
  /// Emits the products of the tiles from `from` to `to` for one panel of one
  /// matrix, by register tiles of `height` tiles.
  void emitProductRows(Scope &scope, const Index &matrix, const Index &panel,
                       int64_t from, int64_t to, int64_t height);
  void emitResults(Scope &task);
  /// Emits the epilogue and the stores for the results `values` of a tile.
  void storeResults(Scope &scope, const Tile &tile, ArrayRef<Value> values);
  /// Emits `body` if `condition` holds; unconditionally if it is null.
  void guard(Scope &scope, Value condition,
             llvm::function_ref<void(Scope &)> body);
  void emit();
};
} // namespace

bool WinogradEmitter::analyse() {
  if (!products.analyseOps())
    return false;
  std::optional<Convolution> matched = matchConvolution(products.info);
  auto schedule = products.info.op->getAttrOfType<WinogradAttr>(kScheduleAttr);
  auto filter = products.info.rhs().getDefiningOp<UntransformOp>();
  if (!matched || !schedule || !filter ||
      int64_t(filter.getTile()) != schedule.getTile())
    return false;
  conv = *matched;
  m = schedule.getTile();
  n = winograd::getPixels(m);
  block = schedule.getBlock();
  rows = schedule.getRows();
  products.rows = rows;
  products.setVectors(schedule.getVectors());
  products.packed = true;
  auto unpack = filter.getSource().getDefiningOp<UnpackOp>();
  pixels = code.buffer(products.info.lhs());
  filters = unpack ? code.buffer(unpack.getSource()) : nullptr;
  // The panels are [matrix][panel][channel][column].
  if (!pixels || !filters || filters->strides.size() != 4 ||
      unpack.getOuterDimsPerm() != ArrayRef<int64_t>{0, 2, 1} ||
      unpack.getInnerTiles() != ArrayRef<int64_t>{products.panel()})
    return false;
  tilesY = llvm::divideCeil(conv.size(conv.h), m);
  tilesX = llvm::divideCeil(conv.size(conv.w), m);
  auto type = cast<RankedTensorType>(products.info.lhs().getType());
  unsigned rank = type.getRank();
  if (type.getDimSize(rank - 3) < tilesY * m + n - m ||
      type.getDimSize(rank - 2) < tilesX * m + n - m)
    return false;
  panels = llvm::divideCeil(conv.size(conv.column), products.panel());
  groups = std::min(schedule.getGroups(), panels);
  panelsOfGroup = llvm::divideCeil(panels, groups);
  groups = llvm::divideCeil(panels, panelsOfGroup);
  return true;
}

Matrices WinogradEmitter::allocate(int64_t columns) {
  int64_t stride = block * columns + kGap;
  auto type = MemRefType::get({n * n * stride}, code.b.getF32Type());
  Value memory = memref::AllocOp::create(code.b, code.loc, type);
  return {memory, Index::of(columns), Index::of(stride)};
}

Tile WinogradEmitter::placeTile(const Index &number) {
  Index image = code.floorDiv(number, tilesY * tilesX);
  Index rest = code.sub(number, code.mul(image, Index::of(tilesY * tilesX)));
  Index y = code.floorDiv(rest, tilesX);
  return {image, y, code.sub(rest, code.mul(y, Index::of(tilesX)))};
}

void WinogradEmitter::emitPixels(Scope &task) {
  Scope inTile;
  auto loop = code.beginFor(task, inTile, Index::of(0), Index::of(block), 1);
  Index row(loop.getInductionVar());
  // The last block repeats the last tile.
  Tile tile = placeTile(
      code.min(code.add(firstTile, row), code.sub(numTiles, Index::of(1))));
  ArrayRef<Stride> strides = ArrayRef(pixels->strides).take_back(3);
  Index from = code.add(code.mul(code.mul(tile.y, Index::of(m)), strides[0]),
                        code.mul(code.mul(tile.x, Index::of(m)), strides[1]));
  if (conv.image)
    from = code.add(from, code.mul(tile.image, pixels->strides[0]));
  Index channels = Index::of(conv.size(conv.channel));
  VectorType type = code.vectorType(pixels->element);
  code.forVectors(inTile, Index::of(0), channels, [&](Scope &, const Index &c) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        Index at = code.add(code.mul(Index::of(i), strides[0]),
                            code.mul(Index::of(j), strides[1]));
        Value offset = code.materialize(code.add(code.add(from, c), at));
        values.push_back(
            code.mask
                ? Value(vector::MaskedLoadOp::create(
                      code.b, code.loc, type, pixels->flat, ValueRange{offset},
                      code.mask, code.splatConstant(code.b.getF32FloatAttr(0))))
                : Value(vector::LoadOp::create(code.b, code.loc, type,
                                               pixels->flat,
                                               ValueRange{offset})));
      }
    transformPixels(code, m, values);
    for (auto [i, value] : llvm::enumerate(values)) {
      Index to = transformed.at(code, Index::of(i), row, c);
      vector::StoreOp::create(code.b, code.loc, value, transformed.memory,
                              ValueRange{code.materialize(to)});
    }
  });
  code.endFor(loop);
}

void WinogradEmitter::emitProductRows(Scope &scope, const Index &matrix,
                                      const Index &panel, int64_t from,
                                      int64_t to, int64_t height) {
  if (from == to)
    return;
  Scope inner;
  auto loop =
      code.beginFor(scope, inner, Index::of(from), Index::of(to), height);
  Index row(loop.getInductionVar());
  ReductionLoop channels{Index::of(conv.size(conv.channel)), Stride{1, Value()},
                         filters->strides[2]};
  Index left = transformed.at(code, matrix, row, Index::of(0));
  Index right = code.add(code.mul(matrix, filters->strides[0]),
                         code.mul(panel, filters->strides[1]));
  SmallVector<Value> sums =
      products.sum(inner, channels, left, right, Index::of(0), false, height);
  Index column =
      code.mul(code.sub(panel, firstPanel), Index::of(products.panel()));
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Index r = code.add(row, Index::of(i / products.vectors));
    Index c = code.add(column, Index::of(i % products.vectors * code.lanes));
    vector::StoreOp::create(
        code.b, code.loc, sum, multiplied.memory,
        ValueRange{code.materialize(multiplied.at(code, matrix, r, c))});
  }
  code.endFor(loop);
}

void WinogradEmitter::emitProducts(Scope &task) {
  // The left operand of the register tiles: a row is a tile.
  Buffer left{transformed.memory, {}, pixels->element};
  products.a = &left;
  products.b = filters;
  products.mLoop = conv.w;
  products.aStride.assign(conv.contraction.op.getNumLoops(), Stride());
  products.aStride[conv.w] = Stride{transformed.columns.constant, Value()};
  Scope inMatrix, inPanel;
  auto matrices =
      code.beginFor(task, inMatrix, Index::of(0), Index::of(n * n), 1);
  auto loop = code.beginFor(inMatrix, inPanel, firstPanel, endPanel, 1);
  Index matrix(matrices.getInductionVar()), panel(loop.getInductionVar());
  // Register tiles of two heights that differ by one.
  int64_t count = llvm::divideCeil(block, rows),
          most = llvm::divideCeil(block, count);
  int64_t high = most * (count - (most * count - block));
  emitProductRows(inPanel, matrix, panel, 0, high, most);
  emitProductRows(inPanel, matrix, panel, high, block, most - 1);
  code.endFor(loop);
  code.endFor(matrices);
}

void WinogradEmitter::guard(Scope &scope, Value condition,
                            llvm::function_ref<void(Scope &)> body) {
  if (!condition) {
    Scope inner;
    inner.parent = &scope;
    return body(inner);
  }
  auto branch = scf::IfOp::create(code.b, code.loc, condition,
                                  /*withElseRegion=*/false);
  code.fillRegion(scope, branch, branch.getThenRegion(), body);
}

void WinogradEmitter::storeResults(Scope &scope, const Tile &tile,
                                   ArrayRef<Value> values) {
  // The results of the last tiles of a row or column may lie outside.
  auto isInside = [&](const Index &at, int64_t tiles) -> Value {
    return arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::slt,
                                 code.materialize(at),
                                 code.constant(tiles - 1));
  };
  int64_t wholeY = conv.size(conv.h) - (tilesY - 1) * m;
  int64_t wholeX = conv.size(conv.w) - (tilesX - 1) * m;
  auto store = [&](Scope &inner, int64_t y, int64_t yEnd, int64_t x,
                   int64_t xEnd) {
    for (int64_t i = y; i < yEnd; ++i)
      for (int64_t j = x; j < xEnd; ++j) {
        products.at[conv.h] =
            code.add(code.mul(tile.y, Index::of(m)), Index::of(i));
        products.at[conv.w] =
            code.add(code.mul(tile.x, Index::of(m)), Index::of(j));
        products.emitElements(inner, values[i * m + j]);
      }
  };
  guard(scope, Value(),
        [&](Scope &inner) { store(inner, 0, wholeY, 0, wholeX); });
  Value y = wholeY < m ? isInside(tile.y, tilesY) : Value();
  Value x = wholeX < m ? isInside(tile.x, tilesX) : Value();
  if (x)
    guard(scope, x, [&](Scope &inner) { store(inner, 0, wholeY, wholeX, m); });
  if (y)
    guard(scope, y, [&](Scope &inner) {
      store(inner, wholeY, m, 0, wholeX);
      if (x)
        guard(inner, x,
              [&](Scope &both) { store(both, wholeY, m, wholeX, m); });
    });
}

void WinogradEmitter::emitResults(Scope &task) {
  Index count = code.min(Index::of(block), code.sub(numTiles, firstTile));
  Index from = code.mul(firstPanel, Index::of(products.panel()));
  Index to = code.min(code.mul(endPanel, Index::of(products.panel())),
                      Index::of(conv.size(conv.column)));
  Scope inTile;
  auto loop = code.beginFor(task, inTile, Index::of(0), count, 1);
  Index row(loop.getInductionVar());
  Tile tile = placeTile(code.add(firstTile, row));
  if (conv.image)
    products.at[*conv.image] = tile.image;
  code.forVectors(inTile, from, to, [&](Scope &scope, const Index &column) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < n * n; ++i) {
      Index at = multiplied.at(code, Index::of(i), row, code.sub(column, from));
      values.push_back(vector::LoadOp::create(
          code.b, code.loc, code.vectorType(pixels->element), multiplied.memory,
          ValueRange{code.materialize(at)}));
    }
    transformProducts(code, m, values);
    products.at[conv.column] = column;
    storeResults(scope, tile, values);
  });
  code.endFor(loop);
}

void WinogradEmitter::emit() {
  products.nLoop = conv.column;
  products.at.assign(conv.contraction.op.getNumLoops(), Index::of(0));
  numTiles = Index::of(tilesY * tilesX);
  if (conv.image)
    numTiles =
        code.mul(code.loopSize(conv.contraction.op, *conv.image), numTiles);
  SmallVector<Index> ivs;
  Scope top, task;
  int64_t channels = conv.size(conv.channel);
  int64_t columns = panelsOfGroup * products.panel();
  Operation *forall = code.beginForall(
      top, task, {code.ceilDiv(numTiles, block), Index::of(groups)}, ivs,
      n * n * block * columns * channels / 16);
  firstTile = code.mul(ivs[0], Index::of(block));
  firstPanel = code.mul(ivs[1], Index::of(panelsOfGroup));
  endPanel = code.min(code.add(firstPanel, Index::of(panelsOfGroup)),
                      Index::of(panels));
  transformed = allocate(llvm::alignTo(channels, code.lanes));
  multiplied = allocate(columns);
  emitPixels(task);
  emitProducts(task);
  emitResults(task);
  for (const Matrices &buffer : {transformed, multiplied})
    memref::DeallocOp::create(code.b, code.loc, buffer.memory);
  code.endForall(forall);
}

static void emitWinograd(KernelCode &code) {
  WinogradEmitter e(code);
  if (!e.analyse())
    return code.fail("the operands of the convolution do not fit");
  e.emit();
}

static std::optional<KernelMatch> matchKernel(func::FuncOp kernel,
                                              const TargetInfo &target) {
  for (Operation &op : kernel.getBody().front()) {
    auto contraction = matchContraction(&op, target);
    if (!contraction)
      continue;
    auto filter = contraction->rhs().getDefiningOp<UntransformOp>();
    auto conv = filter ? matchConvolution(*contraction) : std::nullopt;
    if (conv)
      return KernelMatch{&op, chooseWinograd(*conv, filter.getTile(), target)};
  }
  return std::nullopt;
}

namespace fx::cpu {
KernelClass getWinogradClass() {
  return {WinogradAttr::getMnemonic(), /*benefit=*/3, matchKernel,
          emitWinograd};
}
} // namespace fx::cpu
