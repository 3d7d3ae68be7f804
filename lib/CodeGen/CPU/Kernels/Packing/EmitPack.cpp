//===- EmitPack.cpp - kernels that pack an operand into panels ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackWords.h"
#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

namespace {
/// Emits packed[o..., i] = source[...], with the tiled dimension at
/// o * tile + i. If the innermost outer dimension is contiguous in the source,
/// blocks are transposed in registers.
class PackEmitter {
public:
  PackEmitter(KernelCode &code, linalg::PackOp pack, int64_t tile)
      : code(code), pack(pack), tile(tile) {}

  void run();

private:
  /// Finds the sizes of the loops over tiles and of the innermost loop.
  void planLoops();
  /// Packs one vector of columns of a tile, from its column `first` on.
  void emitColumns(int64_t first);
  /// Returns how much of `depth` is transposed in blocks if the source has
  /// `left` more columns. Blocks with columns past the end are left to
  /// emitRest.
  Index countBlocked(const Index &left);
  /// Transposes blocks up to `whole`; `column` is the first one in the source.
  void emitBlocks(int64_t first, const Index &column, const Index &whole);
  /// Packs the rest of `depth`, from `whole` on, one vector at a time.
  void emitRest(int64_t first, const Index &column, const Index &whole,
                const Index &left);
  /// Sets the coordinates of the columns in the source and in the result, with
  /// the innermost loop at `k`.
  void place(int64_t first, const Index &column, const Index &k, Coords &source,
             Coords &packed);

  KernelCode &code;
  linalg::PackOp pack;
  int64_t tile;
  const Buffer *from = nullptr, *to = nullptr;
  unsigned pos = 0; ///< the tiled dimension of the source
  int64_t rank = 0;
  /// The source's dimension for each outer dimension of the result.
  SmallVector<int64_t> perm;
  /// Whether the innermost outer dimension is contiguous in the source.
  bool inRow = false;
  SmallVector<Index> sizes, ivs; ///< of the loops over tiles
  Index depth;                   ///< of the innermost loop
  Index limit;                   ///< size of the tiled dimension
  bool exact = false;            ///< whether all tiles are full
  Scope task;
};
} // namespace

void PackEmitter::planLoops() {
  pos = pack.getInnerDimsPos()[0];
  rank = pack.getSourceRank();
  llvm::append_range(perm, pack.getOuterDimsPerm());
  if (perm.empty())
    for (int64_t d = 0; d < rank; ++d)
      perm.push_back(d);
  int64_t last = perm.back();
  inRow = last != pos && from->strides[last].isStatic(1);
  for (int64_t d = 0; d + inRow < rank; ++d)
    sizes.push_back(code.size(code.outputArg(0), d));
  depth = inRow ? code.size(code.outputArg(0), rank - 1) : Index::of(1);
  limit = code.size(pack.getSource(), pos);
  exact = limit.isStatic() && limit.constant % tile == 0;
}

void PackEmitter::place(int64_t first, const Index &column, const Index &k,
                        Coords &source, Coords &packed) {
  if (inRow)
    ivs.back() = k;
  source.resize(rank);
  packed.clear();
  for (int64_t d = 0; d < rank; ++d) {
    packed.push_back({ivs[d], false});
    source[perm[d]] = {ivs[d], false};
  }
  packed.push_back({Index::of(first), true});
  source[pos] = {column, true};
}

Index PackEmitter::countBlocked(const Index &left) {
  if (!inRow || (depth.isStatic() && depth.constant < code.lanes))
    return Index::of(0);
  Index whole =
      code.mul(code.floorDiv(depth, code.lanes), Index::of(code.lanes));
  if (exact)
    return whole;
  Value full =
      arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::sge,
                            code.materialize(left), code.constant(code.lanes));
  return Index(arith::SelectOp::create(
      code.b, code.loc, full, code.materialize(whole), code.constant(0)));
}

void PackEmitter::emitBlocks(int64_t first, const Index &column,
                             const Index &whole) {
  Scope scope;
  scf::ForOp loop = code.beginFor(task, scope, Index::of(0), whole, code.lanes);
  Index k(loop.getInductionVar());
  Coords source, packed;
  SmallVector<Value> rows;
  for (int64_t i = 0; i < code.lanes; ++i) {
    place(first, column, k, source, packed);
    source[pos] = {code.add(column, Index::of(i)), false};
    source[perm.back()] = {k, true};
    rows.push_back(code.load(*from, source));
  }
  transposeVectors(code, rows);
  for (int64_t i = 0; i < code.lanes; ++i) {
    place(first, column, code.add(k, Index::of(i)), source, packed);
    code.store(*to, packed, rows[i]);
  }
  code.endFor(loop);
}

void PackEmitter::emitRest(int64_t first, const Index &column,
                           const Index &whole, const Index &left) {
  Scope scope;
  scf::ForOp loop = code.beginFor(task, scope, whole, depth, 1);
  Coords source, packed;
  place(first, column, Index(loop.getInductionVar()), source, packed);
  if (!exact)
    code.mask = code.maskBelow(left);
  Value value = code.load(*from, source);
  if (Value padding = pack.getPaddingValue(); padding && code.mask)
    value = arith::SelectOp::create(code.b, code.loc, code.mask, value,
                                    code.splat(code.scalar(padding)));
  code.mask = Value();
  code.store(*to, packed, value);
  code.endFor(loop);
}

void PackEmitter::emitColumns(int64_t first) {
  Index panel = ivs[llvm::find(perm, pos) - perm.begin()];
  Index column = code.add(code.mul(panel, Index::of(tile)), Index::of(first));
  Index left = code.sub(limit, column);
  Index whole = countBlocked(left);
  if (!(whole == Index::of(0)))
    emitBlocks(first, column, whole);
  if (!(whole.isStatic() && whole == depth))
    emitRest(first, column, whole, left);
}

void PackEmitter::run() {
  from = code.buffer(pack.getSource());
  if (!from)
    return code.fail("packing of a computed tensor");
  to = code.buffer(code.outputArg(0));
  planLoops();
  Scope top;
  int64_t work = depth.isStatic() ? depth.constant * tile : 0;
  Operation *forall = code.beginForall(top, task, sizes, ivs, work);
  if (inRow)
    ivs.push_back(Index::of(0));
  for (int64_t first = 0; first < tile; first += code.lanes)
    emitColumns(first);
  code.endForall(forall);
}

static void emitPack(KernelCode &code) {
  auto pack = code.output(0).getDefiningOp<linalg::PackOp>();
  std::optional<int64_t> tile = getConstantIntValue(pack.getMixedTiles()[0]);
  if (!tile || *tile % code.lanes)
    return code.fail("a packing that has no code");
  if (pack.getInnerDimsPos().size() != 1)
    return emitPackWords(code, pack, *tile);
  PackEmitter(code, pack, *tile).run();
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static std::optional<KernelMatch> matchPack(func::FuncOp kernel,
                                            const TargetInfo &) {
  Block &body = kernel.getBody().front();
  Operation *root = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<linalg::PackOp>(root))
    return std::nullopt;
  return KernelMatch{root, PackAttr::get(kernel.getContext())};
}

namespace fx::cpu {
KernelClass getPackClass() {
  return {PackAttr::getMnemonic(), /*benefit=*/1, matchPack, emitPack};
}
} // namespace fx::cpu
