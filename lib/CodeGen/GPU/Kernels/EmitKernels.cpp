//===- EmitKernels.cpp - kernels as launches of threads -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileChoice.h"
#include "Work.h"

#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Kernels/Attention.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/Outline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"

namespace fx::gpu {
#define GEN_PASS_DEF_FXGPUEMITKERNELS
#include "fx/CodeGen/GPU/Passes.h.inc"
} // namespace fx::gpu

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::KernelCode;

/// Passes the workspaces of a kernel as further outputs.
static void addWorkspaces(ArrayRef<kernel::InvokeOp> invokes,
                          ArrayRef<RankedTensorType> workspaces) {
  if (workspaces.empty())
    return;
  for (kernel::InvokeOp invoke : invokes) {
    OpBuilder b(invoke);
    SmallVector<Value> outputs(invoke.getOutputs());
    for (RankedTensorType type : workspaces)
      outputs.push_back(tensor::EmptyOp::create(
          b, invoke.getLoc(), type.getShape(), type.getElementType()));
    auto added = kernel::InvokeOp::create(
        b, invoke.getLoc(), ValueRange(outputs).getTypes(),
        invoke.getCalleeAttr(), invoke.getInputs(), outputs);
    added->setDiscardableAttrs(invoke->getDiscardableAttrDictionary());
    invoke.replaceAllUsesWith(
        added.getResults().take_front(invoke.getNumResults()));
    invoke.erase();
  }
}

namespace {
struct EmitKernels : fx::gpu::impl::FXGPUEmitKernelsBase<EmitKernels> {
  using Base::Base;
  void runOnOperation() override {
    llvm::Expected<ArrayAttr> given = parseTiles(&getContext(), tiles);
    if (!given) {
      getOperation().emitError("tiles: ") << llvm::toString(given.takeError());
      return signalPassFailure();
    }
    DenseMap<StringAttr, SmallVector<kernel::InvokeOp>> invokes;
    getOperation().walk([&](kernel::InvokeOp op) {
      invokes[op.getCalleeAttr().getAttr()].push_back(op);
    });
    for (func::FuncOp kernel : codegen::getKernels(getOperation())) {
      if (!given->empty())
        kernel->setAttr(kernel::kTilesAttr, *given);
      if (failed(emit(kernel, invokes[kernel.getSymNameAttr()])))
        return signalPassFailure();
    }
    kernel::expandUnpacking(getOperation());
  }

  LogicalResult emit(func::FuncOp kernel, ArrayRef<kernel::InvokeOp> invokes) {
    std::string reasons;
    kernel::TargetInfo target = kernel::TargetInfo::getGPU(matrixUnit);
    target.roundsToTF32 = roundsToTF32;
    for (auto [kernelClass, match] :
         codegen::matchKernelClasses(getKernelClasses(), kernel, target)) {
      kernel->removeAttr(kernel::kScheduleAttr);
      kernel->removeAttr(kernel::kProblemAttr);
      KernelCode code(kernel, target);
      kernelClass->emit(code);
      if (code.failed()) {
        reasons += (reasons.empty() ? "" : "; ") + kernelClass->name.str() +
                   ": " + code.error;
        code.target.erase();
        continue;
      }
      func::ReturnOp::create(code.b, code.loc);
      DictionaryAttr work = describeWork(kernel, target, kernelClass->name);
      code.target.walk([&](mlir::gpu::LaunchOp launch) {
        if (!launch->hasAttr(kWorkAttr))
          launch->setAttr(kWorkAttr, work);
      });
      code.target->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
      code.target->removeAttr(kernel::kTilesAttr);
      if (match.schedule)
        code.target->setAttr(kernel::kScheduleAttr, match.schedule);
      code.target->setAttr(kNumOutputsAttr,
                           code.b.getI64IntegerAttr(kernel.getNumResults() +
                                                    code.workspaces.size()));
      code.target.setSymName(kernel.getSymName());
      addWorkspaces(invokes, code.workspaces);
      kernel->getBlock()->getOperations().insert(kernel->getIterator(),
                                                 code.target);
      kernel.erase();
      return mlir::verify(code.target);
    }
    if (report)
      kernel.emitRemark("kernel '")
          << kernel.getSymName()
          << "' is left to the general path: " << reasons;
    ++numInlined;
    for (kernel::InvokeOp invoke : invokes)
      kernel::inlineKernel(kernel, invoke);
    kernel.erase();
    return success();
  }
};
} // namespace
