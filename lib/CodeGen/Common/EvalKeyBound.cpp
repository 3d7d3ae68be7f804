//===- EvalKeyBound.cpp - code for a bound of the keys --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/EvalKeyBound.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx::codegen;

Value fx::codegen::evalKeyBound(KernelCode &code, Scope &scope,
                                const kernel::KeyBound &bound,
                                ArrayRef<int> loops, ArrayRef<Index> at,
                                const Index &numKeys, bool isLast) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value none = code.constant(0), all = code.materialize(numKeys);
  // Numbers that are far beyond the keys could overflow here. Where they do in
  // the program, they are no bounds.
  Type type = bound.value.getType();
  bool isNarrow = !type.isIndex() && type.getIntOrFloatBitWidth() <= 32;
  int64_t far = int64_t(1) << (isNarrow ? 30 : 40);
  Coords where;
  for (int label : loops)
    where.push_back({label < 0 ? Index::of(0) : at[label], 0});
  Value v = code.evalBody(scope, bound.op, bound.value, where);
  if (!v.getType().isIndex())
    v = arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
  Value near = arith::MinSIOp::create(b, loc, v, code.constant(far));
  near = arith::MaxSIOp::create(b, loc, near, code.constant(-far));
  Value is = near;
  near =
      code.materialize(code.add(Index(near), Index::of(bound.offset + isLast)));
  near = arith::MaxSIOp::create(b, loc, near, none);
  near = arith::MinSIOp::create(b, loc, near, all);
  if (!bound.isSubtracted)
    return near;
  is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, is, v);
  return arith::SelectOp::create(b, loc, is, near, isLast ? all : none);
}
