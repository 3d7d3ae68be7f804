//===- PackWeights.cpp - operands of contractions in panels ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionEmitter.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/Nibbles.h"
#include "fx/Kernels/StateAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUPACKWEIGHTS
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::kernel;
using namespace fx::cpu;

/// Minimum number of rows for which packing an operand in every run pays off.
static constexpr int64_t kRowsToPack = 6;
/// The same for an operand whose columns are contiguous, which is packed to
/// multiply pairs of bf16.
static constexpr int64_t kRowsToPair = 16;

namespace {
struct PackWeights : fx::cpu::impl::FXCPUPackWeightsBase<PackWeights> {
  using Base::Base;

  // (source, tiled dimension, inner tiles, permutation, in nibbles) -> packed
  using Key = std::tuple<void *, int64_t, std::vector<int64_t>,
                         std::vector<int64_t>, bool>;
  std::map<Key, Value> packs;

  /// Returns true if the right operand is to be packed: it is a weight or an
  /// integer tensor, or its columns are not contiguous and the rows are many.
  bool isWanted(Contraction &c, bool isWeight) {
    SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
    if (ranges[c.lastN()] == 1 || c.rhs().getDefiningOp<UnpackOp>() ||
        c.rhs().getDefiningOp<UntransformOp>())
      return false;
    AffineMap map = c.rhsMap();
    bool inRows = map.getDimPosition(map.getNumResults() - 1) == c.lastN();
    // Filters of Winograd's method are computed once, by f64.
    if (inRows && c.isDouble() && matchPattern(c.lhs(), m_Constant()))
      return false;
    if (isWeight || c.isInteger())
      return true;
    bool inPairs =
        llvm::any_of(c.k, [&](unsigned loop) { return hasPairs(c, loop); });
    if (inRows && !inPairs)
      return false;
    int64_t rows = 1;
    for (unsigned loop : c.m) {
      if (ShapedType::isDynamic(ranges[loop]))
        return true;
      rows *= ranges[loop];
    }
    return rows >= (inRows ? kRowsToPair : kRowsToPack);
  }

  /// Returns true if the terms along `loop` are the last dimension of the left
  /// operand, and their number is a known multiple of `number`.
  static bool areContiguous(Contraction &c, unsigned loop, int64_t number) {
    AffineMap lhs = c.lhsMap();
    int64_t size = c.op.getStaticLoopRanges()[loop];
    return lhs.getNumResults() != 0 &&
           lhs.getResults().back() ==
               getAffineDimExpr(loop, c.op.getContext()) &&
           !ShapedType::isDynamic(size) && size % number == 0 &&
           cast<RankedTensorType>(c.lhs().getType()).getShape().back() == size;
  }

  /// Returns the op that extracts the low four bits of the weights, if a byte
  /// can hold two weights. This takes eight terms at a time, which must be
  /// contiguous in the left operand. Returns null otherwise.
  static linalg::GenericOp findNibbles(Contraction &c) {
    linalg::GenericOp op = getNibbles(c.rhs());
    AffineMap lhs = c.lhsMap();
    if (!op || !(c.isInteger() || c.hasByteWeights()) ||
        lhs.getNumResults() == 0 || c.groupSize % 8 != 0)
      return {};
    auto last = dyn_cast<AffineDimExpr>(lhs.getResults().back());
    if (!last || !llvm::is_contained(c.k, last.getPosition()))
      return {};
    bool fits = cast<RankedTensorType>(c.rhs().getType()).hasStaticShape() &&
                areContiguous(c, last.getPosition(), 8);
    return fits ? op : nullptr;
  }

  TargetInfo getTarget() {
    return TargetInfo::getCPU(lanes, /*hasByteDot=*/false, bf16, tiles);
  }

  /// Returns true if the hardware can multiply pairs of terms along `loop`:
  /// both operands are bf16, or f16 and multiplied in tiles, and the left one
  /// holds an even number of terms that are contiguous.
  bool hasPairs(Contraction &c, unsigned loop) {
    bool isBF16 = getElementTypeOrSelf(c.lhs().getType()).isBF16();
    return c.kind == OperandKind::Half &&
           ((bf16 && isBF16) || usesTiles(c, getTarget())) &&
           areContiguous(c, loop, 2);
  }

  /// Returns true if one row of f32 by these weights, of bytes, can be
  /// multiplied as integers. This does not depend on the number of rows:
  /// methods with other numbers share the weights.
  bool hasByteQuads(Contraction &c, unsigned loop) {
    int64_t terms = 1;
    for (unsigned k : c.k) {
      int64_t size = c.op.getStaticLoopRanges()[k];
      if (ShapedType::isDynamic(size))
        return false;
      terms *= size;
    }
    return vnni && c.hasByteWeights() && c.groupSize % kFixedPointTerms == 0 &&
           terms % kFixedPointTerms == 0 && areContiguous(c, loop, 4);
  }

  static bool isF16(Value v) {
    return getElementTypeOrSelf(v.getType()).isF16();
  }

  /// Packs the scales of groups: one row of a panel's columns for each group.
  void packScales(Contraction &c, int64_t width) {
    OpBuilder b(c.op);
    Location loc = c.op.getLoc();
    Value scales = c.scales(), source = scales;
    linalg::GenericOp extension = getExtension(scales);
    if (extension && (f16 || !isF16(extension.getInputs()[0])))
      source = extension.getInputs()[0];
    auto type = cast<RankedTensorType>(source.getType());
    AffineMap map = c.scalesMap();
    int64_t pos = *map.getResultPosition(b.getAffineDimExpr(c.lastN()));
    SmallVector<int64_t> perm;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != pos && d + 1 < type.getRank())
        perm.push_back(d);
    perm.append({pos, type.getRank() - 1});
    Value &packed = packs[Key(source.getAsOpaquePointer(), pos, {width},
                              {perm.begin(), perm.end()}, false)];
    if (!packed)
      packed = packInFront(b, loc, source, pos, {width}, {pos}, perm);
    c.op->setOperand(2, unpack(b, loc, packed, scales, perm, {pos}, {width}));
    if (extension && extension->use_empty())
      extension->erase();
  }

  /// Packs `source` directly after its definition.
  static Value packInFront(OpBuilder &b, Location loc, Value source,
                           int64_t pos, ArrayRef<int64_t> sizes,
                           ArrayRef<int64_t> inner, ArrayRef<int64_t> perm) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(source);
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<OpFoldResult> tiles =
        getAsIndexOpFoldResult(b.getContext(), sizes);
    Value dest = linalg::PackOp::createDestinationTensor(b, loc, source, tiles,
                                                         inner, perm);
    std::optional<Value> padding;
    if (type.isDynamicDim(pos) || type.getDimSize(pos) % sizes[0])
      padding = arith::ConstantOp::create(
          b, loc, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
    return linalg::PackOp::create(b, loc, source, dest, inner, tiles, padding,
                                  perm)
        ->getResult(0);
  }

  /// Returns the plain form, of the type and sizes of `source`.
  static Value unpack(OpBuilder &b, Location loc, Value packed, Value source,
                      ArrayRef<int64_t> perm, ArrayRef<int64_t> inner,
                      ArrayRef<int64_t> tiles, bool nibbles = false) {
    SmallVector<Value> sizes;
    for (OpFoldResult size : tensor::getMixedSizes(b, loc, source))
      if (auto dynamic = dyn_cast<Value>(size))
        sizes.push_back(dynamic);
    return UnpackOp::create(b, loc, source.getType(), packed, sizes, perm,
                            inner, tiles, nibbles);
  }

  void pack(Contraction &c) {
    OpBuilder b(c.op);
    Location loc = c.op.getLoc();
    linalg::GenericOp nibbles = findNibbles(c);
    Value source = nibbles ? nibbles.getInputs()[0] : c.rhs();
    AffineMap map = c.rhsMap(), lhs = c.lhsMap();
    int64_t width = getPanelVectors(c, getTarget()) * lanes;
    // Outer dimensions: batches and other columns, the panels, then the
    // reductions in the order in which the left operand has them.
    int64_t pos = 0;
    SmallVector<int64_t> perm, reductions;
    for (unsigned d = 0; d < map.getNumResults(); ++d) {
      unsigned loop = map.getDimPosition(d);
      if (loop == c.lastN())
        pos = d;
      else if (llvm::is_contained(c.k, loop))
        reductions.push_back(d);
      else
        perm.push_back(d);
    }
    perm.push_back(pos);
    auto place = [&](int64_t d) {
      unsigned loop = map.getDimPosition(d);
      for (unsigned i = 0; i < lhs.getNumResults(); ++i)
        if (lhs.getResult(i).isFunctionOfDim(loop))
          return i;
      return lhs.getNumResults();
    };
    llvm::stable_sort(
        reductions, [&](int64_t x, int64_t y) { return place(x) < place(y); });
    perm.append(reductions);

    SmallVector<int64_t> inner{pos}, sizes{width};
    // Some terms of a column, along the last reduction, are contiguous.
    unsigned last = map.getDimPosition(perm.back());
    int64_t terms = c.isInteger() || nibbles || hasByteQuads(c, last) ? 4
                    : hasPairs(c, last)                               ? 2
                                                                      : 1;
    if (terms > 1) {
      inner.push_back(perm.back());
      sizes.push_back(terms);
    }
    Value &packed = packs[Key(source.getAsOpaquePointer(), pos,
                              {sizes.begin(), sizes.end()},
                              {perm.begin(), perm.end()}, bool(nibbles))];
    if (!packed) {
      packed = packInFront(b, loc, source, pos, sizes, inner, perm);
      if (nibbles) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointAfterValue(packed);
        // The upper half of a byte holds the term four places on.
        auto type = cast<RankedTensorType>(packed.getType());
        packed = joinNibbles(b, loc, packed, type.getRank() - 3);
      }
    }
    c.op->setOperand(
        c.b, unpack(b, loc, packed, source, perm, inner, sizes, bool(nibbles)));
    if (nibbles && nibbles->use_empty())
      nibbles->erase();
    if (c.groupSize)
      packScales(c, width);
  }

  /// Lets gathers of rows of a weight, as of an embedding that is also the
  /// weight of an output layer, read its packed form: the model then holds the
  /// weight once. The elements of a row are farther apart, but a gather reads
  /// few rows.
  static void readPacked(linalg::PackOp pack) {
    Value source = pack.getSource();
    SmallVector<tensor::ExtractOp> reads;
    for (Operation *user : source.getUsers()) {
      auto read = dyn_cast<tensor::ExtractOp>(user);
      if (read && isa<linalg::GenericOp>(read->getParentOp()))
        reads.push_back(read);
      else if (user != pack && !isa<tensor::DimOp, UnpackOp>(user))
        return;
    }
    int64_t pos = pack.getInnerDimsPos()[0];
    std::optional<int64_t> tile = getConstantIntValue(pack.getMixedTiles()[0]);
    if (pack.getInnerDimsPos().size() != 1 || !tile)
      return;
    for (tensor::ExtractOp read : reads) {
      OpBuilder b(read);
      Value width = arith::ConstantIndexOp::create(b, read.getLoc(), *tile);
      Value at = read.getIndices()[pos];
      SmallVector<Value> indices;
      for (int64_t d : pack.getOuterDimsPerm())
        indices.push_back(
            d == pos ? arith::DivUIOp::create(b, read.getLoc(), at, width)
                           .getResult()
                     : read.getIndices()[d]);
      indices.push_back(arith::RemUIOp::create(b, read.getLoc(), at, width));
      read.replaceAllUsesWith(tensor::ExtractOp::create(
                                  b, read.getLoc(), pack->getResult(0), indices)
                                  .getResult());
      read.erase();
    }
  }

  void runOnOperation() override {
    generalizeNamedOps(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || func->hasAttr(kKernelAttr))
        continue;
      StateAnalysis states(func);
      packs.clear();
      SmallVector<Contraction, 0> found;
      func.walk([&](linalg::GenericOp op) {
        if (auto match = matchContraction(op))
          found.push_back(*match);
      });
      for (Contraction &c : found) {
        if (isWanted(c, states.isStateOnly(c.rhs())))
          pack(c);
      }
      for (const auto &entry : packs)
        if (auto pack = entry.second.getDefiningOp<linalg::PackOp>();
            pack && states.isStateOnly(pack.getSource()))
          readPacked(pack);
    }
  }
};
} // namespace
