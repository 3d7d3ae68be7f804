//===- SelectSchedules.cpp - strategy of kernels --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/Common/Analysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUSELECTSCHEDULES
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;

/// Bytes of the left operand, or of all panels, that stay in the second-level
/// cache beside what streams through it.
static constexpr int64_t kCacheBytes = 256 * 1024;

/// Rows of the register tile. Measured on Zen 5 (32 registers, two vectors a
/// row): 8 to 12 rows reach the peak, 14 spill around the loop; 6 and 7 come
/// within 2 %. So whatever divides the rows is taken.
static int64_t chooseRows(int64_t size, int64_t vectors, int64_t lanes,
                          bool isGrouped) {
  int64_t registers = lanes >= 16 ? 32 : 16;
  // The sums of a group, and of all groups.
  if (isGrouped)
    registers /= 2;
  int64_t most = std::max<int64_t>(1, (registers - 1 - vectors) / vectors);
  most = std::min<int64_t>(most, lanes >= 16 ? (vectors == 1 ? 16 : 12) : 6);
  int64_t usual = std::min<int64_t>(most, 8);
  if (ShapedType::isDynamic(size))
    return usual;
  if (size <= most)
    return std::max<int64_t>(size, 1); // an empty result has none
  for (int64_t rows : {usual, most, int64_t(10), int64_t(9), int64_t(7),
                       int64_t(6), int64_t(5)})
    if (rows <= most && size % rows == 0)
      return rows;
  return usual;
}

/// Bytes of a panel that may wait in the second-level cache beside the one in
/// use.
static constexpr int64_t kPanelBytes = 640 * 1024;

/// Tiles that share the work of fetching the next panel while they use this
/// one. The first tile of a panel would else wait for memory: it needs the
/// panel in the time of one tile. 1: there is only one tile, which fetches
/// ahead of itself; 0: nothing to gain.
static int64_t choosePrefetch(int64_t tiles, int64_t panelBytes,
                              int64_t width) {
  if (tiles <= 1)
    return 1;
  if (tiles > 64 || panelBytes > kPanelBytes)
    return 0;
  return llvm::bit_floor<uint64_t>(std::min<int64_t>(tiles, width));
}

static DictionaryAttr contractionSchedule(Contraction &c, int64_t lanes) {
  Builder b(c.op.getContext());
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
  int64_t n = ranges[c.lastN()];
  // A vector of f64 fills two registers.
  bool isNarrow = c.isDouble || (!ShapedType::isDynamic(n) && n <= lanes);
  int64_t vectors = isNarrow ? 1 : 2;
  if (auto unpack = c.rhs().getDefiningOp<linalg::UnPackOp>())
    if (auto tile = getConstantIntValue(unpack.getMixedTiles()[0]))
      vectors = std::max<int64_t>(1, *tile / lanes);
  int64_t m = 1;
  for (AffineExpr expr : c.resultMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (llvm::is_contained(c.m, loop) && ranges[loop] != 1)
      m = ranges[loop];
  }
  int64_t registers = c.isDouble ? 2 * vectors : vectors;
  int64_t rows = chooseRows(m, registers, lanes, c.groupSize > 0);
  int64_t bytes =
      getElementTypeOrSelf(c.rhs().getType()).getIntOrFloatBitWidth() / 8;
  int64_t k = product(c.k), columns = product(c.n);
  int64_t block = 0;
  if (!ShapedType::isDynamic(k)) {
    block =
        std::max<int64_t>(128, kCacheBytes / (bytes * std::max<int64_t>(k, 1)));
    block = std::max(rows, block / rows * rows);
  }
  SmallVector<NamedAttribute> attrs{
      b.getNamedAttr("kind", b.getStringAttr("contraction")),
      b.getNamedAttr("rows", b.getI64IntegerAttr(rows)),
      b.getNamedAttr("vectors", b.getI64IntegerAttr(vectors)),
      b.getNamedAttr("row_block", b.getI64IntegerAttr(block))};
  bool isSmall = !ShapedType::isDynamic(k) && !ShapedType::isDynamic(columns) &&
                 k * columns * bytes <= kCacheBytes;
  if (isSmall)
    attrs.push_back(b.getNamedAttr("rows_first", b.getUnitAttr()));
  bool isPacked = c.rhs().getDefiningOp<linalg::UnPackOp>() != nullptr;
  if (!isSmall && isPacked && !ShapedType::isDynamic(k)) {
    int64_t all = product(c.m), width = vectors * lanes;
    // Of a size that is not known a whole block.
    int64_t tiles = ShapedType::isDynamic(all) || all > block
                        ? block / rows
                        : llvm::divideCeil(all, rows);
    if (int64_t share = choosePrefetch(tiles, k * width * bytes, width))
      attrs.push_back(b.getNamedAttr("prefetch", b.getI64IntegerAttr(share)));
  }
  return b.getDictionaryAttr(attrs);
}

namespace {
struct SelectSchedules
    : fx::cpu::impl::FXCPUSelectSchedulesBase<SelectSchedules> {
  using Base::Base;
  void runOnOperation() override {
    Builder b(&getContext());
    auto simple = [&](StringRef kind) {
      return b.getDictionaryAttr(b.getNamedAttr("kind", b.getStringAttr(kind)));
    };
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!func->hasAttr(kKernelAttr) || func.isExternal() ||
          func.getFunctionType().getNumResults() == 0)
        continue;
      Block &body = func.getBody().front();
      Operation *root = nullptr;
      DictionaryAttr schedule;
      bool given = false;
      for (Operation &op : body) {
        given |= op.hasAttr(kScheduleAttr);
        auto generic = dyn_cast<linalg::GenericOp>(op);
        if (!generic || generic.getNumReductionLoops() == 0)
          continue;
        auto match = matchContraction(&op);
        // A contraction whose right operand has its columns in a row, packed
        // or not; else it is a reduction like any other.
        if (match) {
          AffineMap map = match->rhsMap();
          if (match->rhs().getDefiningOp<linalg::UnPackOp>() ||
              map.getDimPosition(map.getNumResults() - 1) == match->lastN()) {
            root = &op;
            schedule = contractionSchedule(*match, lanes);
            break;
          }
        }
        if (!root) {
          root = &op;
          schedule = simple(isRowReduction(generic) ? "rows" : "window");
        }
      }
      if (given)
        continue;
      if (!root) {
        root = body.getTerminator()->getOperand(0).getDefiningOp();
        schedule = simple(isa_and_nonnull<linalg::PackOp>(root) ? "pack"
                                                                : "pointwise");
      }
      if (root)
        root->setAttr(kScheduleAttr, schedule);
    }
  }
};
} // namespace
