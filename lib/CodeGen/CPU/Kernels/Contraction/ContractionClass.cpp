//===- ContractionClass.cpp - schedules of contractions -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "ContractionEmitter.h"

#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fx::cpu;
using namespace fx::kernel;

/// Returns a number of rows from 1 to `most`. Prefers 8 and numbers that divide
/// `size`.
static int64_t chooseDivisor(int64_t size, int64_t most) {
  int64_t usual = std::min<int64_t>(most, 8);
  if (ShapedType::isDynamic(size))
    return usual;
  if (size <= most)
    return std::max<int64_t>(size, 1); // an empty result has size 0
  for (int64_t rows : {usual, most, int64_t(10), int64_t(9), int64_t(7),
                       int64_t(6), int64_t(5)})
    if (rows <= most && size % rows == 0)
      return rows;
  // Few tiles have about as many rows each: two rows take as long as four.
  int64_t tiles = llvm::divideCeil(size, most);
  return tiles <= 3 ? llvm::divideCeil(size, tiles) : usual;
}

/// As `chooseDivisor` for Intel's CPUs with AVX-512: the number of rows for
/// which all tiles take the least time. A step of a tile of r rows takes as
/// long as r rows and 1.3 more (on Ice Lake, two vectors a row; from 6 to 14
/// rows it reaches 143, 151 (8 rows), 158 (12 rows) and 160 of 176 GFLOP/s).
static int64_t chooseFastestRows(int64_t size, int64_t most) {
  constexpr double kStep = 1.3;
  if (ShapedType::isDynamic(size) || size <= most)
    return ShapedType::isDynamic(size) ? most : std::max<int64_t>(size, 1);
  int64_t best = 1;
  double least = 0;
  for (int64_t rows = 1; rows <= most; ++rows) {
    double cost = size + kStep * llvm::divideCeil(size, rows);
    if (rows == 1 || cost <= least) {
      best = rows;
      least = cost;
    }
  }
  // The same number of tiles, but no small one.
  return llvm::divideCeil(size, llvm::divideCeil(size, best));
}

/// Returns the number of rows of the register tile. Measured on Zen 5 (32
/// registers, two vectors a row): 8 to 12 rows reach the peak, 14 rows spill
/// around the loop, 6 and 7 rows come within 2 % of the peak. Prefers numbers
/// that divide `size`.
static int64_t chooseRows(int64_t size, int64_t vectors,
                          const TargetInfo &target, bool isGrouped) {
  int64_t registers = target.registers, lanes = target.lanes;
  // NEON multiplies by one lane of a vector: a row has a register with four of
  // its elements, besides its sums.
  if (target.isNEON) {
    int64_t sets = isGrouped ? 2 : 1;
    int64_t most = (registers - vectors) / (sets * vectors + 1);
    return chooseDivisor(size, std::min<int64_t>(most, vectors == 1 ? 12 : 8));
  }
  // Sums of the current group and sums of all groups.
  if (isGrouped)
    registers /= 2;
  int64_t most = std::max<int64_t>(1, (registers - 1 - vectors) / vectors);
  most = std::min<int64_t>(most, lanes >= 16 ? (vectors == 1 ? 16 : 12) : 6);
  return target.isIntel && !isGrouped ? chooseFastestRows(size, most)
                                      : chooseDivisor(size, most);
}

/// Returns the number of tiles that each prefetch a part of the next panel
/// while they use the current one. Without that, the first tile of a panel
/// waits for memory, since it needs the panel in the time of one tile. Returns
/// 1 if each tile prefetches its own panel, because it is the only one or
/// because the panel does not stay in the second-level cache; 0 if prefetching
/// gains nothing.
static int64_t choosePrefetch(int64_t tiles, int64_t panelBytes, int64_t width,
                              const TargetInfo &target) {
  if (tiles <= 1)
    return 1;
  if (tiles > 64)
    return 0;
  // Measured on Zen 4: the autoencoder, whose first K is 17,768, takes 0.96 of
  // the time with 64 rows and 0.92 with 16.
  if (panelBytes > target.panelCache)
    return target.lanes >= 16 && !target.isIntel;
  return llvm::bit_floor<uint64_t>(std::min<int64_t>(tiles, width));
}

/// Returns true if the right operand is packed with two terms in a byte.
static bool hasPackedNibbles(Contraction &c) {
  auto unpack = c.rhs().getDefiningOp<UnpackOp>();
  return unpack && unpack.getNibbles();
}

/// Returns true if one row should prefetch the weights that it is multiplied
/// by. The prefetcher of the CPU follows the panels, but four bits have a
/// second stream, the scales of groups. Time with prefetches over time without,
/// for weights that the caches do not hold:
///
/// - Zen 3 (AVX2): f32 1.22, int8 0.79, int4 0.90
/// - Zen 4 (AVX-512): f32 1.06, bf16 1.04, int8 as integers 1.16, int4 0.96
/// - Zen 5 (AVX-512): f32 0.96
static bool prefetchesOneRow(Contraction &c, const TargetInfo &target) {
  if (target.prefetchesWeights || hasPackedNibbles(c))
    return true;
  return target.lanes == 8 && c.hasByteWeights();
}

/// Returns the position in the result of the loop over rows within a tile, the
/// last one that is not of size 1.
static std::optional<unsigned> findRows(Contraction &c) {
  SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
  AffineMap result = c.resultMap();
  for (unsigned d = result.getNumResults(); d-- > 0;) {
    unsigned loop = result.getDimPosition(d);
    if (llvm::is_contained(c.m, loop) && ranges[loop] != 1)
      return d;
  }
  return std::nullopt;
}

/// Returns the size of the loop over rows within a tile.
static int64_t getRowRange(Contraction &c) {
  std::optional<unsigned> rows = findRows(c);
  return rows ? c.op.getStaticLoopRanges()[c.resultMap().getDimPosition(*rows)]
              : 1;
}

/// Returns the same, times the size of the loop outside of it if both are
/// neighbours in both tensors. Then the emitter usually walks them as one
/// (`canMergeRows`).
static int64_t getMergedRange(Contraction &c) {
  std::optional<unsigned> rows = findRows(c);
  int64_t size = getRowRange(c);
  if (!rows || *rows == 0 || ShapedType::isDynamic(size))
    return size;
  AffineMap result = c.resultMap();
  unsigned outer = result.getDimPosition(*rows - 1);
  int64_t outerSize = c.op.getStaticLoopRanges()[outer];
  ArrayRef<AffineExpr> both = result.getResults().slice(*rows - 1, 2);
  AffineMap lhs = c.lhsMap();
  bool isMerged =
      llvm::is_contained(c.m, outer) && !ShapedType::isDynamic(outerSize) &&
      llvm::search(lhs.getResults(), both) != lhs.getResults().end();
  return isMerged ? size * outerSize : size;
}

bool fx::cpu::usesTiles(Contraction &c, const TargetInfo &target) {
  Type left = getElementTypeOrSelf(c.lhs().getType());
  bool exists = c.isInteger()                 ? target.tiles.int8
                : c.kind != OperandKind::Half ? false
                : left.isBF16()               ? target.tiles.bf16
                                              : target.tiles.f16;
  if (!exists || c.groupSize || getNibbles(c.rhs()) || hasPackedNibbles(c))
    return false;
  // The terms of a row are contiguous, and in whole words.
  auto last = dyn_cast_or_null<AffineDimExpr>(
      c.lhsMap().getNumResults() ? c.lhsMap().getResults().back()
                                 : AffineExpr());
  if (!last || !llvm::is_contained(c.k, last.getPosition()))
    return false;
  int64_t size = c.op.getStaticLoopRanges()[last.getPosition()],
          terms = c.isInteger() ? 4 : 2;
  return !ShapedType::isDynamic(size) && size % terms == 0 &&
         cast<RankedTensorType>(c.lhs().getType()).getShape().back() == size &&
         paysTiles(getRowRange(c), size / terms);
}

int64_t fx::cpu::getPanelVectors(Contraction &c, const TargetInfo &target) {
  int64_t n = c.op.getStaticLoopRanges()[c.lastN()], lanes = target.lanes;
  if (usesTiles(c, target))
    return (!ShapedType::isDynamic(n) && n <= 16 ? 16 : 32) / lanes;
  // A vector of f64 fills two registers.
  return c.isDouble() || (!ShapedType::isDynamic(n) && n <= lanes) ? 1 : 2;
}

bool fx::cpu::isPackedInPairs(Contraction &c) {
  auto unpack = c.rhs().getDefiningOp<UnpackOp>();
  return c.isHalf() && unpack && unpack.getInnerDimsPos().size() == 2;
}

/// The bytes of a part of a panel on Intel's CPUs, which have 48 KiB of
/// first-level cache (32 KiB before Ice Lake), and the least number of tiles of
/// rows for which parts pay.
static constexpr int64_t kPartBytes = 32 * 1024, kLeastTiles = 4;

static ContractionAttr chooseSchedule(Contraction &c,
                                      const TargetInfo &target) {
  int64_t lanes = target.lanes;
  SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
  auto product = [&](ArrayRef<unsigned> loops) {
    int64_t all = 1;
    for (unsigned loop : loops) {
      if (ShapedType::isDynamic(ranges[loop]))
        return ShapedType::kDynamic;
      all *= ranges[loop];
    }
    return all;
  };
  int64_t vectors = getPanelVectors(c, target);
  auto unpack = c.rhs().getDefiningOp<UnpackOp>();
  if (unpack)
    vectors = std::max<int64_t>(1, unpack.getInnerTiles()[0] / lanes);
  int64_t m = target.isIntel ? getMergedRange(c) : getRowRange(c);
  int64_t registers = c.isDouble() ? 2 * vectors : vectors;
  bool tiles = unpack && usesTiles(c, target);
  int64_t rows = tiles ? (!ShapedType::isDynamic(m) && m <= 16 ? 16 : 32)
                       : chooseRows(m, registers, target, c.groupSize > 0);
  int64_t bytes =
      getElementTypeOrSelf(c.rhs().getType()).getIntOrFloatBitWidth() / 8;
  int64_t k = product(c.k), columns = product(c.n);
  int64_t block = 0;
  if (!ShapedType::isDynamic(k)) {
    block = std::max<int64_t>(128, target.operandCache /
                                       (bytes * std::max<int64_t>(k, 1)));
    // Not one row less: each block reads all panels.
    block = target.isIntel ? llvm::alignTo(block, rows)
                           : std::max(rows, block / rows * rows);
  }
  // AMD's CPUs with AVX-512 have second-level caches of 1 MiB. If many rows
  // find all panels in there (up to 640 KiB instead of 256), ResNet-18 takes
  // 0.97 to 0.98 of the time on Zen 4. Few rows wait for the panels.
  constexpr int64_t kManyRows = 32;
  int64_t leastRows = 1;
  for (unsigned loop : c.m)
    leastRows *= ShapedType::isDynamic(ranges[loop]) ? 1 : ranges[loop];
  bool hasManyRows = leastRows >= kManyRows;
  int64_t kept = lanes >= 16 && !target.isIntel && hasManyRows
                     ? target.panelCache
                     : target.operandCache;
  bool isSmall = !ShapedType::isDynamic(k) && !ShapedType::isDynamic(columns) &&
                 k * columns * bytes <= kept;
  int64_t terms = 0;
  if (target.isIntel && unpack && !tiles && allowsParts(c) &&
      !ShapedType::isDynamic(k)) {
    int64_t width = vectors * lanes * bytes;
    // A panel that is longer than this is not prefetched as a whole.
    int64_t least = k * width > target.panelCache ? 2 : kLeastTiles;
    bool isUsedOften =
        ShapedType::isDynamic(m) || (m + rows - 1) / rows >= least;
    if (isUsedOften && 2 * k >= 3 * (kPartBytes / width))
      terms = kPartBytes / width;
  }
  int64_t prefetch = 0;
  if (!tiles && !isSmall && unpack && !ShapedType::isDynamic(k)) {
    int64_t all = product(c.m), width = vectors * lanes;
    // Assume a full block of rows if their number is dynamic.
    int64_t count = ShapedType::isDynamic(all) || all > block
                        ? block / rows
                        : llvm::divideCeil(all, rows);
    prefetch = all == 1
                   ? prefetchesOneRow(c, target)
                   : choosePrefetch(count, (terms ? terms : k) * width * bytes,
                                    width, target);
  }
  return ContractionAttr::get(c.op.getContext(), rows, vectors, block, isSmall,
                              prefetch, tiles, terms);
}

/// Matches a contraction whose right operand is packed or has contiguous
/// columns. Other contractions are handled as reductions.
static std::optional<KernelMatch> matchKernel(func::FuncOp kernel,
                                              const TargetInfo &target) {
  for (Operation &op : kernel.getBody().front()) {
    auto match = matchContraction(&op, target);
    if (!match || isRowTimesRows(*match))
      continue;
    AffineMap map = match->rhsMap();
    if (match->rhs().getDefiningOp<UnpackOp>() ||
        map.getDimPosition(map.getNumResults() - 1) == match->lastN())
      return KernelMatch{&op, chooseSchedule(*match, target)};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {
/// Enumerates the schedules of a contraction: those that differ from `base` in
/// one parameter, then those that also differ in the number of rows.
struct CandidateList {
  Contraction &c;
  ContractionAttr base;
  const TargetInfo &target;
  SmallVector<ScheduleAttrInterface> list;

  bool isPacked() { return c.rhs().getDefiningOp<UnpackOp>() != nullptr; }
  /// Adds `base` with other rows and vectors, and with a block of rows that
  /// consists of whole tiles.
  void add(int64_t rows, int64_t vectors, int64_t block, bool rowsFirst,
           int64_t prefetch) {
    add(rows, vectors, block, rowsFirst, prefetch, base.getTerms());
  }
  void add(int64_t rows, int64_t vectors, int64_t block, bool rowsFirst,
           int64_t prefetch, int64_t terms) {
    if (block)
      block = std::max(rows, block / rows * rows);
    list.push_back(ContractionAttr::get(base.getContext(), rows, vectors, block,
                                        rowsFirst, prefetch, /*tiles=*/false,
                                        terms));
  }
  /// Returns the numbers of rows whose sums fit into registers, beside a row of
  /// the right operand and an element of the left one; the largest first.
  SmallVector<int64_t> getRows(int64_t vectors);
  /// Adds what differs from `base` in the order of the loops or in prefetches.
  void addOrders(int64_t rows);
  void run();
};
} // namespace

SmallVector<int64_t> CandidateList::getRows(int64_t vectors) {
  // A vector of f64 fills two registers, and groups have two sets of sums.
  int64_t width = c.isDouble() ? 2 * vectors : vectors;
  int64_t registers = c.groupSize ? target.registers / 2 : target.registers;
  int64_t most = std::clamp<int64_t>((registers - 1 - width) / width, 1, 14);
  // A tile need not have more rows than the result.
  int64_t size = 1;
  SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
  for (unsigned loop : c.m)
    size = ShapedType::isDynamic(ranges[loop])
               ? most
               : std::min(most, size * std::max<int64_t>(ranges[loop], 1));
  SmallVector<int64_t> rows;
  for (int64_t r = size; r >= std::max<int64_t>(1, size / 3); --r)
    rows.push_back(r);
  return rows;
}

void CandidateList::addOrders(int64_t rows) {
  int64_t vectors = base.getVectors(), block = base.getRowBlock(),
          prefetch = base.getPrefetch();
  bool rowsFirst = base.getRowsFirst();
  if (isPacked())
    for (int64_t other : {0, 1, 4, 8, 16, 32})
      if (other != prefetch)
        add(rows, vectors, block, rowsFirst, other);
  add(rows, vectors, block, !rowsFirst, prefetch);
  if (isPacked() && allowsParts(c))
    for (int64_t other : {0, 128, 256, 512, 1024})
      if (other != base.getTerms())
        add(rows, vectors, block, rowsFirst, prefetch, other);
  if (!block)
    return;
  for (int64_t other : {2 * block, block / 2, 4 * block, block / 4})
    if (other)
      add(rows, vectors, other, rowsFirst, prefetch);
}

void CandidateList::run() {
  if (base.getTiles())
    return;
  auto addRows = [&](int64_t rows, int64_t vectors) {
    add(rows, vectors, base.getRowBlock(), base.getRowsFirst(),
        base.getPrefetch());
  };
  for (int64_t rows : getRows(base.getVectors()))
    addRows(rows, base.getVectors());
  addOrders(base.getRows());
  // A packed operand determines the width of the panels.
  if (!isPacked())
    for (int64_t vectors : {1, 2, 3, 4})
      if (vectors != base.getVectors())
        addRows(getRows(vectors).front(), vectors);
  for (int64_t rows : getRows(base.getVectors()))
    if (rows != base.getRows())
      addOrders(rows);
}

static SmallVector<ScheduleAttrInterface>
listCandidates(const KernelMatch &match, const TargetInfo &target) {
  auto c = matchContraction(match.root, target);
  if (!c)
    return {};
  CandidateList candidates{
      *c, cast<ContractionAttr>(match.schedule), target, {}};
  candidates.run();
  return candidates.list;
}

static void emitContraction(KernelCode &code) {
  ContractionEmitter e(code);
  if (!e.analyse())
    return code.fail("the operands of the contraction do not fit");
  e.emit();
}

namespace fx::cpu {
KernelClass getContractionClass() {
  return {ContractionAttr::getMnemonic(), /*benefit=*/2, matchKernel,
          emitContraction, listCandidates};
}
} // namespace fx::cpu
