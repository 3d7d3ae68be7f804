//===- TransposedOperands.cpp - operands in another order -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/TransposedOperands.h"

#include "fx/Kernels/Analysis.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;

std::optional<TransposedOperands>
TransposedOperands::find(KernelCode &code, int64_t merged, int64_t minSize) {
  auto output = cast<RankedTensorType>(code.output(0).getType());
  int64_t rank = output.getRank();
  auto isNarrow = [&](int64_t size) {
    return !ShapedType::isDynamic(size) && size < minSize;
  };
  if (merged == 0 || merged == rank ||
      (merged == 1 && isNarrow(output.getShape().back())))
    return std::nullopt;
  SmallVector<Operation *> ops;
  std::optional<LoopLabels> labels = labelOutput(code, ops);
  if (!labels)
    return std::nullopt;
  TransposedOperands found;
  for (Operation *op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    found.cost += bodyCost(generic);
    ArrayRef<int> loops = labels->ofLoops(op);
    for (OpOperand *operand : generic.getDpsInputOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand->get().getType());
      AffineMap map = generic.getMatchingIndexingMap(operand);
      if (!type || !isa<BlockArgument>(operand->get()) ||
          type.getElementType().isInteger(1) || type.getRank() < 2 ||
          !map.isProjectedPermutation())
        continue;
      Operand candidate{operand->get(), {}};
      for (unsigned d = 0; d < map.getNumResults(); ++d)
        candidate.dims.push_back(loops[map.getDimPosition(d)]);
      const Buffer *buffer = code.buffer(candidate.tensor);
      int64_t last = candidate.dims.back();
      if (last >= 0 && last < rank - merged && buffer &&
          buffer->strides.back().isStatic(1) &&
          llvm::is_contained(candidate.dims, int(rank - 1)) &&
          (found.rowDim < 0 || found.rowDim == last) &&
          !llvm::is_contained(found.operands, candidate)) {
        found.rowDim = last;
        found.operands.push_back(candidate);
      }
    }
  }
  if (found.operands.empty() || isNarrow(output.getDimSize(found.rowDim)))
    return std::nullopt;
  return found;
}

Coords fx::codegen::getCoords(ArrayRef<int> dims, ArrayRef<Index> at,
                              int64_t lane) {
  Coords result;
  for (int d : dims)
    result.push_back(d < 0 ? Coord{Index::of(0), false}
                           : Coord{at[d], d == lane});
  return result;
}
