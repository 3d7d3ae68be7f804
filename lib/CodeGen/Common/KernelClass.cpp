//===- KernelClass.cpp - ways to compute kernels on a target --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/KernelClass.h"

#include "fx/Kernels/Analysis.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;

SmallVector<std::pair<const KernelClass *, KernelMatch>>
fx::codegen::matchKernelClasses(ArrayRef<KernelClass> classes,
                                func::FuncOp kernel, const TargetInfo &target) {
  SmallVector<std::pair<const KernelClass *, KernelMatch>> matches;
  for (const KernelClass &kernelClass : classes)
    if (std::optional<KernelMatch> match = kernelClass.match(kernel, target))
      matches.emplace_back(&kernelClass, *match);
  llvm::stable_sort(matches, [](const auto &a, const auto &b) {
    return a.first->benefit > b.first->benefit;
  });
  return matches;
}

SmallVector<ScheduleAttrInterface>
fx::codegen::getCandidates(const KernelClass &kernelClass,
                           const KernelMatch &match, const TargetInfo &target) {
  llvm::SetVector<ScheduleAttrInterface> candidates;
  if (kernelClass.getCandidates)
    candidates.insert_range(kernelClass.getCandidates(match, target));
  candidates.remove(match.schedule);
  return candidates.takeVector();
}

SmallVector<func::FuncOp> fx::codegen::getKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(kKernelAttr) && !func.isExternal() &&
        func.getFunctionType().getNumResults())
      kernels.push_back(func);
  return kernels;
}
