//===- EvaluateUnpack.cpp - the elements of packed weights ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;

Value KernelCode::evalUnpack(Scope &scope, UnpackOp op,
                             ArrayRef<Coord> coords) {
  if (const Buffer *memory = buffer(op.getSource()); memory && loadRun)
    if (Value v = loadRun(scope, op.getResult(), *memory, coords))
      return v;
  SmallVector<Index> outer, inner;
  for (const Coord &c : coords) {
    if (c.lane)
      fail("lanes of a packed weight");
    outer.push_back(c.base);
  }
  auto divide = [&](Index &i, int64_t by) {
    Index quotient = floorDiv(i, by);
    Index remainder = sub(i, mul(quotient, Index::of(by)));
    i = quotient;
    return remainder;
  };
  for (auto [pos, tile] : llvm::zip(op.getInnerDimsPos(), op.getInnerTiles()))
    inner.push_back(divide(outer[pos], tile));
  Index half;
  if (op.getNibbles())
    half = divide(outer[op.getOuterDimsPerm().back()], 2);
  Coords from;
  for (int64_t d : op.getOuterDimsPerm())
    from.push_back({outer[d]});
  for (const Index &i : inner)
    from.push_back({i});
  Value value = eval(scope, op.getSource(), from);
  if (op.getNibbles()) {
    Value isHigh = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                         materialize(half), constant(0));
    return UnpackOp::extractNibble(b, loc, value, isHigh);
  }
  if (value.getType() != op.getType().getElementType())
    fail("a packed weight of another element type");
  return value;
}
