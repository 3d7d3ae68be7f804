//===- Complex.cpp - complex tensors as pairs of real ones ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Within a graph a complex tensor is two real ones: views cost what they cost
// there, arithmetic vectorizes as theirs. Most operators act on each part by
// their lowering for real tensors; the others stand here. Numbers that lie side
// by side in memory are made only for what ATen runs and for the graph's
// inputs and outputs.
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "Graph.h"
#include "Node.h"
#include "fx/Operators/Schema.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fx::lin {

static Type getPartType(Type dtype) {
  auto complex = dyn_cast<ComplexType>(dtype);
  return complex ? complex.getElementType() : dtype;
}

template <typename Op>
static Tensor getPart(Builder &b, const Tensor &z) {
  Type part = getPartType(z.dtype);
  return b.pointwise(
      {z}, z.sizes, part, Type(),
      [](Scalars &s, ValueRange v) -> Value {
        return Op::create(s.b, s.loc, v[0]);
      },
      part);
}

Lowered splitParts(Builder &b, const Tensor &z) {
  return Lowered(getPart<complex::ReOp>(b, z), getPart<complex::ImOp>(b, z));
}

Tensor joinParts(Builder &b, const Tensor &re, const Tensor &im) {
  auto type = ComplexType::get(re.dtype);
  return b.pointwise(
      {re, im}, re.sizes, type, Type(),
      [&](Scalars &s, ValueRange v) -> Value {
        return complex::CreateOp::create(s.b, s.loc, type, v[0], v[1]);
      },
      type);
}

Pair getPair(Node &n, unsigned position, StringRef name) {
  Pair pair;
  const Arg &arg = n.arg(position, name);
  const Lowered *lowered = arg.isValue() ? n.graph.lookup(arg.value) : nullptr;
  if (lowered && lowered->kind == Lowered::Kind::Complex) {
    pair.re = lowered->tensor;
    pair.im = *lowered->imaginary;
    return pair;
  }
  pair.isReal = true;
  pair.re = pair.im = n.tensor(position, name);
  return pair;
}

/// Sets result `i` to what `fn` sets it to for each part.
static LogicalResult setParts(Node &n, unsigned i,
                              llvm::function_ref<LogicalResult(bool)> fn) {
  Tensor parts[2];
  for (int part : {0, 1}) {
    n.graph.part = part;
    LogicalResult done = fn(part == 1);
    n.graph.part.reset();
    const Lowered *set = n.graph.lookup(n.op->getResult(i));
    if (failed(done) || n.failed() || !set ||
        set->kind != Lowered::Kind::Tensor)
      return n.fail("the lowering for a part failed");
    parts[part] = set->tensor;
  }
  n.graph.set(n.op->getResult(i), Lowered(parts[0], parts[1]));
  return success();
}

LogicalResult setComplex(Node &n, const Tensor &re, const Tensor &im) {
  return setParts(
      n, 0, [&](bool imaginary) { return n.result(imaginary ? im : re); });
}

static Tensor zerosLike(Node &n, const Tensor &x) {
  Scalars s(n.b.b, n.b.loc, x.dtype);
  return n.b.expand(n.b.fromElement(s.constant(0), x.dtype), x.sizes);
}

//===----------------------------------------------------------------------===//
// By parts
//===----------------------------------------------------------------------===//

namespace {
/// Gives real tensors the imaginary part 0 while a node is lowered by parts:
/// those whose elements the result's are. Other real operands are the same for
/// both parts: a mask, an index.
class PromotedElements {
public:
  explicit PromotedElements(Node &n) : graph(n.graph) {
    SmallVector<Arg> elements;
    const OperatorSchema *schema = lookupOperator(n.target());
    unsigned count = schema ? schema->getNumPositional() : 1;
    for (unsigned i = 0; i < count; ++i) {
      StringRef name = schema ? schema->getArguments()[i].getName() : "self";
      if (!llvm::is_contained({"self", "tensors", "input", "other", "src",
                               "source", "value", "values"},
                              name))
        continue;
      const Arg &argument = n.arg(i, name);
      if (argument.isList())
        llvm::append_range(elements, argument.list);
      else
        elements.push_back(argument);
    }
    for (const Arg &element : elements) {
      const Lowered *lowered =
          n.isTensor(element) ? graph.lookup(element.value) : nullptr;
      if (!lowered || lowered->kind != Lowered::Kind::Tensor ||
          !isSupported(lowered->tensor.dtype))
        continue;
      Lowered real = *lowered;
      replaced.emplace_back(element.value, real);
      graph.set(element.value, Lowered(real.tensor, zerosLike(n, real.tensor)));
    }
  }
  ~PromotedElements() {
    for (auto &[value, lowered] : replaced)
      graph.set(value, lowered);
  }
  PromotedElements(const PromotedElements &) = delete;
  PromotedElements &operator=(const PromotedElements &) = delete;

private:
  Graph &graph;
  SmallVector<std::pair<Value, Lowered>> replaced;
};
} // namespace

/// The lowering for real tensors, for each part.
static LogicalResult lowerByParts(Node &n) {
  LowerFn lower = Registry::get().lookup(n.target());
  if (!lower)
    return n.fail("the operator has no lowering");
  bool isComplexResult = llvm::all_of(n.op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<FakeTensorType>(type);
    return tensor && isa<ComplexType>(tensor.getDtype());
  });
  if (!isComplexResult)
    return n.fail("the result is no complex tensor");
  PromotedElements promoted(n);
  SmallVector<Lowered> real;
  for (int part : {0, 1}) {
    n.graph.part = part;
    Node one(n.graph, n.op, n.b);
    LogicalResult done = lower(one);
    n.graph.part.reset();
    if (failed(done) || one.failed())
      return n.fail(one.reason.empty() ? "the lowering failed"
                                       : StringRef(one.reason));
    for (OpResult result : n.op->getResults()) {
      const Lowered *set = n.graph.lookup(result);
      if (!set || set->kind != Lowered::Kind::Tensor)
        return n.fail("the lowering gives no tensor");
      if (part == 0)
        real.push_back(*set);
      else
        n.graph.set(result, Lowered(real[result.getResultNumber()].tensor,
                                    set->tensor));
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Parts and their making
//===----------------------------------------------------------------------===//

static LogicalResult lowerPolar(Node &n) {
  Tensor abs = n.tensor(0, "abs"), angle = n.tensor(1, "angle");
  if (n.failed())
    return failure();
  return setParts(n, 0, [&](bool imaginary) {
    return n.pointwise(
        0, {abs, angle}, n.resultDtype(), [&](Scalars &s, ValueRange v) {
          return s.mul(v[0], imaginary ? s.unary<math::SinOp>(v[1])
                                       : s.unary<math::CosOp>(v[1]));
        });
  });
}

static LogicalResult lowerMakeComplex(Node &n) {
  Tensor re = n.tensor(0, "real"), im = n.tensor(1, "imag");
  if (n.failed())
    return failure();
  return setParts(n, 0, [&](bool imaginary) {
    return n.pointwise(0, {re, im}, n.resultDtype(),
                       [&](Scalars &, ValueRange v) { return v[imaginary]; });
  });
}

static LogicalResult lowerViewAsComplex(Node &n) {
  Tensor x = n.tensor(0, "self");
  if (n.failed() || x.rank() == 0)
    return failure();
  auto at = [&](int64_t i) {
    return n.b.select(x, x.rank() - 1, OpFoldResult(n.b.b.getIndexAttr(i)));
  };
  return setComplex(n, at(0), at(1));
}

static LogicalResult lowerViewAsReal(Node &n) {
  Pair z = getPair(n, 0, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  int64_t last = z.re.rank();
  Sizes sizes = z.re.sizes;
  sizes.push_back(ExprAttr::integer(n.context(), 2));
  return n.result(n.b.concat(
      {n.b.unsqueeze(z.re, last), n.b.unsqueeze(z.im, last)}, last, sizes));
}

template <bool imaginary>
static LogicalResult lowerPart(Node &n) {
  Pair z = getPair(n, 0, "self");
  if (n.failed())
    return failure();
  return n.result(imaginary ? z.im : z.re);
}

static LogicalResult lowerConjugate(Node &n) {
  Pair z = getPair(n, 0, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  return setParts(n, 0, [&](bool imaginary) {
    return imaginary ? n.pointwise(
                           0, {z.im}, n.resultDtype(),
                           [](Scalars &s, ValueRange v) { return s.neg(v[0]); })
                     : n.result(z.re);
  });
}

/// A conversion between complex dtypes, or from or to a real one.
static LogicalResult lowerConvert(Node &n) {
  Pair z = getPair(n, 0, "self");
  if (n.failed())
    return failure();
  // False is what has no part but zeros; other dtypes drop the imaginary part.
  if (n.resultDtype().isInteger(1) && !z.isReal)
    return n.pointwise(
        0, {z.re, z.im}, z.re.dtype, [](Scalars &s, ValueRange v) {
          Value zero = s.constant(0);
          Value isZero = s.logicalAnd(s.eq(v[0], zero), s.eq(v[1], zero));
          return s.select(isZero, zero, s.constant(1));
        });
  if (!isa<ComplexType>(n.resultDtype()))
    return n.result(z.re);
  return setComplex(n, z.re, z.isReal ? zerosLike(n, z.re) : z.im);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

namespace {
/// A complex number in a body.
struct Z {
  Value re, im;
};

/// An operand of arithmetic. As in torch a real tensor or number becomes a
/// complex one first: what is 0 times infinity is NaN here, too.
class Operand {
public:
  Operand(Node &n, unsigned position, StringRef name) {
    const Arg &arg = n.arg(position, name);
    if (auto z = dyn_cast_or_null<ComplexAttr>(arg.immediate)) {
      constant = {z.getReal().getValueAsDouble(),
                  z.getImag().getValueAsDouble()};
    } else if (!n.isTensor(arg)) {
      number = n.asNumber(arg);
    } else {
      Pair pair = getPair(n, position, name);
      tensors.push_back(pair.re);
      if (!pair.isReal)
        tensors.push_back(pair.im);
    }
  }
  /// Call outside of the body.
  void hoist(Node &n, Type compute) {
    if (number)
      hoisted.emplace(n.b, *number, compute);
  }
  /// Takes its values from the front of `v`.
  Z get(Scalars &s, ValueRange &v) const {
    if (tensors.empty())
      return number
                 ? Z{hoisted->in(s), s.constant(0)}
                 : Z{s.constant(constant.first), s.constant(constant.second)};
    ValueRange mine = v.take_front(tensors.size());
    v = v.drop_front(tensors.size());
    return {mine[0], mine.size() == 2 ? mine[1] : s.constant(0)};
  }

  SmallVector<Tensor> tensors;

private:
  std::optional<Number> number;
  std::pair<double, double> constant;
  std::optional<Hoisted> hoisted;
};
} // namespace

/// Sets the result to `fn` of "self" and "other", element by element.
static LogicalResult setBinary(Node &n,
                               llvm::function_ref<Z(Scalars &, Z x, Z y)> fn) {
  Operand x(n, 0, "self"), y(n, 1, "other");
  if (n.failed())
    return failure();
  return setParts(n, 0, [&](bool imaginary) -> LogicalResult {
    Type compute = opMathType(n.resultDtype());
    x.hoist(n, compute);
    y.hoist(n, compute);
    SmallVector<Tensor> tensors(x.tensors);
    llvm::append_range(tensors, y.tensors);
    return n.pointwise(0, tensors, compute, [&](Scalars &s, ValueRange v) {
      Z left = x.get(s, v), right = y.get(s, v);
      Z z = fn(s, left, right);
      return imaginary ? z.im : z.re;
    });
  });
}

static Z multiply(Scalars &s, Z x, Z y) {
  return {s.sub(s.mul(x.re, y.re), s.mul(x.im, y.im)),
          s.add(s.mul(x.re, y.im), s.mul(x.im, y.re))};
}

static LogicalResult lowerProduct(Node &n) { return setBinary(n, multiply); }

/// self + alpha * other, alpha a complex number as well.
static LogicalResult lowerSum(Node &n) {
  Number alpha = n.number(2, "alpha", 1);
  auto part = dyn_cast<ComplexType>(n.resultDtype());
  if (n.failed() || !part)
    return n.fail("expected a complex result");
  Hoisted factor(n.b, alpha, opMathType(part.getElementType()));
  bool subtracts = n.target().starts_with("aten.sub");
  return setBinary(n, [&](Scalars &s, Z x, Z y) {
    Value f = factor.in(s);
    Z t = multiply(s, {subtracts ? s.neg(f) : f, s.constant(0)}, y);
    return Z{s.add(x.re, t.re), s.add(x.im, t.im)};
  });
}

/// As c10::complex divides (c10/util/complex.h), with the larger part of the
/// divisor taken out first (Smith, Algorithm 116, 1962).
static Z divide(Scalars &s, Z x, Z y) {
  Value c = s.abs(y.re), d = s.abs(y.im), zero = s.constant(0);
  Value wide = s.ge(c, d);
  Value big = s.select(wide, y.re, y.im), small = s.select(wide, y.im, y.re);
  Value ratio = s.div(small, big);
  Value scale = s.div(s.constant(1), s.add(big, s.mul(small, ratio)));
  auto combine = [&](Value p, Value q, bool subtracts) {
    Value left = s.select(wide, p, s.mul(p, ratio));
    Value right = s.select(wide, s.mul(q, ratio), q);
    return s.mul(subtracts ? s.sub(left, right) : s.add(left, right), scale);
  };
  Value isZero = s.logicalAnd(s.eq(c, zero), s.eq(d, zero));
  return {s.select(isZero, s.div(x.re, c), combine(x.re, x.im, false)),
          s.select(isZero, s.div(x.im, d), combine(x.im, x.re, true))};
}

static LogicalResult lowerQuotient(Node &n) { return setBinary(n, divide); }

static LogicalResult lowerAbs(Node &n) {
  Pair z = getPair(n, 0, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  return n.pointwise(
      0, {z.re, z.im}, n.resultDtype(), [](Scalars &s, ValueRange v) {
        Value x = s.abs(v[0]), y = s.abs(v[1]);
        Value big = s.max(x, y), small = s.min(x, y);
        Value ratio = s.div(small, big);
        Value length =
            s.mul(big, s.sqrt(s.add(s.constant(1), s.mul(ratio, ratio))));
        // 0 of 0, and an infinity beside anything, NaN too.
        Value infinity = s.highest();
        Value isInfinite = s.logicalOr(s.eq(x, infinity), s.eq(y, infinity));
        length = s.select(s.eq(big, s.constant(0)), big, length);
        return s.select(isInfinite, infinity, length);
      });
}

static LogicalResult lowerAngle(Node &n) {
  Pair z = getPair(n, 0, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  return n.pointwise(0, {z.im, z.re}, n.resultDtype(),
                     [](Scalars &s, ValueRange v) {
                       return s.binary<math::Atan2Op>(v[0], v[1]);
                     });
}

/// With 0 only: another number would be the same for both parts.
static LogicalResult lowerPadding(Node &n) {
  bool hasMode = n.target() == "aten.pad.default";
  double value = n.real(hasMode ? 3 : 2, "value", 0);
  if (n.failed() || value != 0)
    return n.fail("padding of complex numbers with another number than 0");
  return lowerByParts(n);
}

/// w / (1 + exp(-z)), w being 1 or z.
static LogicalResult lowerLogistic(Node &n, bool isSilu) {
  Pair z = getPair(n, 0, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  return setParts(n, 0, [&](bool imaginary) {
    return n.pointwise(
        0, {z.re, z.im}, n.resultDtype(), [&](Scalars &s, ValueRange v) {
          Value size = s.exp(s.neg(v[0])), angle = s.neg(v[1]);
          Value cosine = s.unary<math::CosOp>(angle),
                sine = s.unary<math::SinOp>(angle);
          Z w = isSilu ? Z{v[0], v[1]} : Z{s.constant(1), s.constant(0)};
          Z y = divide(
              s, w,
              {s.add(s.constant(1), s.mul(size, cosine)), s.mul(size, sine)});
          return imaginary ? y.im : y.re;
        });
  });
}

/// fill.Scalar(self, value), masked_fill.Scalar(self, mask, value), of a real
/// number.
static LogicalResult lowerFill(Node &n) {
  bool isMasked = n.target() == "aten.masked_fill.Scalar";
  Pair z = getPair(n, 0, "self");
  double value = n.real(isMasked ? 2 : 1, "value", 0);
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor and a real number");
  SmallVector<Tensor> operands;
  if (isMasked)
    operands.push_back(n.tensor(1, "mask"));
  return setParts(n, 0, [&](bool imaginary) {
    operands.push_back(imaginary ? z.im : z.re);
    LogicalResult done = n.pointwise(
        0, operands, n.resultDtype(), [&](Scalars &s, ValueRange v) -> Value {
          Value filled = s.constant(imaginary ? 0 : value);
          return isMasked ? s.select(v[0], filled, v[1]) : filled;
        });
    operands.pop_back();
    return done;
  });
}

void registerComplex(Registry &r) {
  r.addComplex({"aten.fill.Scalar", "aten.masked_fill.Scalar"}, lowerFill);
  r.addComplex({"aten.silu.default"},
               [](Node &n) { return lowerLogistic(n, true); });
  r.addComplex({"aten.sigmoid.default"},
               [](Node &n) { return lowerLogistic(n, false); });
  r.addComplex({"aten.constant_pad_nd.default", "aten.pad.default"},
               lowerPadding);
  r.addComplex({"aten._assert_tensor_metadata.default"},
               [](Node &) { return success(); });
  r.addComplex({"aten.polar.default"}, lowerPolar);
  r.addComplex({"aten.complex.default"}, lowerMakeComplex);
  r.addComplex(
      {"aten.view_as_complex.default", "aten.view_as_complex_copy.default"},
      lowerViewAsComplex);
  r.addComplex({"aten.view_as_real.default", "aten.view_as_real_copy.default"},
               lowerViewAsReal);
  r.addComplex({"aten.real.default"}, lowerPart<false>);
  r.addComplex({"aten.imag.default"}, lowerPart<true>);
  r.addComplex({"aten.conj.default", "aten._conj.default",
                "aten._conj_physical.default", "aten.conj_physical.default",
                "aten._conj_copy.default"},
               lowerConjugate);
  r.addComplex({"aten.to.dtype", "aten.to.dtype_layout", "aten.to.device",
                "aten.to.other", "aten._to_copy.default",
                "aten.type_as.default"},
               lowerConvert);
  r.addComplex({"aten.add.Tensor", "aten.sub.Tensor"}, lowerSum);
  r.addComplex({"aten.mul.Tensor", "aten.mul.Scalar", "aten.multiply.Tensor"},
               lowerProduct);
  r.addComplex({"aten.div.Tensor", "aten.div.Scalar", "aten.divide.Tensor"},
               lowerQuotient);
  r.addComplex({"aten.abs.default"}, lowerAbs);
  r.addComplex({"aten.angle.default"}, lowerAngle);
  r.addComplex({"aten.alias.default",
                "aten.cat.default",
                "aten.chunk.default",
                "aten.clone.default",
                "aten.contiguous.default",
                "aten.detach.default",
                "aten.diagonal.default",
                "aten.expand.default",
                "aten.flatten.using_ints",
                "aten.flip.default",
                "aten.gather.default",
                "aten.index.Tensor",
                "aten.index_select.default",
                "aten.lift_fresh_copy.default",
                "aten.mean.dim",
                "aten.movedim.int",
                "aten.narrow.default",
                "aten.neg.default",
                "aten.permute.default",
                "aten.repeat.default",
                "aten.reshape.default",
                "aten.resolve_conj.default",
                "aten.resolve_neg.default",
                "aten.roll.default",
                "aten.select.int",
                "aten.slice.Tensor",
                "aten.split.Tensor",
                "aten.split_with_sizes.default",
                "aten.squeeze.default",
                "aten.squeeze.dim",
                "aten.squeeze.dims",
                "aten.stack.default",
                "aten.sum.default",
                "aten.sum.dim_IntList",
                "aten.t.default",
                "aten.transpose.int",
                "aten.tril.default",
                "aten.triu.default",
                "aten.unbind.int",
                "aten.unflatten.int",
                "aten.unsqueeze.default",
                "aten.view.default",
                "aten._unsafe_view.default"},
               lowerByParts);
  // What functionalization makes of writes, and of reads behind them.
  r.addComplex({"aten.as_strided.default",
                "aten.as_strided_copy.default",
                "aten.as_strided_scatter.default",
                "aten.copy.default",
                "aten.diagonal_scatter.default",
                "aten.expand_as.default",
                "aten.fill.Tensor",
                "aten.index_add.default",
                "aten.index_copy.default",
                "aten.index_fill.int_Tensor",
                "aten.index_put.default",
                "aten.masked_fill.Tensor",
                "aten.masked_scatter.default",
                "aten.movedim.intlist",
                "aten.put.default",
                "aten.ravel.default",
                "aten.reshape_as.default",
                "aten.scatter.src",
                "aten.scatter_add.default",
                "aten.select_scatter.default",
                "aten.slice_scatter.default",
                "aten.split.sizes",
                "aten.swapaxes.default",
                "aten.swapdims.default",
                "aten.take.default",
                "aten.tensor_split.indices",
                "aten.tensor_split.sections",
                "aten.unfold.default",
                "aten.unsafe_chunk.default",
                "aten.unsafe_split.Tensor",
                "aten.view_as.default",
                "aten.where.self",
                "aten.zero.default",
                "aten.zeros.default",
                "aten.zeros_like.default"},
               lowerByParts);
}

} // namespace fx::lin
