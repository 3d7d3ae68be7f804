//===- Operators.cpp - lowerings of operators to TOSA ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphToTosa.h"

using namespace mlir;
using namespace fx;
using namespace fx::to_tosa;

template <typename Op>
static LogicalResult unary(GraphToTosa &g) {
  RankedTensorType type = g.resultType();
  Value x = g.tensor("self");
  if (!x || typeOf(x) != type)
    return failure();
  return g.result(Op::create(g.builder(), g.loc(), type, x));
}

template <typename Op>
static LogicalResult binary(GraphToTosa &g) {
  RankedTensorType type = g.resultType();
  Value x = g.operand("self", type), y = x ? g.operand("other", type) : Value();
  if (!y)
    return failure();
  return g.result(Op::create(g.builder(), g.loc(), type, x, y));
}

/// Lowers maximum and minimum. TOSA orders integers as signed ones.
template <typename Op>
static LogicalResult extremum(GraphToTosa &g) {
  return g.hasUnsignedResult() ? failure() : binary<Op>(g);
}

static LogicalResult absolute(GraphToTosa &g) {
  return g.isUnsigned("self") ? g.result(g.tensor("self"))
                              : unary<tosa::AbsOp>(g);
}

static LogicalResult pow(GraphToTosa &g) {
  RankedTensorType type = g.resultType();
  Value x = g.operand("self", type),
        y = x ? g.operand("exponent", type) : Value();
  if (!y)
    return failure();
  return g.result(tosa::PowOp::create(g.builder(), g.loc(), type, x, y));
}

static Value multiply(GraphToTosa &g, RankedTensorType type, Value x, Value y) {
  Value shift = g.splat(0, g.builder().getI8Type(), 1);
  return tosa::MulOp::create(g.builder(), g.loc(), type, x, y, shift);
}

/// Lowers add and sub: self + alpha * other, self - alpha * other.
template <typename Op>
static LogicalResult sum(GraphToTosa &g) {
  RankedTensorType type = g.resultType();
  Value x = g.operand("self", type), y = x ? g.operand("other", type) : Value();
  std::optional<double> alpha = g.arg("alpha").getFloat();
  if (!y || !alpha)
    return failure();
  if (*alpha != 1)
    y = multiply(g, typeOf(y), y,
                 g.splat(*alpha, type.getElementType(), type.getRank()));
  return g.result(Op::create(g.builder(), g.loc(), type, x, y));
}

static LogicalResult mul(GraphToTosa &g) {
  RankedTensorType type = g.resultType();
  Value x = g.operand("self", type), y = x ? g.operand("other", type) : Value();
  return y ? g.result(multiply(g, type, x, y)) : failure();
}

static LogicalResult div(GraphToTosa &g) {
  RankedTensorType type = g.resultType();
  if (!isa<FloatType>(type.getElementType()))
    return failure();
  Value x = g.operand("self", type), y = x ? g.operand("other", type) : Value();
  if (!y)
    return failure();
  Value r = tosa::ReciprocalOp::create(g.builder(), g.loc(), typeOf(y), y);
  return g.result(multiply(g, type, x, r));
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
static LogicalResult compare(GraphToTosa &g) {
  Value x = g.tensor("self");
  RankedTensorType type = g.resultType();
  if (!x)
    return failure();
  bool isUnsigned = g.isUnsigned("self");
  if (isUnsigned && !std::is_same_v<Op, tosa::EqualOp>)
    return failure(); // TOSA orders integers as signed ones
  Type element = typeOf(x).getElementType();
  Value y = g.tensor("other");
  if (y ? typeOf(y).getElementType() != element ||
              g.isUnsigned("other") != isUnsigned
        : !isComparedIn(element, isUnsigned, g.arg("other")))
    return failure();
  auto common = RankedTensorType::get(type.getShape(), element);
  Value a = g.operand("self", common), c = g.operand("other", common);
  if (!c)
    return failure();
  if (swap)
    std::swap(a, c);
  return g.result(Op::create(g.builder(), g.loc(), type, a, c));
}

static LogicalResult where(GraphToTosa &g) {
  RankedTensorType type = g.resultType();
  auto truth = RankedTensorType::get(type.getShape(), g.builder().getI1Type());
  Value c = g.operand("condition", truth), x = g.operand("self", type),
        y = g.operand("other", type);
  if (!c || !x || !y)
    return failure();
  return g.result(tosa::SelectOp::create(g.builder(), g.loc(), type, c, x, y));
}

static LogicalResult relu(GraphToTosa &g) {
  RankedTensorType type = g.resultType();
  Value x = g.tensor("self");
  Type element = type.getElementType();
  if (!x || !isa<FloatType>(element))
    return failure();
  OpBuilder &b = g.builder();
  // The bound keeps infinity, as in PyTorch.
  const llvm::fltSemantics &semantics =
      cast<FloatType>(element).getFloatSemantics();
  APFloat high = APFloat::semanticsHasInf(semantics)
                     ? APFloat::getInf(semantics)
                     : APFloat::getLargest(semantics);
  return g.result(tosa::ClampOp::create(b, g.loc(), type, x,
                                        b.getFloatAttr(element, 0.0),
                                        b.getFloatAttr(element, high)));
}

/// Lowers views that keep the order of the elements.
static LogicalResult reshape(GraphToTosa &g) {
  Value x = g.tensor("self");
  return x ? g.result(g.reshape(x, g.resultType().getShape())) : failure();
}

/// Lowers copies, casts and operators that matter to autograd only.
static LogicalResult copy(GraphToTosa &g) {
  Value x = g.tensor("self");
  Type element = g.resultType().getElementType();
  if (!x ||
      (!isa<FloatType>(element) && isa<FloatType>(typeOf(x).getElementType())))
    return failure(); // TOSA rounds where PyTorch truncates
  return g.result(g.cast("self", element));
}

static LogicalResult permute(GraphToTosa &g) {
  Value x = g.tensor("self");
  std::optional<SmallVector<int64_t>> dims = g.arg("dims").getInts();
  if (!x || !dims)
    return failure();
  SmallVector<int32_t> order;
  for (int64_t d : *dims)
    order.push_back(d < 0 ? d + typeOf(x).getRank() : d);
  return g.result(g.transpose(x, order));
}

static LogicalResult transpose(GraphToTosa &g) {
  Value x = g.tensor("self");
  if (!x)
    return failure();
  int64_t rank = typeOf(x).getRank(), from = 0, to = 1;
  if (rank == 0)
    return g.result(x);
  if (g.arg("dim0") && g.arg("dim1")) {
    from = g.arg("dim0").getInt().value_or(0);
    to = g.arg("dim1").getInt().value_or(0);
  }
  SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
  std::swap(order[from < 0 ? from + rank : from],
            order[to < 0 ? to + rank : to]);
  return g.result(g.transpose(x, order));
}

static LogicalResult t(GraphToTosa &g) {
  Value x = g.tensor("self");
  if (!x || typeOf(x).getRank() < 2)
    return x ? g.result(x) : failure();
  return g.result(g.transpose(x, {1, 0}));
}

/// Returns the matmul of `x`, [..., k], with the matrix `y`, [k, n].
static Value product(GraphToTosa &g, Value x, Value y) {
  RankedTensorType a = typeOf(x), c = typeOf(y);
  int64_t k = c.getDimSize(0),
          rows = a.getNumElements() / std::max<int64_t>(k, 1);
  Value r = g.matmul(g.reshape(x, {1, rows, k}),
                     g.reshape(y, {1, k, c.getDimSize(1)}));
  SmallVector<int64_t> sizes(a.getShape().drop_back());
  sizes.push_back(c.getDimSize(1));
  return g.reshape(r, sizes);
}

static bool isMatrix(Value v) {
  return v && typeOf(v).getRank() == 2 && typeOf(v).getNumElements() > 0 &&
         isa<FloatType>(typeOf(v).getElementType());
}

static LogicalResult mm(GraphToTosa &g) {
  Value x = g.tensor("self"), y = g.tensor("mat2");
  return isMatrix(x) && isMatrix(y) ? g.result(product(g, x, y)) : failure();
}

static LogicalResult bmm(GraphToTosa &g) {
  Value x = g.tensor("self"), y = g.tensor("mat2");
  return x && y && isa<FloatType>(typeOf(x).getElementType())
             ? g.result(g.matmul(x, y))
             : failure();
}

static Value plus(GraphToTosa &g, ArgName bias, Value v) {
  RankedTensorType type = g.resultType();
  Value y = g.operand(bias, type);
  return y ? Value(tosa::AddOp::create(g.builder(), g.loc(), type, v, y))
           : Value();
}

static LogicalResult linear(GraphToTosa &g) {
  Value x = g.tensor("input"), w = g.tensor("weight");
  if (!x || !isMatrix(w) || typeOf(x).getNumElements() == 0)
    return failure();
  Value y = product(g, x, g.transpose(w, {1, 0}));
  return g.result(g.arg("bias").isNone() ? y : plus(g, "bias", y));
}

static LogicalResult addmm(GraphToTosa &g) {
  Value x = g.tensor("mat1"), y = g.tensor("mat2");
  if (!isMatrix(x) || !isMatrix(y) || g.arg("beta").getFloat() != 1.0 ||
      g.arg("alpha").getFloat() != 1.0)
    return failure();
  return g.result(plus(g, "self", product(g, x, y)));
}

static LogicalResult cat(GraphToTosa &g) {
  SmallVector<Value> parts;
  RankedTensorType type = g.resultType();
  for (const Argument &part : g.arg("tensors").getElements()) {
    Value v = part.getValue() ? g.lookup(part.getValue()) : Value();
    if (!v || typeOf(v).getRank() != type.getRank() ||
        typeOf(v).getElementType() != type.getElementType())
      return failure();
    parts.push_back(v);
  }
  std::optional<int64_t> dim = g.arg("dim").getInt();
  if (!dim)
    return failure();
  return g.result(tosa::ConcatOp::create(
      g.builder(), g.loc(), type, parts,
      uint32_t(*dim < 0 ? *dim + type.getRank() : *dim)));
}

/// Returns the dimensions of a reduction; all if the argument has none.
static SmallVector<int64_t> getDims(GraphToTosa &g, Value x) {
  SmallVector<int64_t> result;
  int64_t rank = typeOf(x).getRank();
  if (!g.arg("dim").isNone())
    for (const Argument &dim : g.arg("dim").getElements())
      if (std::optional<int64_t> d = dim.getInt())
        result.push_back(*d < 0 ? *d + rank : *d);
  if (result.empty())
    result.assign(llvm::seq<int64_t>(0, rank).begin(),
                  llvm::seq<int64_t>(0, rank).end());
  return result;
}

template <typename Op>
static Value reduce(GraphToTosa &g, Value x) {
  for (int64_t d : getDims(g, x)) {
    SmallVector<int64_t> sizes(typeOf(x).getShape());
    sizes[d] = 1;
    x = Op::create(g.builder(), g.loc(), typeOf(x).clone(sizes), x,
                   uint32_t(d));
  }
  return x;
}

template <typename Op, bool isMean>
static LogicalResult reduction(GraphToTosa &g) {
  Value x = g.tensor("self");
  RankedTensorType type = g.resultType();
  if (!x || typeOf(x).getElementType() != type.getElementType() ||
      typeOf(x).getNumElements() == 0)
    return failure();
  if (g.isUnsigned("self") && !std::is_same_v<Op, tosa::ReduceSumOp>)
    return failure(); // TOSA orders integers as signed ones
  double count = double(typeOf(x).getNumElements()) / type.getNumElements();
  Value y = reduce<Op>(g, x);
  if (isMean)
    y = multiply(
        g, typeOf(y), y,
        g.splat(1 / count, type.getElementType(), typeOf(y).getRank()));
  return g.result(g.reshape(y, type.getShape()));
}

static LogicalResult softmax(GraphToTosa &g) {
  Value x = g.tensor("self");
  RankedTensorType type = g.resultType();
  if (!x || typeOf(x) != type || type.getRank() == 0 ||
      !isa<FloatType>(type.getElementType()))
    return failure();
  OpBuilder &b = g.builder();
  Value high = reduce<tosa::ReduceMaxOp>(g, x);
  Value e = tosa::ExpOp::create(b, g.loc(), type,
                                tosa::SubOp::create(b, g.loc(), type, x, high));
  Value sum = reduce<tosa::ReduceSumOp>(g, e);
  Value r = tosa::ReciprocalOp::create(b, g.loc(), typeOf(sum), sum);
  return g.result(multiply(g, type, e, r));
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
