//===- Transforms.cpp - transforms of the tiles of Winograd's method ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transforms are applied to the columns of a tile, then to its rows. The
// rows of B^T for the points p and -p have the same even part and opposite odd
// parts, which are computed once. The columns of A^T are used likewise.
//
//===----------------------------------------------------------------------===//

#include "Winograd.h"
#include "fx/Kernels/IR/Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;

namespace {
/// Arithmetic on vectors of f32.
struct Vectors {
  KernelCode &code;

  Value constant(double c) {
    return code.splatConstant(code.b.getF32FloatAttr(c));
  }
  Value add(Value x, Value y) {
    return arith::AddFOp::create(code.b, code.loc, x, y);
  }
  Value sub(Value x, Value y) {
    return arith::SubFOp::create(code.b, code.loc, x, y);
  }
  Value mul(double c, Value x) {
    return arith::MulFOp::create(code.b, code.loc, constant(c), x);
  }
  /// Returns c * x + y.
  Value fma(double c, Value x, Value y) {
    return vector::FMAOp::create(code.b, code.loc, constant(c), x, y);
  }

  SmallVector<Value> transformPixels(ArrayRef<Value> d);
  SmallVector<Value> transformProducts(ArrayRef<Value> m);
};
} // namespace

/// Returns B^T d.
SmallVector<Value> Vectors::transformPixels(ArrayRef<Value> d) {
  if (d.size() == 4)
    return {sub(d[2], d[0]), add(d[1], d[2]), sub(d[2], d[1]), sub(d[3], d[1])};
  constexpr double a = winograd::kInner, b = winograd::kOuter;
  auto ends = [&](Value x, Value y, Value z) {
    return fma(a * a * b * b, x, fma(-(a * a + b * b), y, z));
  };
  SmallVector<Value> v{ends(d[0], d[2], d[4])};
  for (auto [p, other] : {std::pair(a, b), std::pair(b, a)}) {
    Value even = fma(-other * other, d[2], d[4]);
    Value odd = fma(-other * other, d[1], d[3]);
    v.push_back(fma(p, odd, even));
    v.push_back(fma(-p, odd, even));
  }
  v.push_back(ends(d[1], d[3], d[5]));
  return v;
}

/// Returns A^T m.
SmallVector<Value> Vectors::transformProducts(ArrayRef<Value> m) {
  Value even = add(m[1], m[2]), odd = sub(m[1], m[2]);
  if (m.size() == 4)
    return {add(m[0], even), add(odd, m[3])};
  constexpr double a = winograd::kInner, b = winograd::kOuter;
  Value evenB = add(m[3], m[4]), oddB = sub(m[3], m[4]);
  return {add(add(m[0], even), evenB), fma(b, oddB, mul(a, odd)),
          fma(b * b, evenB, mul(a * a, even)),
          fma(b * b * b, oddB, fma(a * a * a, odd, m[5]))};
}

/// Replaces the columns of `tile`, `n` by `n` values by rows, with their
/// transforms by `fn`, then the rows.
static void
transformTile(SmallVectorImpl<Value> &tile, int64_t n,
              llvm::function_ref<SmallVector<Value>(ArrayRef<Value>)> fn) {
  SmallVector<SmallVector<Value>> columns;
  for (int64_t j = 0; j < n; ++j) {
    SmallVector<Value> column;
    for (int64_t i = 0; i < n; ++i)
      column.push_back(tile[i * n + j]);
    columns.push_back(fn(column));
  }
  tile.clear();
  for (size_t i = 0; i < columns[0].size(); ++i) {
    SmallVector<Value> row;
    for (int64_t j = 0; j < n; ++j)
      row.push_back(columns[j][i]);
    tile.append(fn(row));
  }
}

void fx::cpu::transformPixels(KernelCode &code, int64_t tile,
                              SmallVectorImpl<Value> &pixels) {
  Vectors v{code};
  transformTile(pixels, winograd::getPixels(tile),
                [&](ArrayRef<Value> d) { return v.transformPixels(d); });
}

void fx::cpu::transformProducts(KernelCode &code, int64_t tile,
                                SmallVectorImpl<Value> &products) {
  Vectors v{code};
  transformTile(products, winograd::getPixels(tile),
                [&](ArrayRef<Value> m) { return v.transformProducts(m); });
}
