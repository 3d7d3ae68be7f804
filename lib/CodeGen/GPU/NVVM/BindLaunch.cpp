//===- BindLaunch.cpp - what a kernel gets when it is launched ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace fx::nvvm {
#define GEN_PASS_DEF_FXGPUBINDLAUNCH
#include "Passes.h.inc"
} // namespace fx::nvvm

using namespace mlir;

/// Makes argument `i` of `kernel`, a tensor map of 128 bytes aligned to 64, a
/// grid constant that is passed by value.
static void passByValue(LLVM::LLVMFuncOp kernel, unsigned i) {
  Builder b(kernel.getContext());
  Type words = LLVM::LLVMArrayType::get(b.getI64Type(), 16);
  kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                    TypeAttr::get(words));
  kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                    b.getI64IntegerAttr(64));
  kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                    b.getUnitAttr());
}

namespace {
struct BindLaunch : fx::nvvm::impl::FXGPUBindLaunchBase<BindLaunch> {
  using Base::Base;
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (!kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
        continue;
      if (auto blocks =
              kernel->getAttrOfType<IntegerAttr>(fx::gpu::kClusterAttr))
        kernel->setAttr(
            NVVM::NVVMDialect::getClusterDimAttrName(),
            DenseI32ArrayAttr::get(
                &getContext(), {static_cast<int32_t>(blocks.getInt()), 1, 1}));
      for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
        if (type == LLVM::LLVMPointerType::get(&getContext()))
          passByValue(kernel, i);
    }
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      if (global.getSymName().starts_with("__dynamic_shmem__"))
        global.setLinkage(LLVM::Linkage::External);
  }
};
} // namespace
