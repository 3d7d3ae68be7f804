//===- WeightRaiser.cpp - uses of dequantized weights ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With w = (q - z) s + b, whose parameters hold for groups of terms,
//
//   sum x w = sum x q s + sum over the groups g of (b[g] - z[g] s[g]) sum x,
//
// where the second factor depends on the weights only. q is a dequantized
// tensor, and the last sum that of the terms of a group.
//
//===----------------------------------------------------------------------===//

#include "WeightRaiser.h"

#include "fx/Operators/aten/add.h"
#include "fx/Operators/aten/div.h"
#include "fx/Operators/aten/embedding.h"
#include "fx/Operators/aten/index_select.h"
#include "fx/Operators/aten/linear.h"
#include "fx/Operators/aten/mul.h"
#include "fx/Operators/aten/new_full.h"
#include "fx/Operators/aten/permute.h"
#include "fx/Operators/aten/reciprocal.h"
#include "fx/Operators/aten/reshape.h"
#include "fx/Operators/aten/sort.h"
#include "fx/Operators/aten/sub.h"
#include "fx/Operators/aten/sum.h"
#include "fx/Operators/aten/to.h"
#include "fx/Operators/aten/unsqueeze.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel_group.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_tensor.h"

#include <numeric>

using namespace mlir;
using namespace fx;
namespace qd = fx::quantized_decomposed;

/// Kernels for CPUs convert smaller weights before the run. Sums of groups take
/// longer than reading a small weight.
static constexpr int64_t kMinElements = 256 * 1024;
/// Parameters of smaller groups take as many bytes as the integers.
static constexpr int64_t kMinGroup = 16;
/// Rows of activations up to which a matmul reads integers: on GPUs, and on
/// CPUs that multiply bf16. With more rows, it is faster with weights of 16
/// bits.
static constexpr int64_t kFewRowsGPU = 16, kFewRowsBF16 = 4;

static FakeTensorType getType(Value value) {
  return cast<FakeTensorType>(value.getType());
}

/// Moves the integers to the range of int8, or of four bits if they fit.
bool WeightRaiser::chooseShift() {
  auto [min, max] = w.range;
  isNarrow = max - min <= 15;
  int64_t low = isNarrow ? -8 : -128, high = isNarrow ? 7 : 127;
  if (max - min > high - low)
    return false;
  // Unsigned numbers of four bits lose 8, whatever the bounds of this weight.
  if (min >= 0 && max > high && max <= high - low)
    shift = -low;
  else if (min < low)
    shift = min - low;
  else if (max > high)
    shift = max - high;
  // If the integers are much smaller than the shift, the sums of the products
  // would cancel, and lose digits.
  return shift == 0 || w.hasKnownRange;
}

/// Finds the largest groups of terms that share all parameters.
bool WeightRaiser::chooseGroup() {
  group = terms;
  for (WeightParameter *part : w.getParameters()) {
    group = std::gcd(group, part->getRun(terms));
    if (!part->sortedBy)
      continue;
    if (part->orderedDim != 1 || (sorted && sorted->order != part->order))
      return false;
    sorted = part;
  }
  // Other parameters hold for the terms in their own order.
  if (sorted)
    for (WeightParameter *part : w.getParameters())
      if (!part->sortedBy && part->getRun(terms) != terms)
        return false;
  // Blocks may begin in one row and end in the next.
  for (WeightParameter *part : w.getParameters())
    if (!part->number &&
        !splitDigits(part->digits, {columns, terms / group, group}))
      return false;
  return group >= kMinGroup || group == terms;
}

bool WeightRaiser::chooseForm(bool gpu, bool bf16) {
  Type dtype = getType(use.weight).getDtype();
  if (!dtype.isF32() && !dtype.isF16() && !dtype.isBF16())
    return false;
  if (use.isEmbedding)
    return !sorted;
  // Kernels for GPUs subtract zero points of groups that are integers.
  bool subtracts = gpu && group < terms && (!w.zero || w.zero->isInteger());
  addsOffsets = w.offset || (hasZeros() && !subtracts);
  if (dtype.isF32())
    return true;
  widens = addsOffsets || !gpu;
  if (!gpu && !(bf16 && dtype.isBF16()))
    return true;
  int64_t rows = 1;
  FakeTensorType x = getType(use.x);
  for (int64_t d = 0; d + 1 < x.getRank(); ++d) {
    if (ShapedType::isDynamic(x.getDimSize(d)))
      return false;
    rows *= x.getDimSize(d);
  }
  return rows <= (gpu ? kFewRowsGPU : kFewRowsBF16);
}

bool WeightRaiser::plan(bool gpu, bool bf16) {
  FakeTensorType type = getType(use.weight);
  if (use.terms == 0 && !w.permute(getShape(use.weight), {1, 0}))
    return false;
  columns = type.getDimSize(1 - use.terms);
  terms = type.getDimSize(use.terms);
  bool isLarge = columns * terms >= kMinElements;
  return columns * terms > 0 && (isLarge || (gpu && !use.isEmbedding)) &&
         chooseShift() && chooseGroup() && chooseForm(gpu, bf16) &&
         (isLarge || !addsOffsets);
}

Value WeightRaiser::convert(Decomposer &d, Value v, Type dtype) {
  return v && getType(v).getDtype() != dtype ? d.call<aten::ToDtype>(v, dtype)
                                             : v;
}

/// Returns the terms in the order of their groups.
Value WeightRaiser::getOrder(Decomposer &d) {
  Value order = d.call<aten::SortStable>(sorted->sortedBy, true, 0);
  return order ? order.getDefiningOp()->getResult(1) : Value();
}

/// Returns the integers as int8, [columns, terms].
Value WeightRaiser::getIntegers(Decomposer &d) {
  Builder b(w.integers.getContext());
  Value q = w.integers;
  Type dtype = getType(q).getDtype();
  if (shift != 0) {
    if (dtype.getIntOrFloatBitWidth() < 16)
      q = convert(d, q, b.getI16Type());
    q = d.call<aten::SubScalar>(q, shift);
  }
  q = convert(d, q, b.getI8Type());
  for (const AffineWeight::View &view : w.views)
    q = view.isPermutation ? d.call<aten::Permute>(q, view.dims)
                           : d.call<aten::Reshape>(q, view.dims);
  return sorted ? d.call<aten::IndexSelect>(q, 1, getOrder(d)) : q;
}

/// Returns a summand, [columns, groups].
Value WeightRaiser::getRuns(Decomposer &d, WeightParameter &part, Type dtype) {
  Value runs = part.getRuns(d, columns, terms, group, dtype, w.integers);
  return part.isInverse ? d.call<aten::MulScalar>(runs, -1) : runs;
}

/// Returns the scales, [columns, groups], or null if they are all `factor`.
Value WeightRaiser::getScales(Decomposer &d) {
  Type f32 = Float32Type::get(w.integers.getContext());
  Value product;
  for (WeightParameter &scale : w.scales) {
    Value runs = scale.getRuns(d, columns, terms, group, f32, w.integers);
    if (product)
      product = scale.isInverse ? d.call<aten::DivTensor>(product, runs)
                                : d.call<aten::MulTensor>(product, runs);
    else
      product = scale.isInverse ? d.call<aten::Reciprocal>(runs) : runs;
  }
  return product && w.factor != 1 ? d.call<aten::MulScalar>(product, w.factor)
                                  : product;
}

/// Returns zero - shift, [columns, groups], or null if it is 0.
Value WeightRaiser::getZeros(Decomposer &d, Type dtype) {
  if (!hasZeros())
    return {};
  WeightParameter zero;
  if (w.zero)
    zero = *w.zero;
  else
    zero.number = 0.0;
  if (zero.number) {
    zero.number = (zero.isInverse ? -*zero.number : *zero.number) - shift;
    zero.isInverse = false;
    return getRuns(d, zero, dtype);
  }
  Value zeros = getRuns(d, zero, dtype);
  return shift ? d.call<aten::SubScalar>(zeros, shift) : zeros;
}

/// Returns offset - (zero - shift) * scale, [columns, groups].
Value WeightRaiser::getOffsets(Decomposer &d, Value scales) {
  Type f32 = Float32Type::get(w.integers.getContext());
  Value zeros = getZeros(d, f32);
  Value offset = w.offset ? getRuns(d, *w.offset, f32) : Value();
  if (!zeros)
    return offset;
  zeros = scales ? d.call<aten::MulTensor>(zeros, scales)
                 : d.call<aten::MulScalar>(zeros, w.factor);
  return offset ? d.call<aten::SubTensor>(offset, zeros)
                : d.call<aten::MulScalar>(zeros, -1.0);
}

/// Returns the sums of the terms of each group, [..., groups].
Value WeightRaiser::sumGroups(Decomposer &d, Value x) {
  int64_t rank = getType(x).getRank();
  SmallVector<ArgumentRef> shape;
  for (int64_t i = 0; i + 1 < rank; ++i)
    shape.push_back(d.size(x, i));
  shape.append({terms / group, group});
  return d.call<aten::SumDimIntList>(d.call<aten::Reshape>(x, shape),
                                     SmallVector<int64_t>{rank});
}

/// Returns q * scale, or (q - zero) * scale for integers of groups, as f32
/// [columns, terms].
Value WeightRaiser::dequantize(Decomposer &d, Value scales) {
  Builder b(w.integers.getContext());
  Type f32 = b.getF32Type(), i8 = b.getI8Type();
  int64_t min = isNarrow ? -8 : -128, max = isNarrow ? 7 : 127;
  Value q = getIntegers(d), weight;
  if (!scales && (addsOffsets || !hasZeros())) {
    weight = d.call<qd::DequantizePerTensor>(q, w.factor, 0, min, max, i8, f32);
  } else if (group == terms) {
    Value vector = d.call<aten::Reshape>(scales, SmallVector<int64_t>{columns});
    weight = d.call<qd::DequantizePerChannel>(q, vector, std::nullopt, 0, min,
                                              max, i8, f32);
  } else {
    Value zeros = addsOffsets ? Value() : getZeros(d, b.getI32Type());
    if (!scales)
      scales = d.call<aten::NewFull>(
          q, SmallVector<int64_t>{columns, terms / group}, w.factor, f32);
    weight = d.call<qd::DequantizePerChannelGroup>(
        q, scales, ArgumentRef(zeros), min, max, i8, group, f32);
  }
  if (weight && isNarrow)
    weight.getDefiningOp()->setAttr("fx.bits", b.getI64IntegerAttr(4));
  return weight;
}

Value WeightRaiser::buildMatMul(Decomposer &d) {
  Type f32 = Float32Type::get(w.integers.getContext());
  Type dtype = getType(use.weight).getDtype();
  Value scales = getScales(d), weight = dequantize(d, scales);
  Value x = use.x, bias = use.bias;
  if (sorted)
    x = d.call<aten::IndexSelect>(x, -1, getOrder(d));
  if (widens) {
    x = convert(d, x, f32);
    bias = convert(d, bias, f32);
  } else {
    weight = convert(d, weight, dtype);
  }
  Value y =
      d.call<aten::Linear>(x, weight, bias ? ArgumentRef(bias) : ArgumentRef());
  if (addsOffsets) {
    Value part = d.call<aten::Linear>(sumGroups(d, x), getOffsets(d, scales));
    y = d.call<aten::AddTensor>(y, part);
  }
  return convert(d, y, dtype);
}

/// Takes rows of the integers and parameters, and dequantizes them.
Value WeightRaiser::buildRows(Decomposer &d) {
  Type f32 = Float32Type::get(w.integers.getContext());
  auto take = [&](Value table) {
    return table ? d.call<aten::Embedding>(table, use.x) : Value();
  };
  Value rows = take(getIntegers(d)), scales = take(getScales(d)),
        zeros = take(getZeros(d, f32)),
        offsets = take(w.offset ? getRuns(d, *w.offset, f32) : Value());
  if (!rows)
    return {};
  SmallVector<ArgumentRef> whole, split;
  for (int64_t i = 0; i + 1 < getType(rows).getRank(); ++i)
    whole.push_back(d.size(rows, i));
  split = whole;
  whole.push_back(terms);
  split.append({terms / group, group});
  auto align = [&](Value parameter) {
    return d.call<aten::Unsqueeze>(parameter, -1);
  };
  Value y = convert(d, d.call<aten::Reshape>(rows, split), f32);
  if (zeros)
    y = d.call<aten::SubTensor>(y, align(zeros));
  if (scales)
    y = d.call<aten::MulTensor>(y, align(scales));
  else if (w.factor != 1)
    y = d.call<aten::MulScalar>(y, w.factor);
  if (offsets)
    y = d.call<aten::AddTensor>(y, align(offsets));
  y = d.call<aten::Reshape>(y, whole);
  return convert(d, y, getType(use.weight).getDtype());
}
