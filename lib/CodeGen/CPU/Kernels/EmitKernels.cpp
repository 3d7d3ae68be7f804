//===- EmitKernels.cpp - replace kernels by their code --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/Common/Math.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/Outline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUEMITKERNELS
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// Returns the schedule that an op of `kernel` holds; null if none does.
static ScheduleAttrInterface getSchedule(func::FuncOp kernel) {
  ScheduleAttrInterface found;
  kernel.walk([&](Operation *op) {
    if (auto held = op->getAttrOfType<ScheduleAttrInterface>(kScheduleAttr))
      found = held;
  });
  return found;
}

static const KernelClass *findClass(ScheduleAttrInterface schedule) {
  for (const KernelClass &kernelClass : getKernelClasses())
    if (schedule && kernelClass.name == schedule.getKernelClass())
      return &kernelClass;
  return nullptr;
}

/// Marks the inputs whose strides the kernel is passed: those of dynamic shape.
static void markStridedInputs(func::FuncOp kernel) {
  SmallVector<int64_t> strided;
  unsigned numInputs = kernel.getNumArguments() - kernel.getNumResults();
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        i < numInputs && tensor && !tensor.hasStaticShape())
      strided.push_back(i);
  if (!strided.empty())
    kernel->setAttr(kStridedAttr,
                    DenseI64ArrayAttr::get(kernel.getContext(), strided));
}

namespace {
struct EmitKernels : fx::cpu::impl::FXCPUEmitKernelsBase<EmitKernels> {
  using Base::Base;
  void runOnOperation() override {
    TargetInfo target = TargetInfo::getCPU(lanes, vnni, bf16, tiles, neon);
    target.hasMixedDot = mixedDot;
    target.hasByteProducts = byteProducts;
    DenseMap<StringAttr, SmallVector<InvokeOp>> invokes;
    getOperation().walk([&](InvokeOp op) {
      invokes[op.getCalleeAttr().getAttr()].push_back(op);
    });
    for (func::FuncOp kernel : getKernels(getOperation())) {
      ScheduleAttrInterface schedule = getSchedule(kernel);
      const KernelClass *kernelClass = findClass(schedule);
      if (kernelClass && kernelClass->takesStrides)
        markStridedInputs(kernel);
      KernelCode code(kernel, target);
      if (kernelClass)
        kernelClass->emit(code);
      else
        code.fail("no schedule");
      if (code.failed()) {
        if (report)
          kernel.emitRemark("kernel '")
              << kernel.getSymName()
              << "' is left to the general path: " << code.error;
        ++numInlined;
        code.target.erase();
        for (InvokeOp invoke : invokes[kernel.getSymNameAttr()])
          inlineKernel(kernel, invoke);
        kernel.erase();
        continue;
      }
      func::ReturnOp::create(code.b, code.loc);
      code.target->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
      code.target->setAttr(kScheduleAttr, schedule);
      code.target.setSymName(kernel.getSymName());
      kernel->getBlock()->getOperations().insert(kernel->getIterator(),
                                                 code.target);
      kernel.erase();
      if (neon)
        adaptToNEON(code.target);
      if (failed(mlir::verify(code.target)) ||
          failed(approximateMath(code.target,
                                 {/*hasScale=*/code.machine.lanes == 16})))
        return signalPassFailure();
    }
    expandUnpacking(getOperation());
  }
};
} // namespace
