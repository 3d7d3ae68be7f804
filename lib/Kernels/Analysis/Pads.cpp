//===- Pads.cpp - pads that kernels compute -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/FewRows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fx::kernel;

bool fx::kernel::isEasyPad(Operation *op, const TargetInfo &target) {
  auto pad = dyn_cast<tensor::PadOp>(op);
  if (!pad || !pad.getConstantPaddingValue() ||
      pad.getSourceType().getRank() == 0)
    return false;
  for (auto [low, high, size] :
       llvm::zip(pad.getMixedLowPad(), pad.getMixedHighPad(),
                 pad.getSourceType().getShape())) {
    auto l = getConstantIntValue(low), h = getConstantIntValue(high);
    if (!l || !h || *l < 0 || *h < 0 || size == 0)
      return false;
    // The source may be empty at run time only where the result is.
    if (ShapedType::isDynamic(size) && (*l || *h))
      return false;
  }
  Type e = pad.getSourceType().getElementType();
  bool isWhole = isConstantIntValue(pad.getMixedLowPad().back(), 0) &&
                 isConstantIntValue(pad.getMixedHighPad().back(), 0);
  return (isWhole || target.isGPU) && e.isIntOrFloat();
}

bool fx::kernel::isReadWithPadding(Operation *op, Contraction c,
                                   const TargetInfo &target) {
  if (target.matrixUnit == MatrixUnit::None || !isEasyPad(op, target) ||
      (!c.isHalf() && !c.isInteger() && c.kind != OperandKind::F32) ||
      hasFewRows(c, target))
    return false;
  auto pad = cast<tensor::PadOp>(op);
  Value with = pad.getConstantPaddingValue();
  if (!matchPattern(with, m_PosZeroFloat()) && !matchPattern(with, m_Zero()))
    return false;
  // The channels are contiguous. Zeros are where a window moves.
  ArrayRef<AffineExpr> exprs = c.lhsMap().getResults();
  auto channel = dyn_cast<AffineDimExpr>(exprs.back());
  if (!channel || !llvm::is_contained(c.k, channel.getPosition()))
    return false;
  for (auto [d, expr] : llvm::enumerate(exprs))
    if (isa<AffineDimExpr>(expr) &&
        !(isConstantIntValue(pad.getMixedLowPad()[d], 0) &&
          isConstantIntValue(pad.getMixedHighPad()[d], 0)))
      return false;
  return true;
}
