//===- Fourier.cpp - discrete Fourier transforms --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transform of length n1 * n2 is n2 transforms of length n1, a multiplication
// by twiddle factors, and n1 transforms of length n2 (Cooley and Tukey, 1965).
// Short ones are matmuls with a matrix of cosines and one of sines:
// contractions, which vectorize well and fuse with the operations around them.
//
//===----------------------------------------------------------------------===//

#include "Fourier.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

/// The maximum lengths of a transform, of one that is computed by a matrix
/// although it could be split, and of one whose length is prime.
static constexpr int64_t mostElements = 1 << 16, mostDirect = 48,
                         mostPrime = 256;
/// The largest factor that a length is split by.
static constexpr int64_t mostFactor = 32;

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

/// Returns the first factor that a transform of length `n` is split by: `n` if
/// it is not split, 0 if its smallest factor is too large.
static int64_t getFactor(int64_t n) {
  if (n <= mostDirect)
    return n;
  for (int64_t factor = mostFactor; factor > 1; --factor)
    if (n % factor == 0)
      return factor;
  return n <= mostPrime ? n : 0;
}

bool canTransform(int64_t n) {
  if (n < 1 || n > mostElements)
    return false;
  for (int64_t factor; (factor = getFactor(n)) != n; n /= factor)
    if (factor == 0)
      return false;
  return true;
}

/// Returns the cosine, or the sine, of 2 pi j k / n as element (j, k).
static Tensor getWaves(Builder &b, int64_t rows, int64_t columns, int64_t n,
                       bool isSine, Type dtype) {
  SmallVector<double> values;
  for (int64_t j = 0; j < rows; ++j)
    for (int64_t k = 0; k < columns; ++k) {
      double angle = 2 * M_PI * double(j * k % n) / double(n);
      values.push_back(isSine ? std::sin(angle) : std::cos(angle));
    }
  return b.constant(values, {b.expr(rows), b.expr(columns)}, dtype);
}

/// Returns x * (c - i s), or x * (c + i s) if `isInverse`.
static Pair rotate(Builder &b, const Pair &x, const Tensor &c, const Tensor &s,
                   bool isInverse) {
  auto part = [&](const Tensor &p, const Tensor &q, bool subtracts) {
    return b.map({p, q, c, s}, x.re.dtype, [&](Scalars &e, ValueRange v) {
      Value left = e.mul(v[0], v[2]), right = e.mul(v[1], v[3]);
      return subtracts ? e.sub(left, right) : e.add(left, right);
    });
  };
  return {part(x.re, x.im, isInverse), part(x.im, x.re, !isInverse)};
}

/// Transforms by a matmul with the whole matrix, without splitting.
static Pair transformDirectly(Builder &b, const Pair &x, int64_t dim,
                              bool isInverse) {
  int64_t n = *x.re.sizes[dim].getInteger();
  Type dtype = x.re.dtype;
  unsigned rank = x.re.rank();
  auto product = [&](const Tensor &t, const Tensor &matrix) {
    Access left{t, {}}, right{matrix, {rank, unsigned(dim)}};
    for (unsigned i = 0; i < rank; ++i)
      left.loops.push_back(i == dim ? rank : i);
    return b.contract(left, right, t.sizes, rank + 1, dtype);
  };
  auto combine = [&](const Tensor &p, const Tensor &q, bool subtracts) {
    return b.map({p, q}, dtype, [&](Scalars &e, ValueRange v) {
      return subtracts ? e.sub(v[0], v[1]) : e.add(v[0], v[1]);
    });
  };
  Tensor c = getWaves(b, n, n, n, false, dtype),
         s = getWaves(b, n, n, n, true, dtype);
  Tensor re = product(x.re, c), im = product(x.re, s);
  if (x.isReal)
    return {re,
            isInverse ? im : b.map({im}, dtype, [](Scalars &e, ValueRange v) {
              return e.neg(v[0]);
            })};
  Tensor imSine = product(x.im, s), imCosine = product(x.im, c);
  return {combine(re, imSine, isInverse), combine(imCosine, im, !isInverse)};
}

Pair transform(Builder &b, const Pair &x, int64_t dim, bool isInverse) {
  int64_t n = *x.re.sizes[dim].getInteger(), first = getFactor(n);
  if (first == n)
    return transformDirectly(b, x, dim, isInverse);
  int64_t second = n / first;
  auto split = [&](const Tensor &t) {
    return b.split(t, dim, {b.expr(first), b.expr(second)});
  };
  Pair y = transformDirectly(b, Pair{split(x.re), split(x.im), x.isReal}, dim,
                             isInverse);
  Type dtype = x.re.dtype;
  auto waves = [&](bool isSine) {
    Tensor t = getWaves(b, first, second, n, isSine, dtype);
    for (int64_t i = dim + 2; i < y.re.rank(); ++i)
      t = b.unsqueeze(t, t.rank());
    return t;
  };
  y = rotate(b, y, waves(false), waves(true), isInverse);
  y = transform(b, y, dim + 1, isInverse);
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, y.re.rank()));
  std::swap(order[dim], order[dim + 1]);
  auto merge = [&](const Tensor &t) {
    return b.reshape(b.permute(t, order), x.re.sizes);
  };
  return {merge(y.re), merge(y.im)};
}

//===----------------------------------------------------------------------===//
// All dimensions
//===----------------------------------------------------------------------===//

namespace {
/// The parameters of a transform. The half input or output is the first half of
/// the last dimension, whose other half is the mirrored conjugate.
struct Transform {
  bool isInverse = false, isHalfInput = false, isHalfOutput = false;
  SmallVector<int64_t> dims;
  /// The sizes that the dimensions are cut or padded with 0 to. For a half
  /// input, the last one is the size of the output.
  SmallVector<int64_t> sizes;
  double scale = 1;
};
} // namespace

/// Cuts `dim` to `size`, or pads it with 0 at the end.
static Tensor resize(Builder &b, const Tensor &t, int64_t dim, int64_t size) {
  int64_t have = *t.sizes[dim].getInteger();
  if (have >= size)
    return have == size ? t
                        : b.slice(t, dim, b.expr(0), b.expr(size), b.expr(1));
  Sizes low(t.rank(), b.expr(0)), high(low);
  high[dim] = b.expr(size - have);
  return b.pad(t, low, high, Scalars(b.b, b.loc, t.dtype).constant(0));
}

Pair complete(Builder &b, const Pair &x, int64_t dim, int64_t size) {
  Sizes sizes(x.re.sizes);
  sizes[dim] = b.expr(size);
  int64_t half = size / 2 + 1;
  auto part = [&](const Tensor &t, bool isNegated) {
    Tensor r =
        b.read(t, {}, sizes, [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
          Scalars ix = s.indices();
          SmallVector<Value> place(i);
          Value isFirst = ix.lt(i[dim], ix.integer(half));
          place[dim] =
              ix.select(isFirst, i[dim], ix.sub(ix.integer(size), i[dim]));
          return place;
        });
    if (!isNegated)
      return r;
    return b.indexed({r}, sizes, t.dtype, t.dtype,
                     [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                       Scalars ix = s.indices();
                       return s.select(ix.lt(i[dim], ix.integer(half)), v[0],
                                       s.neg(v[0]));
                     });
  };
  return {part(x.re, false), part(x.im, true)};
}

static LogicalResult lower(NodeLowering &n, Pair x, const Transform &t) {
  Builder &b = n.b;
  Type dtype = n.resultDtype();
  if (auto complex = dyn_cast<ComplexType>(dtype))
    dtype = complex.getElementType();
  if (!dtype.isF32() && !dtype.isF64())
    return n.fail("a short float");
  for (auto [dim, size] : llvm::zip(t.dims, t.sizes)) {
    if (!x.re.sizes[dim].isInteger())
      return n.fail("the length of the transform is not known");
    if (!canTransform(size))
      return n.fail("a transform of length " + Twine(size));
  }
  x.re = b.cast(x.re, dtype);
  x.im = x.isReal ? x.re : b.cast(x.im, dtype);
  if (t.isHalfOutput && !x.isReal)
    return n.fail("expected a real tensor");
  int64_t last = t.dims.size() - 1;
  auto resized = [&](int64_t i, int64_t size) {
    x.re = resize(b, x.re, t.dims[i], size);
    x.im = x.isReal ? x.re : resize(b, x.im, t.dims[i], size);
  };
  for (int64_t i = 0; i <= last; ++i)
    resized(i, i == last && t.isHalfInput ? t.sizes[i] / 2 + 1 : t.sizes[i]);
  if (t.isHalfInput && x.isReal) {
    Scalars s(b.b, b.loc, dtype);
    x.im = b.expand(b.fromElement(s.constant(0), dtype), x.re.sizes);
    x.isReal = false;
  }
  auto along = [&](int64_t i) { x = transform(b, x, t.dims[i], t.isInverse); };
  // The dimension that is a half comes last if the input is a half, else first.
  // The other dimensions are thus transformed on the half alone.
  if (!t.isHalfInput) {
    along(last);
    if (t.isHalfOutput)
      resized(last, t.sizes[last] / 2 + 1);
  }
  for (int64_t i = 0; i < last; ++i)
    along(i);
  if (t.isHalfInput) {
    x = complete(b, x, t.dims[last], t.sizes[last]);
    along(last);
  }
  auto scaled = [&](const Tensor &p) {
    if (t.scale == 1)
      return p;
    return b.map({p}, dtype, [&](Scalars &s, ValueRange v) {
      return s.mul(v[0], s.constant(t.scale));
    });
  };
  if (t.isHalfInput)
    return n.result(scaled(x.re));
  return setComplex(n, scaled(x.re), scaled(x.im));
}

/// Sets the sizes that are not given to the input's.
static LogicalResult setSizes(NodeLowering &n, const Pair &x, Transform &t) {
  for (auto [i, dim] : llvm::enumerate(t.dims)) {
    std::optional<int64_t> have = x.re.sizes[dim].getInteger();
    if (!have)
      return n.fail("the length of the transform is not known");
    bool isHalf = t.isHalfInput && i + 1 == t.dims.size();
    if (i >= t.sizes.size())
      t.sizes.push_back(-1);
    if (t.sizes[i] == -1)
      t.sizes[i] = isHalf ? 2 * (*have - 1) : *have;
  }
  return success();
}

static double countElements(const Transform &t) {
  double count = 1;
  for (int64_t size : t.sizes)
    count *= double(size);
  return count;
}

/// fft_*(self, n, dim, norm) and fft_*2, fft_*n(self, s, dim, norm). `count` is
/// the number of dimensions, 0 for any.
template <bool isInverse, bool isHalfInput, bool isHalfOutput, unsigned count>
static LogicalResult lowerTransform(NodeLowering &n) {
  Transform t;
  t.isInverse = isInverse;
  t.isHalfInput = isHalfInput;
  t.isHalfOutput = isHalfOutput;
  Pair x = getPair(n, "self");
  int64_t rank = x.re.rank();
  ArgName size = n.oneOf({"n", "s"});
  if (n.has(size)) {
    for (ExprAttr e : n.sizes(size)) {
      if (!e.isInteger())
        return n.fail("the length of the transform is not known");
      t.sizes.push_back(*e.getInteger());
    }
  }
  if (n.has("dim")) {
    t.dims = count == 1 ? SmallVector<int64_t>{n.dim("dim", rank)}
                        : n.dims("dim", rank, false);
  } else {
    int64_t last = count             ? count
                   : t.sizes.empty() ? rank
                                     : int64_t(t.sizes.size());
    for (int64_t i = rank - last; i < rank; ++i)
      t.dims.push_back(i);
  }
  StringRef norm = n.string("norm", "backward");
  if (n.failed() || t.dims.empty() || t.dims.front() < 0 ||
      t.sizes.size() > t.dims.size() || failed(setSizes(n, x, t)))
    return n.fail("no dimension to transform");
  // `isInverse` alone decides: hfft is a forward transform, although its input
  // is a half.
  double elements = countElements(t);
  if (norm == "ortho")
    t.scale = 1 / std::sqrt(elements);
  else if ((norm == "forward") != isInverse)
    t.scale = 1 / elements;
  return lower(n, x, t);
}

/// _fft_c2c(self, dim, normalization, forward),
/// _fft_r2c(self, dim, normalization, onesided),
/// _fft_c2r(self, dim, normalization, last_dim_size)
template <char from, char to>
static LogicalResult lowerInner(NodeLowering &n) {
  Transform t;
  Pair x = getPair(n, "self");
  t.dims = n.dims("dim", x.re.rank(), false);
  int64_t norm = n.integer("normalization");
  t.isHalfInput = to == 'r';
  t.isHalfOutput = from == 'r' && n.boolean("onesided");
  t.isInverse = to == 'r' || (from == 'c' && !n.boolean("forward"));
  if (n.failed() || t.dims.empty())
    return n.fail("no dimension to transform");
  if (to == 'r') {
    ExprAttr size = n.size("last_dim_size");
    if (n.failed() || !size.isInteger())
      return n.fail("the length of the transform is not known");
    t.sizes.assign(t.dims.size(), -1);
    t.sizes.back() = *size.getInteger();
  }
  if (failed(setSizes(n, x, t)))
    return failure();
  double elements = countElements(t);
  t.scale = norm == 0 ? 1 : norm == 1 ? 1 / std::sqrt(elements) : 1 / elements;
  return lower(n, x, t);
}

/// Registers the lowerings of fft_NAMEn, fft_NAME and fft_NAME2 for complex
/// tensors. Those whose result is real get the lowering for real tensors, too,
/// because their operand may also be real.
template <bool isHalfInput, bool isHalfOutput>
static void addTransforms(Registry &r, bool isInverse, StringRef name) {
  const LowerFn forward[] = {
      lowerTransform<false, isHalfInput, isHalfOutput, 0>,
      lowerTransform<false, isHalfInput, isHalfOutput, 1>,
      lowerTransform<false, isHalfInput, isHalfOutput, 2>};
  const LowerFn inverse[] = {
      lowerTransform<true, isHalfInput, isHalfOutput, 0>,
      lowerTransform<true, isHalfInput, isHalfOutput, 1>,
      lowerTransform<true, isHalfInput, isHalfOutput, 2>};
  const char *const suffixes[] = {"n", "", "2"};
  for (auto [i, suffix] : llvm::enumerate(suffixes)) {
    std::string target = ("aten.fft_" + name + suffix + ".default").str();
    LowerFn fn = (isInverse ? inverse : forward)[i];
    r.addComplex(target, fn);
    if (isHalfInput)
      r.add(target, fn);
  }
}

void registerFourier(Registry &r) {
  addTransforms<false, false>(r, false, "fft");
  addTransforms<false, false>(r, true, "ifft");
  addTransforms<false, true>(r, false, "rfft");
  addTransforms<false, true>(r, true, "ihfft");
  addTransforms<true, false>(r, true, "irfft");
  addTransforms<true, false>(r, false, "hfft");
  r.addComplex("aten._fft_c2c.default", lowerInner<'c', 'c'>);
  r.addComplex("aten._fft_r2c.default", lowerInner<'r', 'c'>);
  r.addComplex("aten._fft_c2r.default", lowerInner<'c', 'r'>);
}

} // namespace fx::lin
