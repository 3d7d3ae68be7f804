//===- Optimize.cpp - LLVM's optimizations --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Optimize.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"

using namespace llvm;

/// Runs the pipeline that `build` makes.
static void run(PassBuilder &builder, Module &module,
                function_ref<ModulePassManager()> build) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  build().run(module, modules);
}

void fx::codegen::optimizeFor(TargetMachine &machine, Module &module,
                              int level) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  tuning.LoopUnrolling = true;
  // Skip the pass that finds the targets of function pointers. The generated
  // code calls none, and the pass takes time quadratic in the number of values
  // that functions pass to each other.
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef pass, const Any &) {
        return pass != "CalledValuePropagationPass";
      });
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  OptimizationLevel optimization = level >= 3   ? OptimizationLevel::O3
                                   : level == 2 ? OptimizationLevel::O2
                                                : OptimizationLevel::O1;
  run(builder, module,
      [&] { return builder.buildPerModuleDefaultPipeline(optimization); });
}

static FunctionPassManager getFunctionPasses() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(LoopVectorizePass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  // The vectorizer leaves the addresses and masks of its loops inside them.
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  return passes;
}

void fx::codegen::optimizeFast(TargetMachine &machine, Module &module) {
  PassBuilder builder(&machine);
  run(builder, module, [] {
    ModulePassManager passes;
    passes.addPass(AlwaysInlinerPass());
    passes.addPass(createModuleToFunctionPassAdaptor(getFunctionPasses()));
    passes.addPass(GlobalDCEPass());
    return passes;
  });
}

namespace {
/// Loop strength reduction takes up to a third of the code generator's time.
class Gate : public OptPassGate {
public:
  bool shouldRunPass(StringRef pass, StringRef) const override {
    return pass != "Loop Strength Reduction";
  }
  bool isEnabled() const override { return true; }
};
} // namespace

void fx::codegen::skipSlowPasses(LLVMContext &context) {
  static Gate gate;
  context.setOptPassGate(gate);
}
