//===- AffineWeight.cpp - dequantized weights -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineWeight.h"

#include "fx/Operators/aten/sub.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel_group.h"

#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace fx;
namespace qd = fx::quantized_decomposed;

static FakeTensorType getType(Value value) {
  return cast<FakeTensorType>(value.getType());
}

static bool isInteger(Value value) {
  auto type = dyn_cast<IntegerType>(getType(value).getDtype());
  return type && type.getWidth() > 1;
}

/// Returns true if sums of such integers fit 64 bits.
static bool isSmall(const IntegerRange &range) {
  constexpr int64_t kLimit = int64_t(1) << 40;
  return range.min >= -kLimit && range.max <= kLimit;
}

/// Returns true if all integers of `range` are values of the float `dtype`.
static bool isExactIn(const IntegerRange &range, Type dtype) {
  auto type = dyn_cast<FloatType>(dtype);
  if (!type)
    return false;
  int64_t limit = int64_t(1) << std::min(type.getFPMantissaWidth(), 32u);
  return range.min >= -limit && range.max <= limit;
}

SmallVector<WeightParameter *> AffineWeight::getParameters() {
  SmallVector<WeightParameter *> given;
  for (std::optional<WeightParameter> *part : {&zero, &offset})
    if (*part)
      given.push_back(&**part);
  for (WeightParameter &scale : scales)
    given.push_back(&scale);
  return given;
}

bool AffineWeight::permute(ArrayRef<int64_t> shape, ArrayRef<int64_t> order) {
  views.push_back({/*isPermutation=*/true, SmallVector<int64_t>(order)});
  return llvm::all_of(getParameters(), [&](WeightParameter *part) {
    return part->permute(shape, order);
  });
}

namespace {
/// A weight as far as it is matched.
struct Partial {
  AffineWeight weight;
  /// The bounds of the value if it is an integer, which no operator has
  /// rounded.
  std::optional<IntegerRange> exact;
  /// The digits of the smallest float to which a value was rounded. A float
  /// with more digits shows the rounding.
  unsigned digits = 64;
};

class Matcher {
public:
  explicit Matcher(RangeAnalysis &ranges) : ranges(ranges) {}
  std::optional<Partial> match(Value value);

private:
  std::optional<Partial> matchInteger(Value value);
  std::optional<Partial> matchArithmetic(OperatorView call);
  std::optional<Partial> matchOperator(OperatorView call);
  std::optional<WeightParameter> getParameter(const Argument &argument,
                                              ArrayRef<int64_t> shape);
  std::optional<WeightParameter> getRows(Value value, int64_t size);
  std::optional<IntegerRange> getRange(const WeightParameter &parameter);
  RangeAnalysis &ranges;
};
} // namespace

/// Rounds the value to `dtype`. Returns false if it was rounded to a smaller
/// one.
static bool round(Partial &p, Type dtype) {
  auto type = dyn_cast<FloatType>(dtype);
  if (!type || type.getFPMantissaWidth() > p.digits)
    return false;
  if (!p.exact || !isExactIn(*p.exact, dtype)) {
    p.exact.reset();
    p.digits = type.getFPMantissaWidth();
  }
  return true;
}

/// Returns a number, or a tensor whose elements repeat when it is broadcast to
/// `shape`.
std::optional<WeightParameter> Matcher::getParameter(const Argument &argument,
                                                     ArrayRef<int64_t> shape) {
  WeightParameter found;
  if (std::optional<double> number = argument.getFloat()) {
    found.number = number;
    return found;
  }
  Value value = argument.getValue();
  auto type =
      dyn_cast_if_present<FakeTensorType>(value ? value.getType() : Type());
  if (!type || !type.hasStaticShape() || type.getDtype().isInteger(1) ||
      !type.getDtype().isIntOrFloat())
    return std::nullopt;
  found = {RepeatedTensor::get(value, ranges)};
  if (!found.broadcast(getShape(value), shape) || !found.repeats())
    return std::nullopt;
  return found;
}

/// Returns the bounds of a parameter if it is an integer.
std::optional<IntegerRange> Matcher::getRange(const WeightParameter &p) {
  if (!p.isInteger())
    return std::nullopt;
  IntegerRange range;
  if (p.number)
    range = {int64_t(*p.number), int64_t(*p.number)};
  else
    range = ranges.get(p.base);
  if (!isSmall(range))
    return std::nullopt;
  return p.isInverse ? IntegerRange{-range.max, -range.min} : range;
}

/// The whole integer is q, unless it is the difference of q and a zero point.
std::optional<Partial> Matcher::matchInteger(Value value) {
  Partial whole;
  AffineWeight &w = whole.weight;
  whole.exact = ranges.get(value);
  if (auto sub = dyn_cast_or_null<aten::SubTensor>(value.getDefiningOp());
      sub && sub.self() && sub.other() && isInteger(sub.self()) &&
      isInteger(sub.other()) && sub.alpha().getInt() == 1 &&
      getShape(sub.self()) == getShape(value)) {
    IntegerRange q = ranges.get(sub.self()), z = ranges.get(sub.other());
    IntegerRange difference;
    if (isSmall(q) && isSmall(z))
      difference = {q.min - z.max, q.max - z.min};
    if (isSmall(q) && isSmall(z) &&
        IntegerRange::of(getType(value).getDtype()).contains(difference))
      if (std::optional<WeightParameter> zero =
              getParameter(sub.otherArg(), getShape(value))) {
        w.integers = sub.self();
        w.range = q;
        w.zero = std::move(*zero);
        whole.exact = difference;
        return whole;
      }
  }
  w.integers = value;
  w.range = *whole.exact;
  return whole;
}

namespace {
enum class Arithmetic { None, Sum, Difference, Product, Quotient };
} // namespace

static Arithmetic getArithmetic(const OperatorView &call) {
  auto kind =
      llvm::StringSwitch<Arithmetic>(call.getSchema().getName())
          .Cases({"aten.add.Tensor", "aten.add.Scalar"}, Arithmetic::Sum)
          .Cases({"aten.sub.Tensor", "aten.sub.Scalar"}, Arithmetic::Difference)
          .Cases({"aten.mul.Tensor", "aten.mul.Scalar"}, Arithmetic::Product)
          .Cases({"aten.div.Tensor", "aten.div.Scalar"}, Arithmetic::Quotient)
          .Default(Arithmetic::None);
  bool hasAlpha = kind == Arithmetic::Sum || kind == Arithmetic::Difference;
  return hasAlpha && call.findArg("alpha").getInt() != 1 ? Arithmetic::None
                                                         : kind;
}

/// Applies `kind` to the value of `p` and a parameter; to the parameter and the
/// value if `isRight`. Returns false if the result has another form.
static bool apply(Partial &p, Arithmetic kind, WeightParameter other,
                  bool isRight) {
  AffineWeight &w = p.weight;
  switch (kind) {
  case Arithmetic::Product:
  case Arithmetic::Quotient:
    other.isInverse = kind == Arithmetic::Quotient;
    if (w.offset || (isRight && other.isInverse))
      return false;
    if (other.number && (*other.number == 0 || !std::isfinite(*other.number)))
      return false;
    if (other.number)
      w.factor =
          other.isInverse ? w.factor / *other.number : w.factor * *other.number;
    else
      w.scales.push_back(std::move(other));
    return true;
  case Arithmetic::Difference:
  case Arithmetic::Sum: {
    if (w.offset)
      return false;
    bool isNegated = kind == Arithmetic::Difference;
    // y - x is the sum of -x and y.
    if (isRight && isNegated) {
      w.factor = -w.factor;
      isNegated = false;
    }
    // Zero points are subtracted and offsets are added.
    bool isZero = !w.isScaled() && !w.zero;
    other.isInverse = isNegated != isZero;
    (isZero ? w.zero : w.offset) = std::move(other);
    return true;
  }
  case Arithmetic::None:
    return false;
  }
  return false;
}

/// Matches a sum, a difference, a product or a quotient with a parameter.
std::optional<Partial> Matcher::matchArithmetic(OperatorView call) {
  Arithmetic kind = getArithmetic(call);
  if (kind == Arithmetic::None)
    return std::nullopt;
  Type dtype = getType(call.getResult()).getDtype();
  SmallVector<int64_t> shape = getShape(call.getResult());
  for (unsigned i : {0u, 1u}) {
    Value x = call.getArg(i).getValue();
    if (!x || !isa<FakeTensorType>(x.getType()) || getShape(x) != shape)
      continue;
    std::optional<WeightParameter> other =
        getParameter(call.getArg(1 - i), shape);
    std::optional<Partial> found = other ? match(x) : std::nullopt;
    // The operand is converted to the dtype of the result first.
    if (!found || (isInteger(x) && !isExactIn(*found->exact, dtype)))
      continue;
    bool isShift =
        (kind == Arithmetic::Difference || kind == Arithmetic::Sum) &&
        !found->weight.isScaled() && !found->weight.zero && i == 0;
    if (!apply(*found, kind, std::move(*other), /*isRight=*/i == 1))
      continue;
    std::optional<IntegerRange> z =
        isShift && found->exact ? getRange(*found->weight.zero) : std::nullopt;
    if (z)
      found->exact = {found->exact->min - z->max, found->exact->max - z->min};
    else
      found->exact.reset();
    if (round(*found, dtype))
      return found;
  }
  return std::nullopt;
}

/// Returns a vector or matrix of parameters, each for `size` terms.
std::optional<WeightParameter> Matcher::getRows(Value value, int64_t size) {
  auto type = dyn_cast<FakeTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  WeightParameter rows{RepeatedTensor::get(value, ranges)};
  if (rows.sortedBy)
    return std::nullopt;
  rows.digits.push_back({size, 0});
  return rows;
}

/// Matches the operators that dequantize rows, or groups of their terms.
std::optional<Partial> Matcher::matchOperator(OperatorView call) {
  Partial partial;
  AffineWeight &found = partial.weight;
  Value scales, zeros;
  int64_t size = 0;
  if (auto group =
          dyn_cast<qd::DequantizePerChannelGroup>(call.getOperation())) {
    found.integers = group.input();
    scales = group.scales(), zeros = group.zero_points();
    size = group.group_size().getInt().value_or(0);
  } else if (auto rows =
                 dyn_cast<qd::DequantizePerChannel>(call.getOperation())) {
    found.integers = rows.input();
    scales = rows.scales(), zeros = rows.zero_points();
    if (rows.axis().getInt() == 0 && found.integers &&
        getType(found.integers).hasStaticShape() &&
        getType(found.integers).getRank() == 2)
      size = getType(found.integers).getDimSize(1);
  }
  if (!found.integers || !scales || size < 1 || !isInteger(found.integers) ||
      getType(found.integers).getRank() != 2 ||
      !getType(found.integers).hasStaticShape() ||
      getType(found.integers).getDimSize(1) % size ||
      !getType(scales).getDtype().isF32() ||
      !getType(call.getResult()).getDtype().isF32())
    return std::nullopt;
  found.range = ranges.get(found.integers);
  std::optional<WeightParameter> scale = getRows(scales, size);
  if (zeros)
    found.zero = getRows(zeros, size);
  if (!scale || (zeros && !found.zero))
    return std::nullopt;
  found.scales.push_back(std::move(*scale));
  partial.digits = 24;
  return partial;
}

std::optional<Partial> Matcher::match(Value value) {
  auto type = dyn_cast<FakeTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  if (isInteger(value))
    return matchInteger(value);
  if (!isa<FloatType>(type.getDtype()))
    return std::nullopt;
  if (Value from = getConverted(value)) {
    std::optional<Partial> found = match(from);
    if (!found ||
        (isInteger(from) && !isExactIn(*found->exact, type.getDtype())))
      return std::nullopt;
    return round(*found, type.getDtype()) ? found : std::nullopt;
  }
  if (Value from = getReshaped(value)) {
    std::optional<Partial> found = match(from);
    if (!found ||
        llvm::any_of(found->weight.getParameters(), [](WeightParameter *part) {
          return static_cast<bool>(part->sortedBy);
        }))
      return std::nullopt;
    found->weight.views.push_back({/*isPermutation=*/false, getShape(value)});
    return found;
  }
  if (std::optional<Permuted> permuted = getPermuted(value)) {
    std::optional<Partial> found = match(permuted->operand);
    if (!found ||
        !found->weight.permute(getShape(permuted->operand), permuted->order))
      return std::nullopt;
    return found;
  }
  OperatorView call = getOperatorView(value.getDefiningOp());
  if (!call)
    return std::nullopt;
  if (call.getSchema().getName().starts_with("quantized_decomposed."))
    return matchOperator(call);
  return matchArithmetic(call);
}

std::optional<AffineWeight> AffineWeight::match(Value value,
                                                RangeAnalysis &ranges) {
  std::optional<Partial> found = Matcher(ranges).match(value);
  if (!found)
    return std::nullopt;
  AffineWeight &w = found->weight;
  if (!isSmall(w.range))
    return std::nullopt;
  w.hasKnownRange = ranges.isKnown(w.integers);
  // Kernels convert int8 as it is.
  bool isConversion = !w.isScaled() && !w.zero && !w.offset &&
                      getType(w.integers).getDtype().isSignlessInteger(8);
  return isConversion ? std::nullopt : std::optional(std::move(w));
}
