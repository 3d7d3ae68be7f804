// What fx-opt --load-pass-plugin looks for.
#include "mlir/Tools/Plugins/PassPlugin.h"

void registerFoldBatchNorm();
void registerPrintShapes();
void registerProfile();
void registerReplaceActivation();

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "example-passes", "1.0", [] {
            registerFoldBatchNorm();
            registerPrintShapes();
            registerProfile();
            registerReplaceActivation();
          }};
}
