//===- EagerBufferization.cpp - bufferization of fx.eager -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/EagerBufferization.h"
#include "fx/IR/FXDialect.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace {
/// Operands are read, never written; results are new buffers.
struct EagerInterface
    : BufferizableOpInterface::ExternalModel<EagerInterface, fx::EagerOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  bool bufferizesToAllocation(Operation *, Value) const { return true; }

  FailureOr<BufferLikeType> getBufferType(Operation *, Value value,
                                          const BufferizationOptions &,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    return cast<BufferLikeType>(getMemRefTypeWithStaticIdentityLayout(
        cast<TensorType>(value.getType())));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(
          isa<TensorType>(type)
              ? getMemRefTypeWithStaticIdentityLayout(cast<TensorType>(type))
              : type);
    OperationState made(op->getLoc(), op->getName(), operands, types,
                        op->getAttrs());
    Operation *created = rewriter.create(made);
    replaceOpWithBufferizedValues(rewriter, op, created->getResults());
    return success();
  }
};
} // namespace

void fx::cpu::registerEagerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, fx::FXDialect *) {
    fx::EagerOp::attachInterface<EagerInterface>(*ctx);
  });
}
