//===- Operators.cpp - what TOSA can say ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Function.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace fx;
using namespace fx::to_tosa;

template <typename Op>
static LogicalResult unary(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.tensor(0);
  if (!x || typeOf(x) != type)
    return failure();
  return f.result(Op::create(f.builder(), f.loc(), type, x));
}

template <typename Op>
static LogicalResult binary(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.operand(0, type), y = x ? f.operand(1, type) : Value();
  if (!y)
    return failure();
  return f.result(Op::create(f.builder(), f.loc(), type, x, y));
}

static Value multiply(Function &f, RankedTensorType type, Value x, Value y) {
  Value shift = f.splat(0, f.builder().getI8Type(), 1);
  return tosa::MulOp::create(f.builder(), f.loc(), type, x, y, shift);
}

/// add and sub, with alpha as the third argument.
template <typename Op>
static LogicalResult sum(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.operand(0, type), y = x ? f.operand(1, type) : Value();
  std::optional<double> alpha = f.arg(2).getFloat();
  if (!y || !alpha)
    return failure();
  if (*alpha != 1)
    y = multiply(f, typeOf(y), y,
                 f.splat(*alpha, type.getElementType(), type.getRank()));
  return f.result(Op::create(f.builder(), f.loc(), type, x, y));
}

static LogicalResult mul(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.operand(0, type), y = x ? f.operand(1, type) : Value();
  return y ? f.result(multiply(f, type, x, y)) : failure();
}

static LogicalResult div(Function &f) {
  RankedTensorType type = f.resultType();
  if (!isa<FloatType>(type.getElementType()))
    return failure();
  Value x = f.operand(0, type), y = x ? f.operand(1, type) : Value();
  if (!y)
    return failure();
  Value r = tosa::ReciprocalOp::create(f.builder(), f.loc(), typeOf(y), y);
  return f.result(multiply(f, type, x, r));
}

template <typename Op, bool swap>
static LogicalResult compare(Function &f) {
  Value x = f.tensor(0);
  RankedTensorType type = f.resultType();
  if (!x)
    return failure();
  Type element = typeOf(x).getElementType();
  if (Value y = f.tensor(1); y && typeOf(y).getElementType() != element)
    return failure();
  auto common = RankedTensorType::get(type.getShape(), element);
  Value a = f.operand(0, common), c = f.operand(1, common);
  if (!c)
    return failure();
  if (swap)
    std::swap(a, c);
  return f.result(Op::create(f.builder(), f.loc(), type, a, c));
}

static LogicalResult where(Function &f) {
  RankedTensorType type = f.resultType();
  auto truth = RankedTensorType::get(type.getShape(), f.builder().getI1Type());
  Value c = f.operand(0, truth), x = f.operand(1, type), y = f.operand(2, type);
  if (!c || !x || !y)
    return failure();
  return f.result(tosa::SelectOp::create(f.builder(), f.loc(), type, c, x, y));
}

static LogicalResult relu(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.tensor(0);
  Type element = type.getElementType();
  if (!x || !isa<FloatType>(element))
    return failure();
  OpBuilder &b = f.builder();
  APFloat high =
      APFloat::getLargest(cast<FloatType>(element).getFloatSemantics());
  return f.result(tosa::ClampOp::create(b, f.loc(), type, x,
                                        b.getFloatAttr(element, 0.0),
                                        b.getFloatAttr(element, high)));
}

/// Views of the same elements in the same order.
static LogicalResult reshape(Function &f) {
  Value x = f.tensor(0);
  return x ? f.result(f.reshape(x, f.resultType().getShape())) : failure();
}

/// Copies, casts and what only autograd sees.
static LogicalResult copy(Function &f) {
  Value x = f.tensor(0);
  Type element = f.resultType().getElementType();
  if (!x ||
      (!isa<FloatType>(element) && isa<FloatType>(typeOf(x).getElementType())))
    return failure(); // TOSA rounds where PyTorch truncates
  return f.result(f.cast(x, element));
}

static LogicalResult permute(Function &f) {
  Value x = f.tensor(0);
  std::optional<SmallVector<int64_t>> dims = f.arg(1).getInts();
  if (!x || !dims)
    return failure();
  SmallVector<int32_t> order;
  for (int64_t d : *dims)
    order.push_back(d < 0 ? d + typeOf(x).getRank() : d);
  return f.result(f.transpose(x, order));
}

static LogicalResult transpose(Function &f) {
  Value x = f.tensor(0);
  if (!x)
    return failure();
  int64_t rank = typeOf(x).getRank(), from = 0, to = 1;
  if (f.arg(1) && f.arg(2)) {
    from = f.arg(1).getInt().value_or(0);
    to = f.arg(2).getInt().value_or(0);
  }
  SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
  std::swap(order[from < 0 ? from + rank : from],
            order[to < 0 ? to + rank : to]);
  return f.result(f.transpose(x, order));
}

static LogicalResult t(Function &f) {
  Value x = f.tensor(0);
  if (!x || typeOf(x).getRank() < 2)
    return x ? f.result(x) : failure();
  return f.result(f.transpose(x, {1, 0}));
}

/// The product with a matrix of whatever rank stands before it; `y` is (k, n).
static Value product(Function &f, Value x, Value y) {
  RankedTensorType a = typeOf(x), c = typeOf(y);
  int64_t k = c.getDimSize(0),
          rows = a.getNumElements() / std::max<int64_t>(k, 1);
  Value r = f.matmul(f.reshape(x, {1, rows, k}),
                     f.reshape(y, {1, k, c.getDimSize(1)}));
  SmallVector<int64_t> sizes(a.getShape().drop_back());
  sizes.push_back(c.getDimSize(1));
  return f.reshape(r, sizes);
}

static bool isMatrix(Value v) {
  return v && typeOf(v).getRank() == 2 && typeOf(v).getNumElements() > 0 &&
         isa<FloatType>(typeOf(v).getElementType());
}

static LogicalResult mm(Function &f) {
  Value x = f.tensor(0), y = f.tensor(1);
  return isMatrix(x) && isMatrix(y) ? f.result(product(f, x, y)) : failure();
}

static LogicalResult bmm(Function &f) {
  Value x = f.tensor(0), y = f.tensor(1);
  return x && y && isa<FloatType>(typeOf(x).getElementType())
             ? f.result(f.matmul(x, y))
             : failure();
}

static Value plus(Function &f, unsigned bias, Value v) {
  RankedTensorType type = f.resultType();
  Value y = f.operand(bias, type);
  return y ? Value(tosa::AddOp::create(f.builder(), f.loc(), type, v, y))
           : Value();
}

static LogicalResult linear(Function &f) {
  Value x = f.tensor(0), w = f.tensor(1);
  if (!x || !isMatrix(w) || typeOf(x).getNumElements() == 0)
    return failure();
  Value y = product(f, x, f.transpose(w, {1, 0}));
  return f.result(f.arg(2).isNone() ? y : plus(f, 2, y));
}

static LogicalResult addmm(Function &f) {
  Value x = f.tensor(1), y = f.tensor(2);
  if (!isMatrix(x) || !isMatrix(y) || f.arg(3).getFloat() != 1.0 ||
      f.arg(4).getFloat() != 1.0)
    return failure();
  return f.result(plus(f, 0, product(f, x, y)));
}

static LogicalResult cat(Function &f) {
  SmallVector<Value> parts;
  RankedTensorType type = f.resultType();
  for (const Argument &part : f.arg(0).getElements()) {
    Value v = part.getValue() ? f.lookup(part.getValue()) : Value();
    if (!v || typeOf(v).getRank() != type.getRank() ||
        typeOf(v).getElementType() != type.getElementType())
      return failure();
    parts.push_back(v);
  }
  std::optional<int64_t> dim = f.arg(1).getInt();
  if (!dim)
    return failure();
  return f.result(tosa::ConcatOp::create(
      f.builder(), f.loc(), type, parts,
      uint32_t(*dim < 0 ? *dim + type.getRank() : *dim)));
}

/// The dimensions of a reduction; all where none are given.
static SmallVector<int64_t> getDims(Function &f, Value x) {
  SmallVector<int64_t> result;
  int64_t rank = typeOf(x).getRank();
  if (!f.arg(1).isNone())
    for (const Argument &dim : f.arg(1).getElements())
      if (std::optional<int64_t> d = dim.getInt())
        result.push_back(*d < 0 ? *d + rank : *d);
  if (result.empty())
    result.assign(llvm::seq<int64_t>(0, rank).begin(),
                  llvm::seq<int64_t>(0, rank).end());
  return result;
}

template <typename Op>
static Value reduce(Function &f, Value x) {
  for (int64_t d : getDims(f, x)) {
    SmallVector<int64_t> sizes(typeOf(x).getShape());
    sizes[d] = 1;
    x = Op::create(f.builder(), f.loc(), typeOf(x).clone(sizes), x,
                   uint32_t(d));
  }
  return x;
}

template <typename Op, bool isMean>
static LogicalResult reduction(Function &f) {
  Value x = f.tensor(0);
  RankedTensorType type = f.resultType();
  if (!x || typeOf(x).getElementType() != type.getElementType() ||
      typeOf(x).getNumElements() == 0)
    return failure();
  double count = double(typeOf(x).getNumElements()) / type.getNumElements();
  Value y = reduce<Op>(f, x);
  if (isMean)
    y = multiply(
        f, typeOf(y), y,
        f.splat(1 / count, type.getElementType(), typeOf(y).getRank()));
  return f.result(f.reshape(y, type.getShape()));
}

static LogicalResult softmax(Function &f) {
  Value x = f.tensor(0);
  RankedTensorType type = f.resultType();
  if (!x || typeOf(x) != type || type.getRank() == 0 ||
      !isa<FloatType>(type.getElementType()))
    return failure();
  OpBuilder &b = f.builder();
  Value high = reduce<tosa::ReduceMaxOp>(f, x);
  Value e = tosa::ExpOp::create(b, f.loc(), type,
                                tosa::SubOp::create(b, f.loc(), type, x, high));
  Value sum = reduce<tosa::ReduceSumOp>(f, e);
  Value r = tosa::ReciprocalOp::create(b, f.loc(), typeOf(sum), sum);
  return f.result(multiply(f, type, e, r));
}

Lower fx::to_tosa::getLowering(StringRef target) {
  static const llvm::StringMap<Lower> table = {
      {"aten.abs.default", unary<tosa::AbsOp>},
      {"aten.ceil.default", unary<tosa::CeilOp>},
      {"aten.cos.default", unary<tosa::CosOp>},
      {"aten.erf.default", unary<tosa::ErfOp>},
      {"aten.exp.default", unary<tosa::ExpOp>},
      {"aten.floor.default", unary<tosa::FloorOp>},
      {"aten.log.default", unary<tosa::LogOp>},
      {"aten.logical_not.default", unary<tosa::LogicalNotOp>},
      {"aten.reciprocal.default", unary<tosa::ReciprocalOp>},
      {"aten.relu.default", relu},
      {"aten.rsqrt.default", unary<tosa::RsqrtOp>},
      {"aten.sigmoid.default", unary<tosa::SigmoidOp>},
      {"aten.sin.default", unary<tosa::SinOp>},
      {"aten.tanh.default", unary<tosa::TanhOp>},
      {"aten.add.Tensor", sum<tosa::AddOp>},
      {"aten.add.Scalar", sum<tosa::AddOp>},
      {"aten.sub.Tensor", sum<tosa::SubOp>},
      {"aten.sub.Scalar", sum<tosa::SubOp>},
      {"aten.mul.Tensor", mul},
      {"aten.mul.Scalar", mul},
      {"aten.div.Tensor", div},
      {"aten.div.Scalar", div},
      {"aten.maximum.default", binary<tosa::MaximumOp>},
      {"aten.minimum.default", binary<tosa::MinimumOp>},
      {"aten.pow.Tensor_Scalar", binary<tosa::PowOp>},
      {"aten.pow.Tensor_Tensor", binary<tosa::PowOp>},
      {"aten.logical_and.default", binary<tosa::LogicalAndOp>},
      {"aten.logical_or.default", binary<tosa::LogicalOrOp>},
      {"aten.eq.Tensor", compare<tosa::EqualOp, false>},
      {"aten.eq.Scalar", compare<tosa::EqualOp, false>},
      {"aten.gt.Tensor", compare<tosa::GreaterOp, false>},
      {"aten.gt.Scalar", compare<tosa::GreaterOp, false>},
      {"aten.ge.Tensor", compare<tosa::GreaterEqualOp, false>},
      {"aten.ge.Scalar", compare<tosa::GreaterEqualOp, false>},
      {"aten.lt.Tensor", compare<tosa::GreaterOp, true>},
      {"aten.lt.Scalar", compare<tosa::GreaterOp, true>},
      {"aten.le.Tensor", compare<tosa::GreaterEqualOp, true>},
      {"aten.le.Scalar", compare<tosa::GreaterEqualOp, true>},
      {"aten.where.self", where},
      {"aten.view.default", reshape},
      {"aten.reshape.default", reshape},
      {"aten._unsafe_view.default", reshape},
      {"aten.unsqueeze.default", reshape},
      {"aten.squeeze.default", reshape},
      {"aten.squeeze.dim", reshape},
      {"aten.squeeze.dims", reshape},
      {"aten.flatten.using_ints", reshape},
      {"aten.clone.default", copy},
      {"aten.contiguous.default", copy},
      {"aten.detach.default", copy},
      {"aten.alias.default", copy},
      {"aten._to_copy.default", copy},
      {"aten.to.dtype", copy},
      {"aten.permute.default", permute},
      {"aten.transpose.int", transpose},
      {"aten.t.default", t},
      {"aten.mm.default", mm},
      {"aten.bmm.default", bmm},
      {"aten.linear.default", linear},
      {"aten.addmm.default", addmm},
      {"aten.cat.default", cat},
      {"aten.sum.default", reduction<tosa::ReduceSumOp, false>},
      {"aten.sum.dim_IntList", reduction<tosa::ReduceSumOp, false>},
      {"aten.mean.default", reduction<tosa::ReduceSumOp, true>},
      {"aten.mean.dim", reduction<tosa::ReduceSumOp, true>},
      {"aten.amax.default", reduction<tosa::ReduceMaxOp, false>},
      {"aten.amin.default", reduction<tosa::ReduceMinOp, false>},
      {"aten.softmax.int", softmax},
      {"aten._softmax.default", softmax}};
  return table.lookup(target);
}
