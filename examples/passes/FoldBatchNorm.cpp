// bn(conv2d(x, w)) becomes conv2d(x, w * scale, shift). What fx-fold-conv-bn
// checks beyond this: dtypes, states that are written, other producers.
#include "fx/Operators/aten/add.h"
#include "fx/Operators/aten/batch_norm.h"
#include "fx/Operators/aten/conv2d.h"
#include "fx/Operators/aten/mul.h"
#include "fx/Operators/aten/rsqrt.h"
#include "fx/Operators/aten/sub.h"
#include "fx/Operators/aten/view.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
namespace aten = fx::aten;

namespace {
struct FoldBatchNorm : PassWrapper<FoldBatchNorm, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldBatchNorm)
  StringRef getArgument() const override { return "example-fold-batch-norm"; }
  void runOnOperation() override {
    getOperation().walk([](fx::CallFunctionOp call) {
      auto bn = dyn_cast<aten::BatchNorm>(call.getOperation());
      auto conv = dyn_cast_if_present<aten::Conv2d>(
          bn && bn.input() ? bn.input().getDefiningOp() : nullptr);
      if (!conv || !conv->hasOneUse() || conv.bias() || !bn.weight() ||
          bn.training().getBool() != false)
        return;
      OpBuilder b(call);
      // Names are unique; a node without one is named when it is written.
      auto make = [&, loc = b.getUnknownLoc()]<class View>(View, auto... args) {
        return View::createInferred(b, loc, args...)->getResult(0);
      };
      Value var = make(aten::AddTensor(), bn.running_var(), bn.eps());
      Value scale =
          make(aten::MulTensor(), bn.weight(), make(aten::Rsqrt(), var));
      Value shift = make(aten::SubTensor(), bn.bias(),
                         make(aten::MulTensor(), bn.running_mean(), scale));
      SmallVector<int64_t> column = {-1, 1, 1, 1};
      Value weight = make(aten::MulTensor(), conv.weight(),
                          make(aten::View(), scale, column));
      call->getResult(0).replaceAllUsesWith(
          make(aten::Conv2d(), conv.input(), weight, shift, conv.stride(),
               conv.padding(), conv.dilation(), conv.groups()));
      call.erase();
      conv->erase();
    });
  }
};
} // namespace
void registerFoldBatchNorm() { PassRegistration<FoldBatchNorm>(); }
