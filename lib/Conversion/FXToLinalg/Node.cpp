//===- Node.cpp - a node in the course of lowering ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Complex.h"
#include "Graph.h"

#include "fx/IR/Arguments.h"
#include "fx/Operators/TypePromotion.h"

using namespace mlir;

namespace fx::lin {

static Arg makeArg(Attribute tree, OperandRange &operands) {
  Arg arg;
  if (isa<NoneAttr>(tree)) {
    arg.kind = Arg::Kind::None;
  } else if (isa<OperandAttr>(tree)) {
    arg.kind = Arg::Kind::Value;
    arg.value = operands.front();
    operands = operands.drop_front();
  } else if (auto list = dyn_cast<ArrayAttr>(tree)) {
    arg.kind = Arg::Kind::List;
    arg.immediate = tree;
    for (Attribute element : list)
      arg.list.push_back(makeArg(element, operands));
  } else {
    arg.kind = Arg::Kind::Immediate;
    arg.immediate = tree;
    operands = operands.drop_front(countOperands(tree));
  }
  return arg;
}

Node::Node(Graph &graph, NodeOpInterface op, Builder &b)
    : graph(graph), op(op), b(b) {
  OperandRange operands(op->getOperands());
  ArrayAttr args = op.getArgs(), names = op.getKwnames();
  size_t firstKeyword = args.size() - names.size();
  for (auto [i, tree] : llvm::enumerate(args)) {
    Arg arg = makeArg(tree, operands);
    if (i < firstKeyword)
      positional.push_back(std::move(arg));
    else
      keywords.emplace_back(
          cast<StringAttr>(names[i - firstKeyword]).getValue(), std::move(arg));
  }
}

const Arg &Node::arg(unsigned position, StringRef name) const {
  static const Arg absent;
  if (position < positional.size())
    return positional[position];
  for (const auto &[keyword, arg] : keywords)
    if (keyword == name)
      return arg;
  return absent;
}

LogicalResult Node::fail(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return failure();
}

bool Node::isTensor(const Arg &arg) const {
  return arg.isValue() && isa<FakeTensorType>(arg.value.getType());
}

/// Something to go on with after a failure: an empty 0-d tensor.
static Tensor dummy(Builder &b) {
  Type f32 = b.b.getF32Type();
  return Tensor(b.empty({}, f32), {}, f32);
}

Tensor Node::asTensor(const Arg &arg) {
  if (!arg.isValue()) {
    (void)fail("an argument is no tensor");
    return dummy(b);
  }
  const Lowered *lowered = graph.lookup(arg.value);
  if (lowered && lowered->kind == Lowered::Kind::Complex && graph.part)
    return *graph.part ? *lowered->imaginary : lowered->tensor;
  if (!lowered || lowered->kind != Lowered::Kind::Tensor) {
    (void)fail("an argument is no tensor");
    return dummy(b);
  }
  if (!isSupported(lowered->tensor.dtype)) {
    std::string text;
    llvm::raw_string_ostream(text) << lowered->tensor.dtype;
    (void)fail("dtype " + text + " has no native code");
    return dummy(b);
  }
  return lowered->tensor;
}

Tensor Node::tensor(unsigned position, StringRef name) {
  return asTensor(arg(position, name));
}

std::optional<Tensor> Node::optionalTensor(unsigned position, StringRef name) {
  if (!has(position, name))
    return std::nullopt;
  return tensor(position, name);
}

SmallVector<Tensor> Node::tensors(unsigned position, StringRef name) {
  SmallVector<Tensor> result;
  const Arg &list = arg(position, name);
  if (!list.isList()) {
    (void)fail("argument '" + name + "' is no list of tensors");
    return result;
  }
  for (const Arg &element : list.list)
    result.push_back(asTensor(element));
  if (result.empty())
    (void)fail("argument '" + name + "' is an empty list");
  return result;
}

Number Node::asNumber(const Arg &arg) {
  Number n;
  n.expr = ExprAttr::integer(context(), 0);
  if (auto boolean = dyn_cast_or_null<BoolAttr>(arg.immediate)) {
    n.kind = Number::Kind::Bool;
    n.expr = ExprAttr::integer(context(), boolean.getValue());
  } else if (auto integer = dyn_cast_or_null<IntegerAttr>(arg.immediate)) {
    n.expr = ExprAttr::integer(context(), integer.getValue().getSExtValue());
  } else if (auto real = dyn_cast_or_null<FloatAttr>(arg.immediate)) {
    n.kind = Number::Kind::Float;
    n.expr = ExprAttr::real(context(), real.getValueAsDouble());
  } else if (arg.isValue()) {
    const Lowered *lowered = graph.lookup(arg.value);
    if (lowered && lowered->kind == Lowered::Kind::Number)
      return lowered->number;
    (void)fail("an argument is no number");
  } else {
    (void)fail("an argument is no number");
  }
  return n;
}

Number Node::number(unsigned position, StringRef name,
                    std::optional<double> absent) {
  const Arg &a = arg(position, name);
  if (a.isAbsent() && absent) {
    Number n;
    if (*absent == int64_t(*absent)) {
      n.expr = ExprAttr::integer(context(), int64_t(*absent));
    } else {
      n.kind = Number::Kind::Float;
      n.expr = ExprAttr::real(context(), *absent);
    }
    return n;
  }
  return asPart(a, name);
}

Number Node::asPart(const Arg &arg, StringRef name) {
  if (!graph.part || !isElementArgument(name))
    return asNumber(arg);
  Number n;
  if (auto z = dyn_cast_or_null<ComplexAttr>(arg.immediate)) {
    n.kind = Number::Kind::Float;
    n.expr = ExprAttr::real(
        context(),
        (*graph.part ? z.getImag() : z.getReal()).getValueAsDouble());
    return n;
  }
  n = asNumber(arg);
  if (*graph.part)
    n.expr = ExprAttr::integer(context(), 0);
  return n;
}

bool Node::boolean(unsigned position, StringRef name, bool absent) {
  const Arg &a = arg(position, name);
  if (a.isAbsent())
    return absent;
  Number n = asNumber(a);
  if (n.expr && n.expr.isInteger())
    return n.expr.getValue() != 0;
  (void)fail("argument '" + name + "' is not known at compile time");
  return absent;
}

int64_t Node::integer(unsigned position, StringRef name, int64_t absent) {
  const Arg &a = arg(position, name);
  if (a.isAbsent())
    return absent;
  Number n = asNumber(a);
  if (n.expr && n.expr.isInteger())
    return n.expr.getValue();
  (void)fail("argument '" + name + "' is not known at compile time");
  return absent;
}

double Node::real(unsigned position, StringRef name, double absent) {
  const Arg &a = arg(position, name);
  if (a.isAbsent())
    return absent;
  Number n = asPart(a, name);
  if (n.expr && n.expr.isInteger())
    return double(n.expr.getValue());
  if (n.expr && n.expr.getKind() == ExprKind::Real)
    return n.expr.getReal();
  (void)fail("argument '" + name + "' is not known at compile time");
  return absent;
}

StringRef Node::string(unsigned position, StringRef name, StringRef absent) {
  const Arg &a = arg(position, name);
  if (a.isAbsent())
    return absent;
  if (auto text = dyn_cast_or_null<StringAttr>(a.immediate))
    return text.getValue();
  (void)fail("argument '" + name + "' is no string");
  return absent;
}

Type Node::dtype(unsigned position, StringRef name, Type absent) {
  const Arg &a = arg(position, name);
  if (a.isAbsent())
    return absent;
  if (auto type = dyn_cast_or_null<TypeAttr>(a.immediate))
    if (isSupported(type.getValue()))
      return type.getValue();
  (void)fail("argument '" + name + "' is a dtype without native code");
  return absent;
}

int64_t Node::dim(unsigned position, StringRef name, int64_t rank,
                  std::optional<int64_t> absent) {
  if (!has(position, name) && !absent) {
    (void)fail("argument '" + name + "' is missing");
    return 0;
  }
  int64_t d = integer(position, name, absent.value_or(0));
  int64_t wrapped = std::max<int64_t>(rank, 1);
  if (d < -wrapped || d >= wrapped) {
    (void)fail("argument '" + name + "' is out of range");
    return 0;
  }
  return d < 0 ? d + wrapped : d;
}

SmallVector<int64_t> Node::dims(unsigned position, StringRef name, int64_t rank,
                                bool emptyIsAll) {
  SmallVector<int64_t> result;
  const Arg &a = arg(position, name);
  auto add = [&](const Arg &element) {
    Number n = asNumber(element);
    int64_t d = n.expr && n.expr.isInteger() ? n.expr.getValue() : INT64_MAX;
    int64_t wrapped = std::max<int64_t>(rank, 1);
    if (d < -wrapped || d >= wrapped) {
      (void)fail("argument '" + name + "' is out of range");
      return;
    }
    if (rank > 0)
      result.push_back(d < 0 ? d + rank : d);
  };
  if (a.isList())
    for (const Arg &element : a.list)
      add(element);
  else if (!a.isAbsent())
    add(a);
  if (emptyIsAll && (a.isAbsent() || (a.isList() && a.list.empty())))
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(i);
  return result;
}

SmallVector<int64_t> Node::integers(unsigned position, StringRef name,
                                    unsigned count, int64_t absent) {
  const Arg &a = arg(position, name);
  SmallVector<int64_t> result;
  auto add = [&](const Arg &element) {
    Number n = asNumber(element);
    if (n.expr && n.expr.isInteger())
      result.push_back(n.expr.getValue());
    else
      (void)fail("argument '" + name + "' is not known at compile time");
  };
  if (a.isList())
    for (const Arg &element : a.list)
      add(element);
  else if (!a.isAbsent())
    add(a);
  if (result.empty())
    result.push_back(absent);
  // `int[2]` takes a single int for both.
  if (count && result.size() == 1)
    result.resize(count, result.front());
  if (count && result.size() != count) {
    (void)fail("argument '" + name + "' has another length than expected");
    result.resize(count, absent);
  }
  return result;
}

ExprAttr Node::asSize(const Arg &arg) {
  Number n = asNumber(arg);
  if (n.kind == Number::Kind::Int && n.expr)
    return n.expr;
  (void)fail("a size is no integer");
  return ExprAttr::integer(context(), 0);
}

ExprAttr Node::size(unsigned position, StringRef name, int64_t absent) {
  const Arg &a = arg(position, name);
  if (a.isAbsent())
    return ExprAttr::integer(context(), absent);
  return asSize(a);
}

Sizes Node::sizes(unsigned position, StringRef name) {
  Sizes result;
  const Arg &a = arg(position, name);
  if (a.isList())
    for (const Arg &element : a.list)
      result.push_back(asSize(element));
  else if (!a.isAbsent())
    result.push_back(asSize(a));
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

FakeTensorType Node::resultType(unsigned i) {
  if (i >= numResults())
    return {};
  auto type = dyn_cast<FakeTensorType>(op->getResult(i).getType());
  if (graph.part && type)
    if (auto complex = dyn_cast<ComplexType>(type.getDtype()))
      return type.withDtype(complex.getElementType());
  return type;
}

Type Node::resultDtype(unsigned i) {
  FakeTensorType type = resultType(i);
  return type ? type.getDtype() : b.b.getF32Type();
}

ArrayRef<ExprAttr> Node::resultSizes(unsigned i) {
  FakeTensorType type = resultType(i);
  return type ? type.getSizes() : ArrayRef<ExprAttr>();
}

LogicalResult Node::set(unsigned i, Tensor t) {
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
  // The type's expressions are those that users speak of.
  Sizes inner(cast<RankedTensorType>(t.value.getType()).getRank());
  for (auto [dim, size] : llvm::zip(t.dims, type.getSizes()))
    if (dim >= 0)
      inner[dim] = size;
  t.value = b.withType(t.value, inner, t.dtype);
  t.sizes.assign(type.getSizes().begin(), type.getSizes().end());
  graph.set(op->getResult(i), Lowered(std::move(t)));
  return success();
}

LogicalResult Node::set(unsigned i, Number n) {
  if (failed())
    return failure();
  if (i >= numResults())
    return fail("the operator gives more results than the node has");
  graph.set(op->getResult(i), Lowered(graph.named(b.loc, n)));
  return success();
}

bool Node::broadcasts(const Tensor &t, ArrayRef<ExprAttr> sizes) {
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

LogicalResult Node::pointwise(unsigned i, ArrayRef<Tensor> operands,
                              Type compute, ScalarFn fn, Type from) {
  FakeTensorType type = resultType(i);
  if (!type || !isSupported(type.getDtype()))
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
