//===- Operators.cpp - lowerings of operators to TOSA ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Function.h"

using namespace mlir;
using namespace fx;
using namespace fx::to_tosa;

template <typename Op>
static LogicalResult unary(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.tensor("self");
  if (!x || typeOf(x) != type)
    return failure();
  return f.result(Op::create(f.builder(), f.loc(), type, x));
}

template <typename Op>
static LogicalResult binary(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.operand("self", type), y = x ? f.operand("other", type) : Value();
  if (!y)
    return failure();
  return f.result(Op::create(f.builder(), f.loc(), type, x, y));
}

/// Lowers maximum and minimum. TOSA orders integers as signed ones.
template <typename Op>
static LogicalResult extremum(Function &f) {
  return f.hasUnsignedResult() ? failure() : binary<Op>(f);
}

static LogicalResult absolute(Function &f) {
  return f.isUnsigned("self") ? f.result(f.tensor("self"))
                              : unary<tosa::AbsOp>(f);
}

static LogicalResult pow(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.operand("self", type),
        y = x ? f.operand("exponent", type) : Value();
  if (!y)
    return failure();
  return f.result(tosa::PowOp::create(f.builder(), f.loc(), type, x, y));
}

static Value multiply(Function &f, RankedTensorType type, Value x, Value y) {
  Value shift = f.splat(0, f.builder().getI8Type(), 1);
  return tosa::MulOp::create(f.builder(), f.loc(), type, x, y, shift);
}

/// Lowers add and sub: self + alpha * other, self - alpha * other.
template <typename Op>
static LogicalResult sum(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.operand("self", type), y = x ? f.operand("other", type) : Value();
  std::optional<double> alpha = f.arg("alpha").getFloat();
  if (!y || !alpha)
    return failure();
  if (*alpha != 1)
    y = multiply(f, typeOf(y), y,
                 f.splat(*alpha, type.getElementType(), type.getRank()));
  return f.result(Op::create(f.builder(), f.loc(), type, x, y));
}

static LogicalResult mul(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.operand("self", type), y = x ? f.operand("other", type) : Value();
  return y ? f.result(multiply(f, type, x, y)) : failure();
}

static LogicalResult div(Function &f) {
  RankedTensorType type = f.resultType();
  if (!isa<FloatType>(type.getElementType()))
    return failure();
  Value x = f.operand("self", type), y = x ? f.operand("other", type) : Value();
  if (!y)
    return failure();
  Value r = tosa::ReciprocalOp::create(f.builder(), f.loc(), typeOf(y), y);
  return f.result(multiply(f, type, x, r));
}

/// Returns true if a tensor of dtype `element` is compared with `number` in its
/// own dtype, which can represent the number.
static bool isComparedIn(Type element, bool isUnsigned,
                         const Argument &number) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return isa<FloatType>(element);
  std::optional<int64_t> value = number.getInt();
  if (!value)
    return false;
  APInt bits(64, *value, /*isSigned=*/true);
  return isUnsigned || integer.getWidth() == 1
             ? *value >= 0 && bits.isIntN(integer.getWidth())
             : bits.isSignedIntN(integer.getWidth());
}

template <typename Op, bool swap>
static LogicalResult compare(Function &f) {
  Value x = f.tensor("self");
  RankedTensorType type = f.resultType();
  if (!x)
    return failure();
  bool isUnsigned = f.isUnsigned("self");
  if (isUnsigned && !std::is_same_v<Op, tosa::EqualOp>)
    return failure(); // TOSA orders integers as signed ones
  Type element = typeOf(x).getElementType();
  Value y = f.tensor("other");
  if (y ? typeOf(y).getElementType() != element ||
              f.isUnsigned("other") != isUnsigned
        : !isComparedIn(element, isUnsigned, f.arg("other")))
    return failure();
  auto common = RankedTensorType::get(type.getShape(), element);
  Value a = f.operand("self", common), c = f.operand("other", common);
  if (!c)
    return failure();
  if (swap)
    std::swap(a, c);
  return f.result(Op::create(f.builder(), f.loc(), type, a, c));
}

static LogicalResult where(Function &f) {
  RankedTensorType type = f.resultType();
  auto truth = RankedTensorType::get(type.getShape(), f.builder().getI1Type());
  Value c = f.operand("condition", truth), x = f.operand("self", type),
        y = f.operand("other", type);
  if (!c || !x || !y)
    return failure();
  return f.result(tosa::SelectOp::create(f.builder(), f.loc(), type, c, x, y));
}

static LogicalResult relu(Function &f) {
  RankedTensorType type = f.resultType();
  Value x = f.tensor("self");
  Type element = type.getElementType();
  if (!x || !isa<FloatType>(element))
    return failure();
  OpBuilder &b = f.builder();
  // The bound keeps infinity, as in PyTorch.
  const llvm::fltSemantics &semantics =
      cast<FloatType>(element).getFloatSemantics();
  APFloat high = APFloat::semanticsHasInf(semantics)
                     ? APFloat::getInf(semantics)
                     : APFloat::getLargest(semantics);
  return f.result(tosa::ClampOp::create(b, f.loc(), type, x,
                                        b.getFloatAttr(element, 0.0),
                                        b.getFloatAttr(element, high)));
}

/// Lowers views that keep the order of the elements.
static LogicalResult reshape(Function &f) {
  Value x = f.tensor("self");
  return x ? f.result(f.reshape(x, f.resultType().getShape())) : failure();
}

/// Lowers copies, casts and operators that matter to autograd only.
static LogicalResult copy(Function &f) {
  Value x = f.tensor("self");
  Type element = f.resultType().getElementType();
  if (!x ||
      (!isa<FloatType>(element) && isa<FloatType>(typeOf(x).getElementType())))
    return failure(); // TOSA rounds where PyTorch truncates
  return f.result(f.cast("self", element));
}

static LogicalResult permute(Function &f) {
  Value x = f.tensor("self");
  std::optional<SmallVector<int64_t>> dims = f.arg("dims").getInts();
  if (!x || !dims)
    return failure();
  SmallVector<int32_t> order;
  for (int64_t d : *dims)
    order.push_back(d < 0 ? d + typeOf(x).getRank() : d);
  return f.result(f.transpose(x, order));
}

static LogicalResult transpose(Function &f) {
  Value x = f.tensor("self");
  if (!x)
    return failure();
  int64_t rank = typeOf(x).getRank(), from = 0, to = 1;
  if (rank == 0)
    return f.result(x);
  if (f.arg("dim0") && f.arg("dim1")) {
    from = f.arg("dim0").getInt().value_or(0);
    to = f.arg("dim1").getInt().value_or(0);
  }
  SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
  std::swap(order[from < 0 ? from + rank : from],
            order[to < 0 ? to + rank : to]);
  return f.result(f.transpose(x, order));
}

static LogicalResult t(Function &f) {
  Value x = f.tensor("self");
  if (!x || typeOf(x).getRank() < 2)
    return x ? f.result(x) : failure();
  return f.result(f.transpose(x, {1, 0}));
}

/// Returns the matmul of `x`, [..., k], with the matrix `y`, [k, n].
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
  Value x = f.tensor("self"), y = f.tensor("mat2");
  return isMatrix(x) && isMatrix(y) ? f.result(product(f, x, y)) : failure();
}

static LogicalResult bmm(Function &f) {
  Value x = f.tensor("self"), y = f.tensor("mat2");
  return x && y && isa<FloatType>(typeOf(x).getElementType())
             ? f.result(f.matmul(x, y))
             : failure();
}

static Value plus(Function &f, ArgName bias, Value v) {
  RankedTensorType type = f.resultType();
  Value y = f.operand(bias, type);
  return y ? Value(tosa::AddOp::create(f.builder(), f.loc(), type, v, y))
           : Value();
}

static LogicalResult linear(Function &f) {
  Value x = f.tensor("input"), w = f.tensor("weight");
  if (!x || !isMatrix(w) || typeOf(x).getNumElements() == 0)
    return failure();
  Value y = product(f, x, f.transpose(w, {1, 0}));
  return f.result(f.arg("bias").isNone() ? y : plus(f, "bias", y));
}

static LogicalResult addmm(Function &f) {
  Value x = f.tensor("mat1"), y = f.tensor("mat2");
  if (!isMatrix(x) || !isMatrix(y) || f.arg("beta").getFloat() != 1.0 ||
      f.arg("alpha").getFloat() != 1.0)
    return failure();
  return f.result(plus(f, "self", product(f, x, y)));
}

static LogicalResult cat(Function &f) {
  SmallVector<Value> parts;
  RankedTensorType type = f.resultType();
  for (const Argument &part : f.arg("tensors").getElements()) {
    Value v = part.getValue() ? f.lookup(part.getValue()) : Value();
    if (!v || typeOf(v).getRank() != type.getRank() ||
        typeOf(v).getElementType() != type.getElementType())
      return failure();
    parts.push_back(v);
  }
  std::optional<int64_t> dim = f.arg("dim").getInt();
  if (!dim)
    return failure();
  return f.result(tosa::ConcatOp::create(
      f.builder(), f.loc(), type, parts,
      uint32_t(*dim < 0 ? *dim + type.getRank() : *dim)));
}

/// Returns the dimensions of a reduction; all if the argument has none.
static SmallVector<int64_t> getDims(Function &f, Value x) {
  SmallVector<int64_t> result;
  int64_t rank = typeOf(x).getRank();
  if (!f.arg("dim").isNone())
    for (const Argument &dim : f.arg("dim").getElements())
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
  Value x = f.tensor("self");
  RankedTensorType type = f.resultType();
  if (!x || typeOf(x).getElementType() != type.getElementType() ||
      typeOf(x).getNumElements() == 0)
    return failure();
  if (f.isUnsigned("self") && !std::is_same_v<Op, tosa::ReduceSumOp>)
    return failure(); // TOSA orders integers as signed ones
  double count = double(typeOf(x).getNumElements()) / type.getNumElements();
  Value y = reduce<Op>(f, x);
  if (isMean)
    y = multiply(
        f, typeOf(y), y,
        f.splat(1 / count, type.getElementType(), typeOf(y).getRank()));
  return f.result(f.reshape(y, type.getShape()));
}

static LogicalResult softmax(Function &f) {
  Value x = f.tensor("self");
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

void Lowering::registerAll(HookTable<Lowering> &hooks) {
  hooks.add(absolute, {"aten.abs.default"});
  hooks.add(unary<tosa::CeilOp>, {"aten.ceil.default"});
  hooks.add(unary<tosa::CosOp>, {"aten.cos.default"});
  hooks.add(unary<tosa::ErfOp>, {"aten.erf.default"});
  hooks.add(unary<tosa::ExpOp>, {"aten.exp.default"});
  hooks.add(unary<tosa::FloorOp>, {"aten.floor.default"});
  hooks.add(unary<tosa::LogOp>, {"aten.log.default"});
  hooks.add(unary<tosa::LogicalNotOp>, {"aten.logical_not.default"});
  hooks.add(unary<tosa::ReciprocalOp>, {"aten.reciprocal.default"});
  hooks.add(relu, {"aten.relu.default"});
  hooks.add(unary<tosa::RsqrtOp>, {"aten.rsqrt.default"});
  hooks.add(unary<tosa::SigmoidOp>, {"aten.sigmoid.default"});
  hooks.add(unary<tosa::SinOp>, {"aten.sin.default"});
  hooks.add(unary<tosa::TanhOp>, {"aten.tanh.default"});
  hooks.add(sum<tosa::AddOp>, {"aten.add.Tensor", "aten.add.Scalar"});
  hooks.add(sum<tosa::SubOp>, {"aten.sub.Tensor", "aten.sub.Scalar"});
  hooks.add(mul, {"aten.mul.Tensor", "aten.mul.Scalar"});
  hooks.add(div, {"aten.div.Tensor", "aten.div.Scalar"});
  hooks.add(extremum<tosa::MaximumOp>, {"aten.maximum.default"});
  hooks.add(extremum<tosa::MinimumOp>, {"aten.minimum.default"});
  hooks.add(pow, {"aten.pow.Tensor_Scalar", "aten.pow.Tensor_Tensor"});
  hooks.add(binary<tosa::LogicalAndOp>, {"aten.logical_and.default"});
  hooks.add(binary<tosa::LogicalOrOp>, {"aten.logical_or.default"});
  hooks.add(compare<tosa::EqualOp, false>,
            {"aten.eq.Tensor", "aten.eq.Scalar"});
  hooks.add(compare<tosa::GreaterOp, false>,
            {"aten.gt.Tensor", "aten.gt.Scalar"});
  hooks.add(compare<tosa::GreaterEqualOp, false>,
            {"aten.ge.Tensor", "aten.ge.Scalar"});
  hooks.add(compare<tosa::GreaterOp, true>,
            {"aten.lt.Tensor", "aten.lt.Scalar"});
  hooks.add(compare<tosa::GreaterEqualOp, true>,
            {"aten.le.Tensor", "aten.le.Scalar"});
  hooks.add(where, {"aten.where.self"});
  hooks.add(reshape, {"aten.view.default", "aten.reshape.default",
                      "aten._unsafe_view.default", "aten.unsqueeze.default",
                      "aten.squeeze.default", "aten.squeeze.dim",
                      "aten.squeeze.dims", "aten.flatten.using_ints"});
  hooks.add(copy, {"aten.clone.default", "aten.contiguous.default",
                   "aten.detach.default", "aten.alias.default",
                   "aten._to_copy.default", "aten.to.dtype"});
  hooks.add(permute, {"aten.permute.default"});
  hooks.add(transpose, {"aten.transpose.int"});
  hooks.add(t, {"aten.t.default"});
  hooks.add(mm, {"aten.mm.default"});
  hooks.add(bmm, {"aten.bmm.default"});
  hooks.add(linear, {"aten.linear.default"});
  hooks.add(addmm, {"aten.addmm.default"});
  hooks.add(cat, {"aten.cat.default"});
  hooks.add(reduction<tosa::ReduceSumOp, false>,
            {"aten.sum.default", "aten.sum.dim_IntList"});
  hooks.add(reduction<tosa::ReduceSumOp, true>,
            {"aten.mean.default", "aten.mean.dim"});
  hooks.add(reduction<tosa::ReduceMaxOp, false>, {"aten.amax.default"});
  hooks.add(reduction<tosa::ReduceMinOp, false>, {"aten.amin.default"});
  hooks.add(softmax, {"aten.softmax.int", "aten._softmax.default"});
}
