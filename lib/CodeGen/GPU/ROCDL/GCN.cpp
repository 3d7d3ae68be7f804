//===- GCN.cpp - code for AMD GPUs ----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Backend/DeviceModule.h"

#include "fx/CodeGen/Common/Linker.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace fx;
using namespace fx::gpu;

/// Version 5 of code objects. LLVM's default is 6, which older releases of ROCm
/// do not load.
static constexpr uint32_t kCodeObjectVersion = 500;

/// Disables unrolling of loops that contain a barrier. LLVM unrolls such loops
/// if they have few iterations. It then sinks the additions of one iteration
/// below the barriers of the next, and the values that they read from shared
/// memory stay in registers: 276 registers for a convolution that needs 82.
static void keepBarrierLoops(llvm::Function &kernel) {
  llvm::DominatorTree tree(kernel);
  llvm::LoopInfo loops(tree);
  for (llvm::Instruction &inst : llvm::instructions(kernel)) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::amdgcn_s_barrier)
      continue;
    for (llvm::Loop *loop = loops.getLoopFor(inst.getParent()); loop;
         loop = loop->getParentLoop())
      loop->setLoopAlreadyUnrolled();
  }
}

/// Sets the version of the code object and the attributes of its kernels.
static void prepare(llvm::Module &module) {
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                       kCodeObjectVersion);
  for (llvm::Function &f : module) {
    if (f.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL)
      continue;
    // HIP finds a kernel by its name; no other object replaces the symbol.
    f.setVisibility(llvm::GlobalValue::ProtectedVisibility);
    keepBarrierLoops(f);
  }
}

llvm::Expected<std::string>
fx::rocdl::emitGCN(mlir::ModuleOp module, llvm::StringRef chip, int optLevel) {
  return emitKernels(module, Platform::ROCm, chip, optLevel,
                     llvm::CodeGenFileType::AssemblyFile, prepare);
}

llvm::Expected<std::string> fx::rocdl::emitHSACO(mlir::ModuleOp module,
                                                 llvm::StringRef chip,
                                                 int optLevel) {
  llvm::Expected<std::string> object =
      emitKernels(module, Platform::ROCm, chip, optLevel,
                  llvm::CodeGenFileType::ObjectFile, prepare);
  if (!object)
    return object.takeError();
  codegen::Linker linker({"-shared", "-z", "defs", "--build-id=none"});
  if (llvm::Error e = linker.add(*object))
    return e;
  return linker.run();
}
