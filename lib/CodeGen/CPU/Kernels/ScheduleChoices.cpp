//===- ScheduleChoices.cpp - the schedules of a module's kernels ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/ScheduleChoices.h"
#include "Emitters.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;
using namespace fx::kernel;

std::vector<ScheduleChoices>
fx::cpu::listSchedules(ModuleOp module, const KernelOptions &options) {
  TargetInfo target = options.getScheduleTarget();
  std::vector<ScheduleChoices> all;
  for (func::FuncOp kernel : getKernels(module)) {
    auto matches = matchKernelClasses(getKernelClasses(), kernel, target);
    if (matches.empty())
      continue;
    const auto &[kernelClass, match] = matches.front();
    ScheduleChoices choices{kernel, {match.schedule}};
    llvm::append_range(choices.schedules,
                       getCandidates(*kernelClass, match, target));
    if (choices.schedules.size() > 1)
      all.push_back(std::move(choices));
  }
  return all;
}

void fx::cpu::applySchedule(func::FuncOp kernel, ScheduleAttrInterface schedule,
                            const KernelOptions &options) {
  auto matches = matchKernelClasses(getKernelClasses(), kernel,
                                    options.getScheduleTarget());
  assert(!matches.empty() && "expected a kernel of listSchedules");
  matches.front().second.root->setAttr(kScheduleAttr, schedule);
}
