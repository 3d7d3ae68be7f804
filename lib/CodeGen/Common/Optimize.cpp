//===- Optimize.cpp - LLVM's optimizations --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Optimize.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

void fx::codegen::optimizeFor(llvm::TargetMachine &machine,
                              llvm::Module &module, int level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  tuning.LoopUnrolling = true;
  // Skip the pass that finds the targets of function pointers. The generated
  // code calls none, and the pass takes time quadratic in the number of values
  // that functions pass to each other.
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [](llvm::StringRef pass, const llvm::Any &) {
        return pass != "CalledValuePropagationPass";
      });
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::OptimizationLevel optimization =
      level >= 3   ? llvm::OptimizationLevel::O3
      : level == 2 ? llvm::OptimizationLevel::O2
                   : llvm::OptimizationLevel::O1;
  builder.buildPerModuleDefaultPipeline(optimization).run(module, modules);
}
