//===- RowGather.cpp - rows that are read through indices -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/RowGather.h"

#include "fx/Kernels/Analysis.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx::kernel;

/// Returns true if one of `values`, which are those of the body of `op`,
/// differs between iterations of `loop`.
static bool dependOn(ValueRange values, linalg::GenericOp op, unsigned loop) {
  llvm::SetVector<Value> open(values.begin(), values.end());
  for (size_t n = 0; n < open.size(); ++n) {
    if (auto arg = dyn_cast<BlockArgument>(open[n])) {
      if (arg.getOwner() == op.getBody() &&
          op.getMatchingIndexingMap(&op->getOpOperand(arg.getArgNumber()))
              .isFunctionOfDim(loop))
        return true;
      continue;
    }
    Operation *def = open[n].getDefiningOp();
    if (def->getBlock() != op.getBody())
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(def))
      if (index.getDim() == loop)
        return true;
    open.insert(def->operand_begin(), def->operand_end());
  }
  return false;
}

std::optional<RowGather> fx::kernel::matchRowGather(Operation *operation) {
  auto op = dyn_cast_or_null<linalg::GenericOp>(operation);
  if (!op || op->getNumResults() != 1 || !isPointwise(op) ||
      op.getNumLoops() < 2 ||
      !op.getIndexingMapMatchingResult(op->getResult(0)).isIdentity())
    return std::nullopt;
  auto extract = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract->getBlock() != op.getBody() ||
      extract.getIndices().size() < 2)
    return std::nullopt;
  unsigned last = op.getNumLoops() - 1;
  auto column = extract.getIndices().back().getDefiningOp<linalg::IndexOp>();
  if (!column || column.getDim() != last ||
      dependOn(extract.getIndices().drop_back(), op, last))
    return std::nullopt;
  return RowGather{op, extract};
}
