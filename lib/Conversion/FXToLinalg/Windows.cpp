//===- Windows.cpp - window functions -------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas are those of aten/src/ATen/native/TensorFactories.cpp, computed
// in f64. A periodic window of length n is the symmetric window of length n + 1
// without its last element. The element of a window of length 1 is 1.
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fx::lin {

/// Sets the result to a window whose element k is fn(k, last), where `last` is
/// the length of the symmetric window minus 1.
static LogicalResult
setWindow(NodeLowering &n,
          llvm::function_ref<Value(Scalars &, Value, double)> fn) {
  Type dtype = n.resultDtype(), f64 = n.b.b.getF64Type();
  bool periodic = n.boolean("periodic", true);
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (n.failed() || sizes.size() != 1 || !isa<FloatType>(dtype))
    return n.fail("the result is no vector of real numbers");
  std::optional<int64_t> length = sizes[0].getInteger();
  if (!length)
    return n.fail("a window of unknown length");
  double last = double(*length) - (periodic ? 0 : 1);
  return n.result(n.b.indexed(
      {}, sizes, dtype, f64, [&](Scalars &s, ValueRange, ArrayRef<Value> at) {
        return *length <= 1 ? s.constant(1) : fn(s, s.fromIndex(at[0]), last);
      }));
}

/// Computes cos(times * pi * n / last).
static Value cosine(Scalars &s, Value n, double times, double last) {
  return s.unary<math::CosOp>(
      s.mul(n, s.constant(times * 3.14159265358979323846 / last)));
}

template <bool isHann>
static LogicalResult lowerCosineWindow(NodeLowering &n) {
  double alpha = isHann ? 0.5 : n.real("alpha", 0.54);
  double beta = isHann ? 0.5 : n.real("beta", 0.46);
  return setWindow(n, [&](Scalars &s, Value k, double last) {
    return s.sub(s.constant(alpha),
                 s.mul(s.constant(beta), cosine(s, k, 2, last)));
  });
}

static LogicalResult lowerBlackman(NodeLowering &n) {
  return setWindow(n, [](Scalars &s, Value k, double last) {
    Value first = s.mul(s.constant(0.5), cosine(s, k, 2, last));
    Value second = s.mul(s.constant(0.08), cosine(s, k, 4, last));
    return s.add(s.sub(s.constant(0.42), first), second);
  });
}

static LogicalResult lowerBartlett(NodeLowering &n) {
  return setWindow(n, [](Scalars &s, Value k, double last) {
    Value up = s.mul(k, s.constant(2 / last));
    return s.select(s.le(up, s.constant(1)), up, s.sub(s.constant(2), up));
  });
}

void registerWindows(Registry &r) {
  r.add({"aten.hann_window.default", "aten.hann_window.periodic"},
        lowerCosineWindow<true>);
  r.add({"aten.hamming_window.default", "aten.hamming_window.periodic",
         "aten.hamming_window.periodic_alpha",
         "aten.hamming_window.periodic_alpha_beta"},
        lowerCosineWindow<false>);
  r.add({"aten.blackman_window.default", "aten.blackman_window.periodic"},
        lowerBlackman);
  r.add({"aten.bartlett_window.default", "aten.bartlett_window.periodic"},
        lowerBartlett);
}

} // namespace fx::lin
