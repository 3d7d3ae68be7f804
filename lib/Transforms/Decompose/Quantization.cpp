//===- Quantization.cpp - operators of quantized weights ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The affine operators of torchao, in the order of operations of
// torchao/quantization/quant_primitives.py, and ATen's matmuls of packed
// weights. Weights become operators of quantized_decomposed, whose integers the
// matmuls read.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "fx/Operators/aten/_weight_int4pack_mm_for_cpu.h"
#include "fx/Operators/aten/_weight_int8pack_mm.h"
#include "fx/Operators/aten/abs.h"
#include "fx/Operators/aten/add.h"
#include "fx/Operators/aten/amax.h"
#include "fx/Operators/aten/amin.h"
#include "fx/Operators/aten/bitwise_and.h"
#include "fx/Operators/aten/bitwise_right_shift.h"
#include "fx/Operators/aten/cat.h"
#include "fx/Operators/aten/clamp.h"
#include "fx/Operators/aten/div.h"
#include "fx/Operators/aten/full_like.h"
#include "fx/Operators/aten/gt.h"
#include "fx/Operators/aten/linear.h"
#include "fx/Operators/aten/maximum.h"
#include "fx/Operators/aten/mm.h"
#include "fx/Operators/aten/mul.h"
#include "fx/Operators/aten/neg.h"
#include "fx/Operators/aten/permute.h"
#include "fx/Operators/aten/reciprocal.h"
#include "fx/Operators/aten/reshape.h"
#include "fx/Operators/aten/round.h"
#include "fx/Operators/aten/select.h"
#include "fx/Operators/aten/slice.h"
#include "fx/Operators/aten/stack.h"
#include "fx/Operators/aten/sub.h"
#include "fx/Operators/aten/sum.h"
#include "fx/Operators/aten/to.h"
#include "fx/Operators/aten/where.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel_group.h"
#include "fx/Operators/torchao/choose_qparams_affine.h"
#include "fx/Operators/torchao/choose_scale_float8.h"
#include "fx/Operators/torchao/dequantize_affine.h"
#include "fx/Operators/torchao/quantize_affine.h"

#include "llvm/TargetParser/Host.h"

#include <cstdlib>

using namespace mlir;
using namespace fx;
namespace qd = fx::quantized_decomposed;

namespace {

/// A tensor as torchao divides it into blocks: the sizes of the view that has a
/// dimension for each block, and the dimensions of the blocks' elements.
struct Blocks {
  SmallVector<ArgumentRef> split, kept, original;
  SmallVector<int64_t> inner;
  /// The number of blocks in each dimension of the tensor.
  SmallVector<ArgumentRef> counts;
};

/// Divides `x` into blocks of the sizes `argument`. A block may span a
/// dimension of dynamic size only if its own size is the same expression.
std::optional<Blocks> getBlocks(Decomposer &d, Value x,
                                const Argument &argument) {
  FakeTensorType type = d.type(x);
  std::optional<SmallVector<ExprAttr>> sizes = argument.getExprs();
  if (!sizes || int64_t(sizes->size()) != type.getRank())
    return std::nullopt;
  Blocks blocks;
  for (auto [dim, block] : llvm::enumerate(*sizes)) {
    ExprAttr size = type.getSizes()[dim];
    std::optional<int64_t> number = block.getInteger();
    if (!size || (number && *number <= 0))
      return std::nullopt;
    ArgumentRef whole = d.size(x, dim);
    blocks.original.push_back(whole);
    if (block == size && number != 1) {
      blocks.inner.push_back(blocks.split.size());
      blocks.split.push_back(whole);
      blocks.kept.push_back(1);
      blocks.counts.push_back(1);
    } else if (number == 1) {
      blocks.split.push_back(whole);
      blocks.kept.push_back(whole);
      blocks.counts.push_back(whole);
    } else {
      std::optional<int64_t> all = size.getInteger();
      if (!all || !number || *all % *number)
        return std::nullopt;
      blocks.inner.push_back(blocks.split.size() + 1);
      blocks.split.append({*all / *number, *number});
      blocks.kept.append({*all / *number, 1});
      blocks.counts.push_back(*all / *number);
    }
  }
  return blocks;
}

/// The bounds that a dtype of torchao's operators implies.
struct Bounds {
  double min, max;
};
std::optional<Bounds> getBounds(const Argument &dtype, const Argument &min,
                                const Argument &max) {
  auto type = dyn_cast_if_present<IntegerType>(dtype.getDtype());
  if (!type || type.getWidth() > 32 || type.getWidth() < 2)
    return std::nullopt;
  unsigned width = type.getWidth();
  Bounds bounds = type.isUnsigned() ? Bounds{0, std::ldexp(1.0, width) - 1}
                                    : Bounds{-std::ldexp(1.0, width - 1),
                                             std::ldexp(1.0, width - 1) - 1};
  if (!min.isNone()) {
    std::optional<double> given = min.getFloat();
    if (!given)
      return std::nullopt;
    bounds.min = *given;
  }
  if (!max.isNone()) {
    std::optional<double> given = max.getFloat();
    if (!given)
      return std::nullopt;
    bounds.max = *given;
  }
  if (bounds.min != std::floor(bounds.min) ||
      bounds.max != std::floor(bounds.max) || bounds.min >= bounds.max)
    return std::nullopt;
  return bounds;
}

Value toDtype(Decomposer &d, Value x, Type dtype) {
  return x && d.type(x).getDtype() != dtype ? d.call<aten::ToDtype>(x, dtype)
                                            : x;
}

//===----------------------------------------------------------------------===//
// torchao
//===----------------------------------------------------------------------===//

/// Dequantizes a weight whose blocks are rows, or parts of rows. Returns null
/// if it has other blocks. The products are rounded once, so f32 and a
/// conversion give torchao's result in a smaller dtype, too.
Value dequantizeWeight(torchao::DequantizeAffine op, Decomposer &d,
                       const Bounds &bounds) {
  Value q = op.input(), scale = op.scale(), zero = op.zero_point();
  FakeTensorType type = d.type(q);
  std::optional<SmallVector<int64_t>> block = op.block_size().getInts();
  if (!block || block->size() != 2 || (*block)[0] != 1 ||
      !type.getDtype().isInteger(8))
    return {};
  std::optional<int64_t> rows = d.staticSize(q, 0), width = d.staticSize(q, 1);
  int64_t size = (*block)[1];
  if (!rows || !width || size < 2 || *width % size)
    return {};
  Builder b(type.getContext());
  Type f32 = b.getF32Type();
  int64_t groups = *width / size, min = bounds.min, max = bounds.max;
  SmallVector<int64_t> shape = {*rows};
  if (groups > 1)
    shape.push_back(groups);
  scale = toDtype(d, d.call<aten::Reshape>(scale, shape), f32);
  if (zero)
    zero = d.call<aten::Reshape>(zero, shape);
  ArgumentRef zeros = zero ? ArgumentRef(zero) : ArgumentRef(std::nullopt);
  if (groups > 1)
    return d.call<qd::DequantizePerChannelGroup>(q, scale, zeros, min, max,
                                                 type.getDtype(), size, f32);
  return d.call<qd::DequantizePerChannel>(q, scale, zeros, 0, min, max,
                                          type.getDtype(), f32);
}

LogicalResult decomposeDequantizeAffine(torchao::DequantizeAffine op,
                                        Decomposer &d,
                                        SmallVectorImpl<Value> &results) {
  Value q = op.input(), scale = op.scale(), zero = op.zero_point();
  // The schema's default is a number, which is no dtype of the dialect.
  Type dtype = d.type(op->getResult(0)).getDtype();
  std::optional<Bounds> bounds =
      getBounds(op.input_dtype(), op.quant_min(), op.quant_max());
  if (!q || !scale || !dtype || !bounds)
    return failure();
  // torchao subtracts in the output's dtype, in which integers of up to 8 bits
  // are exact.
  if (Value weight = dequantizeWeight(op, d, *bounds)) {
    results.push_back(toDtype(d, weight, dtype));
    return success();
  }
  std::optional<Blocks> blocks = getBlocks(d, q, op.block_size());
  if (!blocks)
    return failure();
  Value x = toDtype(d, d.call<aten::Reshape>(q, blocks->split), dtype);
  if (zero)
    x = d.call<aten::SubTensor>(
        x, toDtype(d, d.call<aten::Reshape>(zero, blocks->kept), dtype));
  x = d.call<aten::MulTensor>(x, d.call<aten::Reshape>(scale, blocks->kept));
  x = d.call<aten::Reshape>(x, blocks->original);
  results.push_back(toDtype(d, x, dtype));
  return success();
}

LogicalResult decomposeQuantizeAffine(torchao::QuantizeAffine op, Decomposer &d,
                                      SmallVectorImpl<Value> &results) {
  Value x = op.input(), scale = op.scale(), zero = op.zero_point();
  Type dtype = op.output_dtype().getDtype();
  std::optional<Bounds> bounds =
      getBounds(op.output_dtype(), op.quant_min(), op.quant_max());
  if (!x || !scale || !zero || !dtype || !bounds)
    return failure();
  std::optional<Blocks> blocks = getBlocks(d, x, op.block_size());
  if (!blocks)
    return failure();
  Value inverse =
      d.call<aten::Reciprocal>(d.call<aten::Reshape>(scale, blocks->kept));
  x = d.call<aten::MulTensor>(d.call<aten::Reshape>(x, blocks->split), inverse);
  x = d.call<aten::AddTensor>(d.call<aten::Round>(x),
                              d.call<aten::Reshape>(zero, blocks->kept));
  x = d.call<aten::Clamp>(x, int64_t(bounds->min), int64_t(bounds->max));
  x = d.call<aten::Reshape>(x, blocks->original);
  results.push_back(toDtype(d, x, dtype));
  return success();
}

LogicalResult decomposeChooseQParams(torchao::ChooseQparamsAffine op,
                                     Decomposer &d,
                                     SmallVectorImpl<Value> &results) {
  Value x = op.input();
  std::optional<StringRef> mapping = op.mapping_type().getString();
  std::optional<Bounds> bounds =
      getBounds(op.target_dtype(), op.quant_min(), op.quant_max());
  std::optional<bool> keepdim = op.keepdim().getBool();
  if (!x || !mapping || !bounds || !keepdim || op->getNumResults() != 2)
    return failure();
  std::optional<Blocks> blocks = getBlocks(d, x, op.block_size());
  auto dtype = dyn_cast<FloatType>(d.type(x).getDtype());
  if (!blocks || !dtype || blocks->inner.empty())
    return failure();
  double eps = llvm::APFloat::getSmallestNormalized(dtype.getFloatSemantics())
                   .convertToDouble();
  if (!op.eps().isNone()) {
    std::optional<double> given = op.eps().getFloat();
    if (!given)
      return failure();
    eps = *given;
  }
  Value view = d.call<aten::Reshape>(x, blocks->split);
  Value low = d.call<aten::Amin>(view, blocks->inner, *keepdim),
        high = d.call<aten::Amax>(view, blocks->inner, *keepdim);
  low = d.call<aten::Clamp>(low, std::nullopt, 0.0);
  high = d.call<aten::Clamp>(high, 0.0);
  Value scale, zero;
  if (*mapping == "SYMMETRIC" || *mapping == "SYMMETRIC_NO_CLIPPING_ERR") {
    if (*mapping == "SYMMETRIC") {
      high = d.call<aten::Maximum>(d.call<aten::Neg>(low), high);
      scale = d.call<aten::DivScalar>(high, (bounds->max - bounds->min) / 2);
    } else {
      low = d.call<aten::DivScalar>(low, bounds->min);
      high = d.call<aten::DivScalar>(high, bounds->max);
      scale =
          d.call<aten::WhereSelf>(d.call<aten::GtTensor>(low, high), low, high);
    }
    auto middle = int64_t((bounds->max + bounds->min + 1) / 2);
    scale = d.call<aten::Clamp>(scale, eps);
    zero = d.call<aten::FullLike>(scale, middle);
  } else if (*mapping == "ASYMMETRIC") {
    scale = d.call<aten::DivScalar>(d.call<aten::SubTensor>(high, low),
                                    bounds->max - bounds->min);
    scale = d.call<aten::Clamp>(scale, eps);
    zero = d.call<aten::Neg>(
        d.call<aten::Round>(d.call<aten::DivTensor>(low, scale)));
    zero = d.call<aten::Clamp>(d.call<aten::AddScalar>(zero, bounds->min),
                               int64_t(bounds->min), int64_t(bounds->max));
  } else {
    return failure();
  }
  if (*keepdim) {
    scale = d.call<aten::Reshape>(scale, blocks->counts);
    zero = d.call<aten::Reshape>(zero, blocks->counts);
  }
  results.push_back(toDtype(d, scale, d.type(op->getResult(0)).getDtype()));
  results.push_back(toDtype(d, zero, d.type(op->getResult(1)).getDtype()));
  return success();
}

/// Returns the bound `argument`; `otherwise` if it is None, and nullopt if it
/// is no number.
static std::optional<double> getBound(const Argument &argument,
                                      double otherwise) {
  return argument.isNone() ? otherwise : argument.getFloat();
}

/// The scale of a block is its largest magnitude over the largest number of the
/// eight-bit type.
LogicalResult decomposeChooseScale(torchao::ChooseScaleFloat8 op, Decomposer &d,
                                   SmallVectorImpl<Value> &results) {
  Value x = op.tensor();
  // The defaults of the schema are numbers: float8_e4m3fn and float32.
  Type given = op.float8_dtype().getDtype();
  auto dtype = given ? dyn_cast<FloatType>(given)
                     : FloatType(Float8E4M3FNType::get(op->getContext()));
  Type scaleType = op.scale_dtype().getDtype();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::optional<double> least = getBound(op.hp_value_lb(), -infinity),
                        most = getBound(op.hp_value_ub(), infinity);
  // A scale that is a power of two has another dtype.
  if (!x || !dtype || dtype.getWidth() != 8 || !least || !most ||
      (scaleType && !scaleType.isF32()))
    return failure();
  std::optional<Blocks> blocks = getBlocks(d, x, op.block_size());
  if (!blocks || blocks->inner.empty())
    return failure();
  Value size = d.call<aten::Abs>(d.call<aten::Reshape>(x, blocks->split));
  size = d.call<aten::Amax>(size, blocks->inner, /*keepdim=*/true);
  if (*least != -infinity)
    size = d.call<aten::Clamp>(size, *least);
  if (*most != infinity)
    size = d.call<aten::Clamp>(size, std::nullopt, *most);
  double largest =
      llvm::APFloat::getLargest(dtype.getFloatSemantics()).convertToDouble();
  Value scale = d.call<aten::DivScalar>(size, largest);
  scale = d.call<aten::Reshape>(scale, blocks->counts);
  results.push_back(toDtype(d, scale, d.type(op->getResult(0)).getDtype()));
  return success();
}

//===----------------------------------------------------------------------===//
// ATen's packed weights
//===----------------------------------------------------------------------===//

/// Computes x (w * scales)ᵀ in f32.
LogicalResult decomposeInt8PackMm(aten::UnderWeightInt8packMm op, Decomposer &d,
                                  SmallVectorImpl<Value> &results) {
  Value x = op.self(), w = op.mat2(), scales = op.scales();
  if (!x || !w || !scales || !d.type(w).getDtype().isSignlessInteger(8))
    return failure();
  Builder b(op->getContext());
  Type f32 = b.getF32Type();
  Value weight =
      d.call<qd::DequantizePerChannel>(w, toDtype(d, scales, f32), std::nullopt,
                                       0, -128, 127, d.type(w).getDtype(), f32);
  Value y = d.call<aten::Linear>(toDtype(d, x, f32), weight);
  results.push_back(toDtype(d, y, d.type(x).getDtype()));
  return success();
}

/// Returns the number of rows that PyTorch packs together on this CPU, or
/// nullopt on a CPU whose layout is not known. The archive does not record on
/// which CPU its weights were packed: as in PyTorch, it must be one like this.
/// ATEN_CPU_CAPABILITY overrides the choice, as in PyTorch.
std::optional<int64_t> getInt4Rows() {
  if (const char *given = std::getenv("ATEN_CPU_CAPABILITY"))
    return StringRef(given) == "avx512" ? std::optional<int64_t>(64)
           : StringRef(given) == "avx2" ? std::optional<int64_t>(32)
                                        : std::nullopt;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto all = [&](ArrayRef<StringRef> names) {
    return llvm::all_of(names,
                        [&](StringRef name) { return features.lookup(name); });
  };
  if (all({"avx512f", "avx512vl", "avx512bw", "avx512dq", "fma"}))
    return 64;
  if (all({"avx2", "fma"}))
    return 32;
  return std::nullopt;
}

/// Returns rows [first, first + count) of the integers - 8, [count, width],
/// from packed bytes [rows, width / 2]. In a whole block, the low halves of the
/// bytes are the first half of the rows, and the high halves the second one. In
/// a smaller block, the rows alternate.
Value unpackRows(Decomposer &d, Value packed, int64_t first, int64_t count,
                 int64_t rows, int64_t width) {
  Builder b(packed.getContext());
  bool isWhole = count % rows == 0;
  int64_t height = isWhole ? rows : count, blocks = count / height;
  Value part = d.call<aten::SliceTensor>(packed, 0, first, first + count);
  part = d.call<aten::Reshape>(part,
                               SmallVector<int64_t>{blocks, width, height / 2});
  Value halves[] = {d.call<aten::BitwiseAndScalar>(part, 15),
                    d.call<aten::BitwiseRightShiftTensorScalar>(part, 4)};
  if (!halves[0] || !halves[1])
    return {};
  Value all = isWhole ? d.call<aten::Cat>(ArrayRef<Value>(halves), -1)
                      : d.call<aten::Stack>(ArrayRef<Value>(halves), -1);
  all = d.call<aten::Reshape>(all, SmallVector<int64_t>{blocks, width, height});
  all = d.call<aten::Permute>(all, SmallVector<int64_t>{0, 2, 1});
  all = d.call<aten::Reshape>(all, SmallVector<int64_t>{count, width});
  return d.call<aten::SubScalar>(toDtype(d, all, b.getI8Type()), 8);
}

/// Computes x wᵀ with w = (q - 8) s + z, where groups of a row share s and z:
/// the sum of x (q - 8) s, and the sums of the groups of x times z.
LogicalResult decomposeInt4PackMm(aten::UnderWeightInt4packMmForCpu op,
                                  Decomposer &d,
                                  SmallVectorImpl<Value> &results) {
  Value x = op.self(), packed = op.mat2(), both = op.qScaleAndZeros();
  std::optional<int64_t> size = op.qGroupSize().getInt();
  if (!x || !packed || !both || !size || *size < 2 || d.rank(x) != 2 ||
      d.rank(packed) != 2 || d.rank(both) != 3 ||
      !d.type(packed).getDtype().isUnsignedInteger(8))
    return failure();
  std::optional<int64_t> numRows = d.staticSize(packed, 0),
                         half = d.staticSize(packed, 1),
                         width = d.staticSize(x, 1),
                         groups = d.staticSize(both, 0);
  std::optional<int64_t> rows = getInt4Rows();
  if (!numRows || !half || !width || !groups || !rows || *numRows % 16 ||
      *width != 2 * *half || *width != *groups * *size || *groups < 1 ||
      d.staticSize(both, 1) != numRows || d.staticSize(both, 2) != 2)
    return failure();
  Builder b(op->getContext());
  Type f32 = b.getF32Type(), i8 = b.getI8Type();
  SmallVector<Value> parts;
  int64_t whole = *numRows / *rows * *rows;
  if (whole)
    parts.push_back(unpackRows(d, packed, 0, whole, *rows, *width));
  if (whole < *numRows)
    parts.push_back(
        unpackRows(d, packed, whole, *numRows - whole, *rows, *width));
  if (llvm::any_of(parts, [](Value part) { return !part; }))
    return failure();
  Value q = parts.size() == 1 ? parts[0] : d.call<aten::Cat>(parts, 0);
  both = toDtype(d, both, f32);
  Value zeros = d.call<aten::SelectInt>(both, 2, 1); // [groups, rows]
  Value scales = d.call<aten::SelectInt>(both, 2, 0);
  scales = d.call<aten::Permute>(scales, SmallVector<int64_t>{1, 0});
  Value weight =
      *groups == 1
          ? d.call<qd::DequantizePerChannel>(
                q,
                d.call<aten::Reshape>(scales, SmallVector<int64_t>{*numRows}),
                std::nullopt, 0, -8, 7, i8, f32)
          : d.call<qd::DequantizePerChannelGroup>(q, scales, std::nullopt, -8,
                                                  7, i8, *size, f32);
  if (!weight)
    return failure();
  weight.getDefiningOp()->setAttr("fx.bits", b.getI64IntegerAttr(4));
  Value left = toDtype(d, x, f32);
  Value y = d.call<aten::Linear>(left, weight);
  Value sums = d.call<aten::Reshape>(
      left, SmallVector<ArgumentRef>{d.size(x, 0), *groups, *size});
  sums = d.call<aten::SumDimIntList>(sums, SmallVector<int64_t>{2});
  y = d.call<aten::AddTensor>(y, d.call<aten::Mm>(sums, zeros));
  results.push_back(toDtype(d, y, d.type(x).getDtype()));
  return success();
}

} // namespace

void fx::registerQuantizationDecompositions(HookTable<Decomposition> &hooks) {
  hooks.add<torchao::ChooseQparamsAffine, decomposeChooseQParams>();
  hooks.add<torchao::ChooseScaleFloat8, decomposeChooseScale>();
  hooks.add<torchao::QuantizeAffine, decomposeQuantizeAffine>();
  hooks.add<torchao::DequantizeAffine, decomposeDequantizeAffine>();
  hooks.add<aten::UnderWeightInt8packMm, decomposeInt8PackMm>();
  hooks.add<aten::UnderWeightInt4packMmForCpu, decomposeInt4PackMm>();
}
