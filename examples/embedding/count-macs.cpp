// A compiler of one's own on fx-mlir: it imports a `.pt2`, lowers it to linalg
// on tensors, and runs its own pass there, which counts multiply-adds.
#include "fx/Import/Import.h"
#include "fx/InitAll.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

struct CountMacs : PassWrapper<CountMacs, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountMacs)
  void runOnOperation() override {
    int64_t macs = 0;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!linalg::isaContractionOpInterface(op))
        return;
      int64_t points = 1;
      for (int64_t range : op.getStaticLoopRanges())
        points *= range;
      llvm::outs() << op->getName() << ": " << points << "\n";
      macs += points;
    });
    llvm::outs() << "multiply-adds: " << macs << "\n";
  }
};

int main(int argc, char **argv) {
  DialectRegistry registry;
  fx::registerAllDialects(registry);
  fx::registerAllPasses();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();

  auto module = fx::importPt2(argc == 2 ? argv[1] : "", context);
  if (failed(module))
    return 1;
  PassManager pm(&context);
  if (failed(
          parsePassPipeline("fx-inline-wrappers,fx-functionalize,fx-decompose,"
                            "convert-fx-to-linalg",
                            pm)))
    return 1;
  pm.addPass(std::make_unique<CountMacs>());
  return failed(pm.run(**module));
}
