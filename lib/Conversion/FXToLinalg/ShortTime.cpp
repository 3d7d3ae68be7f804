//===- ShortTime.cpp - Fourier transforms of windows of a signal ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fourier.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

namespace {
/// The frame parameters of stft and istft.
struct Frames {
  int64_t length = 0, hop = 0;
  Tensor window; // a vector of `length` elements
};
} // namespace

/// Reads n_fft, hop_length, win_length and window. A window that is shorter
/// than the frames is centered in them, with zeros around it.
static LogicalResult readFrames(NodeLowering &n, Frames &f, Type dtype) {
  f.length = n.integer("n_fft");
  f.hop = n.integer("hop_length", f.length / 4);
  int64_t size = n.integer("win_length", f.length);
  std::optional<Tensor> window = n.optionalTensor("window");
  if (n.failed() || f.hop < 1 || size < 1 || size > f.length)
    return n.fail("the windows do not fit the frames");
  if (!canTransform(f.length))
    return n.fail("a transform of length " + Twine(f.length));
  if (!dtype.isF32() && !dtype.isF64())
    return n.fail("a short float");
  Builder &b = n.b;
  Scalars s(b.b, b.loc, dtype);
  Sizes sizes = {b.expr(size)};
  if (!window)
    window = b.expand(b.fromElement(s.constant(1), dtype), sizes);
  if (window->rank() != 1 || isa<ComplexType>(window->dtype) ||
      window->sizes[0].getInteger() != size)
    return n.fail("the window does not fit its length, or is complex");
  int64_t left = (f.length - size) / 2;
  f.window = b.cast(*window, dtype);
  if (size < f.length)
    f.window = b.pad(f.window, {b.expr(left)}, {b.expr(f.length - size - left)},
                     s.constant(0));
  return success();
}

static Tensor scaled(Builder &b, const Tensor &x, double factor) {
  return b.map({x}, x.dtype, [&](Scalars &s, ValueRange v) {
    return s.mul(v[0], s.constant(factor));
  });
}

/// Inserts a batch dimension in front if there is none. Returns true if the
/// rank of `x` is `rank` then.
static bool makeBatch(Builder &b, Tensor &x, int64_t rank) {
  if (x.rank() == rank - 1)
    x = b.unsqueeze(x, 0);
  return x.rank() == rank;
}

/// Lowers stft(self, n_fft, hop_length, win_length, window, normalized,
/// onesided, return_complex, align_to_window).
static LogicalResult lowerSTFT(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool hasBatch = x.rank() == 2;
  Frames f;
  if (n.failed() || isa<ComplexType>(x.dtype) || !makeBatch(n.b, x, 2) ||
      n.boolean("align_to_window", false))
    return n.fail("a complex signal, or frames aligned to the window");
  if (failed(readFrames(n, f, x.dtype)))
    return failure();
  bool isNormalized = n.boolean("normalized"),
       isHalf = n.boolean("onesided", true);
  Builder &b = n.b;
  auto complex = dyn_cast<FakeTensorType>(n.op->getResult(0).getType());
  if (n.failed() || !complex)
    return n.fail("the result is no tensor");
  // 1 + (length - n_fft) / hop frames.
  MLIRContext *ctx = n.context();
  ExprAttr rest = ExprAttr::add(ctx, {x.sizes[1], b.expr(-f.length)});
  ExprAttr steps =
      rest ? ExprAttr::call(ctx, "floordiv", {rest, b.expr(f.hop)}) : rest;
  ExprAttr count = steps ? ExprAttr::add(ctx, {steps, b.expr(1)}) : steps;
  if (!count || !b.symbols.canEvaluate(count))
    return n.fail("the number of frames is not known");
  Sizes sizes = {x.sizes[0], count, b.expr(f.length)};
  Tensor frames =
      b.read(x, {}, sizes, [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        Scalars ix = s.indices();
        return SmallVector<Value>{
            i[0], ix.add(ix.mul(i[1], ix.integer(f.hop)), i[2])};
      });
  frames = b.map({frames, f.window}, x.dtype,
                 [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
  Pair y = transform(b, {frames, frames, true}, 2, false);
  auto finished = [&](Tensor t) {
    if (isHalf)
      t = b.slice(t, 2, b.expr(0), b.expr(f.length / 2 + 1), b.expr(1));
    if (isNormalized)
      t = scaled(b, t, 1 / std::sqrt(double(f.length)));
    t = b.permute(t, {0, 2, 1});
    return hasBatch ? t : b.squeeze(t, 0);
  };
  Tensor re = finished(y.re), im = finished(y.im);
  if (isa<ComplexType>(complex.getDtype()))
    return setComplex(n, re, im);
  int64_t last = re.rank();
  Sizes pairs(re.sizes);
  pairs.push_back(b.expr(2));
  return n.result(
      b.concat({b.unsqueeze(re, last), b.unsqueeze(im, last)}, last, pairs));
}

/// Returns a signal of `sizes`, [batch, samples]: the sum of the frames of `y`,
/// [batch, frames, length], each at its place. The signal begins at sample
/// `start` of the first frame.
static Tensor overlap(Builder &b, const Frames &f, const Tensor &y,
                      ArrayRef<ExprAttr> sizes, int64_t start) {
  Value source = b.materialize(y), count = b.index(y.sizes[1]);
  int64_t most = (f.length + f.hop - 1) / f.hop;
  return b.indexed(
      {}, sizes, y.dtype, y.dtype,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        Scalars ix = s.indices();
        Value hop = ix.integer(f.hop), zero = ix.integer(0);
        Value at = ix.add(i[1], ix.integer(start)), sum = s.constant(0);
        for (int64_t k = 0; k < most; ++k) {
          Value frame = ix.sub(ix.div(at, hop), ix.integer(k));
          Value place = ix.add(ix.fmod(at, hop), ix.integer(k * f.hop));
          Value isIn = s.logicalAnd(
              s.logicalAnd(ix.ge(frame, zero), ix.lt(frame, count)),
              ix.lt(place, ix.integer(f.length)));
          frame = ix.select(isIn, frame, zero);
          place = ix.select(isIn, place, zero);
          Value e = tensor::ExtractOp::create(s.b, s.loc, source,
                                              ValueRange{i[0], frame, place});
          sum = s.add(sum, s.select(isIn, e, s.constant(0)));
        }
        return sum;
      });
}

/// Lowers istft(self, n_fft, hop_length, win_length, window, center,
/// normalized, onesided, length, return_complex): the sum of the overlapping
/// frames divided by that of the overlapping squared windows.
static LogicalResult lowerInverseSTFT(NodeLowering &n) {
  Pair x = getPair(n, "self");
  bool hasBatch = x.re.rank() == 3;
  bool isCentered = n.boolean("center"), isNormalized = n.boolean("normalized");
  Frames f;
  if (n.failed() || x.isReal || !makeBatch(n.b, x.re, 3) ||
      !makeBatch(n.b, x.im, 3) || n.boolean("return_complex"))
    return n.fail("a complex result, or an operand that is not complex");
  Type dtype = x.re.dtype;
  if (failed(readFrames(n, f, dtype)))
    return failure();
  Builder &b = n.b;
  int64_t half = f.length / 2 + 1;
  std::optional<int64_t> bins = x.re.sizes[1].getInteger();
  bool isHalf = n.boolean("onesided", bins != f.length);
  if (n.failed() || !isHalf || bins != half ||
      (f.length + f.hop - 1) / f.hop > 64)
    return n.fail("both halves of a spectrum, or many frames at a place");
  for (Tensor *t : {&x.re, &x.im})
    *t = b.permute(*t, {0, 2, 1});
  Tensor y = transform(b, complete(b, x, 2, f.length), 2, true).re;
  double count = double(f.length);
  y = scaled(b, y, isNormalized ? 1 / std::sqrt(count) : 1 / count);
  y = b.map({y, f.window}, dtype,
            [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
  Sizes sizes(n.resultSizes());
  if (!hasBatch)
    sizes.insert(sizes.begin(), b.expr(1));
  for (ExprAttr size : sizes)
    if (!b.symbols.canEvaluate(size))
      return n.fail("the result's size is not known");
  int64_t start = isCentered ? f.length / 2 : 0;
  Tensor sum = overlap(b, f, y, sizes, start);
  Tensor square = b.map({f.window}, dtype, [](Scalars &s, ValueRange v) {
    return s.mul(v[0], v[0]);
  });
  Sizes one = {b.expr(1), y.sizes[1], b.expr(f.length)},
        row = {b.expr(1), sizes[1]};
  Tensor weight = overlap(b, f, b.expand(square, one), row, start);
  // Samples from `end` on, which no frame reaches, are padding with value 0.
  Value end = b.index(y.sizes[1]);
  Scalars outer = Scalars(b.b, b.loc, b.b.getIndexType());
  end = outer.add(
      outer.mul(outer.sub(end, outer.integer(1)), outer.integer(f.hop)),
      outer.integer(f.length - start));
  Tensor least = b.reduce(
      b.indexed({weight}, row, dtype, dtype,
                [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                  return s.select(s.indices().lt(i[1], end), v[0],
                                  s.constant(1));
                }),
      {0, 1}, false, dtype, [](Scalars &s) { return s.highest(); },
      [](Scalars &s, Value a, Value v) { return s.min(a, v); });
  Scalars e(b.b, b.loc, dtype);
  b.check(e.gt(b.element(least), e.constant(1e-11)),
          "aten.istft: expected windows that overlap everywhere");
  Tensor r = b.indexed({sum, weight}, sizes, dtype, dtype,
                       [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                         return s.select(s.indices().lt(i[1], end),
                                         s.div(v[0], v[1]), s.constant(0));
                       });
  return n.result(hasBatch ? r : b.squeeze(r, 0));
}

void registerShortTime(Registry &r) {
  r.add("aten.stft.default", lowerSTFT);
  r.addComplex("aten.stft.default", lowerSTFT);
  r.addComplex("aten.istft.default", lowerInverseSTFT);
}

} // namespace fx::lin
