//===- Float8.cpp - tensors of eight-bit floats ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch has no arithmetic on these dtypes but products with scales. Copies
// and views convert and move them.
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"
#include "Scalars.h"

#include "fx/Kernels/IR/KernelDialect.h"

using namespace mlir;

namespace fx::lin {

/// The scaling recipes of _scaled_mm_v2 that are lowered, as in
/// at::blas::ScalingType.
enum class ScalingType { TensorWise = 0, RowWise = 1 };

/// Returns true if both scales have one element, or are a column and a row with
/// an element for each row and column of the result. Other scales are those of
/// blocks.
static bool areScalesOfRows(const Tensor &x, const Tensor &y,
                            const Tensor &scaleX, const Tensor &scaleY) {
  auto isOne = [](ExprAttr size) { return size.getInteger() == 1; };
  if (llvm::all_of(scaleX.sizes, isOne) && llvm::all_of(scaleY.sizes, isOne))
    return true;
  return scaleX.rank() == 2 && scaleY.rank() == 2 && isOne(scaleX.sizes[1]) &&
         isOne(scaleY.sizes[0]) && scaleX.sizes[0] == x.sizes[0] &&
         scaleY.sizes[1] == y.sizes[1];
}

/// Lowers to (mat1 mat2) scale_a scale_b + bias. The operands are exact in
/// bf16, so the products of kernels for bf16 are, too
/// (_scaled_mm_out_cpu_emulated in aten/src/ATen/native/Blas.cpp).
static LogicalResult multiply(NodeLowering &n, const Tensor &scaleX,
                              const Tensor &scaleY) {
  Tensor x = n.tensor("self"), y = n.tensor("mat2");
  std::optional<Tensor> bias = n.optionalTensor("bias");
  if (n.failed() || x.rank() != 2 || y.rank() != 2)
    return n.fail("the operands are no matrices");
  if (x.sizes[1].isProvablyDifferent(y.sizes[0]))
    return n.fail("the inner sizes of the matmul differ");
  if (!areScalesOfRows(x, y, scaleX, scaleY))
    return n.fail("scales of blocks");
  if (bias && (bias->rank() != 1 || bias->sizes[0] != y.sizes[1]))
    return n.fail("the bias has another size than the result");
  // PyTorch's CPU code divides by it, that for GPUs multiplies.
  if (n.has("scale_result"))
    return n.fail("a scale of the result");
  Type bf16 = n.b.b.getBF16Type(), f32 = n.b.b.getF32Type();
  Attribute unit = n.b.b.getUnitAttr();
  SmallVector<NamedAttribute> attributes = {
      n.b.b.getNamedAttr(kernel::kFloat8Attr, unit)};
  if (n.boolean("use_fast_accum", false))
    attributes.push_back(n.b.b.getNamedAttr(kernel::kFastSumsAttr, unit));
  Tensor product =
      n.b.contract({n.b.cast(x, bf16), {0, 2}}, {n.b.cast(y, bf16), {2, 1}},
                   {x.sizes[0], y.sizes[1]}, 3, f32, attributes);
  SmallVector<Tensor> operands = {product, scaleX, scaleY};
  if (bias)
    operands.push_back(*bias);
  for (const Tensor &scale : {scaleX, scaleY})
    if (scale.dtype != f32)
      return n.fail("a scale that is no f32");
  return n.pointwise(0, operands, f32, [&](Scalars &s, ValueRange v) {
    Value r = s.mul(s.mul(v[0], v[1]), v[2]);
    return bias ? s.add(r, v[3]) : r;
  });
}

static LogicalResult lowerScaledMm(NodeLowering &n) {
  Tensor scaleX = n.tensor("scale_a"), scaleY = n.tensor("scale_b");
  return n.failed() ? failure() : multiply(n, scaleX, scaleY);
}

/// The scales of _scaled_mm_v2 are lists, with a recipe for each.
static LogicalResult lowerScaledMmV2(NodeLowering &n) {
  for (ArgName swizzle : {ArgName("swizzle_a"), ArgName("swizzle_b")})
    if (llvm::any_of(n.integers(swizzle, 0), [](int64_t s) { return s != 0; }))
      return n.fail("scales in another order");
  SmallVector<Tensor> scales;
  for (auto [scale, recipe] :
       {std::pair<ArgName, ArgName>{"scale_a", "recipe_a"},
        {"scale_b", "recipe_b"}}) {
    SmallVector<Tensor> all = n.tensors(scale);
    SmallVector<int64_t> kinds = n.integers(recipe, 0);
    if (n.failed())
      return failure();
    if (all.size() != 1 || kinds.size() != 1 ||
        (kinds[0] != int(ScalingType::TensorWise) &&
         kinds[0] != int(ScalingType::RowWise)))
      return n.fail("scales of blocks");
    scales.push_back(all[0]);
  }
  return multiply(n, scales[0], scales[1]);
}

void registerFloat8(Registry &r) {
  r.addWithFloat8({"aten._scaled_mm.default"}, lowerScaledMm);
  r.addWithFloat8({"aten._scaled_mm_v2.default"}, lowerScaledMmV2);
}

} // namespace fx::lin
