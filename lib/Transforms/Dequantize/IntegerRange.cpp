//===- IntegerRange.cpp - bounds of integer constants ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerRange.h"

#include "fx/Operators/View.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace fx;

static Type getDtype(Value value) {
  auto type = dyn_cast<FakeTensorType>(value.getType());
  return type ? type.getDtype() : Type();
}

IntegerRange IntegerRange::of(Type dtype) {
  auto type = cast<IntegerType>(dtype);
  unsigned width = type.getWidth();
  if (width == 1)
    return {0, 1};
  if (type.isUnsigned())
    return {0, width >= 64 ? INT64_MAX : (int64_t(1) << width) - 1};
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

/// Calls `fn` with each element of `bytes`. Returns false for other dtypes.
static bool forEach(ArrayRef<char> bytes, Type dtype,
                    llvm::function_ref<void(int64_t)> fn) {
  auto visit = [&]<typename T>(T) {
    for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T))
      fn(int64_t(llvm::support::endian::read<T, llvm::endianness::little>(
          bytes.data() + i)));
    return true;
  };
  if (dtype.isUnsignedInteger(8))
    return visit(uint8_t());
  if (dtype.isUnsignedInteger(16))
    return visit(uint16_t());
  if (dtype.isSignlessInteger(8))
    return visit(int8_t());
  if (dtype.isSignlessInteger(16))
    return visit(int16_t());
  if (dtype.isSignlessInteger(32))
    return visit(int32_t());
  return dtype.isSignlessInteger(64) && visit(int64_t());
}

/// Returns the bytes of the storage of `input`'s state; nullopt if they are not
/// known. A later user of the elements reports an error.
static std::optional<ArrayRef<char>>
getBytes(PlaceholderOp input, SymbolTable &symbols, ExternalData &files) {
  auto state = input.getTarget() ? symbols.lookup<StateOp>(*input.getTarget())
                                 : StateOp();
  if (!state)
    return std::nullopt;
  // A splat in the module stores its value only once.
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(state.getInitAttr());
      dense && dense.isSplat())
    return std::nullopt;
  llvm::Expected<ArrayRef<char>> bytes = files.get(state);
  if (bytes)
    return *bytes;
  llvm::consumeError(bytes.takeError());
  return std::nullopt;
}

std::optional<IntegerRange> RangeAnalysis::read(PlaceholderOp input,
                                                Type dtype) {
  std::optional<ArrayRef<char>> bytes;
  if (readsStates)
    bytes = getBytes(input, symbols, files);
  IntegerRange all = IntegerRange::of(dtype), found = {all.max, all.min};
  if (!bytes || bytes->empty() || !forEach(*bytes, dtype, [&](int64_t v) {
        found = {std::min(found.min, v), std::max(found.max, v)};
      }))
    return std::nullopt;
  return found;
}

std::optional<SmallVector<int64_t>> RangeAnalysis::getElements(Value value) {
  auto type = dyn_cast<FakeTensorType>(value.getType());
  if (!readsStates || !type || !isa<IntegerType>(type.getDtype()))
    return std::nullopt;
  if (auto call = value.getDefiningOp<CallFunctionOp>();
      call && (call.getTarget() == "aten.to.dtype" ||
               call.getTarget() == "aten._to_copy.default")) {
    Value from = call->getOperand(0);
    Type dtype = getDtype(from);
    if (!dtype || !isa<IntegerType>(dtype) ||
        !IntegerRange::of(type.getDtype()).contains(IntegerRange::of(dtype)))
      return std::nullopt;
    return getElements(from);
  }
  auto input = value.getDefiningOp<PlaceholderOp>();
  std::optional<int64_t> count = type.getNumElements();
  std::optional<ArrayRef<char>> bytes;
  if (input && count && !type.getMeta())
    bytes = getBytes(input, symbols, files);
  SmallVector<int64_t> elements;
  if (!bytes ||
      !forEach(*bytes, type.getDtype(),
               [&](int64_t v) { elements.push_back(v); }) ||
      int64_t(elements.size()) != *count)
    return std::nullopt;
  return elements;
}

IntegerRange RangeAnalysis::get(Value value) {
  return find(value).value_or(IntegerRange::of(getDtype(value)));
}

std::optional<IntegerRange> RangeAnalysis::find(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  std::optional<IntegerRange> range = compute(value);
  // Results of operators wrap around at the bounds of the dtype.
  if (range && !IntegerRange::of(getDtype(value)).contains(*range))
    range.reset();
  return known[value] = range;
}

namespace {
enum class Kind {
  Other,
  Zeros,
  Add,
  Subtract,
  And,
  Or,
  ShiftLeft,
  ShiftRight,
  Divide,
  Remainder,
  Moves
};
} // namespace

static Kind getKind(const OperatorView &call) {
  StringRef name = call.getSchema().getName();
  // Views of another dtype, and negatives, have other numbers.
  if (call.getSchema().isView() && name != "aten.view.dtype" &&
      name != "aten._neg_view.default")
    return Kind::Moves;
  return llvm::StringSwitch<Kind>(name)
      .Cases({"aten.add.Tensor", "aten.add.Scalar"}, Kind::Add)
      .Cases({"aten.sub.Tensor", "aten.sub.Scalar"}, Kind::Subtract)
      .Cases({"aten.bitwise_and.Scalar", "aten.bitwise_and.Tensor",
              "aten.__and__.Scalar", "aten.__and__.Tensor"},
             Kind::And)
      .Cases({"aten.bitwise_right_shift.Tensor_Scalar",
              "aten.bitwise_right_shift.Tensor", "aten.__rshift__.Scalar",
              "aten.__rshift__.Tensor"},
             Kind::ShiftRight)
      .Cases({"aten.bitwise_left_shift.Tensor_Scalar",
              "aten.bitwise_left_shift.Tensor", "aten.__lshift__.Scalar",
              "aten.__lshift__.Tensor"},
             Kind::ShiftLeft)
      .Cases({"aten.remainder.Scalar", "aten.remainder.Tensor"},
             Kind::Remainder)
      .Cases({"aten.bitwise_or.Tensor", "aten.bitwise_or.Scalar",
              "aten.__or__.Tensor", "aten.__or__.Scalar",
              "aten.bitwise_xor.Tensor", "aten.bitwise_xor.Scalar",
              "aten.__xor__.Tensor", "aten.__xor__.Scalar"},
             Kind::Or)
      .Cases({"aten.floor_divide.default", "aten.floor_divide.Scalar"},
             Kind::Divide)
      .Cases({"aten.empty.memory_format", "aten.new_empty.default",
              "aten.empty_like.default", "aten.zeros.default",
              "aten.new_zeros.default", "aten.zeros_like.default"},
             Kind::Zeros)
      .Cases({"aten.cat.default", "aten.stack.default", "aten.index.Tensor",
              "aten.index_select.default", "aten.flip.default",
              "aten.reshape.default", "aten.to.dtype", "aten.clone.default",
              "aten._to_copy.default", "aten.contiguous.default",
              "aten.repeat.default", "aten.slice_scatter.default",
              "aten.where.self", "aten.select_scatter.default"},
             Kind::Moves)
      .Default(Kind::Other);
}

std::optional<IntegerRange> RangeAnalysis::compute(Value value) {
  if (auto input = value.getDefiningOp<PlaceholderOp>())
    return read(input, getDtype(value));
  OperatorView call = getOperatorView(value.getDefiningOp());
  Kind kind = call ? getKind(call) : Kind::Other;
  // Elements that no operator has written may be anything, such as 0.
  if (kind == Kind::Zeros)
    return IntegerRange{0, 0};
  if (kind == Kind::Other)
    return std::nullopt;
  if (kind == Kind::Moves)
    return join(call);
  auto bound = [&](unsigned i) -> std::optional<IntegerRange> {
    Argument argument = call.getArg(i);
    if (std::optional<int64_t> number = argument.getInt())
      return IntegerRange{*number, *number};
    Value v = argument.getValue();
    Type of = v ? getDtype(v) : Type();
    return of && isa<IntegerType>(of) ? find(v) : std::nullopt;
  };
  std::optional<IntegerRange> x = bound(0), y = bound(1);
  // A mask and a divisor bound any number, and a shift those of small dtypes.
  if (!x && y &&
      (kind == Kind::And || kind == Kind::Remainder ||
       kind == Kind::ShiftRight || kind == Kind::Divide))
    x = IntegerRange::of(getDtype(value));
  if (!y && x && kind == Kind::And)
    y = IntegerRange::of(getDtype(value));
  if (!x || !y)
    return std::nullopt;
  // Operands are converted to the dtype of the result, in which a sum or a mask
  // is the same, but a quotient is not.
  IntegerRange all = IntegerRange::of(getDtype(value));
  bool isConverted = !all.contains(*x) || !all.contains(*y);
  if (isConverted && (kind == Kind::Divide || kind == Kind::Remainder ||
                      kind == Kind::ShiftRight))
    return std::nullopt;
  switch (kind) {
  case Kind::Add:
  case Kind::Subtract: {
    constexpr int64_t kLimit = int64_t(1) << 32;
    IntegerRange limits = {-kLimit, kLimit};
    if (call.findArg("alpha").getInt() != 1 || !limits.contains(*x) ||
        !limits.contains(*y))
      return std::nullopt;
    return kind == Kind::Add ? IntegerRange{x->min + y->min, x->max + y->max}
                             : IntegerRange{x->min - y->max, x->max - y->min};
  }
  case Kind::And:
    // With a mask that is not negative, the result is not larger than it.
    if (y->min >= 0 && x->min >= 0)
      return IntegerRange{0, std::min(x->max, y->max)};
    if (y->min < 0 && x->min < 0)
      return std::nullopt;
    return IntegerRange{0, y->min >= 0 ? y->max : x->max};
  case Kind::Or:
    // The largest number with as many bits.
    if (x->min < 0 || y->min < 0 || std::max(x->max, y->max) >> 62)
      return std::nullopt;
    return IntegerRange{
        0, int64_t(llvm::NextPowerOf2(std::max(x->max, y->max))) - 1};
  case Kind::ShiftLeft:
    if (x->min < 0 || y->min < 0 || y->max > 31 || x->max >> 31)
      return std::nullopt;
    return IntegerRange{x->min << y->min, x->max << y->max};
  case Kind::ShiftRight:
    if (y->min < 0 || y->max > 63)
      return std::nullopt;
    return IntegerRange{x->min >> (x->min < 0 ? y->min : y->max),
                        x->max >> (x->max < 0 ? y->max : y->min)};
  case Kind::Divide:
    if (x->min < 0 || y->min <= 0)
      return std::nullopt;
    return IntegerRange{x->min / y->max, x->max / y->min};
  case Kind::Remainder:
    if (y->min != y->max || y->min <= 0)
      return std::nullopt;
    return IntegerRange{0, y->min - 1};
  default:
    return std::nullopt;
  }
}

/// Returns the bounds of all integers that a call moves.
std::optional<IntegerRange> RangeAnalysis::join(const OperatorView &call) {
  // Indices and conditions are no elements of the result.
  StringRef name = call.getSchema().getName();
  OperandRange operands = call->getOperands();
  if (name.starts_with("aten.index"))
    operands = operands.take_front();
  else if (name == "aten.where.self")
    operands = operands.drop_front();
  std::optional<IntegerRange> all;
  for (Value operand : operands) {
    Type dtype = getDtype(operand);
    if (!dtype)
      continue; // a size
    std::optional<IntegerRange> next =
        isa<IntegerType>(dtype) ? find(operand) : std::nullopt;
    if (!next)
      return std::nullopt;
    all = all ? IntegerRange{std::min(all->min, next->min),
                             std::max(all->max, next->max)}
              : *next;
  }
  return all;
}
