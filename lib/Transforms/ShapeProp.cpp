//===- ShapeProp.cpp - infer and compare result types ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "fx/Operators/Custom.h"
#include "fx/Operators/Shape.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_SHAPEPROPPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
struct ShapePropPass : fx::impl::ShapePropPassBase<ShapePropPass> {
  using ShapePropPassBase::ShapePropPassBase;

  void runOnOperation() override {
    FailureOr<SizeMap> known = parseSizes(getOperation(), sizes);
    auto graph = getOperation().lookupSymbol<GraphOp>("main");
    if (succeeded(known) && !known->empty() && !graph)
      known = getOperation().emitError("expected an 'fx.graph @main'");
    if (failed(known) || (!known->empty() && failed(specialize(graph, *known))))
      return signalPassFailure();
    bool isValid = true;
    getOperation().walk(
        [&](CallFunctionOp call) { isValid &= succeeded(visit(call)); });
    if (!isValid)
      signalPassFailure();
  }

  LogicalResult visit(CallFunctionOp call) {
    OperatorView view = getOperatorView(call);
    const CustomOperator *custom =
        view ? nullptr : lookupCustomOperator(call.getTarget());
    Inference rule = view ? inferOrRefuse(view) : Inference();
    if (!rule.refusal.empty())
      return call.emitOpError("@") << call.getTarget() << ": " << rule.refusal;
    InferredTypes inferred =
        custom && custom->shape ? custom->shape(call) : std::move(rule.types);
    if (failed(inferred)) {
      ++numUnknown;
      if (remarks)
        call.emitRemark("cannot infer the types of @")
            << call.getTarget()
            << (view && hasShapeRule(view.getSchema())
                    ? ""
                    : ", it has no shape rule");
      return success();
    }
    SmallVector<Type> types = matchResults(call, *inferred);
    if (types.empty() && call.getNumResults() != 0) {
      // The result is a list or tuple that later nodes unpack.
      if (call.getNumResults() == 1 &&
          isa<AnyType, ListType>(call.getResult(0).getType()))
        return success();
      return call.emitOpError("@")
             << call.getTarget() << ": expected " << inferred->size()
             << " results, got " << call.getNumResults();
    }
    LogicalResult result = success();
    for (auto [i, type] : llvm::enumerate(types)) {
      Type recorded = call.getResult(i).getType();
      if (isa<AnyType>(recorded)) {
        call.getResult(i).setType(type);
        ++numInferred;
      } else if (areProvablyDifferent(type, recorded)) {
        result = call.emitOpError("@")
                 << call.getTarget() << ": result " << i << ": expected "
                 << type << ", got " << recorded;
      }
    }
    ++numChecked;
    return result;
  }
};
} // namespace
