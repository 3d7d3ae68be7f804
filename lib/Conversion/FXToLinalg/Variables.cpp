//===- Variables.cpp - scalar code with variables -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variables.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

Value Variables::load(unsigned variable, ArrayRef<Value> at) {
  return tensor::ExtractOp::create(b.b, b.loc, values[variable], at);
}

void Variables::store(unsigned variable, ArrayRef<Value> at, Value v) {
  values[variable] =
      tensor::InsertOp::create(b.b, b.loc, v, values[variable], at);
}

void Variables::loop(Value from, Value to, LoopBody body) {
  auto loop = scf::ForOp::create(b.b, b.loc, from, to, b.index(1), values);
  OpBuilder::InsertionGuard guard(b.b);
  b.b.setInsertionPointToStart(loop.getBody());
  values.assign(loop.getRegionIterArgs().begin(),
                loop.getRegionIterArgs().end());
  body(loop.getInductionVar());
  scf::YieldOp::create(b.b, b.loc, values);
  values.assign(loop.getResults().begin(), loop.getResults().end());
}

void Variables::loopDown(Value from, Value to, LoopBody body) {
  Value last = Scalars(b.b, b.loc, b.b.getIndexType()).sub(to, b.index(1));
  loop(from, to, [&](Value i) {
    Scalars ix(b.b, b.loc, b.b.getIndexType());
    body(ix.sub(ix.add(from, last), i));
  });
}

void Variables::nest(ArrayRef<ExprAttr> sizes,
                     function_ref<void(ArrayRef<Value>)> body) {
  SmallVector<Value> bounds, indices;
  for (ExprAttr size : sizes)
    bounds.push_back(b.index(size));
  Value zero = b.index(0);
  std::function<void()> build = [&] {
    size_t depth = indices.size();
    if (depth == bounds.size())
      return body(indices);
    loop(zero, bounds[depth], [&](Value i) {
      indices.push_back(i);
      build();
      indices.pop_back();
    });
  };
  build();
}

void Variables::when(Value condition, Body body) {
  SmallVector<Value> before = values;
  auto branch = scf::IfOp::create(b.b, b.loc, ValueRange(values).getTypes(),
                                  condition, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b.b);
    b.b.setInsertionPointToStart(branch.thenBlock());
    body();
    scf::YieldOp::create(b.b, b.loc, values);
    b.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b.b, b.loc, before);
  }
  values.assign(branch.getResults().begin(), branch.getResults().end());
}

} // namespace fx::lin
