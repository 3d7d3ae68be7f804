//===- Work.cpp - the bytes and operations of kernels ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Work.h"
#include "Launch.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/Kernels/Attention.h"
#include "fx/Kernels/RowGather.h"

#include <algorithm>
#include <cmath>

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
  return codegen::getStaticBytes(tensor);
}

/// Returns the bytes of the elements of `v` that are chosen by indices, if all
/// its users choose elements: one in each iteration of the op around them.
static std::optional<int64_t> countChosen(Value v) {
  if (v.use_empty())
    return std::nullopt;
  int64_t count = 0;
  for (Operation *user : v.getUsers()) {
    if (isa<tensor::DimOp>(user))
      continue;
    auto op = dyn_cast<linalg::GenericOp>(user->getParentOp());
    if (!isa<tensor::ExtractOp>(user) || !op)
      return std::nullopt;
    std::optional<int64_t> points = multiply(op.getStaticLoopRanges());
    if (!points)
      return std::nullopt;
    count += *points;
  }
  return count * codegen::getElementBytes(getElementTypeOrSelf(v.getType()));
}

/// Returns the bytes of `v` that are read: of a tensor of which only views or
/// chosen elements are read, those of the views or elements.
static std::optional<int64_t> countBytes(Value v) {
  std::optional<int64_t> whole = getBytes(v.getType());
  if (std::optional<int64_t> chosen = countChosen(v))
    return whole ? std::min(*whole, *chosen) : chosen;
  int64_t bytes = 0;
  for (Operation *user : v.getUsers()) {
    if (!isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(user))
      return whole;
    std::optional<int64_t> part = countBytes(user->getResult(0));
    if (!part)
      return whole;
    bytes += *part;
  }
  return whole && !v.use_empty() ? std::min(*whole, bytes) : whole;
}

/// Returns the bytes of the arguments, each counted once.
static std::optional<int64_t> countBytes(func::FuncOp kernel) {
  int64_t bytes = 0;
  for (BlockArgument arg : kernel.getArguments()) {
    std::optional<int64_t> size = countBytes(arg);
    if (!size)
      return std::nullopt;
    bytes += *size;
  }
  return bytes;
}

/// Returns the unit of a contraction on matrix units, or "" for other ops.
static StringRef getTensorUnit(const std::optional<kernel::Contraction> &match,
                               const kernel::TargetInfo &target,
                               StringRef kernelClass) {
  if (!match)
    return "";
  bool isByte = match->hasBytes(), isHalf = match->isHalf();
  if (kernelClass == kernel::WarpgroupAttr::getMnemonic())
    return isByte ? "tensor8" : isHalf ? "tensor" : "tensor32";
  bool isAttention = kernelClass == kernel::AttentionAttr::getMnemonic();
  if (kernelClass == kernel::MatrixCoreAttr::getMnemonic() ||
      (isAttention && target.matrixUnit == kernel::MatrixUnit::MFMA))
    return isByte ? "mfma8" : isHalf ? "mfma" : "";
  if (kernelClass == kernel::TensorCoreAttr::getMnemonic() || isAttention)
    // Eight-bit floats are multiplied as f16 there.
    return match->isInteger()            ? "mma8"
           : isHalf || match->hasBytes() ? "mma"
           : target.roundsToTF32         ? "tf32"
                                         : "tf32x3";
  return "";
}

namespace {
/// A causal mask in the ops of an attention: the loops of its rows and keys,
/// and the share of their pairs that it leaves.
struct CausalWork {
  kernel::LoopLabels labels;
  int row = 0, key = 0;
  double share = 1;

  /// Returns the share of the work of `op` that the kernel does, in pieces that
  /// have no key of the mask.
  double getShare(Operation *op) const {
    ArrayRef<int> loops = labels.ofLoops(op);
    return llvm::is_contained(loops, row) && llvm::is_contained(loops, key)
               ? share
               : 1;
  }
};
} // namespace

static std::optional<CausalWork> matchCausalWork(func::FuncOp kernel) {
  SmallVector<Operation *> ops;
  std::optional<kernel::Attention> attention;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    ops.push_back(op);
    if (!attention)
      attention = kernel::matchAnyAttention(op);
  }
  auto labels = attention ? attention->label(ops) : std::nullopt;
  auto causal =
      labels ? kernel::matchCausalMask(*attention, *labels) : std::nullopt;
  // Only these pieces are skipped.
  ArrayRef<unsigned> rowLoops;
  if (attention)
    rowLoops = attention->values.m;
  if (!causal || rowLoops.empty() || rowLoops.back() != causal->row)
    return std::nullopt;
  SmallVector<int64_t> sizes = attention->values.op.getStaticLoopRanges();
  int64_t rows = sizes[causal->row], keys = sizes[attention->key];
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(keys) || rows == 0 ||
      keys == 0)
    return std::nullopt;
  double seen = 0;
  for (int64_t row = 0; row < rows; ++row)
    seen += std::clamp<int64_t>(row + causal->offset + 1, 0, keys);
  return CausalWork{std::move(*labels), int(causal->row), int(attention->key),
                    seen / (double(rows) * keys)};
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
  std::optional<CausalWork> causal;
  if (kernelClass == kernel::AttentionAttr::getMnemonic() ||
      kernelClass == kernel::WarpgroupAttr::getMnemonic())
    causal = matchCausalWork(kernel);
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    // Matmuls read the rows of a table, and compute a row's place once.
    if (kernelClass == kernel::AttentionAttr::getMnemonic() &&
        kernel::matchRowGather(op))
      continue;
    std::optional<int64_t> points = multiply(op.getStaticLoopRanges());
    if (!points || !operations) {
      operations = std::nullopt;
      continue;
    }
    auto match = kernel::matchContraction(op, target);
    double done = double(*points) * (match ? 2 : kernel::bodyCost(op));
    *operations += std::llround(causal ? done * causal->getShare(op) : done);
    if (StringRef tensor = getTensorUnit(match, target, kernelClass);
        !tensor.empty())
      unit = tensor;
    else if (getElementTypeOrSelf(op.getResult(0).getType()).isF64())
      unit = "f64";
  }
  if (operations)
    attrs.set("operations", b.getI64IntegerAttr(*operations));
  attrs.set("unit", b.getStringAttr(unit));
  return attrs.getDictionary(kernel.getContext());
}
