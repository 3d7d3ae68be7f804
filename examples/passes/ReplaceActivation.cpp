// Every relu becomes a gelu. fx-rewrite does it without a line of C++.
#include "fx/Operators/aten/gelu.h"
#include "fx/Operators/aten/relu.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
namespace aten = fx::aten;

namespace {
struct ReplaceActivation
    : PassWrapper<ReplaceActivation, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReplaceActivation)
  StringRef getArgument() const override {
    return "example-replace-activation";
  }

  void runOnOperation() override {
    getOperation().walk([](fx::CallFunctionOp call) {
      auto relu = dyn_cast<aten::Relu>(call.getOperation());
      if (!relu)
        return;
      OpBuilder b(call);
      auto gelu = aten::Gelu::create(b, call.getLoc(),
                                     call->getResult(0).getType(), relu.self());
      call.replaceAllUsesWith(gelu);
      call.erase();
    });
  }
};
} // namespace

void registerReplaceActivation() { PassRegistration<ReplaceActivation>(); }
