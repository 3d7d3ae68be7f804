//===- Nonpositive.cpp - exponents that are not positive ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Nonpositive.h"
#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fx::kernel;

/// Returns the operand of `op` that `v`, a value in its body, is an element of.
static OpOperand *getOperand(linalg::GenericOp op, Value v) {
  auto arg = dyn_cast<BlockArgument>(v);
  return arg && arg.getOwner() == op.getBody() ? op.getMatchingOpOperand(arg)
                                               : nullptr;
}

/// Returns the m of `v`, which is m, or 0 where m is -inf.
static Value skipGuard(Value v) {
  auto select = v.getDefiningOp<arith::SelectOp>();
  if (!select)
    return v;
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  Value m = select.getFalseValue();
  bool isGuard = compare &&
                 compare.getPredicate() == arith::CmpFPredicate::OEQ &&
                 compare.getLhs() == m &&
                 matchPattern(compare.getRhs(), m_NegInfFloat()) &&
                 matchPattern(select.getTrueValue(), m_AnyZeroFloat());
  return isGuard ? m : v;
}

bool fx::kernel::isBelowMaximum(math::ExpOp exp) {
  auto op = dyn_cast<linalg::GenericOp>(exp->getParentOp());
  if (!op)
    return false;
  Value exponent = exp.getOperand();
  // The difference may be a tensor, as in log_softmax.
  if (OpOperand *tensor = getOperand(op, exponent)) {
    op = tensor->get().getDefiningOp<linalg::GenericOp>();
    if (!op || op.getNumReductionLoops() || op->getNumResults() != 1)
      return false;
    exponent = op.getBody()->getTerminator()->getOperand(0);
  }
  auto sub = exponent.getDefiningOp<arith::SubFOp>();
  if (!sub)
    return false;
  OpOperand *x = getOperand(op, sub.getLhs()),
            *m = getOperand(op, skipGuard(sub.getRhs()));
  auto max = m ? m->get().getDefiningOp<linalg::GenericOp>() : nullptr;
  if (!x || !max || max->getNumResults() != 1)
    return false;
  auto combiners = matchReduction(max);
  if (!combiners || !isa<arith::MaximumFOp>(combiners->front().op))
    return false;
  OpOperand *input = getOperand(max, combiners->front().input);
  if (!input || input->get() != x->get())
    return false;
  // The element of `max` that `exp` reads must be that of the row with x.
  AffineMap row = inversePermutation(max.getMatchingIndexingMap(input));
  return row && max.getMatchingIndexingMap(max.getDpsInitOperand(0))
                        .compose(row)
                        .compose(op.getMatchingIndexingMap(x)) ==
                    op.getMatchingIndexingMap(m);
}
