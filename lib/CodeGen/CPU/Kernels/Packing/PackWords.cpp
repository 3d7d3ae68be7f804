//===- PackWords.cpp - packing of terms that share a word -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vpdpbusd and vdpbf16ps read the terms of a column from one 32-bit word. If
// the terms are contiguous in the source, squares of words are transposed in
// registers. If the columns are contiguous, the rows of a word's terms are
// interleaved. Otherwise the elements are copied one by one.
//
//===----------------------------------------------------------------------===//

#include "PackWords.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::cpu;

namespace {
class WordPacker {
public:
  WordPacker(KernelCode &code, linalg::PackOp pack, int64_t tile)
      : code(code), pack(pack), tile(tile), perm(pack.getOuterDimsPerm()) {}
  void run();

private:
  /// Finds the form of the packing. Returns false if it has no code.
  bool analyse();
  /// Packs the columns of a tile from `first` on, a vector of them, by
  /// transposing squares of words.
  void emitSquares(int64_t first);
  void emitSquare(const Index &column, const Index &word, int64_t first);
  /// The same, by interleaving rows.
  void emitRows(int64_t first);
  /// Packs a tile element by element.
  void emitElements();

  /// Returns the offset of an element of the source: of column `column`, and
  /// term `term`.
  Index sourceAt(const Index &column, const Index &term);
  /// Returns the offset of the first term of word `word` of column `column` of
  /// the current tile.
  Index packedAt(int64_t column, const Index &word);
  /// Returns the first column of the current tile.
  Index firstColumn() {
    return code.mul(ivs[llvm::find(perm, pos) - perm.begin()], Index::of(tile));
  }
  /// Loads or stores `lanes` words.
  Value loadWords(const Index &at);
  void storeWords(Value words, const Index &at);

  KernelCode &code;
  linalg::PackOp pack;
  int64_t tile, terms = 0;
  SmallVector<int64_t> perm;
  unsigned pos = 0;              ///< the source's dimension of columns
  int64_t numWords = 0;          ///< words of a column
  SmallVector<Index> sizes, ivs; ///< of the loops over tiles
  Index limit;                   ///< number of columns
  const Buffer *from = nullptr, *to = nullptr;
  Scope task;
};
} // namespace

bool WordPacker::analyse() {
  from = code.buffer(pack.getSource());
  to = code.buffer(code.outputArg(0));
  if (!from || perm.empty() || pack.getInnerDimsPos().size() != 2 ||
      pack.getInnerDimsPos()[1] != perm.back())
    return false;
  pos = pack.getInnerDimsPos()[0];
  terms = getConstantIntValue(pack.getMixedTiles()[1]).value_or(0);
  unsigned bits = from->element.getIntOrFloatBitWidth();
  int64_t size =
      cast<ShapedType>(pack.getSource().getType()).getDimSize(perm.back());
  if (terms * bits != 32 || ShapedType::isDynamic(size) || size % terms)
    return false;
  numWords = size / terms;
  limit = code.size(pack.getSource(), pos);
  for (unsigned d = 0; d + 1 < perm.size(); ++d)
    sizes.push_back(code.size(code.outputArg(0), d));
  return true;
}

Index WordPacker::sourceAt(const Index &column, const Index &term) {
  Index at = code.add(code.mul(column, from->strides[pos]),
                      code.mul(term, from->strides[perm.back()]));
  for (auto [iv, d] : llvm::zip(ivs, perm))
    if (d != pos)
      at = code.add(at, code.mul(iv, from->strides[d]));
  return at;
}

Index WordPacker::packedAt(int64_t column, const Index &word) {
  Index at = code.add(Index::of(column * terms),
                      code.mul(word, to->strides[ivs.size()]));
  for (auto [d, iv] : llvm::enumerate(ivs))
    at = code.add(at, code.mul(iv, to->strides[d]));
  return at;
}

Value WordPacker::loadWords(const Index &at) {
  auto type = VectorType::get({code.lanes * terms}, from->element);
  Value v = vector::LoadOp::create(code.b, code.loc, type, from->flat,
                                   ValueRange{code.materialize(at)});
  return vector::BitCastOp::create(code.b, code.loc,
                                   code.vectorType(code.b.getI32Type()), v);
}

void WordPacker::storeWords(Value words, const Index &at) {
  auto type = VectorType::get({code.lanes * terms}, to->element);
  Value v = vector::BitCastOp::create(code.b, code.loc, type, words);
  vector::StoreOp::create(code.b, code.loc, v, to->flat,
                          ValueRange{code.materialize(at)});
}

void WordPacker::emitSquare(const Index &column, const Index &word,
                            int64_t first) {
  SmallVector<Value> rows;
  Index term = code.mul(word, Index::of(terms)),
        last = code.sub(limit, Index::of(1));
  // Columns past the end repeat the last one; their sums are not stored.
  bool isExact = limit.isStatic() && limit.constant % tile == 0;
  for (int64_t i = 0; i < code.lanes; ++i) {
    Index mine = code.add(column, Index::of(i));
    rows.push_back(
        loadWords(sourceAt(isExact ? mine : code.min(mine, last), term)));
  }
  transposeVectors(code, rows);
  for (int64_t i = 0; i < code.lanes; ++i)
    storeWords(rows[i], packedAt(first, code.add(word, Index::of(i))));
}

void WordPacker::emitSquares(int64_t first) {
  Index column = code.add(firstColumn(), Index::of(first));
  int64_t whole = numWords / code.lanes * code.lanes;
  Scope scope;
  auto loop =
      code.beginFor(task, scope, Index::of(0), Index::of(whole), code.lanes);
  emitSquare(column, Index(loop.getInductionVar()), first);
  code.endFor(loop);
  // The last square overlaps the one before.
  if (numWords > whole)
    emitSquare(column, Index::of(numWords - code.lanes), first);
}

void WordPacker::emitRows(int64_t first) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Index column = code.add(firstColumn(), Index::of(first));
  // LLVM has better code for shuffles of integers.
  auto type = code.vectorType(from->element),
       bits = code.vectorType(
           b.getIntegerType(from->element.getIntOrFloatBitWidth()));
  Value mask, zero = code.splatConstant(b.getZeroAttr(from->element));
  if (!limit.isStatic() || limit.constant % tile)
    mask = code.maskBelow(code.sub(limit, column));
  Scope scope;
  auto loop = code.beginFor(task, scope, Index::of(0), Index::of(numWords), 1);
  Index word(loop.getInductionVar());
  SmallVector<Value> rows;
  for (int64_t j = 0; j < terms; ++j) {
    Index term = code.add(code.mul(word, Index::of(terms)), Index::of(j));
    Value at = code.materialize(sourceAt(column, term));
    Value row =
        mask ? Value(vector::MaskedLoadOp::create(b, loc, type, from->flat,
                                                  ValueRange{at}, mask, zero))
             : Value(vector::LoadOp::create(b, loc, type, from->flat,
                                            ValueRange{at}));
    rows.push_back(arith::BitcastOp::create(b, loc, bits, row));
  }
  while (rows.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0, half = rows.size() / 2; i < half; ++i)
      next.push_back(
          vector::InterleaveOp::create(b, loc, rows[i], rows[i + half]));
    rows = next;
  }
  Value words = vector::BitCastOp::create(
      b, loc, code.vectorType(b.getI32Type()), rows[0]);
  storeWords(words, packedAt(first, word));
  code.endFor(loop);
}

void WordPacker::emitElements() {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Scope inWords, inTile;
  auto words =
      code.beginFor(task, inWords, Index::of(0), Index::of(numWords), 1);
  auto columns =
      code.beginFor(inWords, inTile, Index::of(0), Index::of(tile), 1);
  Index word(words.getInductionVar()), at(columns.getInductionVar());
  Index column =
      code.min(code.add(firstColumn(), at), code.sub(limit, Index::of(1)));
  for (int64_t j = 0; j < terms; ++j) {
    Index term = code.add(code.mul(word, Index::of(terms)), Index::of(j));
    Value value = memref::LoadOp::create(
        b, loc, from->flat, code.materialize(sourceAt(column, term)));
    Index place =
        code.add(packedAt(0, word),
                 code.add(code.mul(at, Index::of(terms)), Index::of(j)));
    memref::StoreOp::create(b, loc, value, to->flat, code.materialize(place));
  }
  code.endFor(columns);
  code.endFor(words);
}

void WordPacker::run() {
  if (!analyse())
    return code.fail("a packing that has no code");
  Scope top;
  Operation *forall =
      code.beginForall(top, task, sizes, ivs, numWords * tile * terms);
  bool isSquare =
           from->strides[perm.back()].isStatic(1) && numWords >= code.lanes,
       isRows = from->strides[pos].isStatic(1);
  if (isSquare || isRows)
    for (int64_t first = 0; first < tile; first += code.lanes)
      isSquare ? emitSquares(first) : emitRows(first);
  else
    emitElements();
  code.endForall(forall);
}

void fx::cpu::emitPackWords(KernelCode &code, linalg::PackOp pack,
                            int64_t tile) {
  WordPacker(code, pack, tile).run();
}
