//===- Complex.cpp - complex tensors as pairs of real ones ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Within a graph, a complex tensor is a pair of real ones: views of it are as
// cheap, and its arithmetic vectorizes as well, as those of real tensors. Most
// operators apply their lowering for real tensors to each part; the others are
// lowered here. Parts are interleaved in memory only for the operators that
// ATen runs and for the graph's inputs and outputs.
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "GraphLowering.h"
#include "NodeLowering.h"
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

Pair getPair(NodeLowering &n, ArgName name) {
  Pair pair;
  Argument arg = n.arg(name);
  const Lowered *lowered =
      arg.isValue() ? n.graph.lookup(arg.getValue()) : nullptr;
  if (lowered && lowered->kind == Lowered::Kind::Complex) {
    pair.re = lowered->tensor;
    pair.im = *lowered->imaginary;
    return pair;
  }
  pair.isReal = true;
  pair.re = pair.im = n.tensor(name);
  return pair;
}

LogicalResult setParts(NodeLowering &n, unsigned i,
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

LogicalResult setComplex(NodeLowering &n, const Tensor &re, const Tensor &im) {
  return setParts(
      n, 0, [&](bool imaginary) { return n.result(imaginary ? im : re); });
}

Tensor zerosLike(NodeLowering &n, const Tensor &x) {
  Scalars s(n.b.b, n.b.loc, x.dtype);
  return n.b.expand(n.b.fromElement(s.constant(0), x.dtype), x.sizes);
}

//===----------------------------------------------------------------------===//
// Parts and their construction
//===----------------------------------------------------------------------===//

static LogicalResult lowerPolar(NodeLowering &n) {
  Tensor abs = n.tensor("abs"), angle = n.tensor("angle");
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

static LogicalResult lowerMakeComplex(NodeLowering &n) {
  Tensor re = n.tensor("real"), im = n.tensor("imag");
  if (n.failed())
    return failure();
  return setParts(n, 0, [&](bool imaginary) {
    return n.pointwise(0, {re, im}, n.resultDtype(),
                       [&](Scalars &, ValueRange v) { return v[imaginary]; });
  });
}

static LogicalResult lowerViewAsComplex(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed() || x.rank() == 0)
    return n.fail("a 0-d operand");
  auto at = [&](int64_t i) {
    return n.b.select(x, x.rank() - 1, OpFoldResult(n.b.b.getIndexAttr(i)));
  };
  return setComplex(n, at(0), at(1));
}

static LogicalResult lowerViewAsReal(NodeLowering &n) {
  Pair z = getPair(n, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  int64_t last = z.re.rank();
  Sizes sizes = z.re.sizes;
  sizes.push_back(ExprAttr::integer(n.context(), 2));
  return n.result(n.b.concat(
      {n.b.unsqueeze(z.re, last), n.b.unsqueeze(z.im, last)}, last, sizes));
}

template <bool imaginary>
static LogicalResult lowerPart(NodeLowering &n) {
  Pair z = getPair(n, "self");
  if (n.failed())
    return failure();
  return n.result(imaginary ? z.im : z.re);
}

static LogicalResult lowerConjugate(NodeLowering &n) {
  Pair z = getPair(n, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  return setParts(n, 0, [&](bool imaginary) {
    return imaginary ? n.pointwise(
                           0, {z.im}, n.resultDtype(),
                           [](Scalars &s, ValueRange v) { return s.neg(v[0]); })
                     : n.result(z.re);
  });
}

/// Returns the bool tensor z != 0.
static Tensor isNonzero(Builder &b, const Pair &z) {
  return test(b, z, isTrue);
}

/// Lowers a conversion between complex dtypes, or from or to a real one.
static LogicalResult lowerConvert(NodeLowering &n) {
  Pair z = getPair(n, "self");
  if (n.failed())
    return failure();
  // A complex number is false if both parts are 0. Conversions to other real
  // dtypes drop the imaginary part.
  if (n.resultDtype().isInteger(1) && !z.isReal)
    return n.result(isNonzero(n.b, z));
  if (!isa<ComplexType>(n.resultDtype()))
    return n.result(z.re);
  return setComplex(n, z.re, z.isReal ? zerosLike(n, z.re) : z.im);
}

LogicalResult copyInto(NodeLowering &n, const Tensor &src) {
  FakeTensorType type = n.resultType();
  if (n.failed() || !type || !n.broadcasts(src, type.getSizes()))
    return n.fail("the source does not fit the tensor");
  return n.result(n.b.expand(n.b.cast(src, type.getDtype()), type.getSizes()));
}

/// copy(self, src): src in self's shape and dtype, which may be a real one.
static LogicalResult lowerCopyInto(NodeLowering &n) {
  if (isa<ComplexType>(n.resultDtype()))
    return lowerByParts(n);
  Pair z = getPair(n, "src");
  if (n.failed())
    return failure();
  bool isTest = n.resultDtype().isInteger(1) && !z.isReal;
  return copyInto(n, isTest ? isNonzero(n.b, z) : z.re);
}

void registerComplex(Registry &r) {
  r.addComplex("aten._assert_tensor_metadata.default",
               [](NodeLowering &) { return success(); });
  r.addComplex("aten.polar.default", lowerPolar);
  r.addComplex("aten.complex.default", lowerMakeComplex);
  r.addComplex(
      {"aten.view_as_complex.default", "aten.view_as_complex_copy.default"},
      lowerViewAsComplex);
  r.addComplex({"aten.view_as_real.default", "aten.view_as_real_copy.default"},
               lowerViewAsReal);
  r.addComplex("aten.real.default", lowerPart<false>);
  r.addComplex("aten.imag.default", lowerPart<true>);
  r.addComplex({"aten.conj.default", "aten._conj.default",
                "aten._conj_physical.default", "aten.conj_physical.default",
                "aten._conj_copy.default"},
               lowerConjugate);
  r.addComplex({"aten.to.dtype", "aten.to.dtype_layout", "aten.to.device",
                "aten.to.other", "aten._to_copy.default",
                "aten.type_as.default"},
               lowerConvert);
  r.addComplex("aten.copy.default", lowerCopyInto);
  registerComplexArithmetic(r);
  registerComplexParts(r);
}

} // namespace fx::lin
