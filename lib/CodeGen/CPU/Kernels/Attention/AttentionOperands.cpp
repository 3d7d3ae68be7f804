//===- AttentionOperands.cpp - loops and operands of an attention ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

//===----------------------------------------------------------------------===//
// Loops and memory
//===----------------------------------------------------------------------===//

void AttentionEmitter::forEach(
    Scope &outer, const Index &from, const Index &to, int64_t step,
    llvm::function_ref<void(Scope &, const Index &)> body) {
  Scope inner;
  if (from == Index::of(0) && to == Index::of(step)) {
    inner.parent = &outer;
    return body(inner, Index::of(0));
  }
  auto loop = code.beginFor(outer, inner, from, to, step);
  body(inner, Index(loop.getInductionVar()));
  code.endFor(loop);
}

void AttentionEmitter::forKeys(
    Scope &outer, const Range &range, SmallVector<Value> &carried,
    llvm::function_ref<void(Scope &, const Index &, bool,
                            MutableArrayRef<Value>)>
        body) {
  int64_t L = code.lanes;
  Index whole = mul(code.floorDiv(range.to, L), L);
  {
    Scope scope;
    auto loop = code.beginFor(outer, scope, range.from, whole, L, carried);
    SmallVector<Value> next(loop.getRegionIterArgs());
    body(scope, Index(loop.getInductionVar()), false, next);
    code.endFor(loop, next);
    carried.assign(loop.getResults().begin(), loop.getResults().end());
  }
  // All ranges consist of whole vectors if the keys do: bounds are rounded.
  if (numKeys.isStatic() && numKeys.constant % L == 0)
    return;
  Scope scope;
  scope.parent = &outer;
  code.mask = code.maskBelow(code.sub(range.to, whole));
  body(scope, whole, true, carried);
  code.mask = Value();
}

Value AttentionEmitter::number(float c) {
  return arith::ConstantOp::create(code.b, code.loc, code.b.getF32FloatAttr(c));
}

Value AttentionEmitter::loadVector(Value memory, const Index &at) {
  return vector::LoadOp::create(code.b, code.loc,
                                code.vectorType(code.b.getF32Type()), memory,
                                ValueRange{code.materialize(at)});
}

void AttentionEmitter::storeVector(Value memory, const Index &at, Value v) {
  vector::StoreOp::create(code.b, code.loc, v, memory,
                          ValueRange{code.materialize(at)});
}

Value AttentionEmitter::loadScalar(Value memory, const Index &at) {
  return memref::LoadOp::create(code.b, code.loc, memory, code.materialize(at));
}

void AttentionEmitter::storeScalar(Value memory, const Index &at, Value v) {
  memref::StoreOp::create(code.b, code.loc, v, memory, code.materialize(at));
}

//===----------------------------------------------------------------------===//
// Pairs of bf16
//===----------------------------------------------------------------------===//

std::pair<Buffer, Coords> AttentionEmitter::locate(const Operand &operand,
                                                   const Coords &where) {
  if (!operand.gather)
    return {operand.memory, where};
  Index key = code.sub(at[attention.key], key0);
  Index row(memref::LoadOp::create(code.b, code.loc, operand.offsets,
                                   code.materialize(key)));
  Buffer flat{operand.memory.flat, {codegen::Stride{1}}, operand.element()};
  const codegen::Coord &last = where.back();
  Index column = code.mul(last.base, operand.memory.strides.back());
  return {flat, {{add(row, column), last.lane}}};
}

Value AttentionEmitter::load(Scope &scope, const Operand &operand,
                             const Coords &where) {
  // A vector has elements of several keys if their rows fill no vectors.
  bool isAcross = llvm::any_of(ArrayRef(where).drop_back(),
                               [](const codegen::Coord &c) { return c.lane; });
  if (operand.isComputed || (operand.gather && isAcross))
    return code.eval(scope, operand.tensor, where);
  auto [memory, at] = locate(operand, where);
  return code.load(memory, at);
}

Value AttentionEmitter::loadF32(Scope &scope, const Operand &operand,
                                const Coords &where) {
  Value v = load(scope, operand, where);
  if (operand.element().isF32())
    return v;
  Type f32 = code.b.getF32Type();
  return arith::ExtFOp::create(
      code.b, code.loc,
      isa<VectorType>(v.getType()) ? Type(code.vectorType(f32)) : f32, v);
}

Value AttentionEmitter::loadBF16(Scope &scope, const Operand &operand,
                                 const Coords &where) {
  if (operand.element().isBF16())
    return code.splat(load(scope, operand, where));
  return toBF16(code, code.splat(loadF32(scope, operand, where)));
}

Value AttentionEmitter::asPairs(Value words) {
  auto type = VectorType::get({2 * code.lanes}, code.b.getBF16Type());
  return vector::BitCastOp::create(code.b, code.loc, type, words);
}

void AttentionEmitter::multiply(Value word, ArrayRef<Value> right,
                                MutableArrayRef<Value> into) {
  OpBuilder &b = code.b;
  Value left = code.splat(word);
  if (!usesPairs) {
    for (auto [sum, y] : llvm::zip(into, right))
      sum = vector::FMAOp::create(b, code.loc, left, y, sum);
    return;
  }
  left = asPairs(left);
  for (auto [sum, y] : llvm::zip(into, right))
    sum = addDotProducts(code, sum, left, asPairs(y));
}
