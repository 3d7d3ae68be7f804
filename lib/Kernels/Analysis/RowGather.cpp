//===- RowGather.cpp - rows that are read through indices -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/RowGather.h"

#include "fx/Kernels/Analysis.h"

using namespace mlir;
using namespace fx::kernel;

/// Returns true if `v`, a value of the body of `op`, differs between iterations
/// of `loop`.
static bool dependsOn(Value v, linalg::GenericOp op, unsigned loop) {
  if (auto arg = dyn_cast<BlockArgument>(v))
    return arg.getOwner() == op.getBody() &&
           op.getMatchingIndexingMap(&op->getOpOperand(arg.getArgNumber()))
               .isFunctionOfDim(loop);
  Operation *def = v.getDefiningOp();
  if (def->getBlock() != op.getBody())
    return false;
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    return index.getDim() == loop;
  return llvm::any_of(def->getOperands(), [&](Value operand) {
    return dependsOn(operand, op, loop);
  });
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
      llvm::any_of(extract.getIndices().drop_back(),
                   [&](Value index) { return dependsOn(index, op, last); }))
    return std::nullopt;
  return RowGather{op, extract};
}
