// Prints the type of each node's results; `fx-shape-prop` makes them.
#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
struct PrintShapes : PassWrapper<PrintShapes, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintShapes)
  StringRef getArgument() const override { return "example-print-shapes"; }

  void runOnOperation() override {
    getOperation().walk([](fx::NodeOpInterface node) {
      llvm::outs() << fx::getNodeName(node).value_or("?") << ":";
      for (Type type : node->getResultTypes())
        llvm::outs() << " " << type;
      llvm::outs() << "\n";
    });
  }
};
} // namespace

void registerPrintShapes() { PassRegistration<PrintShapes>(); }
