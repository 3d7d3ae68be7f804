//===- Builder.cpp - tensor code with PyTorch's semantics -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "fx/IR/Metadata.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Tensor::isIdentity() const {
  for (auto [i, d] : llvm::enumerate(dims))
    if (d != int(i))
      return false;
  return true;
}

int Tensor::logicalDim(int valueDim) const {
  return llvm::find(dims, valueDim) - dims.begin();
}

Type signless(Type dtype) {
  if (auto integer = dyn_cast<IntegerType>(dtype))
    return IntegerType::get(dtype.getContext(), integer.getWidth());
  return dtype;
}

RankedTensorType tensorType(ArrayRef<ExprAttr> sizes, Type dtype) {
  SmallVector<int64_t> shape;
  for (ExprAttr size : sizes)
    shape.push_back(size.getInteger().value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, signless(dtype));
}

bool isSupported(Type dtype) {
  if (auto integer = dyn_cast<IntegerType>(dtype))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(dtype);
}

//===----------------------------------------------------------------------===//
// Sizes and whole tensors
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> Builder::fold(ArrayRef<ExprAttr> sizes) {
  SmallVector<OpFoldResult> result;
  for (ExprAttr size : sizes)
    result.push_back(fold(size));
  return result;
}

ExprAttr Builder::product(ArrayRef<ExprAttr> sizes) {
  // Write powers as products: `pow(s0, 2)` and `s0*s0` are the same size.
  Sizes factors;
  for (ExprAttr size : sizes) {
    unsigned times = 1;
    if (size.getKind() == ExprKind::Call && size.getName() == "pow") {
      std::optional<int64_t> n = size.getOperands()[1].getInteger();
      if (n && *n >= 1 && *n <= 8) {
        times = *n;
        size = size.getOperands()[0];
      }
    }
    factors.append(times, size);
  }
  if (factors.empty())
    return expr(1);
  if (factors.size() == 1)
    return factors.front();
  ExprAttr result = ExprAttr::mul(context(), factors);
  // Overflow: no tensor of that size exists; the run-time product wraps too.
  return result ? result : expr(0);
}

Value Builder::number(const Number &n, Type dtype) {
  Scalars s(b, loc, dtype);
  if (n.expr) {
    if (std::optional<int64_t> i = n.expr.getInteger())
      return s.integer(*i);
    if (n.expr.getKind() == ExprKind::Real)
      return s.constant(n.expr.getReal());
    if (n.kind == Number::Kind::Int)
      return s.fromIndex(symbols.integer(b, loc, n.expr));
    if (n.kind == Number::Kind::Bool)
      return s.cast(symbols.boolean(b, loc, n.expr), b.getI1Type(), dtype);
    return s.cast(symbols.real(b, loc, n.expr), b.getF64Type(), dtype);
  }
  return s.cast(n.value, n.value.getType(), dtype);
}

Value Builder::empty(ArrayRef<ExprAttr> sizes, Type dtype) {
  return tensor::EmptyOp::create(b, loc, fold(sizes), signless(dtype));
}

Value Builder::filled(ArrayRef<ExprAttr> sizes, Type dtype, Value v) {
  return linalg::FillOp::create(b, loc, v, empty(sizes, dtype)).getResult(0);
}

Tensor Builder::constant(ArrayRef<int64_t> values, ArrayRef<ExprAttr> sizes) {
  Type i64 = b.getI64Type();
  auto data = DenseElementsAttr::get(tensorType(sizes, i64), values);
  return Tensor(arith::ConstantOp::create(b, loc, data), sizes, i64);
}

Tensor Builder::constant(ArrayRef<double> values, ArrayRef<ExprAttr> sizes,
                         Type dtype) {
  RankedTensorType type = tensorType(sizes, dtype);
  SmallVector<float> narrow(values.begin(), values.end());
  auto data = dtype.isF64()
                  ? DenseElementsAttr::get(type, values)
                  : DenseElementsAttr::get(type, ArrayRef<float>(narrow));
  return Tensor(arith::ConstantOp::create(b, loc, data), sizes, dtype);
}

Value Builder::withType(Value v, ArrayRef<ExprAttr> sizes, Type dtype) {
  RankedTensorType type = tensorType(sizes, dtype);
  if (v.getType() == type)
    return v;
  return tensor::CastOp::create(b, loc, type, v);
}

Value Builder::element(const Tensor &t) {
  SmallVector<Value> zeros(
      llvm::cast<RankedTensorType>(t.value.getType()).getRank(), Value());
  for (Value &v : zeros)
    v = index(0);
  return tensor::ExtractOp::create(b, loc, t.value, zeros);
}

Tensor Builder::fromElement(Value v, Type dtype) {
  Value value = tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get({}, signless(dtype)), v);
  return Tensor(value, {}, dtype);
}

Value Builder::materialize(const Tensor &t) {
  if (t.isIdentity())
    return t.value;
  SmallVector<int64_t> order; // dimensions of the value, in PyTorch's order
  bool onlyUnits = true;
  Sizes core;
  for (auto [dim, size] : llvm::zip(t.dims, t.sizes)) {
    if (dim >= 0) {
      order.push_back(dim);
      core.push_back(size);
    } else if (size.getInteger() != 1) {
      onlyUnits = false;
    }
  }
  if (!onlyUnits) {
    auto copy = [](Scalars &, ValueRange v, ArrayRef<Value>) { return v[0]; };
    return generic({t}, t.sizes, t.dtype, t.dtype, copy, t.dtype, false).value;
  }
  Value value = t.value;
  if (!llvm::is_sorted(order)) {
    Value init = empty(core, t.dtype);
    value = linalg::TransposeOp::create(b, loc, value, init, order)
                .getResult()
                .front();
  }
  if (core.size() == t.sizes.size())
    return value;
  // Insert the unit dimensions.
  SmallVector<ReassociationIndices> groups(core.size());
  int group = -1;
  for (auto [i, dim] : llvm::enumerate(t.dims)) {
    if (dim >= 0)
      ++group;
    if (!core.empty())
      groups[std::max(group, 0)].push_back(i);
  }
  return tensor::ExpandShapeOp::create(b, loc, tensorType(t.sizes, t.dtype),
                                       value, groups, fold(t.sizes));
}

Tensor Builder::contiguous(const Tensor &t) {
  return Tensor(materialize(t), t.sizes, t.dtype);
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

AffineMap Builder::map(const Tensor &t, ArrayRef<unsigned> loops,
                       unsigned numLoops) {
  SmallVector<AffineExpr> exprs;
  unsigned rank = llvm::cast<RankedTensorType>(t.value.getType()).getRank();
  for (unsigned v = 0; v < rank; ++v)
    exprs.push_back(b.getAffineDimExpr(loops[t.logicalDim(v)]));
  return AffineMap::get(numLoops, 0, exprs, context());
}

Tensor Builder::generic(ArrayRef<Tensor> operands, ArrayRef<ExprAttr> sizes,
                        Type dtype, Type compute, IndexedFn fn, Type from,
                        bool followLayout) {
  SmallVector<Tensor> full;
  for (const Tensor &t : operands)
    full.push_back(expand(t, sizes));
  unsigned rank = sizes.size();
  // `loops[i]` is the loop of dimension i. The loops have the dimension order
  // of the first operand without broadcast dimensions.
  SmallVector<unsigned> loops = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  if (followLayout)
    for (const Tensor &t : full)
      if (!llvm::is_contained(t.dims, -1)) {
        loops.assign(t.dims.begin(), t.dims.end());
        break;
      }
  Tensor result;
  result.sizes.assign(sizes.begin(), sizes.end());
  result.dims.assign(loops.begin(), loops.end());
  result.dtype = dtype;
  Sizes outSizes(sizes);
  for (unsigned i = 0; i < rank; ++i)
    outSizes[loops[i]] = sizes[i];

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Tensor &t : full) {
    inputs.push_back(t.value);
    maps.push_back(map(t, loops, rank));
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Value out = empty(outSizes, dtype);
  result.value =
      linalg::GenericOp::create(
          b, loc, out.getType(), inputs, out, maps, iterators,
          [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
            Scalars s(nested, nestedLoc, compute ? compute : dtype);
            SmallVector<Value> elements, indices;
            for (auto [t, arg] : llvm::zip(full, args))
              elements.push_back(compute ? s.cast(arg, t.dtype, compute) : arg);
            for (unsigned loop : loops)
              indices.push_back(
                  linalg::IndexOp::create(nested, nestedLoc, loop));
            Value v = fn(s, elements, indices);
            v = s.cast(v, from, dtype);
            for (Value i : indices)
              if (i.use_empty())
                i.getDefiningOp()->erase();
            linalg::YieldOp::create(nested, nestedLoc, v);
          })
          .getResult(0);
  return result;
}

Tensor Builder::pointwise(ArrayRef<Tensor> operands, ArrayRef<ExprAttr> sizes,
                          Type dtype, Type compute, ScalarFn fn, Type from) {
  return generic(
      operands, sizes, dtype, compute,
      [&](Scalars &s, ValueRange v, ArrayRef<Value>) { return fn(s, v); },
      from      ? from
      : compute ? compute
                : dtype,
      true);
}

Sizes Builder::broadcast(ArrayRef<Tensor> operands) {
  int64_t rank = 0;
  for (const Tensor &t : operands)
    rank = std::max(rank, t.rank());
  Sizes sizes(rank, expr(1));
  for (const Tensor &t : operands)
    for (auto [have, size] : llvm::zip(
             t.sizes, MutableArrayRef<ExprAttr>(sizes).take_back(t.rank())))
      if (size.getInteger() == 1)
        size = have;
  return sizes;
}

Tensor Builder::map(ArrayRef<Tensor> operands, Type dtype, ScalarFn fn) {
  return pointwise(operands, broadcast(operands), dtype, opMathType(dtype), fn);
}

Tensor Builder::indexed(ArrayRef<Tensor> operands, ArrayRef<ExprAttr> sizes,
                        Type dtype, Type compute, IndexedFn fn, Type from) {
  return generic(operands, sizes, dtype, compute, fn,
                 from      ? from
                 : compute ? compute
                           : dtype,
                 false);
}

Tensor Builder::cast(const Tensor &t, Type dtype) {
  if (t.dtype == dtype)
    return t;
  // A change of signedness only changes how the bits are read.
  if (signless(t.dtype) == signless(dtype) && !t.dtype.isInteger(1)) {
    Tensor result = t;
    result.dtype = dtype;
    return result;
  }
  return mapElements(t, dtype, [&](Scalars &s, ValueRange v) {
    return s.cast(v[0], t.dtype, dtype);
  });
}

Tensor Builder::reinterpret(const Tensor &t, Type dtype) {
  if (signless(t.dtype) == signless(dtype)) {
    Tensor result = t;
    result.dtype = dtype;
    return result;
  }
  return mapElements(t, dtype, [&](Scalars &s, ValueRange v) -> Value {
    return arith::BitcastOp::create(s.b, s.loc, signless(dtype), v[0]);
  });
}

Tensor Builder::mapElements(const Tensor &t, Type dtype, ScalarFn body) {
  // Convert `t.value` and keep the view of it.
  Sizes inner(llvm::cast<RankedTensorType>(t.value.getType()).getRank());
  for (auto [dim, size] : llvm::zip(t.dims, t.sizes))
    if (dim >= 0)
      inner[dim] = size;
  Tensor plain(t.value, inner, t.dtype);
  Tensor result = t;
  result.value = pointwise({plain}, inner, dtype, t.dtype, body, dtype).value;
  result.dtype = dtype;
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Tensor Builder::reduce(const Tensor &input, ArrayRef<int64_t> dims,
                       bool keepDim, Type acc,
                       function_ref<Value(Scalars &)> init,
                       function_ref<Value(Scalars &, Value, Value)> combine,
                       function_ref<Value(Scalars &, Value)> mapFn) {
  Tensor t = input;
  // Every loop needs an operand whose dimension gives its bound.
  for (int64_t d : dims)
    if (t.dims[d] < 0) {
      t = contiguous(t);
      break;
    }
  unsigned rank = t.rank();
  Tensor result;
  result.dtype = acc;
  Sizes kept;
  SmallVector<AffineExpr> outExprs;
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  for (unsigned i = 0; i < rank; ++i) {
    if (llvm::is_contained(dims, int64_t(i))) {
      iterators[i] = utils::IteratorType::reduction;
      if (keepDim) {
        result.sizes.push_back(expr(1));
        result.dims.push_back(-1);
      }
      continue;
    }
    outExprs.push_back(b.getAffineDimExpr(i));
    result.dims.push_back(kept.size());
    result.sizes.push_back(t.sizes[i]);
    kept.push_back(t.sizes[i]);
  }
  SmallVector<unsigned> loops = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  Scalars outer(b, loc, acc);
  Value out = filled(kept, acc, init(outer));
  SmallVector<AffineMap> maps = {map(t, loops, rank),
                                 AffineMap::get(rank, 0, outExprs, context())};
  result.value =
      linalg::GenericOp::create(
          b, loc, out.getType(), t.value, out, maps, iterators,
          [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
            Scalars s(nested, nestedLoc, acc);
            Value x = s.cast(args[0], t.dtype, acc);
            if (mapFn)
              x = mapFn(s, x);
            linalg::YieldOp::create(nested, nestedLoc, combine(s, args[1], x));
          })
          .getResult(0);
  return result;
}

Tensor Builder::sum(const Tensor &t, ArrayRef<int64_t> dims, bool keepDim,
                    Type acc) {
  return reduce(
      t, dims, keepDim, acc, [](Scalars &s) { return s.integer(0); },
      [](Scalars &s, Value a, Value x) { return s.add(a, x); });
}

Tensor Builder::mean(const Tensor &t, ArrayRef<int64_t> dims, bool keepDim,
                     Type acc) {
  Sizes reduced;
  for (int64_t d : dims)
    reduced.push_back(t.sizes[d]);
  Number count;
  count.expr = product(reduced);
  Tensor total = sum(t, dims, keepDim, acc);
  Hoisted n(*this, count, acc);
  return pointwise(
      {total}, total.sizes, acc, acc,
      [&](Scalars &s, ValueRange v) { return s.div(v[0], n.in(s)); });
}

Tensor Builder::contract(const Access &left, const Access &right,
                         ArrayRef<ExprAttr> sizes, unsigned numLoops,
                         Type dtype, ArrayRef<NamedAttribute> attributes) {
  unsigned rank = sizes.size();
  Access x = left, y = right;
  // Every reduction loop needs an operand whose dimension gives its bound.
  for (unsigned loop = rank; loop < numLoops; ++loop) {
    auto walks = [&](const Access &a) {
      for (auto [i, l] : llvm::enumerate(a.loops))
        if (l == loop && a.tensor.dims[i] >= 0)
          return true;
      return false;
    };
    if (walks(x) || walks(y))
      continue;
    Access &a = llvm::is_contained(x.loops, loop) ? x : y;
    a.tensor = contiguous(a.tensor);
  }
  Type acc = opMathType(dtype);
  Scalars outer(b, loc, acc);
  Value out = filled(sizes, acc, outer.integer(0));
  SmallVector<AffineExpr> outExprs;
  SmallVector<utils::IteratorType> iterators;
  for (unsigned i = 0; i < numLoops; ++i) {
    if (i < rank)
      outExprs.push_back(b.getAffineDimExpr(i));
    iterators.push_back(i < rank ? utils::IteratorType::parallel
                                 : utils::IteratorType::reduction);
  }
  SmallVector<AffineMap> maps = {
      map(x.tensor, x.loops, numLoops), map(y.tensor, y.loops, numLoops),
      AffineMap::get(numLoops, 0, outExprs, context())};
  Value value =
      linalg::GenericOp::create(
          b, loc, TypeRange(out.getType()),
          ValueRange{x.tensor.value, y.tensor.value}, ValueRange(out), maps,
          iterators,
          [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
            Scalars s(nested, nestedLoc, acc);
            Value p = s.mul(s.cast(args[0], x.tensor.dtype, acc),
                            s.cast(args[1], y.tensor.dtype, acc));
            linalg::YieldOp::create(nested, nestedLoc, s.add(args[2], p));
          },
          attributes)
          .getResult(0);
  return cast(Tensor(value, sizes, acc), dtype);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Hoisted::Hoisted(Builder &b, const Number &n, Type dtype) : n(n) {
  if (n && !isConstant())
    value = b.number(n, dtype);
}

bool Hoisted::isConstant() const {
  return n.expr && (n.expr.isInteger() || n.expr.getKind() == ExprKind::Real);
}

double Hoisted::constant() const {
  return n.expr.isInteger() ? double(n.expr.getValue()) : n.expr.getReal();
}

Value Hoisted::in(Scalars &s) const {
  if (value)
    return value;
  return n.expr.isInteger() ? s.integer(n.expr.getValue())
                            : s.constant(n.expr.getReal());
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Returns `message` in the form that fx-run reports, with the node's name and
/// its Python source location: "item: expected 3, got 4 (model.py:12)".
static std::string describe(Location loc, StringRef message) {
  std::string text;
  if (std::optional<StringRef> name = getNodeName(loc); name && !name->empty())
    text = (*name + ": ").str();
  text += message;
  if (std::optional<FileLineColLoc> frame = getPythonFrame(loc))
    text += (" (" + frame->getFilename().getValue() + ":" +
             Twine(frame->getLine()) + ")")
                .str();
  return text;
}

void Builder::check(Value condition, StringRef message) {
  cf::AssertOp::create(b, loc, condition, describe(loc, message));
}

void Builder::checkIndices(const Tensor &t, ExprAttr size, StringRef message,
                           bool allowNegative) {
  Type i1 = b.getI1Type();
  Number n;
  n.expr = size;
  Type i64 = b.getI64Type();
  Hoisted bound(*this, n, i64);
  Tensor inside = pointwise(
      {t}, t.sizes, i1, i64,
      [&](Scalars &s, ValueRange v) {
        Value high = bound.in(s);
        Value low = allowNegative ? s.neg(high) : s.integer(0);
        return s.logicalAnd(s.lt(v[0], high), s.ge(v[0], low));
      },
      i1);
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(0, inside.rank()));
  Tensor ok = reduce(
      inside, all, false, i1, [](Scalars &s) { return s.boolean(true); },
      [](Scalars &s, Value a, Value x) { return s.logicalAnd(a, x); });
  check(element(ok), message);
}

} // namespace fx::lin
