//===- Work.cpp - the bytes and operations of kernels ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Work.h"
#include "Launch.h"

#include "fx/CodeGen/Common/Buffers.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;

/// Returns the product of the sizes, or nullopt if one is dynamic.
static std::optional<int64_t> multiply(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    product *= size;
  }
  return product;
}

static std::optional<int64_t> getBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  std::optional<int64_t> count = multiply(tensor.getShape());
  if (!count)
    return std::nullopt;
  return *count * codegen::getElementBytes(tensor.getElementType());
}

/// Returns true if the elements of `v` are chosen by indices, so that not all
/// of them are read.
static bool isGathered(Value v) {
  return !v.use_empty() && llvm::all_of(v.getUsers(), [](Operation *user) {
    return isa<tensor::ExtractOp, tensor::DimOp>(user);
  });
}

/// Returns the bytes of `v` that are read: of a tensor of which only views are
/// read, those of the views. A tensor whose elements are chosen counts as one
/// of the type `chosen`.
static std::optional<int64_t> countBytes(Value v, Type chosen) {
  std::optional<int64_t> whole = getBytes(v.getType());
  if (isGathered(v)) {
    std::optional<int64_t> part = getBytes(chosen);
    return whole && part ? std::min(*whole, *part) : part ? part : whole;
  }
  int64_t bytes = 0;
  for (Operation *user : v.getUsers()) {
    if (!isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(user))
      return whole;
    std::optional<int64_t> part = countBytes(user->getResult(0), chosen);
    if (!part)
      return whole;
    bytes += *part;
  }
  return whole && !v.use_empty() ? std::min(*whole, bytes) : whole;
}

/// Returns the bytes of the arguments, each counted once.
static std::optional<int64_t> countBytes(func::FuncOp kernel) {
  int64_t bytes = 0;
  Type first = kernel.getResultTypes().front();
  for (BlockArgument arg : kernel.getArguments()) {
    std::optional<int64_t> size = countBytes(arg, first);
    if (!size)
      return std::nullopt;
    bytes += *size;
  }
  return bytes;
}

/// Returns the unit of a contraction on matrix units, or "" for other ops.
static StringRef getTensorUnit(const std::optional<kernel::Contraction> &match,
                               StringRef kernelClass) {
  if (!match)
    return "";
  bool isByte = match->hasBytes(), isHalf = match->isHalf();
  if (kernelClass == kernel::WarpgroupAttr::getMnemonic())
    return isByte ? "tensor8" : "tensor";
  if (kernelClass == kernel::MatrixCoreAttr::getMnemonic())
    return isByte ? "mfma8" : isHalf ? "mfma" : "";
  if (kernelClass == kernel::TensorCoreAttr::getMnemonic() ||
      kernelClass == kernel::AttentionAttr::getMnemonic())
    // Eight-bit floats are multiplied as f16 there.
    return match->isInteger()            ? "mma8"
           : isHalf || match->hasBytes() ? "mma"
                                         : "tf32x3";
  return "";
}

DictionaryAttr fx::gpu::describeWork(func::FuncOp kernel,
                                     const kernel::TargetInfo &target,
                                     StringRef kernelClass) {
  Builder b(kernel.getContext());
  NamedAttrList attrs;
  if (std::optional<int64_t> bytes = countBytes(kernel))
    attrs.set("bytes", b.getI64IntegerAttr(*bytes));
  std::optional<int64_t> operations = 0;
  StringRef unit = "f32";
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    std::optional<int64_t> points = multiply(op.getStaticLoopRanges());
    if (!points || !operations) {
      operations = std::nullopt;
      continue;
    }
    auto match = kernel::matchContraction(op, target);
    operations = *operations + *points * (match ? 2 : kernel::bodyCost(op));
    if (StringRef tensor = getTensorUnit(match, kernelClass); !tensor.empty())
      unit = tensor;
    else if (getElementTypeOrSelf(op.getResult(0).getType()).isF64())
      unit = "f64";
  }
  if (operations)
    attrs.set("operations", b.getI64IntegerAttr(*operations));
  attrs.set("unit", b.getStringAttr(unit));
  return attrs.getDictionary(kernel.getContext());
}
