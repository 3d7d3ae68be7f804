//===- VerifyExport.cpp - the rules of the Export IR ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_VERIFYEXPORTPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
using namespace fx::verify_export;

Checker::Checker(ModuleOp module, GraphOp main, bool training, bool strict)
    : module(module), main(main), training(training), strict(strict),
      graphs(module.getOps<GraphOp>()) {
  for (PlaceholderOp input : main.getPlaceholders()) {
    inputs[input.getName()] = input;
    if (input.getTarget())
      states[*input.getTarget()] = input;
  }
}

InFlightDiagnostic Checker::report(Operation *op, unsigned number) {
  ++numErrors;
  InFlightDiagnostic error = op->emitError("rule ") << number << ": ";
  return error;
}

/// Returns true for a program of the TRAINING dialect, which
/// torch.export.export produces. A module without `fx.verifiers` counts as a
/// program of the functional dialect.
static bool isTraining(ModuleOp module) {
  auto verifiers = module->getAttrOfType<ArrayAttr>("fx.verifiers");
  return verifiers && llvm::any_of(verifiers, [](Attribute verifier) {
           auto name = dyn_cast<StringAttr>(verifier);
           return name && name.getValue() == "TRAINING";
         });
}

namespace {
struct VerifyExportPass : fx::impl::VerifyExportPassBase<VerifyExportPass> {
  using VerifyExportPassBase::VerifyExportPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<GraphOp>("main");
    if (!main) {
      module.emitError("rule 1: expected a graph @main");
      return signalPassFailure();
    }
    Checker checker(module, main, isTraining(module), strict);
    checkStructure(checker);
    checkMetadata(checker);
    checkInputs(checker);
    checkOutputs(checker);
    if (checker.failed())
      signalPassFailure();
  }
};
} // namespace
