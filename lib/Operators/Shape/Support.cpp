//===- Support.cpp - what shape rules are written with --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Size fx::shape::makeSize(MLIRContext *context, int64_t value) {
  return ExprAttr::integer(context, value);
}
Size Size::constant(int64_t value) const {
  return expr ? makeSize(expr.getContext(), value) : Size();
}
Size Size::sum(Size b) const {
  return expr && b ? Size(ExprAttr::add(expr.getContext(), {expr, b.expr}))
                   : Size();
}
Size Size::product(Size b) const {
  return expr && b ? Size(ExprAttr::mul(expr.getContext(), {expr, b.expr}))
                   : Size();
}
Size Size::call(StringRef name, Size b) const {
  return expr && b
             ? Size(ExprAttr::call(expr.getContext(), name, {expr, b.expr}))
             : Size();
}

/// Returns the factors of a product, or the expression itself if it is not a
/// product.
static Sizes getFactors(ExprAttr expr) {
  if (expr.getKind() == ExprKind::Mul)
    return Sizes(expr.getOperands());
  return {expr};
}

Size Size::exactDiv(Size b) const {
  if (!expr || !b || b.is(0))
    return {};
  if (expr == b.expr)
    return constant(1);
  // Cancel the common factors; floorDiv divides what remains.
  Sizes numerator = getFactors(expr), denominator = getFactors(b.expr);
  Size rest = constant(1), divisor = constant(1);
  for (ExprAttr factor : denominator) {
    auto *it = llvm::find(numerator, factor);
    if (it != numerator.end())
      numerator.erase(it);
    else
      divisor = divisor * Size(factor);
  }
  for (ExprAttr factor : numerator)
    rest = rest * Size(factor);
  return rest.floorDiv(divisor);
}

Size fx::shape::getNumElements(MLIRContext *context, ArrayRef<ExprAttr> sizes) {
  Size product = makeSize(context, 1);
  for (ExprAttr size : sizes)
    product = product * Size(size);
  return product;
}

std::optional<Sizes> fx::shape::broadcast(ArrayRef<ExprAttr> a,
                                          ArrayRef<ExprAttr> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Sizes result(a);
  for (size_t i = 0; i < b.size(); ++i) {
    ExprAttr &left = result[a.size() - b.size() + i];
    Size right = b[i];
    if (left == right.get() || right.is(1))
      continue;
    if (Size(left).is(1)) {
      left = right;
      continue;
    }
    if (left.isProvablyDifferent(right)) {
      noteRefusal([&] {
        return "expected sizes that broadcast, got " + toText(a) + " and " +
               toText(b);
      });
      return std::nullopt;
    }
    // A run succeeds only if `left` is 1 or equal to `right`. Both give the
    // integer.
    if (right.getInt())
      left = right;
  }
  return result;
}

std::string fx::shape::toText(ArrayRef<ExprAttr> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(sizes, os, [&](ExprAttr size) {
    if (size)
      size.printInfix(os);
    else
      os << '?';
  });
  os << ']';
  return text;
}

std::string fx::shape::toText(ExprAttr size) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (size)
    size.printInfix(os);
  else
    os << '?';
  return text;
}

/// Returns true if the product of the constant sizes overflows. A size of 0
/// counts as 1, since PyTorch multiplies the other sizes to compute strides.
static bool overflows(ArrayRef<ExprAttr> sizes) {
  int64_t product = 1;
  for (Size size : sizes)
    if (std::optional<int64_t> value = size.getInt())
      if (llvm::MulOverflow(product, std::max<int64_t>(*value, 1), product))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

FakeTensorType fx::shape::getTensor(Value value) {
  return value ? dyn_cast<FakeTensorType>(value.getType()) : FakeTensorType();
}
FakeTensorType fx::shape::getTensor(const Argument &argument) {
  return getTensor(argument.getValue());
}

std::optional<SmallVector<FakeTensorType>>
fx::shape::getTensors(const Argument &argument) {
  SmallVector<FakeTensorType> result;
  for (const Argument &element : argument.getElements()) {
    FakeTensorType tensor = getTensor(element);
    if (!tensor)
      return std::nullopt;
    result.push_back(tensor);
  }
  return result;
}

std::optional<int64_t> fx::shape::wrapDim(std::optional<int64_t> dim,
                                          int64_t rank) {
  rank = std::max<int64_t>(rank, 1);
  if (!dim)
    return std::nullopt;
  if (*dim < -rank || *dim >= rank) {
    noteRefusal([&] {
      return "expected a dimension from " + std::to_string(-rank) + " to " +
             std::to_string(rank - 1) + ", got " + std::to_string(*dim);
    });
    return std::nullopt;
  }
  return *dim < 0 ? *dim + rank : *dim;
}
std::optional<int64_t> fx::shape::wrapDim(const Argument &dim, int64_t rank) {
  return wrapDim(dim.getInt(), rank);
}

std::optional<SmallVector<int64_t>> fx::shape::wrapDims(const Argument &dims,
                                                        int64_t rank) {
  std::optional<SmallVector<int64_t>> ints = dims.getInts();
  if (!ints)
    return std::nullopt;
  if (ints->empty())
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  SmallVector<bool> seen(std::max<int64_t>(rank, 1));
  for (int64_t &dim : *ints) {
    std::optional<int64_t> wrapped = wrapDim(dim, rank);
    if (!wrapped)
      return std::nullopt;
    if (seen[*wrapped]) {
      noteRefusal([&] {
        return "expected each dimension once, got " + std::to_string(*wrapped) +
               " again";
      });
      return std::nullopt;
    }
    seen[*wrapped] = true;
    dim = *wrapped;
  }
  return ints;
}

std::optional<Sizes> fx::shape::getSizes(const Argument &argument, size_t n) {
  std::optional<Sizes> sizes = argument.getExprs();
  if (!sizes)
    return std::nullopt;
  if (sizes->size() == 1)
    sizes->resize(n, sizes->front());
  if (sizes->size() != n) {
    noteRefusal([&] {
      return "expected " + std::to_string(n) + " numbers, got " +
             std::to_string(sizes->size());
    });
    return std::nullopt;
  }
  return sizes;
}

bool fx::shape::hasLength(const OperatorView &call, StringRef name, size_t n) {
  Argument argument = call.findArg(name);
  size_t length = argument.getElements().size();
  if (!argument.isList() || length == n)
    return true;
  noteRefusal([&] {
    return ("expected " + Twine(n) + " numbers as " + name + ", got " +
            Twine(length))
        .str();
  });
  return false;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Type fx::shape::makeTensorOn(StringAttr device, ArrayRef<ExprAttr> sizes,
                             Type dtype) {
  if (!dtype || !llvm::all_of(sizes, [](ExprAttr size) { return bool(size); }))
    return {};
  for (Size size : sizes)
    if (size.getInt().value_or(0) < 0) {
      noteRefusal([&] {
        return "expected a size of 0 or more, got " +
               std::to_string(*size.getInt());
      });
      return {};
    }
  if (overflows(sizes)) {
    noteRefusal([&] {
      return "expected fewer than 2^63 elements, got " + toText(sizes);
    });
    return {};
  }
  return FakeTensorType::get(dtype.getContext(), sizes, dtype, device,
                             MetaAttr());
}
Type fx::shape::makeTensor(FakeTensorType like, ArrayRef<ExprAttr> sizes,
                           Type dtype) {
  return like ? makeTensorOn(like.getDevice(), sizes, dtype) : Type();
}

StringAttr fx::shape::getDevice(const Argument &argument, StringAttr fallback) {
  auto device = dyn_cast_if_present<DeviceAttr>(argument.tree);
  if (!device)
    return fallback;
  if (device.getType() == "cpu")
    return {};
  std::string name = device.getType().str();
  if (device.getIndex())
    name += ":" + std::to_string(*device.getIndex());
  return StringAttr::get(device.getContext(), name);
}

InferredTypes fx::shape::results(ArrayRef<Type> types) {
  if (!llvm::all_of(types, [](Type type) { return bool(type); }))
    return failure();
  return SmallVector<Type>(types);
}

InferredTypes fx::shape::sameAsFirst(const OperatorView &call) {
  FakeTensorType tensor = getTensor(call.getArg(0u));
  if (!tensor)
    return failure();
  return result(tensor.withoutMeta());
}
