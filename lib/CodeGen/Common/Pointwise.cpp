//===- Pointwise.cpp - the dimensions of pointwise kernels ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/Analysis.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;

std::optional<LoopLabels>
fx::codegen::labelOutput(KernelCode &code, SmallVectorImpl<Operation *> &ops) {
  for (Operation &op : code.source.getBody().front().without_terminator())
    ops.push_back(&op);
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    if (!isa_and_nonnull<linalg::GenericOp>(code.output(i).getDefiningOp()))
      return std::nullopt;
  Value first = code.output(0);
  auto root = first.getDefiningOp<linalg::GenericOp>();
  AffineMap map = root.getIndexingMapMatchingResult(cast<OpResult>(first));
  SmallVector<int> loops(root.getNumLoops(), LoopLabels::kUnknown);
  for (unsigned d = 0; d < map.getNumResults(); ++d)
    loops[map.getDimPosition(d)] = d;
  LoopLabels labels;
  labels.setRoot(root, loops);
  if (!labels.propagate(ops))
    return std::nullopt;
  for (Operation *op : ops)
    if (isa<linalg::GenericOp>(op) &&
        (!labels.isComplete(op) ||
         llvm::is_contained(labels.ofLoops(op), LoopLabels::kUnit)))
      return std::nullopt;
  return labels;
}

int64_t fx::codegen::countMergedDims(KernelCode &code) {
  int64_t rank = cast<RankedTensorType>(code.output(0).getType()).getRank();
  int64_t merged = rank > 0 ? 1 : 0;
  SmallVector<Operation *> ops;
  std::optional<LoopLabels> labels =
      rank > 1 ? labelOutput(code, ops) : std::nullopt;
  while (labels && merged < rank &&
         canMergeLabels(ops, *labels, rank - merged - 1, rank - merged))
    ++merged;
  return merged;
}
