// Runs the graph on zeros, node by node, and prints what each node took.
#include "fx/IR/FXDialect.h"
#include "fx/Interpreter/Interpreter.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Format.h"
#include <chrono>
#include <cstring>

using namespace mlir;

namespace {
struct Profile : PassWrapper<Profile, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Profile)
  StringRef getArgument() const override { return "example-profile"; }

  void runOnOperation() override {
    auto last = std::chrono::steady_clock::now();
    fx::InterpreterOptions options;
    options.observer = [&](Operation *op, ArrayRef<fx::HostValue>) {
      auto now = std::chrono::steady_clock::now();
      std::chrono::duration<double, std::micro> time = now - last;
      if (auto node = dyn_cast<fx::NodeOpInterface>(op))
        llvm::outs() << node.getTargetName()
                     << llvm::format(": %.1f us\n", time.count());
      last = std::chrono::steady_clock::now();
    };
    SmallVector<fx::HostValue> inputs, outputs;
    auto graph = getOperation().lookupSymbol<fx::GraphOp>("main");
    if (!graph)
      return signalPassFailure();
    for (fx::PlaceholderOp input : graph.getPlaceholders())
      if (auto type = dyn_cast<fx::FakeTensorType>(input.getResult().getType());
          type && type.hasStaticShape() && fx::getDType(type.getDtype()) &&
          input.getKind() == fx::InputKind::UserInput) {
        auto tensor = fx::HostTensor::allocate(*fx::getDType(type.getDtype()),
                                               type.toBuiltin().getShape());
        std::memset(tensor.data.get(), 0, tensor.getNumBytes());
        inputs.push_back(tensor);
      }
    auto interpreter = fx::loadInterpreter(getOperation(), options);
    if (llvm::Error e = interpreter ? (*interpreter)->run(inputs, outputs)
                                    : interpreter.takeError()) {
      getOperation().emitError(llvm::toString(std::move(e)));
      signalPassFailure();
    }
  }
};
} // namespace
void registerProfile() { PassRegistration<Profile>(); }
