//===- Dialect.cpp - the dialect with its operators -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Dialect.h"
#include "Calls.h"
#include "fx/Operators/Verify.h"

using namespace mlir;
using namespace fx;

namespace {
struct TorchOperators : OperatorDialectInterface {
  using OperatorDialectInterface::OperatorDialectInterface;

  void getEffects(CallFunctionOp call,
                  MemoryEffectList &effects) const override {
    addCallEffects(call, effects);
  }
  LogicalResult verify(CallFunctionOp call) const override {
    return verifyCall(call);
  }
  LogicalResult canonicalize(CallFunctionOp call,
                             PatternRewriter &rewriter) const override {
    return canonicalizeCall(call, rewriter);
  }
};
} // namespace

void fx::registerFXDialect(DialectRegistry &registry) {
  registry.insert<FXDialect>();
  registry.addExtension(+[](MLIRContext *, FXDialect *dialect) {
    dialect->addInterfaces<TorchOperators>();
  });
}

void fx::loadFXDialect(MLIRContext &context) {
  DialectRegistry registry;
  registerFXDialect(registry);
  context.appendDialectRegistry(registry);
  context.getOrLoadDialect<FXDialect>();
}
