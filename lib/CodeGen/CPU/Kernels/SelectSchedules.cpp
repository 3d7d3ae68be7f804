//===- SelectSchedules.cpp - the schedule of every kernel -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/Tuning.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUSELECTSCHEDULES
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;
using namespace fx::kernel;

static bool hasSchedule(func::FuncOp kernel) {
  return llvm::any_of(kernel.getBody().front(),
                      [](Operation &op) { return op.hasAttr(kScheduleAttr); });
}

namespace {
struct SelectSchedules
    : fx::cpu::impl::FXCPUSelectSchedulesBase<SelectSchedules> {
  using Base::Base;

  /// Returns the schedule of `file` for `kernel`, which `match` matches; null
  /// if there is none that the class lists.
  ScheduleAttrInterface getTuned(TuningFile &file, func::FuncOp kernel,
                                 const KernelClass &kernelClass,
                                 const KernelMatch &match,
                                 const TargetInfo &machine) {
    TunedScheduleOp entry =
        file.lookup(getSignature(kernel), {cpu, features, threads});
    if (!entry)
      return {};
    auto tuned = cast<ScheduleAttrInterface>(entry.getSchedule());
    if (tuned == match.schedule ||
        llvm::is_contained(getCandidates(kernelClass, match, machine), tuned))
      return tuned;
    emitWarning(entry.getLoc())
        << "expected a schedule of the class '" << kernelClass.name
        << "' that it lists for the kernel '" << kernel.getSymName()
        << "', got " << tuned;
    return {};
  }

  void runOnOperation() override {
    TargetInfo target =
        TargetInfo::getCPU(lanes, /*hasByteDot=*/false, bf16, tiles, neon);
    target.setCPU(cpu);
    std::optional<TuningFile> file;
    if (!tuneFile.empty()) {
      llvm::Expected<TuningFile> read =
          TuningFile::read(tuneFile, getContext());
      if (!read) {
        emitError(UnknownLoc::get(&getContext()))
            << llvm::toString(read.takeError());
        return signalPassFailure();
      }
      file.emplace(std::move(*read));
    }
    for (func::FuncOp kernel : getKernels(getOperation())) {
      if (hasSchedule(kernel))
        continue;
      auto matches = matchKernelClasses(getKernelClasses(), kernel, target);
      if (matches.empty())
        continue;
      const auto &[kernelClass, match] = matches.front();
      if (report) {
        InFlightDiagnostic remark = kernel.emitRemark("kernel '")
                                    << kernel.getSymName() << "' has signature "
                                    << getSignature(kernel) << " and schedules "
                                    << match.schedule;
        for (auto other : getCandidates(*kernelClass, match, target))
          remark << ", " << other;
      }
      ScheduleAttrInterface schedule;
      if (file)
        schedule = getTuned(*file, kernel, *kernelClass, match, target);
      if (schedule)
        kernel->setAttr(kTunedAttr, UnitAttr::get(&getContext()));
      if (candidate > 0) {
        auto candidates = getCandidates(*kernelClass, match, target);
        if (!candidates.empty())
          schedule = candidates[(candidate - 1) % candidates.size()];
      }
      match.root->setAttr(kScheduleAttr, schedule ? schedule : match.schedule);
    }
  }
};
} // namespace
