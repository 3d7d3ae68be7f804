//===- Taps.cpp - the taps of a window ------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Taps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace fx::lin {

/// The maximum number of taps that are unrolled: enough for the common windows
/// 3x3 and 2x2x2.
static constexpr int64_t kWrittenOut = 9;

SmallVector<Value> foldTaps(
    Scalars &s, ArrayRef<int64_t> window, ValueRange values,
    llvm::function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body) {
  auto index = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(s.b, s.loc, v);
  };
  int64_t taps = 1;
  for (int64_t size : window)
    taps *= size;
  SmallVector<Value> place(window.size());
  if (taps <= kWrittenOut) {
    SmallVector<Value> carried(values);
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t rest = tap;
      for (int64_t d = window.size(); d-- > 0; rest /= window[d])
        place[d] = index(rest % window[d]);
      carried = body(place, carried);
    }
    return carried;
  }
  auto loop =
      scf::ForOp::create(s.b, s.loc, index(0), index(taps), index(1), values);
  OpBuilder::InsertionGuard guard(s.b);
  s.b.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getInductionVar();
  for (int64_t d = window.size(); d-- > 0;) {
    Value size = index(window[d]);
    place[d] = arith::RemUIOp::create(s.b, s.loc, rest, size);
    rest = arith::DivUIOp::create(s.b, s.loc, rest, size);
  }
  scf::YieldOp::create(s.b, s.loc, body(place, loop.getRegionIterArgs()));
  return loop.getResults();
}

} // namespace fx::lin
