//===- RepeatedTensor.cpp - elements that repeat --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedTensor.h"

#include "../Decompose/Decompose.h"
#include "fx/Operators/aten/expand.h"
#include "fx/Operators/aten/index.h"
#include "fx/Operators/aten/new_full.h"
#include "fx/Operators/aten/permute.h"
#include "fx/Operators/aten/reshape.h"
#include "fx/Operators/aten/t.h"
#include "fx/Operators/aten/to.h"
#include "fx/Operators/aten/transpose.h"

#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace fx;

static FakeTensorType getType(Value value) {
  return cast<FakeTensorType>(value.getType());
}

SmallVector<int64_t> fx::getShape(Value value) {
  SmallVector<int64_t> shape;
  FakeTensorType type = getType(value);
  for (int64_t d = 0; d < type.getRank(); ++d)
    shape.push_back(type.getDimSize(d));
  return shape;
}

static bool isStatic(Value value) {
  auto type =
      dyn_cast_if_present<FakeTensorType>(value ? value.getType() : Type());
  return type && type.hasStaticShape();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Value fx::getReshaped(Value value) {
  static const llvm::StringSet<> names = {
      "aten.view.default",         "aten.reshape.default",
      "aten._unsafe_view.default", "aten.flatten.using_ints",
      "aten.unflatten.int",        "aten.unsqueeze.default",
      "aten.squeeze.default",      "aten.squeeze.dim",
      "aten.squeeze.dims",         "aten.contiguous.default",
      "aten.clone.default",        "aten.alias.default",
      "aten.detach.default",       "aten.reshape_as.default",
      "aten.view_as.default",
  };
  auto call = value.getDefiningOp<CallFunctionOp>();
  if (!call || !names.contains(call.getTarget()) ||
      call->getNumOperands() == 0 || !isStatic(call->getOperand(0)))
    return {};
  return call->getOperand(0);
}

std::optional<Permuted> fx::getPermuted(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  int64_t rank = getType(value).getRank();
  Permuted found;
  if (auto permute = dyn_cast<aten::Permute>(op)) {
    std::optional<SmallVector<int64_t>> dims = permute.dims().getInts();
    if (!dims)
      return std::nullopt;
    found = {permute.self(), *dims};
  } else if (auto t = dyn_cast<aten::T>(op)) {
    found = {t.self(), rank == 2 ? SmallVector<int64_t>{1, 0}
                                 : llvm::to_vector(llvm::seq<int64_t>(rank))};
  } else if (auto transpose = dyn_cast<aten::TransposeInt>(op)) {
    std::optional<int64_t> x = transpose.dim0().getInt(),
                           y = transpose.dim1().getInt();
    if (!x || !y || rank == 0)
      return std::nullopt;
    found = {transpose.self(), llvm::to_vector(llvm::seq<int64_t>(rank))};
    std::swap(found.order[*x < 0 ? *x + rank : *x],
              found.order[*y < 0 ? *y + rank : *y]);
  }
  if (!isStatic(found.operand))
    return std::nullopt;
  for (int64_t &d : found.order)
    d = d < 0 ? d + rank : d;
  return found;
}

Value fx::getConverted(Value value) {
  auto call = value.getDefiningOp<CallFunctionOp>();
  static const llvm::StringSet<> names = {"aten.to.dtype",
                                          "aten._to_copy.default"};
  if (!call || !names.contains(call.getTarget()) || !isStatic(value) ||
      !isStatic(call->getOperand(0)) ||
      getType(call->getOperand(0)).getDevice() != getType(value).getDevice())
    return {};
  return call->getOperand(0);
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

std::optional<SmallVector<SmallVector<Digit>>>
fx::splitDigits(ArrayRef<Digit> digits, ArrayRef<int64_t> shape) {
  auto isEmpty = [](Digit digit) { return digit.size == 0; };
  if (llvm::is_contained(shape, 0) || llvm::any_of(digits, isEmpty))
    return std::nullopt;
  SmallVector<SmallVector<Digit>> dims(shape.size());
  SmallVector<Digit> rest(digits);
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t missing = shape[d];
    while (missing > 1) {
      while (!rest.empty() && rest.back().size == 1)
        rest.pop_back();
      if (rest.empty())
        return std::nullopt;
      Digit &digit = rest.back();
      if (missing % digit.size == 0) {
        missing /= digit.size;
        dims[d].insert(dims[d].begin(), digit);
        rest.pop_back();
      } else if (digit.size % missing == 0) {
        dims[d].insert(dims[d].begin(), {missing, digit.stride});
        digit = {digit.size / missing, digit.stride * missing};
        missing = 1;
      } else {
        return std::nullopt;
      }
    }
  }
  if (llvm::any_of(rest, [](Digit digit) { return digit.size != 1; }))
    return std::nullopt;
  return dims;
}

static SmallVector<Digit> join(ArrayRef<SmallVector<Digit>> dims) {
  SmallVector<Digit> all;
  for (const SmallVector<Digit> &digits : dims)
    llvm::append_range(all, digits);
  return all;
}

bool RepeatedTensor::repeats() const {
  return number || llvm::any_of(digits, [](Digit digit) {
           return digit.stride == 0 && digit.size > 1;
         });
}

bool RepeatedTensor::isInteger() const {
  constexpr double kLimit = 1 << 24;
  if (number)
    return *number == std::floor(*number) && std::abs(*number) <= kLimit;
  return isa<IntegerType>(getType(base).getDtype());
}

bool RepeatedTensor::broadcast(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (number || from == to)
    return true;
  std::optional<SmallVector<SmallVector<Digit>>> dims =
      splitDigits(digits, from);
  if (!dims || from.size() > to.size() || sortedBy)
    return false;
  SmallVector<SmallVector<Digit>> result;
  size_t added = to.size() - from.size();
  for (auto [d, size] : llvm::enumerate(to)) {
    if (d >= added && from[d - added] == size)
      result.push_back((*dims)[d - added]);
    else if (d < added || from[d - added] == 1)
      result.push_back({{size, 0}});
    else
      return false;
  }
  digits = join(result);
  return true;
}

bool RepeatedTensor::permute(ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> permutation) {
  if (number)
    return true;
  std::optional<SmallVector<SmallVector<Digit>>> dims =
      splitDigits(digits, shape);
  if (!dims)
    return false;
  SmallVector<SmallVector<Digit>> result;
  for (int64_t d : permutation)
    result.push_back((*dims)[d]);
  digits = join(result);
  if (sortedBy)
    orderedDim = llvm::find(permutation, orderedDim) - permutation.begin();
  return true;
}

static RepeatedTensor getWhole(Value value) {
  RepeatedTensor whole;
  whole.base = value;
  int64_t stride = 1;
  for (int64_t size : llvm::reverse(getShape(value))) {
    whole.digits.insert(whole.digits.begin(), {size, stride});
    stride *= size;
  }
  return whole;
}

/// If `index` takes each element of the first dimension equally often, returns
/// the indexed tensor with repeated digits.
static std::optional<RepeatedTensor> getIndexed(aten::IndexTensor index,
                                                RangeAnalysis &ranges) {
  SmallVector<Value> indices = index.indices().getValues();
  if (indices.size() != 1 || !indices[0] || !isStatic(index.self()))
    return std::nullopt;
  SmallVector<int64_t> shape = getShape(index.self());
  std::optional<SmallVector<int64_t>> places = ranges.getElements(indices[0]);
  if (!places || getType(indices[0]).getRank() != 1 || shape.empty() ||
      shape[0] == 0 || places->empty() || places->size() % shape[0] != 0)
    return std::nullopt;
  int64_t run = places->size() / shape[0];
  auto order = llvm::to_vector(llvm::seq<int64_t>(places->size()));
  llvm::stable_sort(
      order, [&](int64_t x, int64_t y) { return (*places)[x] < (*places)[y]; });
  for (auto [i, from] : llvm::enumerate(order))
    if ((*places)[from] != int64_t(i) / run)
      return std::nullopt;
  RepeatedTensor found = RepeatedTensor::get(index.self(), ranges);
  std::optional<SmallVector<SmallVector<Digit>>> dims =
      splitDigits(found.digits, shape);
  if (!dims || found.sortedBy)
    return std::nullopt;
  dims->front().push_back({run, 0});
  found.digits = join(*dims);
  if (!llvm::is_sorted(order)) {
    found.sortedBy = indices[0];
    found.order = std::move(order);
  }
  return found;
}

/// Returns true if each value of dtype `from` is one of dtype `to`.
static bool isExact(Type from, Type to) {
  auto float1 = dyn_cast<FloatType>(from), float2 = dyn_cast<FloatType>(to);
  if (float1 && float2)
    return APFloat::isRepresentableBy(float1.getFloatSemantics(),
                                      float2.getFloatSemantics());
  return isa<IntegerType>(from) && float2 &&
         from.getIntOrFloatBitWidth() <= float2.getFPMantissaWidth();
}

RepeatedTensor RepeatedTensor::get(Value value, RangeAnalysis &ranges) {
  std::optional<RepeatedTensor> found;
  if (Value x = getReshaped(value)) {
    found = get(x, ranges);
    if (found->sortedBy)
      found.reset();
  } else if (std::optional<Permuted> permuted = getPermuted(value)) {
    found = get(permuted->operand, ranges);
    if (!found->permute(getShape(permuted->operand), permuted->order))
      found.reset();
  } else if (Value x = getConverted(value)) {
    if (isExact(getType(x).getDtype(), getType(value).getDtype()))
      found = get(x, ranges);
  } else if (auto expand =
                 dyn_cast_or_null<aten::Expand>(value.getDefiningOp());
             expand && isStatic(expand.self())) {
    found = get(expand.self(), ranges);
    if (!found->broadcast(getShape(expand.self()), getShape(value)))
      found.reset();
  } else if (auto index =
                 dyn_cast_or_null<aten::IndexTensor>(value.getDefiningOp())) {
    found = getIndexed(index, ranges);
  }
  return found ? std::move(*found) : getWhole(value);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

int64_t RepeatedTensor::getRun(int64_t width) const {
  if (number)
    return width;
  int64_t run = 1;
  for (Digit digit : llvm::reverse(digits)) {
    if (digit.size == 1)
      continue;
    if (digit.stride != 0)
      break;
    run *= digit.size;
  }
  return std::gcd(run, width);
}

Value RepeatedTensor::getRuns(Decomposer &d, int64_t height, int64_t width,
                              int64_t run, Type dtype, Value like) const {
  SmallVector<int64_t> shape = {height, width / run};
  if (number && isa<IntegerType>(dtype))
    return d.call<aten::NewFull>(like, shape, int64_t(*number), dtype);
  if (number)
    return d.call<aten::NewFull>(like, shape, *number, dtype);
  std::optional<SmallVector<SmallVector<Digit>>> dims =
      splitDigits(digits, {height, width / run, run});
  if (!dims)
    return d.fail();
  // The base as a tensor of the digits in the order of its elements.
  SmallVector<Digit> outer((*dims)[0]), stored;
  llvm::append_range(outer, (*dims)[1]);
  for (Digit digit : outer)
    if (digit.stride != 0)
      stored.push_back(digit);
  llvm::sort(stored, [](Digit x, Digit y) { return x.stride > y.stride; });
  int64_t stride = 1;
  for (Digit digit : llvm::reverse(stored)) {
    if (digit.stride != stride)
      return d.fail();
    stride *= digit.size;
  }
  if (stride != getType(base).getNumElements())
    return d.fail();
  SmallVector<int64_t> sizes, order, kept, whole;
  for (Digit digit : stored)
    sizes.push_back(digit.size);
  for (Digit digit : outer) {
    whole.push_back(digit.size);
    kept.push_back(digit.stride ? digit.size : 1);
    if (digit.stride)
      order.push_back(llvm::find_if(stored,
                                    [&](Digit other) {
                                      return other.stride == digit.stride;
                                    }) -
                      stored.begin());
  }
  Value v = d.call<aten::Reshape>(base, sizes);
  if (!llvm::is_sorted(order))
    v = d.call<aten::Permute>(v, order);
  v = d.call<aten::Reshape>(v, kept);
  if (kept != whole)
    v = d.call<aten::Expand>(v, whole);
  v = d.call<aten::Reshape>(v, shape);
  return v && getType(v).getDtype() != dtype ? d.call<aten::ToDtype>(v, dtype)
                                             : v;
}
