//===- EmitKernels.cpp - kernels as launches of threads -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileChoice.h"

#include "fx/CodeGen/Common/Attention.h"
#include "fx/CodeGen/Common/Outline.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/CodeGen/IR/FXCPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// What a kernel's reductions allow, best first.
static SmallVector<std::pair<StringRef, void (*)(KernelCode &)>>
getSchedules(func::FuncOp kernel, bool tensorCores, bool warpgroups) {
  SmallVector<std::pair<StringRef, void (*)(KernelCode &)>> list;
  bool hasContraction = false, hasHalves = false, hasRows = false;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    if (tensorCores && codegen::matchAttention(op))
      return {{"attention", emitAttention}};
    if (auto match = codegen::matchContraction(op, /*forGPU=*/true)) {
      hasContraction = true;
      hasHalves |= match->isHalf;
    }
    hasRows |= codegen::isRowReduction(op);
  }
  if (hasHalves && tensorCores && warpgroups)
    list.push_back({"warpgroup", emitWarpgroup});
  if (hasHalves && tensorCores)
    list.push_back({"tensorcore", emitTensorCore});
  if (hasContraction)
    list.push_back({"matmul", emitMatMul});
  if (hasRows)
    list.push_back({"rows", emitRows});
  list.push_back({"elements", emitElements});
  return list;
}

namespace {
struct EmitKernels : fx::gpu::impl::FXGPUEmitKernelsBase<EmitKernels> {
  using Base::Base;
  void runOnOperation() override {
    if (llvm::Error e = checkTiles(tiles)) {
      getOperation().emitError("tiles: ") << llvm::toString(std::move(e));
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> kernels;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(codegen::kKernelAttr) && !func.isExternal() &&
          func.getFunctionType().getNumResults())
        kernels.push_back(func);
    DenseMap<StringAttr, SmallVector<cpu::InvokeOp>> invokes;
    getOperation().walk([&](cpu::InvokeOp op) {
      invokes[op.getCalleeAttr().getAttr()].push_back(op);
    });
    for (func::FuncOp kernel : kernels)
      if (failed(emit(kernel, invokes[kernel.getSymNameAttr()])))
        return signalPassFailure();
  }

  LogicalResult emit(func::FuncOp kernel, ArrayRef<cpu::InvokeOp> invokes) {
    std::string reasons;
    if (!tiles.empty())
      kernel->setAttr(kTilesAttr, StringAttr::get(&getContext(), tiles));
    for (auto [name, emitter] : getSchedules(kernel, tensorCores, warpgroups)) {
      kernel->removeAttr(kProductAttr);
      KernelCode code(kernel, /*lanes=*/1);
      emitter(code);
      if (code.failed()) {
        reasons +=
            (reasons.empty() ? "" : "; ") + name.str() + ": " + code.error;
        code.target.erase();
        continue;
      }
      func::ReturnOp::create(code.b, code.loc);
      code.target->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
      code.target->removeAttr(kTilesAttr);
      Builder b(&getContext());
      code.target->setAttr(
          codegen::kScheduleAttr,
          b.getDictionaryAttr(b.getNamedAttr("kind", b.getStringAttr(name))));
      code.target.setSymName(kernel.getSymName());
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
    for (cpu::InvokeOp invoke : invokes)
      codegen::inlineKernel(kernel, invoke);
    kernel.erase();
    return success();
  }
};
} // namespace
