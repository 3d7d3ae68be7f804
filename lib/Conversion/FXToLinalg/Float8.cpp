//===- Float8.cpp - tensors of eight-bit floats ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch has no arithmetic on these dtypes: they are converted, moved, and
// multiplied with scales.
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"
#include "Scalars.h"

using namespace mlir;

namespace fx::lin {

/// The scaling recipes of _scaled_mm_v2 that are lowered, as in
/// at::blas::ScalingType.
enum class ScalingType { TensorWise = 0, RowWise = 1 };

/// Lowers to (mat1 mat2) scale_a scale_b + bias, times scale_result. The
/// operands are exact in bf16, so the products of kernels for bf16 are, too
/// (_scaled_mm_out_cpu_emulated in aten/src/ATen/native/Blas.cpp).
static LogicalResult multiply(NodeLowering &n, const Tensor &scaleX,
                              const Tensor &scaleY) {
  Tensor x = n.tensor("self"), y = n.tensor("mat2");
  std::optional<Tensor> bias = n.optionalTensor("bias"),
                        scaleResult = n.optionalTensor("scale_result");
  if (n.failed() || x.rank() != 2 || y.rank() != 2)
    return n.fail("the operands are no matrices");
  if (x.sizes[1].isProvablyDifferent(y.sizes[0]))
    return n.fail("the inner sizes of the matmul differ");
  Type bf16 = n.b.b.getBF16Type(), f32 = n.b.b.getF32Type();
  Tensor product =
      n.b.contract({n.b.cast(x, bf16), {0, 2}}, {n.b.cast(y, bf16), {2, 1}},
                   {x.sizes[0], y.sizes[1]}, 3, f32);
  SmallVector<Tensor> operands = {product, scaleX, scaleY};
  for (const std::optional<Tensor> &more : {bias, scaleResult})
    if (more)
      operands.push_back(*more);
  for (const Tensor &scale : {scaleX, scaleY})
    if (scale.dtype != f32)
      return n.fail("a scale that is no f32");
  return n.pointwise(0, operands, f32, [&](Scalars &s, ValueRange v) {
    Value r = s.mul(s.mul(v[0], v[1]), v[2]);
    if (bias)
      r = s.add(r, v[3]);
    return scaleResult ? s.mul(r, v.back()) : r;
  });
}

static LogicalResult lowerScaledMm(NodeLowering &n) {
  Tensor scaleX = n.tensor("scale_a"), scaleY = n.tensor("scale_b");
  return n.failed() ? failure() : multiply(n, scaleX, scaleY);
}

/// The scales of _scaled_mm_v2 are lists, with a recipe for each.
static LogicalResult lowerScaledMmV2(NodeLowering &n) {
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
  r.add("aten._scaled_mm.default", lowerScaledMm);
  r.add("aten._scaled_mm_v2.default", lowerScaledMmV2);
  r.takeFloat8({
      "aten._scaled_mm.default",
      "aten._scaled_mm_v2.default",
      "aten.to.dtype",
      "aten.to.device",
      "aten.to.dtype_layout",
      "aten.to.other",
      "aten._to_copy.default",
      "aten.type_as.default",
      "aten.clone.default",
      "aten.contiguous.default",
      "aten.copy.default",
      "aten.alias.default",
      "aten.detach.default",
      "aten.lift_fresh.default",
      "aten.lift_fresh_copy.default",
      "prims.convert_element_type.default",
      "aten.view.default",
      "aten.reshape.default",
      "aten._unsafe_view.default",
      "aten.flatten.using_ints",
      "aten.unflatten.int",
      "aten.view_as.default",
      "aten.unsqueeze.default",
      "aten.squeeze.default",
      "aten.squeeze.dim",
      "aten.squeeze.dims",
      "aten.permute.default",
      "aten.transpose.int",
      "aten.t.default",
      "aten.numpy_T.default",
      "aten.mT.default",
      "aten.movedim.int",
      "aten.movedim.intlist",
      "aten.expand.default",
      "aten.expand_as.default",
      "aten.slice.Tensor",
      "aten.narrow.default",
      "aten.select.int",
      "aten.split.Tensor",
      "aten.split.sizes",
      "aten.split_with_sizes.default",
      "aten.chunk.default",
      "aten.unbind.int",
      "aten.cat.default",
      "aten.stack.default",
      "aten.repeat.default",
      "aten.slice_scatter.default",
      "aten.select_scatter.default",
  });
}

} // namespace fx::lin
