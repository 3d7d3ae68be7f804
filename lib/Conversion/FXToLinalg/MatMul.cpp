//===- MatMul.cpp - matmuls -----------------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace fx::lin {

/// The dtype of a matmul to which a bias is added: half types are rounded only
/// after that, as PyTorch's kernels do.
static Type sumType(NodeLowering &n) { return opMathType(n.resultDtype()); }

/// Sets the result to `beta * bias + alpha * product`, where `product` has
/// sumType(). Omits the bias if beta is the constant 0, and multiplications by
/// the constant 1.
static LogicalResult addBias(NodeLowering &n, const Tensor &product,
                             std::optional<Tensor> bias, const Number &beta,
                             const Number &alpha) {
  Type compute = sumType(n);
  Hoisted b(n.b, beta, compute), a(n.b, alpha, compute);
  auto isConstant = [](const Hoisted &h, double v) {
    return h.isConstant() && h.constant() == v;
  };
  if (isConstant(b, 0))
    bias.reset();
  if (!bias && isConstant(a, 1))
    return n.result(n.b.cast(product, n.resultDtype()));
  SmallVector<Tensor> operands = {product};
  if (bias)
    operands.push_back(*bias);
  for (const Tensor &t : operands)
    if (!n.broadcasts(t, product.sizes))
      return failure();
  return n.result(n.b.pointwise(
      operands, product.sizes, n.resultDtype(), compute,
      [&](Scalars &s, ValueRange v) {
        Value r = isConstant(a, 1) ? v[0] : s.mul(v[0], a.in(s));
        if (bias)
          r = s.add(r, isConstant(b, 1) ? v[1] : s.mul(v[1], b.in(s)));
        return r;
      }));
}

/// A matmul of [m, k] and [k, n].
static Tensor mm(NodeLowering &n, const Tensor &x, const Tensor &y,
                 Type dtype) {
  return n.b.contract({x, {0, 2}}, {y, {2, 1}}, {x.sizes[0], y.sizes[1]}, 3,
                      dtype);
}

/// Returns true unless the inner sizes of a matmul are provably different;
/// notes a failure otherwise.
static bool checkInner(NodeLowering &n, const Tensor &x, int64_t xDim,
                       const Tensor &y, int64_t yDim) {
  if (!x.sizes[xDim].isProvablyDifferent(y.sizes[yDim]))
    return true;
  (void)n.fail("the inner sizes of the matmul differ");
  return false;
}

/// Lowers linear: a matmul over the last dimension of the input. The other
/// dimensions are flattened to one, so that every schedule sees a plain matmul.
static LogicalResult lowerLinear(NodeLowering &n) {
  Tensor x = n.tensor("input"), w = n.tensor("weight");
  std::optional<Tensor> bias = n.optionalTensor("bias");
  if (n.failed() || x.rank() < 1 || w.rank() != 2)
    return n.fail("the weight is no matrix");
  if (!checkInner(n, x, x.rank() - 1, w, 1))
    return failure();
  if (bias && bias->rank() != 1)
    return n.fail("the bias is no vector");
  Sizes outer(ArrayRef<ExprAttr>(x.sizes).drop_back());
  ExprAttr rows = n.b.product(outer), inner = x.sizes.back();
  Tensor flat = x.rank() == 2 ? x : n.b.reshape(x, {rows, inner});
  Type dtype = n.resultDtype();
  Tensor y = n.b.contract({flat, {0, 2}}, {w, {1, 2}}, {rows, w.sizes[0]}, 3,
                          bias ? sumType(n) : dtype);
  if (bias) {
    if (!n.broadcasts(*bias, y.sizes))
      return failure();
    y = n.b.pointwise(
        {y, *bias}, y.sizes, dtype, sumType(n),
        [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  Sizes sizes(outer);
  sizes.push_back(w.sizes[0]);
  return n.result(n.b.reshape(y, sizes));
}

static LogicalResult lowerAddmm(NodeLowering &n) {
  Tensor bias = n.tensor("self"), x = n.tensor("mat1"), y = n.tensor("mat2");
  Number beta = n.number("beta"), alpha = n.number("alpha");
  if (n.failed() || x.rank() != 2 || y.rank() != 2)
    return n.fail("the operands are no matrices");
  if (!checkInner(n, x, 1, y, 0))
    return failure();
  return addBias(n, mm(n, x, y, sumType(n)), bias, beta, alpha);
}

/// A matmul of [batch..., m, k] and [batch..., k, n].
static Tensor batched(NodeLowering &n, const Tensor &x, const Tensor &y,
                      ArrayRef<ExprAttr> batch, Type dtype) {
  unsigned b = batch.size();
  Sizes xs(batch), ys(batch), sizes(batch);
  int64_t xr = x.rank(), yr = y.rank();
  xs.append({x.sizes[xr - 2], x.sizes[xr - 1]});
  ys.append({y.sizes[yr - 2], y.sizes[yr - 1]});
  sizes.append({x.sizes[xr - 2], y.sizes[yr - 1]});
  Access left{n.b.expand(x, xs), {}}, right{n.b.expand(y, ys), {}};
  for (unsigned i = 0; i < b; ++i) {
    left.loops.push_back(i);
    right.loops.push_back(i);
  }
  left.loops.append({b, b + 2});
  right.loops.append({b + 2, b + 1});
  return n.b.contract(left, right, sizes, b + 3, dtype);
}

static LogicalResult lowerMatmul(NodeLowering &n) {
  Tensor x = n.tensor("self"),
         y = n.tensor(n.oneOf({"other", "mat2", "vec", "tensor"}));
  if (n.failed() || x.rank() == 0 || y.rank() == 0)
    return n.fail("a 0-d operand");
  bool vectorX = x.rank() == 1, vectorY = y.rank() == 1;
  if (vectorX)
    x = n.b.unsqueeze(x, 0);
  if (vectorY)
    y = n.b.unsqueeze(y, 1);
  if (!checkInner(n, x, x.rank() - 1, y, y.rank() - 2))
    return failure();
  Tensor result;
  if (y.rank() == 2) {
    // As for linear, the rows of all batches are one matrix.
    Sizes outer(ArrayRef<ExprAttr>(x.sizes).drop_back());
    ExprAttr rows = n.b.product(outer);
    Tensor flat =
        x.rank() == 2 ? x : n.b.reshape(x, {rows, x.sizes[x.rank() - 1]});
    result = mm(n, flat, y, n.resultDtype());
    outer.push_back(y.sizes[1]);
    result = n.b.reshape(result, outer);
  } else {
    Sizes batch;
    int64_t rank = std::max(x.rank(), y.rank());
    for (int64_t i = 0; i < rank - 2; ++i) {
      int64_t xi = i - (rank - x.rank()), yi = i - (rank - y.rank());
      ExprAttr a = xi >= 0 ? x.sizes[xi] : n.b.expr(1),
               c = yi >= 0 ? y.sizes[yi] : n.b.expr(1);
      if (a.getInteger() != 1 && c.getInteger() != 1 &&
          a.isProvablyDifferent(c))
        return n.fail("the batch sizes differ");
      batch.push_back(a.getInteger() == 1 ? c : a);
    }
    result = batched(n, x, y, batch, n.resultDtype());
  }
  if (vectorY)
    result = n.b.squeeze(result, result.rank() - 1);
  if (vectorX)
    result = n.b.squeeze(result, result.rank() - (vectorY ? 1 : 2));
  return n.result(result);
}

static LogicalResult lowerBaddbmm(NodeLowering &n) {
  Tensor bias = n.tensor("self"), x = n.tensor("batch1"),
         y = n.tensor("batch2");
  Number beta = n.number("beta"), alpha = n.number("alpha");
  if (n.failed() || x.rank() != 3 || y.rank() != 3)
    return n.fail("the operands are no batches of matrices");
  if (!checkInner(n, x, 2, y, 1))
    return failure();
  Tensor product = batched(n, x, y, {x.sizes[0]}, sumType(n));
  return addBias(n, product, bias, beta, alpha);
}

static LogicalResult lowerAddmv(NodeLowering &n) {
  Tensor bias = n.tensor("self"), x = n.tensor("mat"), y = n.tensor("vec");
  Number beta = n.number("beta"), alpha = n.number("alpha");
  if (n.failed() || x.rank() != 2 || y.rank() != 1)
    return n.fail("the operands are no matrix and vector");
  if (!checkInner(n, x, 1, y, 0))
    return failure();
  Tensor product =
      n.b.contract({x, {0, 1}}, {y, {1}}, {x.sizes[0]}, 2, sumType(n));
  return addBias(n, product, bias, beta, alpha);
}

//===----------------------------------------------------------------------===//
// einsum
//===----------------------------------------------------------------------===//

/// Replaces dimensions of `t` that have the same letter in `term` by their
/// diagonal, at the place of the first of them; removes the repeated letters
/// from `term`.
static LogicalResult takeDiagonals(NodeLowering &n, Tensor &t,
                                   std::string &term) {
  std::string letters;
  Sizes sizes;
  for (auto [c, size] : llvm::zip(term, t.sizes)) {
    size_t at = letters.find(c);
    if (at == std::string::npos) {
      letters.push_back(c);
      sizes.push_back(size);
    } else if (sizes[at].isProvablyDifferent(size)) {
      return n.fail("a letter has two sizes");
    }
  }
  if (letters.size() == term.size())
    return success();
  t = n.b.read(t, {}, sizes, [&](Scalars &, ValueRange, ArrayRef<Value> i) {
    return llvm::map_to_vector(term,
                               [&](char c) { return i[letters.find(c)]; });
  });
  term = letters;
  return success();
}

/// Lowers einsum of one or two operands, without an ellipsis.
static LogicalResult lowerEinsum(NodeLowering &n) {
  std::string text = n.string("equation").str();
  SmallVector<Tensor> operands = n.tensors("tensors");
  if (n.failed() || operands.empty() || operands.size() > 2)
    return n.fail("expected one or two operands, got " +
                  Twine(operands.size()));
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (StringRef(text).contains('.'))
    return n.fail("the equation has an ellipsis");
  if (parts.size() != operands.size())
    return n.fail("the equation does not fit the operands");
  SmallVector<std::string> terms;
  for (auto [part, t] : llvm::zip(parts, operands)) {
    terms.push_back(part.str());
    if (int64_t(part.size()) != t.rank())
      return n.fail("the equation does not fit the operands");
    if (failed(takeDiagonals(n, t, terms.back())))
      return failure();
  }
  std::string output = right.str();
  if (!StringRef(text).contains("->")) {
    // The implicit output has the letters that occur once, in order.
    std::string all = left.str();
    llvm::erase(all, ',');
    for (char c = 'A'; c <= 'z'; ++c)
      if (llvm::count(all, c) == 1)
        output.push_back(c);
  }
  llvm::StringMap<ExprAttr> sizes;
  std::string loops = output;
  for (auto [term, t] : llvm::zip(terms, operands)) {
    for (auto [i, c] : llvm::enumerate(term)) {
      ExprAttr &size = sizes[StringRef(&c, 1)];
      // ATen broadcasts a size of 1 to that of the other operand.
      if (size && size.getInteger() != 1 && t.sizes[i].getInteger() != 1 &&
          size.isProvablyDifferent(t.sizes[i]))
        return n.fail("a letter has two sizes");
      if (!size || size.getInteger() == 1)
        size = t.sizes[i];
      if (!StringRef(loops).contains(c))
        loops.push_back(c);
    }
  }
  Sizes outSizes;
  for (char c : output) {
    if (!sizes.count(StringRef(&c, 1)) || StringRef(output).count(c) != 1)
      return n.fail("the output's letters are not the operands'");
    outSizes.push_back(sizes[StringRef(&c, 1)]);
  }
  SmallVector<Access> accesses;
  for (auto [term, t] : llvm::zip(terms, operands)) {
    Sizes full;
    Access access;
    for (char c : term) {
      full.push_back(sizes[StringRef(&c, 1)]);
      access.loops.push_back(loops.find(c));
    }
    access.tensor = n.b.expand(t, full);
    accesses.push_back(access);
  }
  if (accesses.size() == 2)
    return n.result(n.b.contract(accesses[0], accesses[1], outSizes,
                                 loops.size(), n.resultDtype()));
  // One operand: sum over the letters that the output lacks, then permute.
  Tensor t = accesses[0].tensor;
  SmallVector<int64_t> reduced, order;
  std::string kept;
  for (auto [i, c] : llvm::enumerate(terms[0])) {
    if (StringRef(output).contains(c))
      kept.push_back(c);
    else
      reduced.push_back(i);
  }
  if (!reduced.empty())
    t = n.b.sum(t, reduced, false, opMathType(n.resultDtype()));
  for (char c : output)
    order.push_back(kept.find(c));
  return n.result(n.b.permute(t, order));
}

static LogicalResult lowerOuter(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("vec2");
  if (n.failed() || x.rank() != 1 || y.rank() != 1)
    return n.fail("the operands are no vectors");
  return n.pointwise(0, {n.b.unsqueeze(x, 1), n.b.unsqueeze(y, 0)},
                     opMathType(n.resultDtype()), [](Scalars &s, ValueRange v) {
                       return s.mul(v[0], v[1]);
                     });
}

void registerMatMuls(Registry &r) {
  r.add({"aten.outer.default", "aten.ger.default"}, lowerOuter);
  r.add("aten.linear.default", lowerLinear);
  r.add("aten.addmm.default", lowerAddmm);
  r.add({"aten.mm.default", "aten.matmul.default", "aten.bmm.default",
         "aten.mv.default", "aten.dot.default", "aten._int_mm.default"},
        lowerMatmul);
  r.add("aten.baddbmm.default", lowerBaddbmm);
  r.add("aten.addmv.default", lowerAddmv);
  r.add("aten.einsum.default", lowerEinsum);
}

} // namespace fx::lin
