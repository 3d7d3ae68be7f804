//===- StateAnalysis.cpp - what the states alone determine ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/StateAnalysis.h"

#include "fx/IR/FXDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx::kernel;

StateAnalysis::StateAnalysis(func::FuncOp func) : func(func) {
  // Visit the ops in order, so that long chains of ops cause no deep recursion.
  for (Operation &op : func.getBody().front())
    kind(&op);
}

StateAnalysis::Kind StateAnalysis::kind(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner() == &func.getBody().front() &&
        func.getArgAttr(arg.getArgNumber(), "fx.state") &&
        !func.getArgAttr(arg.getArgNumber(), "fx.mutable"))
      return State;
    return Other;
  }
  return kind(value.getDefiningOp());
}

/// Returns true if `op` calls an operator of ATen. Such ops are not evaluated
/// ahead of time: the compiler does not need LibTorch, and the results may
/// depend on its version.
static bool callsFallback(Operation *op) {
  return op->walk([](fx::EagerOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

StateAnalysis::Kind StateAnalysis::kind(Operation *op) {
  if (auto it = known.find(op); it != known.end())
    return it->second;
  Kind result = Constant;
  if (op->getBlock() != &func.getBody().front() || !isMemoryEffectFree(op) ||
      callsFallback(op)) {
    result = Other;
  } else {
    llvm::SetVector<Value> used;
    used.insert(op->getOperands().begin(), op->getOperands().end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value v : used)
      result = std::max(result, kind(v));
  }
  return known[op] = result;
}

/// Returns true for ops that cost nothing, or whose results are not worth
/// storing.
static bool isFree(Operation *op) {
  return matchPattern(op, m_Constant()) ||
         isa<tensor::EmptyOp, linalg::FillOp, tensor::ExtractSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
             op);
}

/// Returns the size of a static tensor in bytes; -1 for other types.
static int64_t numBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return -1;
  return tensor.getNumElements() *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

/// Maximum number of bytes that a computation on constants may add to the file.
static constexpr int64_t kConstantBytes = 4 << 20;

bool StateAnalysis::mayPrepare(Operation *op) {
  if (isFree(op) || op->getNumResults() == 0)
    return false;
  Kind kind = this->kind(op);
  if (kind == Other)
    return false;
  int64_t in = 0, out = 0;
  for (Value v : op->getOperands())
    in += std::max<int64_t>(0, numBytes(v.getType()));
  for (Type type : op->getResultTypes()) {
    int64_t bytes = numBytes(type);
    if (bytes < 0)
      return false;
    out += bytes;
  }
  if (kind == Constant)
    return out <= kConstantBytes;
  // `in` includes the destinations. Results that are much larger than the
  // other operands are not stored. Filters that are transformed for
  // Winograd's method are up to four times as large.
  return out <= 4 * (in - out) + kConstantBytes;
}
