//===- ChooseWinograd.cpp - which convolutions use Winograd's method ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Contraction/ContractionEmitter.h"
#include "Winograd.h"

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/IR/Winograd.h"
#include "fx/Kernels/StateAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUWINOGRAD
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::kernel;
using namespace fx::cpu;

std::optional<Convolution>
fx::cpu::matchConvolution(const Contraction &contraction) {
  Convolution conv;
  conv.contraction = contraction;
  Contraction &c = conv.contraction;
  if (c.kind != OperandKind::F32 || c.groupSize || !c.batch.empty() ||
      c.n.size() != 1 || c.k.size() != 3 || c.m.size() < 2 || c.m.size() > 3)
    return std::nullopt;
  ArrayRef<AffineExpr> pixels = c.lhsMap().getResults();
  if (pixels.size() != c.m.size() + 1)
    return std::nullopt;
  auto findLoop = [](AffineExpr expr, unsigned &loop) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim)
      loop = dim.getPosition();
    return bool(dim);
  };
  auto isSum = [&](AffineExpr expr, unsigned &row, unsigned &tap) {
    auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!sum || sum.getKind() != AffineExprKind::Add ||
        !findLoop(sum.getLHS(), row) || !findLoop(sum.getRHS(), tap))
      return false;
    if (llvm::is_contained(c.k, row))
      std::swap(row, tap);
    return llvm::is_contained(c.m, row) && llvm::is_contained(c.k, tap);
  };
  ArrayRef<AffineExpr> last = pixels.take_back(3);
  conv.column = c.lastN();
  if (!isSum(last[0], conv.h, conv.kh) || !isSum(last[1], conv.w, conv.kw) ||
      !findLoop(last[2], conv.channel) ||
      !llvm::is_contained(c.k, conv.channel))
    return std::nullopt;
  SmallVector<unsigned> result;
  if (pixels.size() == 4) {
    if (!findLoop(pixels[0], conv.image.emplace()))
      return std::nullopt;
    result.push_back(*conv.image);
  }
  result.append({conv.h, conv.w, conv.column});
  if (c.resultMap() != AffineMap::getMultiDimMapWithTargets(
                           c.op.getNumLoops(), result, c.op.getContext()))
    return std::nullopt;
  for (unsigned loop : {conv.h, conv.w, conv.channel, conv.column})
    if (ShapedType::isDynamic(conv.size(loop)) || conv.size(loop) < 1)
      return std::nullopt;
  if (conv.size(conv.kh) != winograd::kFilter ||
      conv.size(conv.kw) != winograd::kFilter)
    return std::nullopt;
  return conv;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Minimum number of tiles of a block for which the filters are read from
/// memory as fast as they are used.
static constexpr int64_t kLeastBlock = 16;
/// Columns of a group below which the transform of the pixels, which each group
/// repeats, costs too much.
static constexpr int64_t kLeastGroup = 128;
/// Costs relative to a fused multiplication and addition in a direct
/// convolution: one of a product, and a value of a tile that is transformed.
static constexpr double kProduct = 1.1, kTransform = 9;
/// Bytes of filters that memory delivers in the time of one such product on
/// Intel's CPUs: few tiles wait for the transformed filters, of which there are
/// up to four times as many. Measured on Ice Lake, one image of ResNet-50, ms
/// direct / F(2 x 2) / F(4 x 4): 256 channels 1.97 / 1.65 / 2.50, 512 channels
/// 2.80 / 3.94 / 4.41.
static constexpr double kDirectBytes = 2.4, kTransformedBytes = 1.5;
/// What Winograd's method must gain to be chosen.
static constexpr double kGain = 1.1;
/// Tasks that are wanted for threads.
static constexpr int64_t kTasks = 4;

/// Returns the number of images, 1 if it is dynamic.
static int64_t countImages(Convolution &conv) {
  int64_t images = conv.image ? conv.size(*conv.image) : 1;
  return ShapedType::isDynamic(images) ? 1 : images;
}

static int64_t countTiles(Convolution &conv, int64_t tile) {
  return std::max<int64_t>(countImages(conv), 1) *
         llvm::divideCeil(conv.size(conv.h), tile) *
         llvm::divideCeil(conv.size(conv.w), tile);
}

WinogradAttr fx::cpu::chooseWinograd(Convolution &conv, int64_t tile,
                                     const TargetInfo &target) {
  int64_t n = winograd::getPixels(tile), tiles = countTiles(conv, tile);
  int64_t vectors = getPanelVectors(conv.contraction, target);
  int64_t rows = target.isNEON ? 8 : target.registers >= 32 ? 12 : 6;
  int64_t columns = conv.size(conv.column);
  // The buffers of a block stay in the second-level cache.
  int64_t bytes = n * n * (conv.size(conv.channel) + columns) * sizeof(float);
  int64_t most = std::max(2 * target.operandCache / bytes, kLeastBlock);
  most = std::max(most / rows * rows, rows);
  // Blocks of about the same number of tiles.
  int64_t blocks = llvm::divideCeil(tiles, most);
  int64_t block = llvm::divideCeil(tiles, blocks);
  int64_t groups = 1;
  while (blocks * groups < kTasks && columns / (2 * groups) >= kLeastGroup)
    groups *= 2;
  return WinogradAttr::get(conv.contraction.op.getContext(), tile, block,
                           groups, rows, vectors);
}

/// Estimates the time of a convolution by F(`tile` x `tile`, 3 x 3), or a
/// direct one if `tile` is 1, in cycles of one fused multiplication and
/// addition of vectors.
static double estimateCycles(Convolution &conv, int64_t tile,
                             const TargetInfo &target) {
  double channels = llvm::alignTo(conv.size(conv.channel), target.lanes);
  double panel = getPanelVectors(conv.contraction, target) * target.lanes;
  double columns =
      llvm::divideCeil(conv.size(conv.column), int64_t(panel)) * panel;
  double lanes = target.lanes;
  int64_t n = tile == 1 ? winograd::kFilter : winograd::getPixels(tile);
  double filters = target.isIntel
                       ? n * n * conv.size(conv.channel) * columns *
                             sizeof(float) /
                             (tile == 1 ? kDirectBytes : kTransformedBytes)
                       : 0;
  if (tile == 1)
    return filters +
           countTiles(conv, 1) * 9 * conv.size(conv.channel) * columns / lanes;
  WinogradAttr schedule = chooseWinograd(conv, tile, target);
  double tiles = schedule.getBlock() *
                 llvm::divideCeil(countTiles(conv, tile), schedule.getBlock());
  double products = tiles * n * n * conv.size(conv.channel) * columns / lanes;
  double transforms = tiles * (channels * schedule.getGroups() + columns) /
                      lanes * kTransform * n * n;
  return filters + products * kProduct + transforms;
}

/// Returns the size of the tiles for which a convolution is fastest; 1 if it is
/// direct.
static int64_t chooseTile(Convolution &conv, const TargetInfo &target) {
  int64_t best = 1;
  double least = estimateCycles(conv, 1, target) / kGain;
  for (int64_t tile : {2, 4}) {
    double cycles = estimateCycles(conv, tile, target);
    if (cycles < least) {
      best = tile;
      least = cycles;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Pads the pixels by as many rows and columns as the last tiles read outside.
/// What they are does not matter.
static Value padPixels(OpBuilder &b, Convolution &conv, int64_t tile) {
  Value pixels = conv.contraction.lhs();
  auto type = cast<RankedTensorType>(pixels.getType());
  Location loc = pixels.getLoc();
  unsigned rank = type.getRank();
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high(low);
  Value source = pixels, zero;
  auto pad = pixels.getDefiningOp<tensor::PadOp>();
  if (pad && (zero = pad.getConstantPaddingValue())) {
    source = pad.getSource();
    low = pad.getMixedLowPad();
    high = pad.getMixedHighPad();
  }
  SmallVector<int64_t> shape(type.getShape());
  bool isLarger = false;
  for (auto [d, loop] : {std::pair(rank - 3, conv.h), {rank - 2, conv.w}}) {
    int64_t tiles = llvm::divideCeil(conv.size(loop), tile);
    int64_t more = tiles * tile + winograd::kFilter - 1 - shape[d];
    std::optional<int64_t> behind = getConstantIntValue(high[d]);
    if (more <= 0)
      continue;
    if (!behind)
      return Value();
    isLarger = true;
    shape[d] += more;
    high[d] = b.getIndexAttr(*behind + more);
  }
  if (!isLarger)
    return pixels;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(pixels);
  if (!zero)
    zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(b, loc, type.clone(shape), source, low, high,
                               zero);
}

/// Creates a generic without index ops.
static Value
createGeneric(OpBuilder &b, Location loc, ValueRange inputs, Value init,
              ArrayRef<AffineMap> maps, unsigned numReductions,
              llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
  SmallVector<utils::IteratorType> kinds(maps[0].getNumDims(),
                                         utils::IteratorType::parallel);
  std::fill_n(kinds.rbegin(), numReductions, utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, init.getType(), inputs, init, maps, kinds,
             [&](OpBuilder &nested, Location at, ValueRange v) {
               linalg::YieldOp::create(nested, at, body(nested, v));
             })
      .getResult(0);
}

/// Computes the transforms of the filters, [n * n][channel][column]. Computes
/// in f64 and rounds once.
static Value transformFilters(OpBuilder &b, Location loc, Convolution &conv,
                              int64_t tile) {
  Type f64 = b.getF64Type(), f32 = b.getF32Type();
  MLIRContext *ctx = b.getContext();
  int64_t n = winograd::getPixels(tile), taps = winograd::kFilter;
  int64_t channels = conv.size(conv.channel), columns = conv.size(conv.column);
  auto makeEmpty = [&](ArrayRef<int64_t> shape, Type element) -> Value {
    return tensor::EmptyOp::create(b, loc, shape, element);
  };
  // Order the dimensions.
  SmallVector<unsigned> order{conv.kh, conv.kw, conv.channel, conv.column};
  SmallVector<AffineExpr> from;
  for (AffineExpr expr : conv.contraction.rhsMap().getResults())
    from.push_back(b.getAffineDimExpr(
        llvm::find(order, cast<AffineDimExpr>(expr).getPosition()) -
        order.begin()));
  AffineMap whole = b.getMultiDimIdentityMap(4);
  Value wide =
      createGeneric(b, loc, conv.contraction.rhs(),
                    makeEmpty({taps, taps, channels, columns}, f64),
                    {AffineMap::get(4, 0, from, ctx), whole}, 0,
                    [&](OpBuilder &nested, ValueRange v) -> Value {
                      return arith::ExtFOp::create(nested, loc, f64, v[0]);
                    });
  winograd::Matrix g = winograd::getFilterTransform(tile);
  Value table = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get({n * n, taps, taps}, f64),
                             ArrayRef<double>(winograd::getProduct(g, g))));
  Value zero = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(0));
  Value init = linalg::FillOp::create(
                   b, loc, zero, makeEmpty({n * n, channels, columns}, f64))
                   .getResult(0);
  AffineExpr t, c, k, i, j;
  bindDims(ctx, t, c, k, i, j);
  Value sums =
      createGeneric(b, loc, {table, wide}, init,
                    AffineMap::inferFromExprList(
                        ArrayRef<SmallVector<AffineExpr, 4>>{
                            {t, i, j}, {i, j, c, k}, {t, c, k}},
                        ctx),
                    2, [&](OpBuilder &nested, ValueRange v) -> Value {
                      Value product =
                          arith::MulFOp::create(nested, loc, v[0], v[1]);
                      return arith::AddFOp::create(nested, loc, v[2], product);
                    });
  AffineMap same = b.getMultiDimIdentityMap(3);
  return createGeneric(b, loc, sums, makeEmpty({n * n, channels, columns}, f32),
                       {same, same}, 0,
                       [&](OpBuilder &nested, ValueRange v) -> Value {
                         return arith::TruncFOp::create(nested, loc, f32, v[0]);
                       });
}

/// Packs transformed filters into panels [n * n][panel][channel][column], and
/// returns the plain form.
static Value packFilters(OpBuilder &b, Location loc, Value filters,
                         int64_t width) {
  SmallVector<int64_t> perm{0, 2, 1}, inner{2}, sizes{width};
  SmallVector<OpFoldResult> tiles =
      getAsIndexOpFoldResult(b.getContext(), sizes);
  auto type = cast<RankedTensorType>(filters.getType());
  Value dest = linalg::PackOp::createDestinationTensor(b, loc, filters, tiles,
                                                       inner, perm);
  std::optional<Value> padding;
  if (type.getDimSize(2) % width)
    padding =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  Value packed =
      linalg::PackOp::create(b, loc, filters, dest, inner, tiles, padding, perm)
          ->getResult(0);
  return UnpackOp::create(b, loc, type, packed, ValueRange(), perm, inner,
                          sizes, /*nibbles=*/false);
}

namespace {
struct FXCPUWinograd : fx::cpu::impl::FXCPUWinogradBase<FXCPUWinograd> {
  using Base::Base;

  TargetInfo getTarget() {
    TargetInfo target = TargetInfo::getCPU(
        lanes, /*hasByteDot=*/false, /*hasBF16Dot=*/false, /*tiles=*/{}, neon);
    target.setCPU(cpu);
    return target;
  }

  /// Makes `conv` read its filter through `fx_kernel.untransform`.
  void rewrite(Convolution &conv, int64_t size) {
    Contraction &c = conv.contraction;
    OpBuilder b(c.op);
    Location loc = c.op.getLoc();
    Value pixels = padPixels(b, conv, size);
    if (!pixels)
      return;
    Value filters = transformFilters(b, loc, conv, size);
    filters =
        packFilters(b, loc, filters, getPanelVectors(c, getTarget()) * lanes);
    int64_t taps = winograd::kFilter;
    auto type = RankedTensorType::get(
        {taps, taps, conv.size(conv.channel), conv.size(conv.column)},
        b.getF32Type());
    c.op->setOperand(c.a, pixels);
    c.op->setOperand(c.b, UntransformOp::create(b, loc, type, filters, size));
    SmallVector<AffineMap> maps = c.op.getIndexingMapsArray();
    maps[c.b] = AffineMap::getMultiDimMapWithTargets(
        c.op.getNumLoops(), {conv.kh, conv.kw, conv.channel, conv.column},
        b.getContext());
    c.op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    ++numRewritten;
  }

  void runOnOperation() override {
    if (mode == WinogradMode::Off)
      return;
    generalizeNamedOps(getOperation());
    TargetInfo target = getTarget();
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || func->hasAttr(kKernelAttr))
        continue;
      StateAnalysis states(func);
      SmallVector<Convolution, 0> found;
      func.walk([&](linalg::GenericOp op) {
        if (auto match = matchContraction(op))
          if (auto conv = matchConvolution(*match);
              conv && states.isStateOnly(match->rhs()))
            found.push_back(*conv);
      });
      for (Convolution &conv : found) {
        int64_t size = mode == WinogradMode::Auto
                           ? chooseTile(conv, target)
                           : static_cast<int64_t>(mode.getValue());
        if (size > 1)
          rewrite(conv, size);
      }
    }
  }
};
} // namespace
