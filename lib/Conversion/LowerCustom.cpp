//===- LowerCustom.cpp - calls the lowerings that users registered --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Conversion/Passes.h"
#include "fx/Operators/Custom.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx {
#define GEN_PASS_DEF_LOWERCUSTOM
#include "fx/Conversion/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

static LogicalResult lower(EagerOp op, const CustomOperator &known) {
  OpBuilder b(op);
  FailureOr<SmallVector<Value>> results = known.lower(b, op);
  if (failed(results))
    return op.emitError("the lowering of '") << op.getTarget() << "' failed";
  if (results->size() != op->getNumResults())
    return op.emitError("the lowering of '")
           << op.getTarget() << "': expected " << op->getNumResults()
           << " results, got " << results->size();
  for (auto [value, result] : llvm::zip_equal(*results, op->getResults()))
    if (!value || value.getType() != result.getType())
      return op.emitError("the lowering of '")
             << op.getTarget() << "': expected a result " << result.getType()
             << ", got " << (value ? value.getType() : Type());
  op->replaceAllUsesWith(*results);
  op->erase();
  return success();
}

namespace {
struct LowerCustom : fx::impl::LowerCustomBase<LowerCustom> {
  void runOnOperation() override {
    SmallVector<std::pair<EagerOp, const CustomOperator *>> found;
    getOperation()->walk([&](EagerOp op) {
      const CustomOperator *known = lookupCustomOperator(op.getTarget());
      if (known && known->lower)
        found.emplace_back(op, known);
    });
    for (auto [op, known] : found)
      if (failed(lower(op, *known)))
        return signalPassFailure();
  }
};
} // namespace
