//===- NodeLowering.cpp - the lowering of a node --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"
#include "Complex.h"
#include "GraphLowering.h"

#include "fx/IR/Arguments.h"
#include "fx/Operators/TypePromotion.h"

using namespace mlir;

namespace fx::lin {

NodeLowering::NodeLowering(GraphLowering &graph, NodeOpInterface op, Builder &b)
    : graph(graph), op(op), view(getOperatorView(op)), b(b) {}

ArgName NodeLowering::oneOf(std::initializer_list<ArgName> names) {
  const ArgName *found = llvm::find_if(
      names, [&](ArgName name) { return view && view.declares(name); });
  if (found == names.end())
    failToRead(*--found);
  return *found;
}

void NodeLowering::failToRead(ArgName name) {
  (void)fail(
      "argument '" + StringRef(name) +
      (view && view.declares(name) ? "' is None" : "' does not exist here"));
}

LogicalResult NodeLowering::fail(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return failure();
}

bool NodeLowering::isTensor(const Argument &argument) const {
  return argument.isValue() &&
         isa<FakeTensorType>(argument.getValue().getType());
}

/// Returns an uninitialized 0-d tensor, with which a lowering continues after a
/// failure.
static Tensor dummy(Builder &b) {
  Type f32 = b.b.getF32Type();
  return Tensor(b.empty({}, f32), {}, f32);
}

Tensor NodeLowering::asTensor(const Argument &argument) {
  if (!argument.isValue()) {
    (void)fail("an argument is no tensor");
    return dummy(b);
  }
  const Lowered *lowered = graph.lookup(argument.getValue());
  if (lowered && lowered->kind == Lowered::Kind::Complex && graph.part)
    return *graph.part ? *lowered->imaginary : lowered->tensor;
  if (!lowered || lowered->kind != Lowered::Kind::Tensor) {
    (void)fail("an argument is no tensor");
    return dummy(b);
  }
  Type dtype = lowered->tensor.dtype;
  bool isTaken = isFloat8(dtype) && Registry::get().takesFloat8(target());
  if (!isSupported(dtype) && !isTaken) {
    std::string text;
    llvm::raw_string_ostream(text) << dtype;
    (void)fail("dtype " + text + " has no native code");
    return dummy(b);
  }
  return lowered->tensor;
}

std::optional<Tensor> NodeLowering::optionalTensor(ArgName name) {
  if (!has(name))
    return std::nullopt;
  return tensor(name);
}

SmallVector<Tensor> NodeLowering::tensors(ArgName name) {
  SmallVector<Tensor> result;
  Argument list = arg(name);
  if (!list.isList()) {
    (void)fail("argument '" + StringRef(name) + "' is no list of tensors");
    return result;
  }
  for (const Argument &element : list.getElements())
    result.push_back(asTensor(element));
  if (result.empty())
    (void)fail("argument '" + StringRef(name) + "' is an empty list");
  return result;
}

Number NodeLowering::asNumber(const Argument &argument) {
  Number n;
  n.expr = ExprAttr::integer(context(), 0);
  if (auto boolean = dyn_cast_or_null<BoolAttr>(argument.tree)) {
    n.kind = Number::Kind::Bool;
    n.expr = ExprAttr::integer(context(), boolean.getValue());
  } else if (auto integer = dyn_cast_or_null<IntegerAttr>(argument.tree)) {
    n.expr = ExprAttr::integer(context(), integer.getValue().getSExtValue());
  } else if (auto real = dyn_cast_or_null<FloatAttr>(argument.tree)) {
    n.kind = Number::Kind::Float;
    n.expr = ExprAttr::real(context(), real.getValueAsDouble());
  } else if (argument.isValue()) {
    const Lowered *lowered = graph.lookup(argument.getValue());
    if (lowered && lowered->kind == Lowered::Kind::Number)
      return lowered->number;
    (void)fail("an argument is no number");
  } else {
    (void)fail("an argument is no number");
  }
  return n;
}

Number NodeLowering::number(ArgName name, std::optional<double> otherwise) {
  Argument argument = arg(name);
  if (argument.isNone() && otherwise) {
    Number n;
    if (*otherwise == int64_t(*otherwise)) {
      n.expr = ExprAttr::integer(context(), int64_t(*otherwise));
    } else {
      n.kind = Number::Kind::Float;
      n.expr = ExprAttr::real(context(), *otherwise);
    }
    return n;
  }
  if (argument.isNone())
    failToRead(name);
  return asPart(argument, name);
}

Number NodeLowering::asPart(const Argument &argument, StringRef name) {
  if (!graph.part || !isElementArgument(name))
    return asNumber(argument);
  Number n;
  if (auto z = dyn_cast_or_null<ComplexAttr>(argument.tree)) {
    n.kind = Number::Kind::Float;
    n.expr = ExprAttr::real(
        context(),
        (*graph.part ? z.getImag() : z.getReal()).getValueAsDouble());
    return n;
  }
  n = asNumber(argument);
  if (*graph.part)
    n.expr = ExprAttr::integer(context(), 0);
  return n;
}

bool NodeLowering::boolean(ArgName name, std::optional<bool> otherwise) {
  return integer(name, otherwise) != 0;
}

int64_t NodeLowering::integer(ArgName name, std::optional<int64_t> otherwise) {
  Argument argument = arg(name);
  if (argument.isNone()) {
    if (!otherwise)
      failToRead(name);
    return otherwise.value_or(0);
  }
  Number n = asNumber(argument);
  if (n.expr && n.expr.isInteger())
    return n.expr.getValue();
  (void)fail("argument '" + StringRef(name) + "' is not known at compile time");
  return otherwise.value_or(0);
}

double NodeLowering::real(ArgName name, std::optional<double> otherwise) {
  Argument argument = arg(name);
  if (argument.isNone()) {
    if (!otherwise)
      failToRead(name);
    return otherwise.value_or(0);
  }
  Number n = asPart(argument, name);
  if (n.expr && n.expr.isInteger())
    return double(n.expr.getValue());
  if (n.expr && n.expr.getKind() == ExprKind::Real)
    return n.expr.getReal();
  (void)fail("argument '" + StringRef(name) + "' is not known at compile time");
  return otherwise.value_or(0);
}

StringRef NodeLowering::string(ArgName name,
                               std::optional<StringRef> otherwise) {
  Argument argument = arg(name);
  if (argument.isNone()) {
    if (!otherwise)
      failToRead(name);
    return otherwise.value_or("");
  }
  if (std::optional<StringRef> text = argument.getString())
    return *text;
  (void)fail("argument '" + StringRef(name) + "' is no string");
  return otherwise.value_or("");
}

Type NodeLowering::dtype(ArgName name, Type otherwise) {
  Argument argument = arg(name);
  if (argument.isNone())
    return otherwise;
  if (auto type = dyn_cast_or_null<TypeAttr>(argument.tree))
    if (isSupported(type.getValue()))
      return type.getValue();
  (void)fail("argument '" + StringRef(name) +
             "' is a dtype without native code");
  return otherwise;
}

int64_t NodeLowering::dim(ArgName name, int64_t rank,
                          std::optional<int64_t> otherwise) {
  int64_t d = integer(name, otherwise);
  int64_t wrapped = std::max<int64_t>(rank, 1);
  if (d < -wrapped || d >= wrapped) {
    (void)fail("argument '" + StringRef(name) + "' is out of range");
    return 0;
  }
  return d < 0 ? d + wrapped : d;
}

SmallVector<int64_t> NodeLowering::dims(ArgName name, int64_t rank,
                                        bool emptyIsAll) {
  SmallVector<int64_t> result;
  Argument argument = arg(name);
  if (!argument.isNone())
    for (const Argument &element : argument.getElements()) {
      Number n = asNumber(element);
      int64_t d = n.expr && n.expr.isInteger() ? n.expr.getValue() : INT64_MAX;
      int64_t wrapped = std::max<int64_t>(rank, 1);
      if (d < -wrapped || d >= wrapped)
        (void)fail("argument '" + StringRef(name) + "' is out of range");
      else if (rank > 0)
        result.push_back(d < 0 ? d + rank : d);
    }
  bool isEmpty = argument.isNone() ||
                 (argument.isList() && argument.getElements().empty());
  if (emptyIsAll && isEmpty)
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(i);
  return result;
}

SmallVector<int64_t> NodeLowering::integers(ArgName name, unsigned count,
                                            std::optional<int64_t> otherwise) {
  Argument argument = arg(name);
  SmallVector<int64_t> result;
  if (!argument.isNone())
    for (const Argument &element : argument.getElements()) {
      Number n = asNumber(element);
      if (n.expr && n.expr.isInteger())
        result.push_back(n.expr.getValue());
      else
        (void)fail("argument '" + StringRef(name) +
                   "' is not known at compile time");
    }
  if (result.empty()) {
    if (!otherwise)
      failToRead(name);
    result.push_back(otherwise.value_or(0));
  }
  // A single int stands for all elements of a list such as `int[2]`.
  if (count && result.size() == 1)
    result.resize(count, result.front());
  if (count && result.size() != count) {
    (void)fail("argument '" + StringRef(name) +
               "' has another length than expected");
    result.resize(count, 0);
  }
  return result;
}

ExprAttr NodeLowering::asSize(const Argument &argument) {
  Number n = asNumber(argument);
  if (n.kind == Number::Kind::Int && n.expr)
    return n.expr;
  (void)fail("a size is no integer");
  return ExprAttr::integer(context(), 0);
}

ExprAttr NodeLowering::size(ArgName name, std::optional<int64_t> otherwise) {
  Argument argument = arg(name);
  if (argument.isNone() && otherwise)
    return ExprAttr::integer(context(), *otherwise);
  if (argument.isNone())
    failToRead(name);
  return asSize(argument);
}

Sizes NodeLowering::sizes(ArgName name) {
  Sizes result;
  Argument argument = arg(name);
  if (!argument.isNone())
    for (const Argument &element : argument.getElements())
      result.push_back(asSize(element));
  return result;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

ExprAttr NodeLowering::wrapPosition(ExprAttr at, ExprAttr size) {
  MLIRContext *ctx = context();
  std::optional<int64_t> known = at.getInteger();
  if (known && *known >= 0)
    return at;
  ExprAttr zero = b.expr(0), wrapped = ExprAttr::add(ctx, {at, size});
  if (!known)
    wrapped = ExprAttr::call(
        ctx, "where", {ExprAttr::call(ctx, "lt", {at, zero}), wrapped, at});
  if (wrapped)
    return wrapped;
  (void)fail("a position overflows");
  return zero;
}

ExprAttr NodeLowering::clampPosition(ExprAttr at, ExprAttr size) {
  MLIRContext *ctx = context();
  ExprAttr zero = b.expr(0);
  if (at == size || at == zero)
    return at;
  // Sizes are not negative, and neither are sums and products of them. `at` can
  // be negative only if it has a negative constant or a symbol that is no size,
  // whose name does not begin with "s".
  bool negative = false;
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr e) {
    negative |= e.isInteger() && e.getValue() < 0;
    negative |= e.isSymbol() && !e.getName().getValue().starts_with("s");
  });
  walker.walk(at);
  ExprAttr clamped = at;
  if (negative)
    clamped = ExprAttr::call(ctx, "max", {zero, wrapPosition(at, size)});
  // A constant that counts from the end is not beyond it.
  return negative && at.isInteger()
             ? clamped
             : ExprAttr::call(ctx, "min", {clamped, size});
}

LogicalResult NodeLowering::checkInside(ExprAttr first, ExprAttr last,
                                        ExprAttr size, StringRef message) {
  MLIRContext *ctx = context();
  ExprAttr inside =
      ExprAttr::call(ctx, "and",
                     {ExprAttr::call(ctx, "le", {b.expr(0), first}),
                      ExprAttr::call(ctx, "lt", {last, size})});
  if (failed() || !inside || !b.symbols.canEvaluate(inside))
    return fail("a position is not known");
  if (std::optional<int64_t> known = inside.getInteger())
    return *known ? success() : fail(message);
  b.check(b.symbols.boolean(b.b, b.loc, inside),
          target().str() + ": " + message.str());
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

FakeTensorType NodeLowering::resultType(unsigned i) {
  if (i >= numResults())
    return {};
  auto type = dyn_cast<FakeTensorType>(op->getResult(i).getType());
  if (graph.part && type)
    if (auto complex = dyn_cast<ComplexType>(type.getDtype()))
      return type.withDtype(complex.getElementType());
  return type;
}

Type NodeLowering::resultDtype(unsigned i) {
  FakeTensorType type = resultType(i);
  return type ? type.getDtype() : b.b.getF32Type();
}

ArrayRef<ExprAttr> NodeLowering::resultSizes(unsigned i) {
  FakeTensorType type = resultType(i);
  return type ? type.getSizes() : ArrayRef<ExprAttr>();
}

LogicalResult NodeLowering::set(unsigned i, Tensor t) {
  FakeTensorType type = resultType(i);
  if (!type)
    return fail("the result is no tensor");
  if (failed())
    return failure();
  if (t.rank() != type.getRank())
    return fail("the result's rank is not what the operator gives");
  for (auto [have, want] : llvm::zip(t.sizes, type.getSizes()))
    if (have.isProvablyDifferent(want))
      return fail("the result's sizes are not what the operator gives");
  t = b.cast(t, type.getDtype());
  // Take the size expressions of the result's type: the types of the users are
  // written in terms of them.
  Sizes inner(cast<RankedTensorType>(t.value.getType()).getRank());
  for (auto [dim, size] : llvm::zip(t.dims, type.getSizes()))
    if (dim >= 0)
      inner[dim] = size;
  t.value = b.withType(t.value, inner, t.dtype);
  t.sizes.assign(type.getSizes().begin(), type.getSizes().end());
  graph.set(op->getResult(i), Lowered(std::move(t)));
  return success();
}

LogicalResult NodeLowering::set(unsigned i, Number n) {
  if (failed())
    return failure();
  if (i >= numResults())
    return fail("the operator gives more results than the node has");
  graph.set(op->getResult(i), Lowered(graph.named(b.loc, n)));
  return success();
}

bool NodeLowering::broadcasts(const Tensor &t, ArrayRef<ExprAttr> sizes) {
  if (t.rank() > int64_t(sizes.size())) {
    (void)fail("an operand has more dimensions than the result");
    return false;
  }
  ArrayRef<ExprAttr> tail = sizes.take_back(t.rank());
  for (auto [have, want] : llvm::zip(t.sizes, tail))
    if (have.getInteger() != 1 && have.isProvablyDifferent(want)) {
      (void)fail("an operand does not broadcast to the result");
      return false;
    }
  return true;
}

LogicalResult NodeLowering::pointwise(unsigned i, ArrayRef<Tensor> operands,
                                      Type compute, ScalarFn fn, Type from) {
  FakeTensorType type = resultType(i);
  bool isTaken = type && isFloat8(type.getDtype()) &&
                 Registry::get().takesFloat8(target());
  if (!type || (!isSupported(type.getDtype()) && !isTaken))
    return fail("the result's dtype has no native code");
  if (compute && !isSupported(compute))
    return fail("the compute type has no native code");
  for (const Tensor &t : operands)
    if (!broadcasts(t, type.getSizes()))
      return failure();
  if (failed())
    return failure();
  return set(i, b.pointwise(operands, type.getSizes(), type.getDtype(), compute,
                            fn, from));
}

//===----------------------------------------------------------------------===//
// Type promotion
//===----------------------------------------------------------------------===//

Type promote(ArrayRef<Tensor> tensors, ArrayRef<Number> numbers) {
  MLIRContext *ctx = tensors.front().dtype.getContext();
  TypePromotion promotion(ctx);
  for (const Tensor &t : tensors)
    promotion.addTensor(t.dtype, t.rank());
  for (const Number &n : numbers)
    promotion.addNumber(n.kind == Number::Kind::Float
                            ? Type(Float64Type::get(ctx))
                            : Type(IntegerType::get(
                                  ctx, n.kind == Number::Kind::Bool ? 1 : 64)));
  Type result = promotion.getResult();
  return result ? result : tensors.front().dtype;
}

} // namespace fx::lin
