//===- MatMul.cpp - shape rules of matmuls --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

/// Infers torch.matmul. A 1-d operand acts as a matrix of one row or one
/// column; the result does not have this dimension. Batch dimensions broadcast.
static InferredTypes matmul(FakeTensorType a, FakeTensorType b) {
  if (!a || !b || a.getRank() == 0 || b.getRank() == 0 ||
      a.getDtype() != b.getDtype())
    return failure();
  ArrayRef<ExprAttr> left = a.getSizes(), right = b.getSizes();
  ExprAttr inner = right.size() == 1 ? right[0] : right[right.size() - 2];
  if (left.back().isProvablyDifferent(inner))
    return refuse("expected matrices that multiply, got " + toText(left) +
                  " and " + toText(right));
  std::optional<Sizes> sizes =
      broadcast(left.drop_back(std::min<size_t>(left.size(), 2)),
                right.drop_back(std::min<size_t>(right.size(), 2)));
  if (!sizes)
    return failure();
  if (left.size() > 1)
    sizes->push_back(left[left.size() - 2]);
  if (right.size() > 1)
    sizes->push_back(right.back());
  return result(makeTensor(a, *sizes));
}

/// Infers the matmul of arguments `a` and `b`, which must have ranks `rankA`
/// and `rankB`.
static InferredTypes product(const OperatorView &call, unsigned a, unsigned b,
                             int64_t rankA, int64_t rankB) {
  FakeTensorType left = getTensor(call.getArg(a)),
                 right = getTensor(call.getArg(b));
  if (!left || !right)
    return failure();
  if (left.getRank() != rankA || right.getRank() != rankB)
    return refuse("expected tensors of ranks " + Twine(rankA) + " and " +
                  Twine(rankB) + ", got " + Twine(left.getRank()) + " and " +
                  Twine(right.getRank()));
  return matmul(left, right);
}

static InferredTypes inferMatMul(const OperatorView &call) {
  return matmul(getTensor(call.getArg(0u)), getTensor(call.getArg(1)));
}
static InferredTypes inferMm(const OperatorView &call) {
  return product(call, 0, 1, 2, 2);
}
/// The product of int8 matrices, in int32.
static InferredTypes inferIntMm(const OperatorView &call) {
  InferredTypes types = product(call, 0, 1, 2, 2);
  if (failed(types))
    return failure();
  auto i32 = IntegerType::get(call.getContext(), 32);
  return result(cast<FakeTensorType>(types->front()).withDtype(i32));
}
/// `self` times the transposed `mat2`, whose rows are packed or have scales.
static InferredTypes inferPackedMm(const OperatorView &call) {
  FakeTensorType self = getSelf(call), mat2 = getTensor(call.getArg(1));
  if (!self || !mat2 || self.getRank() != 2 || mat2.getRank() != 2)
    return failure();
  return result(makeTensor(self, {self.getSizes()[0], mat2.getSizes()[0]}));
}
static InferredTypes inferBmm(const OperatorView &call) {
  return product(call, 0, 1, 3, 3);
}
static InferredTypes inferMv(const OperatorView &call) {
  return product(call, 0, 1, 2, 1);
}
static InferredTypes inferDot(const OperatorView &call) {
  return product(call, 0, 1, 1, 1);
}
/// `beta * self + alpha * (a @ b)`: self broadcasts to the product.
static InferredTypes inferAddMm(const OperatorView &call) {
  return product(call, 1, 2, 2, 2);
}
static InferredTypes inferBaddBmm(const OperatorView &call) {
  return product(call, 1, 2, 3, 3);
}
static InferredTypes inferAddMv(const OperatorView &call) {
  return product(call, 1, 2, 2, 1);
}

static InferredTypes inferOuter(const OperatorView &call) {
  FakeTensorType a = getTensor(call.getArg(0u)), b = getTensor(call.getArg(1));
  if (!a || !b || a.getRank() != 1 || b.getRank() != 1)
    return failure();
  return result(makeTensor(a, {a.getSizes()[0], b.getSizes()[0]},
                           promoteTypes(a.getDtype(), b.getDtype())));
}

/// The weight is [out, in], or [in] if the result has no `out` dimension.
static InferredTypes inferLinear(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u)),
                 weight = getTensor(call.getArg(1));
  if (!input || !weight || input.getRank() == 0 || weight.getRank() == 0 ||
      weight.getRank() > 2 || input.getDtype() != weight.getDtype())
    return failure();
  if (input.getSizes().back().isProvablyDifferent(weight.getSizes().back()))
    return refuse("expected equal last sizes, got " + toText(input.getSizes()) +
                  " and " + toText(weight.getSizes()));
  Sizes sizes(input.getSizes().drop_back());
  if (weight.getRank() == 2)
    sizes.push_back(weight.getSizes()[0]);
  return result(makeTensor(input, sizes));
}

/// A query [..., L, E], key [..., S, E] and value [..., S, V] give [..., L, V].
/// The leading sizes broadcast (attention.cpp,
/// _scaled_dot_product_attention_math). With `enable_gqa`, the leading sizes
/// are those of the query.
static InferredTypes inferAttention(const OperatorView &call) {
  FakeTensorType query = getTensor(call.getArg("query")),
                 key = getTensor(call.getArg("key")),
                 value = getTensor(call.getArg("value"));
  if (!query || !key || !value || query.getRank() < 2 || key.getRank() < 2 ||
      value.getRank() < 2)
    return failure();
  Sizes sizes(query.getSizes().drop_back(2));
  if (!call.getArg("enable_gqa").getBool().value_or(true))
    for (FakeTensorType operand : {key, value}) {
      std::optional<Sizes> all =
          broadcast(sizes, operand.getSizes().drop_back(2));
      if (!all)
        return failure();
      sizes = *all;
    }
  sizes.push_back(query.getSizes().drop_back().back());
  sizes.push_back(value.getSizes().back());
  return result(makeTensor(query, sizes));
}

void fx::registerMatMulShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferMatMul, {"aten.matmul.default"});
  hooks.add(inferMm, {"aten.mm.default"});
  hooks.add(inferIntMm, {"aten._int_mm.default"});
  hooks.add(inferPackedMm, {"aten._weight_int8pack_mm.default",
                            "aten._weight_int4pack_mm_for_cpu.default"});
  hooks.add(inferBmm, {"aten.bmm.default"});
  hooks.add(inferMv, {"aten.mv.default"});
  hooks.add(inferDot, {"aten.dot.default"});
  hooks.add(inferAddMm, {"aten.addmm.default"});
  hooks.add(inferBaddBmm, {"aten.baddbmm.default"});
  hooks.add(inferAddMv, {"aten.addmv.default"});
  hooks.add(inferOuter, {"aten.outer.default", "aten.ger.default"});
  hooks.add(inferLinear, {"aten.linear.default"});
  hooks.add(inferAttention, {"aten.scaled_dot_product_attention.default"});
}
